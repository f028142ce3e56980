import TrendyFoundation
import TrendyModels

/// Method, path and hub of a request, for error messages.
struct RequestDescription: Hashable, Sendable {
  var method: HTTPRequest.Method
  var path: String
  var hub: String
}

extension ClientResponse {
  /// Decodes the JSON document in the response.
  ///
  /// - Throws: ``TrendyModels/APIError`` for an error status, or for a body that is not a valid document of this type.
  func document<Value: Decodable>(_ type: Value.Type, to description: RequestDescription, now: Date) throws -> Value {
    try check(description, now: now)
    try head.check(isMediaType: ["application/json"], orSuffix: "+json", named: "JSON", to: description)
    guard !body.isEmpty else { throw head.unreadable("an empty body instead of JSON", description) }
    do {
      return try WireJSON.decode(type, from: body)
    } catch APIError.decodingError(let what) {
      throw head.unreadable(nil, description, detail: what)
    }
  }

  /// Throws unless the response is a success with an empty body or JSON. An HTML page, such as that of a captive
  /// portal, is not a success.
  func requireSuccess(to description: RequestDescription, now: Date) throws {
    try check(description, now: now)
    guard !body.isEmpty else { return }
    try head.check(isMediaType: ["application/json"], orSuffix: "+json", named: "JSON", to: description)
  }

  /// Whether the hub itself reports that the resource does not exist. Another web server's 404 page does not count.
  var isNotFound: Bool {
    head.status == 404 && (body.isEmpty || head.mediaType == "application/json" || head.isProblem)
  }

  /// Throws the error for this response, unless it is a success.
  func check(_ description: RequestDescription, now: Date) throws {
    guard !(200..<300).contains(head.status) else { return }
    throw head.error(body: body, to: description, now: now)
  }
}

extension HTTPHead {
  var isProblem: Bool { mediaType == "application/problem+json" }

  func error(body: Data, to description: RequestDescription, now: Date) -> APIError {
    let retryAfter = self["retry-after"].flatMap { RetryAfter.duration($0, date: self["date"], now: now) }
    if isProblem, let problem = problem(body) { return .problem(problem, retryAfter: retryAfter) }
    if (300..<400).contains(status) {
      let target = self["location"].map(Self.origin) ?? "another address"
      return .problem(
        ProblemDetails(
          title: "\(description.hub) redirects to another address", status: status,
          detail: "it redirects to \(target); if the hub has moved, connect to its new address", requestId: requestId),
        retryAfter: retryAfter)
    }
    guard let retryAfter else { return .httpError(status) }
    return .problem(
      ProblemDetails(title: Self.title(status), status: status, requestId: requestId), retryAfter: retryAfter)
  }

  /// Parses the problem document, or returns `nil` if the body is not one. The response's status overrides the advisory
  /// `status` member (RFC 9457, 3.1.2).
  private func problem(_ body: Data) -> ProblemDetails? {
    // The response is then an ordinary error with its status.
    guard var members = try? WireJSON.decode([String: JSONValue].self, from: body) else { return nil }
    members["status"] = .int(Int64(status))
    // Ignore members of the wrong type (RFC 9457, 3.1).
    for name in ["type", "title", "detail", "instance", "request_id"] where members[name]?.stringValue == nil {
      members[name] = nil
    }
    // Cannot fail, because all members have valid types now.
    guard let data = try? WireJSON.encode(members), var problem = try? WireJSON.decode(ProblemDetails.self, from: data)
    else { return nil }
    if problem.requestId == nil { problem.requestId = requestId }
    return problem
  }

  /// Throws a `decodingError` if the content type is not among the expected types. A missing content type is accepted.
  func check(
    isMediaType types: [String], orSuffix suffix: String? = nil, named name: String, to description: RequestDescription
  )
    throws
  {
    guard let mediaType, !types.contains(mediaType), !(suffix.map { mediaType.hasSuffix($0) } ?? false) else { return }
    throw unreadable("\(mediaType) instead of \(name)", description, detail: "is this a Trendy hub?")
  }

  /// Returns an error such as `hub.example responded with text/html instead of JSON (GET /events): is this a Trendy
  /// hub?`
  func unreadable(_ answered: String?, _ description: RequestDescription, detail: String? = nil) -> APIError {
    let request = requestId.map { ", request \($0)" } ?? ""
    let asked = "\(description.method.rawValue) \(description.path)\(request)"
    let subject =
      answered.map { "\(description.hub) responded with \($0) (\(asked))" }
      ?? "invalid response from \(description.hub) (\(asked))"
    return .decodingError(detail.map { "\(subject): \($0)" } ?? subject)
  }

  /// Returns only the scheme, host and port of a redirect target, because the rest may contain a secret.
  private static func origin(_ location: String) -> String {
    guard let url = URL(string: location), let scheme = url.scheme, let host = url.host(percentEncoded: false) else {
      return "another page"
    }
    return "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
  }

  private static func title(_ status: Int) -> String {
    switch status {
    case 408: "The hub timed out waiting for the request"
    case 413: "The request is too large"
    case 425: "The hub asks to retry later"
    case 429: "Too many requests"
    case 503: "The hub is not available"
    case 500...: "The hub reported an internal error"
    default: "Rejected by the hub"
    }
  }
}
