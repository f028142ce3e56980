/// Socket, pending output and running task of a connection.
///
/// Used only by the server's thread. Tasks refer to it by its number, which is never reused.
final class SocketChannel {
  let number: UInt64
  let socket: Int32
  var connection: HTTPConnection
  /// Uptime of the deadline, or `nil` while the handler is running.
  var deadline: Duration?
  /// Task that is running the gate or the handler, or producing the next chunk.
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

  /// Whether the connection is waiting for another request. A new connection that has received none is not idle.
  var isIdle: Bool { connection.isIdle && connection.hasAsked }

  /// Readiness to wait for, or `nil` if no event from the client matters now.
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
    /// Some output remains. The value is whether any bytes were sent.
    case part(Bool)
    case broken
  }

  /// Sends as much output as the socket accepts. Releases the memory once everything has been sent.
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
