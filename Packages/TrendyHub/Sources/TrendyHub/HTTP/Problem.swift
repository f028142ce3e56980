import Foundation
public import TrendyModels

/// An error response as defined by RFC 9457, with the cause and the remedy.
public struct Problem: Error, Hashable, Sendable {
  /// Members of the document. `request_id` and `instance` are set when the response is created.
  public var details: ProblemDetails
  /// Time after which a retry may succeed.
  public var retryAfter: Duration?
  /// Methods allowed for the resource, for status 405.
  public var allow: String?
  /// Hub position, for a device that needs it to continue.
  public var position: HubPosition?
  /// Final outcomes of the mutations before a detected fork.
  public var outcomes: [OutcomeEnvelope]?

  /// Creates a problem. `kind` is the suffix of the type `urn:trendy:error:<kind>`.
  public init(
    _ kind: String, status: Int, title: String, detail: String, retryAfter: Duration? = nil, allow: String? = nil
  ) {
    details = ProblemDetails(type: ProblemDetails.typePrefix + kind, title: title, status: status, detail: detail)
    self.retryAfter = retryAfter
    self.allow = allow
  }

  init(_ details: ProblemDetails) { self.details = details }

  /// Suffix of the problem type, which clients use to distinguish problems.
  public var kind: String { details.kind }
  public var status: Int { details.status }
  /// Title, the same for all problems of a kind.
  public var title: String { details.title }
  /// Cause of this particular problem, and the remedy.
  public var detail: String { details.detail ?? "" }
}

extension Problem {
  /// Creates the response. `instance` is the path of the request.
  public func response(instance: String?, requestId: String) -> HTTPResponse {
    var headers = HTTPHeaders([("Content-Type", "application/problem+json"), ("X-Request-Id", requestId)])
    if let retryAfter {
      // Round up: a client that waits exactly this long must not be refused again.
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
