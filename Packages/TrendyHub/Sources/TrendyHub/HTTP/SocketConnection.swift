import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// One connection: what has come and is not read, what is to go out, and where it stands between the two.
///
/// It belongs to the server's thread. A task knows it by its number, which is never used again.
final class SocketConnection {
  enum Stage {
    /// Waits for a request's head; until its first byte the connection is idle.
    case head
    /// Waits for the rest of a body.
    case body(HTTPHead)
    /// The handler works.
    case handling(HTTPHead, Task<Void, Never>)
    /// An answer goes out; behind it the connection is kept or ends.
    case writing
    /// The next piece of a streamed answer is being made, or the last one goes out.
    case streaming(HTTPBodyStream, Task<Void, Never>?)
    /// Answered, its writing side closed: read until the other end closes too, so that no reset overtakes the answer.
    case lingering
  }

  let number: UInt64
  let socket: Int32
  let address: String
  /// Of the request that is under way, or comes next.
  var requestId: String
  var stage = Stage.head
  /// In uptime; `nil` while the time is the handler's.
  var deadline: Duration?
  /// What has come and belongs to no request that was handled.
  var input: [UInt8] = []
  /// How much of `input` was there when it was looked at for a head; `hasLine` once a line of it has ended.
  var seen = 0
  var hasLine = false
  var output: [UInt8] = []
  var sent = 0
  /// A request has been read whole before: what comes is a later one.
  var hasAsked = false
  /// Whether another request may follow the answer.
  var isKept = true
  /// The other end has closed its sending side.
  var isHalfClosed = false
  /// Whether the answer is streamed in chunks; else its end is the connection's.
  var isChunked = false
  /// How much is still read and dropped while it lingers.
  var lingerBudget = 4_194_304

  init(number: UInt64, socket: Int32, address: String, requestId: String, deadline: Duration) {
    self.number = number
    self.socket = socket
    self.address = address
    self.requestId = requestId
    self.deadline = deadline
  }

  var isIdle: Bool { if case .head = stage { input.isEmpty && sent == output.count } else { false } }

  /// The answer to the request under way is out, or has no sender any more.
  var task: Task<Void, Never>? {
    switch stage {
    case .handling(_, let task): task
    case .streaming(_, let task): task
    default: nil
    }
  }

  /// What `poll` is asked for; `nil` where nothing that the other end does matters now.
  var events: Int16? {
    if sent < output.count { return Int16(POLLOUT) }
    return switch stage {
    case .head, .body, .lingering: Int16(POLLIN)
    case .streaming(let stream, _): stream.endsWithReader ? Sockets.hangUpEvents : nil
    case .handling, .writing: nil
    }
  }

  /// Reads what is there. `false` when the other end has closed its side, or the connection broke.
  func receive(using buffer: inout [UInt8]) -> Bool {
    while true {
      let count = Sockets.receive(socket, into: &buffer)
      if count < 0 { return true }
      if count == 0 { return false }
      input += buffer[0..<count]
      // What is behind a request's own bytes can wait, and must not fill the memory.
      if input.count > 131_072 { return true }
    }
  }

  /// Sends what the socket takes. `false` when the connection broke.
  func flush() -> Bool {
    while sent < output.count {
      let count = output.withUnsafeBytes { Sockets.send($0[sent...], to: socket) }
      if count < 0 { return true }
      if count == 0 { return false }
      sent += count
    }
    output.removeAll(keepingCapacity: output.capacity <= 65_536)
    sent = 0
    return true
  }
}
