import Foundation

/// State machine of an HTTP/1.1 connection. Consumes events and returns effects.
///
/// It uses neither sockets nor a clock. ``SocketServer`` passes events to it and performs the effects in order.
struct HTTPConnection {
  enum Event {
    /// Bytes from the client. Occurs only while ``isReading``.
    case received(ArraySlice<UInt8>)
    /// The client has closed its sending side.
    case finished
    /// The connection was lost in both directions.
    case broken
    /// Part of the output was sent.
    case progressed
    /// All output was sent.
    case sent
    /// The gate's decision on the request in ``Effect/admit(_:)``.
    case admitted(HTTPAdmission)
    case answered(HTTPResponse)
    /// Next chunk of a streamed response.
    case made(Data)
    /// End of the stream. `isWhole` is false after an error.
    case ended(isWhole: Bool)
    /// The deadline set by ``Effect/arm(_:)`` has passed.
    case deadline
    /// The server is stopping: the running request is completed, and no further request is accepted.
    case stop
    /// The grace period for stopping has expired.
    case abort
  }

  enum Effect {
    /// Bytes to send. ``Event/sent`` follows once all of them have been sent.
    case send([UInt8])
    case admit(HTTPRequest)
    case handle(HTTPRequest)
    case makePiece(HTTPBodyStream)
    /// Cancel the gate, handler or stream, because its result is no longer needed.
    case cancel
    /// Set the deadline, relative to now, replacing the previous one. `nil` means no deadline.
    case arm(Duration?)
    /// Log a request that was refused before it reached the handler.
    case log(AccessLogEntry)
    /// Close the sending side, but keep reading until the client closes its side as well.
    ///
    /// Otherwise a TCP reset could discard the response.
    case linger
    case close
  }

  struct Surroundings {
    var limits: HTTPLimits
    /// Whether a gate checks requests before their bodies are read.
    var hasGate: Bool
    /// Current time, formatted for the `Date` header.
    var date: String
    var nextRequestId: () -> String
  }

  enum Stage {
    /// Waiting for a request head. The connection is idle until its first byte.
    case head
    case admitting(HTTPHead)
    case body(HTTPHead, sender: HTTPAdmission.Sender?)
    case handling(HTTPHead)
    /// Sending a response, after which the connection is kept open or closed.
    case writing
    case streaming(HTTPBodyStream)
    /// The response was sent and the sending side closed.
    case lingering
    case closed
  }

  let address: String
  var requestId: String
  var stage = Stage.head
  /// Received bytes that do not belong to a completed request.
  var input: [UInt8] = []
  /// Number of bytes of `input` already searched for a head. `hasLine` is set once a line is complete.
  var seen = 0
  var hasLine = false
  /// Whether a request has been received completely on this connection.
  var hasAsked = false
  /// Whether the connection stays open for another request after the response.
  var isKept = true
  /// Whether the client has closed its sending side.
  var isHalfClosed = false
  /// Whether the response uses chunked encoding. If not, closing the connection marks its end.
  var isChunked = false
  var isStopping = false
  /// Number of bytes that the connection will still read and discard while lingering.
  var lingerBudget = 4_194_304

  init(address: String, requestId: String) {
    self.address = address
    self.requestId = requestId
  }

  var isIdle: Bool { if case .head = stage { input.isEmpty } else { false } }

  /// Whether a request has started to arrive but is incomplete.
  var isArriving: Bool {
    switch stage {
    case .head: !input.isEmpty
    case .admitting, .body: true
    case .handling, .writing, .streaming, .lingering, .closed: false
    }
  }

  /// Whether the connection accepts received bytes now.
  var isReading: Bool {
    switch stage {
    case .head, .body, .lingering: true
    case .admitting, .handling, .writing, .streaming, .closed: false
    }
  }

  /// Whether the connection must notice at once if the client closes its sending side.
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
      return refuse(.timeout("the header section did not arrive within \(limits.headDeadline)"), surroundings)
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
