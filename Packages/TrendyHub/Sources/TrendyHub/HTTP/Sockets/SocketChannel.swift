/// A connection's socket, the bytes on their way out, and what runs for it.
///
/// It belongs to the server's thread. A task knows it by its number, which is never used again.
final class SocketChannel {
  let number: UInt64
  let socket: Int32
  var connection: HTTPConnection
  /// In uptime; `nil` while the time is the handler's.
  var deadline: Duration?
  /// The gate, the handler, or what makes the next piece.
  var task: Task<Void, Never>?
  /// Whether it takes up no room of the limits any more.
  var isCountedOut = false
  private var output: [UInt8] = []
  private var sent = 0

  init(number: UInt64, socket: Int32, connection: HTTPConnection) {
    self.number = number
    self.socket = socket
    self.connection = connection
  }

  var hasOutput: Bool { sent < output.count }

  /// Whether it is kept open for a next request. One that has not asked yet is about to.
  var isIdle: Bool { connection.isIdle && connection.hasAsked }

  /// `nil` where nothing that the other end does matters now.
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
    /// Whether anything went out.
    case part(Bool)
    case broken
  }

  /// Sends what the socket takes. Memory for bytes that have gone is given back.
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
