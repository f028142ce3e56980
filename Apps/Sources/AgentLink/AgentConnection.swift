#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

import TrendyFoundation

/// Connection to a running agent: one JSON line per request, JSON lines as the response.
public final class AgentConnection {
  /// Request to an agent.
  public enum Request: String, Sendable, CaseIterable {
    /// Status in one line.
    case status
    /// Runs a new sync round; the response is the status after it.
    case sync
    /// Reloads the configuration; the response is the result.
    case reload
    /// Current status, then each change of it, until the client disconnects.
    case live
  }

  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// Returns `nil` without an agent: the socket is missing or was left by a killed agent.
  /// - Parameter timeoutSeconds: maximum time to wait for each response; `nil` waits without limit.
  public init?(_ files: RuntimeFiles, asking request: Request, timeoutSeconds: Int? = nil) {
    guard let address = UnixAddress(path: files.control.path) else { return nil }
    let descriptor = socket(AF_UNIX, UnixAddress.stream, 0)
    guard descriptor >= 0 else { return nil }
    if let timeoutSeconds {
      var time = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
      _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }
    let line = Array("{\"request\":\"\(request.rawValue)\"}\n".utf8)
    guard address.withSockaddr({ connect(descriptor, $0, $1) }) == 0 else {
      close(descriptor)
      return nil
    }
    // An agent that rejects the connection may have sent the reason before it closed.
    _ = write(descriptor, line, line.count)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Waits for the next JSON line; `nil` if the agent has disconnected or does not answer in time.
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
