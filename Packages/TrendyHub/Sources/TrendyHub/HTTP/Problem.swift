import Foundation
public import TrendyModels

/// An answer that says no, as RFC 9457 has it: what is wrong, in words a person can act on.
public struct Problem: Error, Hashable, Sendable {
  /// What the answer says; `request_id` and `instance` are the request's.
  public var details: ProblemDetails
  /// When asking again has a chance.
  public var retryAfter: Duration?
  /// Methods allowed, of a 405.
  public var allow: String?
  /// Where the hub stands, for a device that must know it to go on.
  public var position: HubPosition?
  /// What was judged before a fork was seen: it stands, and the device learns it from the same answer.
  public var outcomes: [OutcomeEnvelope]?

  /// `kind` is the part of `urn:trendy:error:<kind>` that a program decides by.
  public init(
    _ kind: String, status: Int, title: String, detail: String, retryAfter: Duration? = nil, allow: String? = nil
  ) {
    details = ProblemDetails(type: ProblemDetails.typePrefix + kind, title: title, status: status, detail: detail)
    self.retryAfter = retryAfter
    self.allow = allow
  }

  init(_ details: ProblemDetails) { self.details = details }

  public var kind: String { details.kind }
  public var status: Int { details.status }
  /// The same for every problem of its kind.
  public var title: String { details.title }
  /// What went wrong this time, and what to do.
  public var detail: String { details.detail ?? "" }
}

extension Problem {
  /// The answer to a request; `instance` is the path that was asked for.
  public func response(instance: String?, requestId: String) -> HTTPResponse {
    var headers = HTTPHeaders([("Content-Type", "application/problem+json"), ("X-Request-Id", requestId)])
    if let retryAfter {
      // Rounded up: a client that waits as long as it is told must not be told again.
      let (seconds, attoseconds) = retryAfter.components
      headers["Retry-After"] = String(max(0, seconds + (attoseconds > 0 ? 1 : 0)))
    }
    if let allow { headers["Allow"] = allow }
    if status == 401 { headers["WWW-Authenticate"] = "Bearer" }
    var document = ProblemDocument(details: details, position: position, outcomes: outcomes)
    document.details.instance = instance
    document.details.requestId = requestId
    return HTTPResponse(status: status, headers: headers, body: .data(JSONText.write(document: document)))
  }
}
