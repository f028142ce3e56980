import Foundation

/// One connection of HTTP/1.1 as a value: what arrives goes in, what is to be done comes out.
///
/// It touches no socket and reads no clock. ``SocketServer`` feeds it events and carries out the effects in their order.
struct HTTPConnection {
  enum Event {
    /// Bytes of the other end; only while ``isReading``.
    case received(ArraySlice<UInt8>)
    /// The other end has closed its sending side.
    case finished
    /// The connection is gone, for both directions.
    case broken
    /// A part of what was to be sent has gone out.
    case progressed
    /// All of it has.
    case sent
    /// The gate's verdict on the request that ``Effect/admit(_:)`` named.
    case admitted(HTTPAdmission)
    case answered(HTTPResponse)
    /// The next piece of a streamed answer.
    case made(Data)
    /// The stream is over; `isWhole` is false after an error.
    case ended(isWhole: Bool)
    /// The deadline that was armed last has passed.
    case deadline
    /// The server stops: what runs is finished, and nothing new is begun.
    case stop
    /// The time for that is over.
    case abort
  }

  enum Effect {
    /// Followed by ``Event/sent`` when all has gone out.
    case send([UInt8])
    case admit(HTTPRequest)
    case handle(HTTPRequest)
    case makePiece(HTTPBodyStream)
    /// Nobody waits for the gate, the handler or the stream any more.
    case cancel
    /// From now on; `nil` for no deadline. Takes the place of the one before.
    case arm(Duration?)
    /// A request was refused before it reached the handler.
    case log(AccessLogEntry)
    /// Close the writing side, and read on until the other end closes too, so that no reset overtakes the answer.
    case linger
    case close
  }

  /// What an event is seen in the light of.
  struct Surroundings {
    var limits: HTTPLimits
    /// Whether a gate stands before bodies.
    var hasGate: Bool
    /// As `Date` fields have it.
    var date: String
    var nextRequestId: () -> String
  }

  enum Stage {
    /// Waits for a request's head; until its first byte the connection is idle.
    case head
    /// The gate looks at the head.
    case admitting(HTTPHead)
    /// Waits for the rest of a body.
    case body(HTTPHead, sender: HTTPAdmission.Sender?)
    /// The handler works.
    case handling(HTTPHead)
    /// An answer goes out; behind it the connection is kept or ends.
    case writing
    /// A streamed answer goes out.
    case streaming(HTTPBodyStream)
    /// Answered, its writing side closed.
    case lingering
    case closed
  }

  let address: String
  /// Of the request that is under way, or comes next.
  var requestId: String
  var stage = Stage.head
  /// What has come and belongs to no request that was handled.
  var input: [UInt8] = []
  /// How much of `input` was there when it was looked at for a head; `hasLine` once a line of it has ended.
  var seen = 0
  var hasLine = false
  /// A request has been read whole before: what comes is a later one.
  var hasAsked = false
  /// Whether another request may follow the answer.
  var isKept = true
  /// The other end has closed its sending side.
  var isHalfClosed = false
  /// Whether the answer is streamed in chunks; else its end is the connection's.
  var isChunked = false
  var isStopping = false
  /// How much is still read and dropped while it lingers, in bytes.
  var lingerBudget = 4_194_304

  init(address: String, requestId: String) {
    self.address = address
    self.requestId = requestId
  }

  var isIdle: Bool { if case .head = stage { input.isEmpty } else { false } }

  /// Whether a request has begun to come and is not whole.
  var isArriving: Bool {
    switch stage {
    case .head: !input.isEmpty
    case .admitting, .body: true
    case .handling, .writing, .streaming, .lingering, .closed: false
    }
  }

  /// Whether what the other end sends is taken now.
  var isReading: Bool {
    switch stage {
    case .head, .body, .lingering: true
    case .admitting, .handling, .writing, .streaming, .closed: false
    }
  }

  /// Whether it matters now that the other end closes its sending side.
  var isWatchingReader: Bool { if case .streaming(let stream) = stage { stream.endsWithReader } else { false } }

  mutating func on(_ event: Event, in surroundings: Surroundings) -> [Effect] {
    switch event {
    case .received(let bytes): return onReceived(bytes, surroundings)
    case .finished: return onFinished(surroundings)
    case .broken: return end()
    case .progressed: return [.arm(surroundings.limits.sendIdleDeadline)]
    case .sent: return onSent(surroundings)
    case .admitted(let admission): return onAdmitted(admission, surroundings)
    case .answered(let response):
      guard case .handling(let head) = stage else { return [] }
      return answer(response, to: head, surroundings)
    case .made(let data): return onMade(data, surroundings)
    case .ended(let isWhole): return onEnded(isWhole: isWhole, surroundings)
    case .deadline: return onDeadline(surroundings)
    case .stop:
      isKept = false
      isStopping = true
      return isIdle ? end() : []
    case .abort: return onAbort(surroundings)
    }
  }

  /// Ends without another word.
  mutating func end() -> [Effect] {
    var effects: [Effect] = [.close]
    switch stage {
    case .closed: return []
    case .admitting, .handling, .streaming: effects.insert(.cancel, at: 0)
    case .head, .body, .writing, .lingering: break
    }
    stage = .closed
    input = []
    return effects
  }

  private mutating func onDeadline(_ surroundings: Surroundings) -> [Effect] {
    let limits = surroundings.limits
    switch stage {
    case .head where isIdle && hasAsked: return end()
    case .head:
      return refuse(.timeout("the request's head did not arrive within \(limits.headDeadline)"), surroundings)
    case .body(let head, _):
      return refuse(.timeout("the body did not arrive within \(limits.bodyDeadline)"), head: head, surroundings)
    case .writing, .streaming, .lingering: return end()
    case .admitting, .handling, .closed: return []
    }
  }

  private mutating func onAbort(_ surroundings: Surroundings) -> [Effect] {
    let problem = Problem.busy("this hub is shutting down")
    switch stage {
    case .head: return refuse(problem, surroundings)
    case .body(let head, _): return refuse(problem, head: head, surroundings)
    case .admitting(let head), .handling(let head):
      return [.cancel] + refuse(problem, head: head, surroundings)
    case .streaming: return end()
    case .writing, .lingering, .closed: return []
    }
  }
}

extension Problem {
  static func busy(_ detail: String) -> Problem {
    Problem(
      "unavailable", status: 503, title: "Service unavailable", detail: "\(detail): try again in a moment",
      retryAfter: .seconds(1))
  }

  static func timeout(_ detail: String) -> Problem {
    Problem("timeout", status: 408, title: "Request timeout", detail: detail)
  }
}
