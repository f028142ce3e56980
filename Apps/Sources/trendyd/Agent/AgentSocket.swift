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

/// Hears the store's writers: each datagram says that something waits.
final class AgentSocket: Sendable {
  /// One element at least after each change of the record; those that come close together become one.
  let wakes: AsyncStream<Void>
  private let descriptor: Int32
  private let path: String

  /// Whoever makes it holds the right to sync the store, so a socket file that is there is a dead agent's.
  /// - Parameter onWord: called with each word, also with those that are no change.
  init(_ signal: AgentSignal, onWord: @escaping @Sendable () -> Void) throws(CommandError) {
    path = signal.path
    guard let address = UnixAddress(path: path) else {
      throw CommandError(
        "\(path) is too long for a socket", hint: "Choose a shorter path for the store.", exit: .configuration)
    }
    unlink(path)
    let descriptor = socket(AF_UNIX, UnixAddress.datagram, 0)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let status = address.withSockaddr { bind(descriptor, $0, $1) }
    guard descriptor >= 0, status == 0 else {
      throw CommandError("\(path) cannot be made: \(String(cString: strerror(errno)))", exit: .cannotCreate)
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
