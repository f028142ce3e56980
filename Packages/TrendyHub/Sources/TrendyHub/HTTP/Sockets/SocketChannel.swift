/// Socket, pending output and task of a connection.
///
/// Used only by the server's thread. Tasks refer to it by its number, which is never reused.
final class SocketChannel {
  let number: UInt64
  let socket: Int32
  var connection: HTTPConnection
  /// Uptime of the deadline; `nil` while the handler runs.
  var deadline: Duration?
  /// Task of the gate, the handler, or the next chunk.
  var task: Task<Void, Never>?
  /// Whether the connection no longer counts towards the limits.
  var isCountedOut = false
  private var output: [UInt8] = []
  private var sent = 0

  init(number: UInt64, socket: Int32, connection: HTTPConnection) {
    self.number = number
    self.socket = socket
    self.connection = connection
  }

  var hasOutput: Bool { sent < output.count }

  /// Whether the connection waits for another request. A connection without any request yet is not idle.
  var isIdle: Bool { connection.isIdle && connection.hasAsked }

  /// Readiness to wait for; `nil` if no event of the client matters now.
  var interest: Poller.Interest? {
    if hasOutput { return .writing }
    if connection.isReading { return .reading }
    return connection.isWatchingReader ? .hangUp : nil
  }

  func append(_ bytes: [UInt8]) {
    if output.isEmpty { output = bytes } else { output += bytes }
  }

  enum Flushed {
    case all
    /// Part of the output was sent; the value is false if nothing was.
    case part(Bool)
    case broken
  }

  /// Sends as much output as the socket accepts, and releases the memory of sent bytes.
  func flush() -> Flushed {
    let before = sent
    while sent < output.count {
      let count = output.withUnsafeBytes { Sockets.send($0[sent...], to: socket) }
      if count < 0 { return .part(sent > before) }
      if count == 0 { return .broken }
      sent += count
    }
    output = []
    sent = 0
    return .all
  }
}
