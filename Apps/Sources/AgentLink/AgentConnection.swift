#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

import TrendyFoundation

/// The way to a running agent: a line of JSON asks, lines of JSON answer.
public final class AgentConnection {
  /// What an agent is asked.
  public enum Request: String, Sendable, CaseIterable {
    /// Its status, one line.
    case status
    /// A round of sync that begins after the asking; the status when it is over.
    case sync
    /// Its configuration read again; what came of it.
    case reload
    /// Its status at once and each time that it changes, until the asker goes.
    case live
  }

  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// `nil` where no agent answers: the socket is not there, or was left behind by one that was killed.
  public init?(_ files: RuntimeFiles, asking request: Request) {
    guard let address = UnixAddress(path: files.control.path) else { return nil }
    let descriptor = socket(AF_UNIX, UnixAddress.stream, 0)
    guard descriptor >= 0 else { return nil }
    let line = Array("{\"request\":\"\(request.rawValue)\"}\n".utf8)
    guard address.withSockaddr({ connect(descriptor, $0, $1) }) == 0 else {
      close(descriptor)
      return nil
    }
    // One that could not be asked may have said why, and be gone already.
    _ = write(descriptor, line, line.count)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// The next answer, a document of one line; `nil` when the agent has gone. Waits for it.
  public func next() -> String? {
    while true {
      if let end = buffer.firstIndex(of: 0xA) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeSubrange(...end)
        return line
      }
      var piece = [UInt8](repeating: 0, count: 16_384)
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      buffer += piece.prefix(count)
    }
  }
}

@available(*, unavailable) extension AgentConnection: Sendable {}
