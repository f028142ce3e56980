import Foundation

extension HTTPConnection {
  mutating func onReceived(_ bytes: ArraySlice<UInt8>, _ surroundings: Surroundings) -> [Effect] {
    switch stage {
    case .head, .body:
      input += bytes
      return readOn(surroundings)
    case .lingering:
      lingerBudget -= bytes.count
      return lingerBudget > 0 ? [] : end()
    case .admitting, .handling, .writing, .streaming, .closed: return []
    }
  }

  mutating func onFinished(_ surroundings: Surroundings) -> [Effect] {
    switch stage {
    case .head, .body:
      isHalfClosed = true
      return readOn(surroundings)
    case .lingering: return end()
    case .streaming(let stream): return stream.endsWithReader ? end() : []
    case .admitting, .handling, .writing, .closed: return []
    }
  }

  /// Parses as much of the received input as possible.
  mutating func readOn(_ surroundings: Surroundings) -> [Effect] {
    switch stage {
    case .head:
      var effects: [Effect] = []
      if seen == 0, !input.isEmpty, hasAsked {
        // The first byte of a new request ends the idle period.
        effects.append(.arm(surroundings.limits.headDeadline))
      }
      switch readHead(surroundings.limits) {
      case .incomplete: return effects + onIncompleteHead(surroundings)
      case .refused(let problem): return effects + refuse(problem, surroundings)
      case .complete(let head, _):
        guard head.contentLength > 0, surroundings.hasGate else {
          return effects + takeBody(of: head, upTo: surroundings.limits.bodyBytes, surroundings)
        }
        stage = .admitting(head)
        return effects + [.arm(nil), .admit(request(head, body: Data()))]
      }
    case .body(let head, let sender): return takeRequest(head, from: sender, surroundings)
    default: return []
    }
  }

  /// Parses the head and removes it from the input once it is complete.
  private mutating func readHead(_ limits: HTTPLimits) -> HTTPHead.Reading {
    let new = input[seen...]
    let endsLine = new.contains(UInt8(ascii: "\n"))
    // Parse again only after a line end or beyond a limit, not for each byte from a slow client.
    let isWorthReading =
      seen == 0 || endsLine || input.count > limits.headBytes || !hasLine && input.count > limits.targetBytes
    if endsLine { hasLine = true }
    seen = input.count
    guard isWorthReading, !input.isEmpty else { return .incomplete }
    let reading = HTTPHead.read(input, limits: limits)
    if case .complete(_, let length) = reading {
      drop(length)
      seen = 0
      hasLine = false
    }
    return reading
  }

  private mutating func onIncompleteHead(_ surroundings: Surroundings) -> [Effect] {
    guard isHalfClosed else { return [] }
    if input.isEmpty { return end() }
    return refuse(.malformedRequest("the request ended before the end of its header section"), surroundings)
  }

  mutating func onAdmitted(_ admission: HTTPAdmission, _ surroundings: Surroundings) -> [Effect] {
    guard case .admitting(let head) = stage else { return [] }
    guard let response = admission.refusal else {
      let limit = min(admission.bodyBytes, surroundings.limits.bodyBytes)
      return takeBody(of: head, upTo: limit, from: admission.sender, surroundings)
    }
    hasAsked = true
    if input.count >= head.contentLength {
      drop(head.contentLength)
      isKept = head.isKept && !isHalfClosed && !isStopping
    } else {
      // The body is left unread, so the start of the next request is unknown.
      isKept = false
    }
    return answer(response, to: head, surroundings)
  }

  private mutating func takeBody(
    of head: HTTPHead, upTo limit: Int, from sender: HTTPAdmission.Sender? = nil, _ surroundings: Surroundings
  ) -> [Effect] {
    guard head.contentLength <= limit else { return refuse(.bodyTooLarge(limit: limit), head: head, surroundings) }
    stage = .body(head, sender: sender)
    var effects: [Effect] = []
    if head.contentLength > input.count {
      if !head.isVersion10, head.headers["Expect"]?.lowercased() == "100-continue" {
        effects.append(.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)))
      }
      effects.append(.arm(surroundings.limits.bodyDeadline))
    }
    return effects + takeRequest(head, from: sender, surroundings)
  }

  private mutating func takeRequest(
    _ head: HTTPHead, from sender: HTTPAdmission.Sender?, _ surroundings: Surroundings
  ) -> [Effect] {
    guard input.count >= head.contentLength else {
      guard isHalfClosed else { return [] }
      // The client closed its sending side before the end of the body.
      return refuse(
        .malformedRequest("the request ended before the end of its body"), head: head, surroundings)
    }
    var request = request(head, body: Data(input.prefix(head.contentLength)))
    request.sender = sender
    drop(head.contentLength)
    hasAsked = true
    isKept = head.isKept && !isHalfClosed && !isStopping
    stage = .handling(head)
    return [.arm(nil), .handle(request)]
  }

  private func request(_ head: HTTPHead, body: Data) -> HTTPRequest {
    HTTPRequest(
      id: requestId, method: head.method, target: head.target, headers: head.headers, body: body,
      remoteAddress: address)
  }

  /// Removes bytes from the front of the input, and releases the memory if none remain.
  private mutating func drop(_ count: Int) {
    if count == input.count { input = [] } else { input = Array(input[count...]) }
  }
}
