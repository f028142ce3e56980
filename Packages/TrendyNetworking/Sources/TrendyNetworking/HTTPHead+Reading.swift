import TrendyFoundation
import TrendyModels

/// What was asked of whom: the words that every error about an answer begins with.
struct RequestDescription: Hashable, Sendable {
  var method: HTTPRequest.Method
  var path: String
  var hub: String
}

extension ClientResponse {
  /// The document in the answer.
  /// - Throws: ``TrendyModels/APIError`` for a status that is no success, and for a body that is not that document.
  func document<Value: Decodable>(_ type: Value.Type, to description: RequestDescription, now: Date) throws -> Value {
    try check(description, now: now)
    try head.check(isMediaType: ["application/json"], orSuffix: "+json", named: "JSON", to: description)
    guard !body.isEmpty else { throw head.unreadable("nothing instead of JSON", description) }
    do {
      return try WireJSON.decode(type, from: body)
    } catch APIError.decodingError(let what) {
      throw head.unreadable(nil, description, detail: what)
    }
  }

  /// Says, by returning, that what was asked is done.
  ///
  /// A success has no body, or JSON: a page that some box on the way put in the hub's place is no success.
  func requireSuccess(to description: RequestDescription, now: Date) throws {
    try check(description, now: now)
    guard !body.isEmpty else { return }
    try head.check(isMediaType: ["application/json"], orSuffix: "+json", named: "JSON", to: description)
  }

  /// Whether the hub itself says that there is no such thing; a web server that knows no such page says nothing of it.
  var isNotFound: Bool {
    head.status == 404 && (body.isEmpty || head.mediaType == "application/json" || head.isProblem)
  }

  /// - Throws: what the answer says, unless it is a success.
  func check(_ description: RequestDescription, now: Date) throws {
    guard !(200..<300).contains(head.status) else { return }
    throw head.error(body: body, to: description, now: now)
  }
}

extension HTTPHead {
  var isProblem: Bool { mediaType == "application/problem+json" }

  /// An answer that is not a success, as an error.
  func error(body: Data, to description: RequestDescription, now: Date) -> APIError {
    let retryAfter = self["retry-after"].flatMap { RetryAfter.duration($0, date: self["date"], now: now) }
    if isProblem, let problem = problem(body) { return .problem(problem, retryAfter: retryAfter) }
    if (300..<400).contains(status) {
      let place = self["location"].map(Self.origin) ?? "another place"
      return .problem(
        ProblemDetails(
          title: "\(description.hub) sends its visitors elsewhere", status: status,
          detail: "it points to \(place); if the hub has moved, connect to its new address", requestId: requestId),
        retryAfter: retryAfter)
    }
    guard let retryAfter else { return .httpError(status) }
    return .problem(
      ProblemDetails(title: Self.title(status), status: status, requestId: requestId), retryAfter: retryAfter)
  }

  /// The problem document; `nil` where the body is none. Its `status` is advice (RFC 9457, 3.1.2): the answer's own counts.
  private func problem(_ body: Data) -> ProblemDetails? {
    // What is no problem document after all is an answer like others, with its status.
    guard var members = try? WireJSON.decode([String: JSONValue].self, from: body) else { return nil }
    members["status"] = .int(Int64(status))
    // A member of the wrong type is left out and the rest kept (RFC 9457, 3.1).
    for name in ["type", "title", "detail", "instance", "request_id"] where members[name]?.stringValue == nil {
      members[name] = nil
    }
    // As above: after this only what cannot happen is left.
    guard let data = try? WireJSON.encode(members), var problem = try? WireJSON.decode(ProblemDetails.self, from: data)
    else { return nil }
    if problem.requestId == nil { problem.requestId = requestId }
    return problem
  }

  /// - Throws: unless the body is what was asked for, by what the answer says of it. An answer that says nothing is read.
  func check(
    isMediaType types: [String], orSuffix suffix: String? = nil, named name: String, to description: RequestDescription
  )
    throws
  {
    guard let mediaType, !types.contains(mediaType), !(suffix.map { mediaType.hasSuffix($0) } ?? false) else { return }
    throw unreadable("\(mediaType) instead of \(name)", description, detail: "is this a Trendy hub?")
  }

  /// `hub.example answered text/html instead of JSON (GET /events): is this a Trendy hub?`
  func unreadable(_ answered: String?, _ description: RequestDescription, detail: String? = nil) -> APIError {
    let request = requestId.map { ", request \($0)" } ?? ""
    let asked = "\(description.method.rawValue) \(description.path)\(request)"
    let subject =
      answered.map { "\(description.hub) answered \($0) (\(asked))" } ?? "the answer of \(description.hub) (\(asked))"
    return .decodingError(detail.map { "\(subject): \($0)" } ?? subject)
  }

  /// Scheme and host: the rest of a place to go may hold a secret.
  private static func origin(_ location: String) -> String {
    guard let url = URL(string: location), let scheme = url.scheme, let host = url.host(percentEncoded: false) else {
      return "another page"
    }
    return "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
  }

  private static func title(_ status: Int) -> String {
    switch status {
    case 408: "The hub gave up waiting for the request"
    case 413: "The request is too large"
    case 425: "The hub asks to try later"
    case 429: "Too many requests"
    case 503: "The hub is not available"
    case 500...: "The hub failed"
    default: "The hub refused"
    }
  }
}
