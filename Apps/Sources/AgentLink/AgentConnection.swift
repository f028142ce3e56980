#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

import TrendyFoundation
public import TrendyModels

/// Connection to a running agent or hub. A request is one line of JSON, and the response is one or more lines of JSON.
public final class AgentConnection {
  /// Kind of request.
  public enum Request: String, Sendable, CaseIterable {
    /// Current status, as one line.
    case status
    /// Syncs, then responds with the new status.
    case sync
    /// Reloads the configuration and responds with the result.
    case reload
    /// Responds with the current status, and again after each change, until the client disconnects.
    case live
  }

  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// Connects and sends a request. Returns `nil` if no agent is running, even if a killed agent left its socket behind.
  ///
  /// `timeoutSeconds` is the maximum time to wait for each response, or `nil` to wait indefinitely.
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
    // If the agent has rejected the connection, this write may fail, but the response with the reason can still be
    // read.
    _ = write(descriptor, line, line.count)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Parses a line of JSON from a daemon or its status file. Returns `nil` if the line is not a JSON object.
  public static func members(of line: String) -> [String: JSONValue]? {
    (try? WireJSON.decode(JSONValue.self, from: Data(line.utf8)))?.objectValue
  }

  /// Waits for the next line of JSON, or returns `nil` if the agent disconnects or the timeout expires.
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
