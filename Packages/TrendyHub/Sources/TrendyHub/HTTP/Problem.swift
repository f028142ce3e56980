import Foundation
public import TrendyModels

/// An answer that says no, as RFC 9457 has it: what is wrong, in words a person can act on.
public struct Problem: Error, Hashable, Sendable {
  /// The part of `urn:trendy:error:<kind>` a program decides by.
  public var kind: String
  public var status: Int
  /// The same for every problem of its kind.
  public var title: String
  /// What went wrong this time, and what to do.
  public var detail: String
  /// When asking again has a chance.
  public var retryAfter: Duration?
  /// Methods allowed, of a 405.
  public var allow: String?
  /// Further members of the document (RFC 9457, 3.2).
  public var extensions: [String: JSONValue]

  public init(
    _ kind: String, status: Int, title: String, detail: String, retryAfter: Duration? = nil, allow: String? = nil,
    extensions: [String: JSONValue] = [:]
  ) {
    self.kind = kind
    self.status = status
    self.title = title
    self.detail = detail
    self.retryAfter = retryAfter
    self.allow = allow
    self.extensions = extensions
  }
}

extension Problem {
  public func response(instance: String?, requestId: String) -> HTTPResponse {
    var headers = HTTPHeaders([("Content-Type", "application/problem+json"), ("X-Request-Id", requestId)])
    if let retryAfter {
      // Rounded up: a client that waits as long as it is told must not be told again.
      let (seconds, attoseconds) = retryAfter.components
      headers["Retry-After"] = String(max(0, seconds + (attoseconds > 0 ? 1 : 0)))
    }
    if let allow { headers["Allow"] = allow }
    if status == 401 { headers["WWW-Authenticate"] = "Bearer" }
    return HTTPResponse(
      status: status, headers: headers,
      body: .data(JSONText.write(.object(members(instance: instance, requestId: requestId)))))
  }

  /// The document itself; `instance` is the path that was asked for.
  func members(instance: String?, requestId: String) -> [String: JSONValue] {
    var members = extensions
    members["type"] = .string("urn:trendy:error:\(kind)")
    members["title"] = .string(title)
    members["status"] = .int(Int64(status))
    members["detail"] = .string(detail)
    members["request_id"] = .string(requestId)
    if let instance { members["instance"] = .string(instance) }
    return members
  }
}
