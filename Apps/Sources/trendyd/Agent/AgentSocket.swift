import AgentLink
import CommandSupport
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Foundation

/// Datagram socket on which programs notify the agent of changes to the store.
final class AgentSocket: Sendable {
  /// Yields an element after a change to the store. Changes in quick succession may be combined.
  let wakes: AsyncStream<Void>
  private let descriptor: Int32
  private let path: String

  /// Creates the socket, replacing an existing socket file.
  ///
  /// The caller must hold the sync lock, so an existing file must have been left behind by a killed agent. `onWord` is
  /// called for each message, including messages that do not report a change.
  init(_ signal: AgentSignal, onWord: @escaping @Sendable () -> Void) throws(CommandError) {
    path = signal.path
    guard let address = UnixAddress(path: path) else {
      throw CommandError(
        "The path \(path) is too long for a socket", hint: "Choose a shorter path for the store.", exit: .configuration)
    }
    unlink(path)
    let descriptor = socket(AF_UNIX, UnixAddress.datagram, 0)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let status = address.withSockaddr { bind(descriptor, $0, $1) }
    guard descriptor >= 0, status == 0 else {
      throw CommandError(cannot: "create", path, code: errno)
    }
    chmod(path, 0o600)
    self.descriptor = descriptor
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    wakes = stream
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while recv(descriptor, &byte, 1, 0) >= 0 || errno == EINTR {
        if byte != AgentSignal.Word.told.rawValue { continuation.yield() }
        onWord()
      }
      continuation.finish()
    }
  }

  func close() {
    unlink(path)
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}
