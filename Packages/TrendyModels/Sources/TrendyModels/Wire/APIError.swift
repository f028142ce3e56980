/// Failure of a request to the hub.
public enum APIError: Error, Hashable, Sendable {
  /// Invalid response or document. The text names the field and the expected value.
  case decodingError(String)
  /// No response: the connection was refused, interrupted or had no route. The request may have taken effect.
  case networkError(String)
  /// No response within the time limit. The request may have taken effect.
  case timedOut(String)
  /// Response with a status of 400 or more and without a problem document.
  case httpError(Int)
  /// Response with a problem document, or with a `Retry-After` header.
  case problem(ProblemDetails, retryAfter: Duration?)
}

extension APIError {
  /// HTTP status of the response, or `nil` if there was none.
  public var statusCode: Int? {
    switch self {
    case .decodingError, .networkError, .timedOut: nil
    case .httpError(let status): status
    case .problem(let problem, _): problem.status
    }
  }

  /// Minimum wait before the next request, as requested by the hub.
  public var retryAfter: Duration? {
    if case .problem(_, let retryAfter) = self { retryAfter } else { nil }
  }

  /// Whether the same request may succeed later: no response, 408, 425, 429 or 5xx.
  public var isTransient: Bool {
    switch self {
    case .networkError, .timedOut: true
    case .decodingError: false
    case .httpError, .problem: ProblemDetails.isTransient(status: statusCode ?? 0)
    }
  }

  /// Whether the hub rejected the request with status 429.
  public var isRateLimited: Bool { statusCode == 429 }

  /// Whether the request timed out, in the client, at the hub or at a proxy.
  public var isTimeout: Bool {
    if case .timedOut = self { true } else { statusCode == 408 || statusCode == 504 }
  }

  /// Whether a create failed because the entity already exists: problem type `duplicate`, or a 409 without a problem
  /// type.
  ///
  /// Meaningful only for creates. For other requests, a 409 without a type has other causes.
  public var isDuplicateError: Bool {
    switch self {
    case .decodingError, .networkError, .timedOut: false
    case .httpError(let status): status == 409
    case .problem(let problem, _): problem.isDuplicate
    }
  }
}

extension APIError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .decodingError(let what): "Invalid document: \(what)"
    case .networkError(let what), .timedOut(let what): "No response: \(what)"
    case .httpError(let status): "The hub responded with status \(status)"
    case .problem(let problem, _): problem.description
    }
  }
}

/// Problem document (RFC 9457) in an error response.
public struct ProblemDetails: Hashable, Sendable {
  /// URI of the problem type: `urn:trendy:error:…`, or `about:blank` if the status suffices.
  public var type: String
  public var title: String
  /// HTTP status of the response.
  public var status: Int
  public var detail: String?
  public var instance: String?
  public var requestId: String?

  public init(
    type: String = "about:blank", title: String = "", status: Int, detail: String? = nil, instance: String? = nil,
    requestId: String? = nil
  ) {
    self.type = type
    self.title = title
    self.status = status
    self.detail = detail
    self.instance = instance
    self.requestId = requestId
  }

  /// Common prefix of the hub's problem types.
  public static let typePrefix = "urn:trendy:error:"

  /// Problem type without ``typePrefix``, for comparisons in programs. Types from other servers are unchanged.
  public var kind: String { type.hasPrefix(Self.typePrefix) ? String(type.dropFirst(Self.typePrefix.count)) : type }

  /// Problem type returned when the entity to be created already exists.
  public static let duplicateType = "urn:trendy:error:duplicate"

  /// Whether the problem means that the entity already exists; see ``APIError/isDuplicateError``.
  public var isDuplicate: Bool {
    type == Self.duplicateType || (type == "about:blank" && status == 409)
  }

  /// Whether the same request may succeed later; see ``APIError/isTransient``.
  public var isTransient: Bool { Self.isTransient(status: status) }

  static func isTransient(status: Int) -> Bool {
    status == 408 || status == 425 || status == 429 || (500..<600).contains(status)
  }
}

extension ProblemDetails: CustomStringConvertible {
  public var description: String {
    let words = [title, detail ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
    let request = requestId.map { ", request \($0)" } ?? ""
    return "\(words.isEmpty ? "Rejected by the hub" : words) (\(status)\(request))"
  }
}

extension ProblemDetails: WireDocument {
  public init(from fields: inout WireReader) throws {
    type = try fields.optional("type", default: "about:blank")
    title = try fields.optional("title", default: "")
    status = try fields.required("status")
    detail = try fields.optional("detail")
    instance = try fields.optional("instance")
    requestId = try fields.optional("request_id")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.writeIfPresent("detail", detail)
    try fields.writeIfPresent("instance", instance)
    try fields.writeIfPresent("request_id", requestId)
    try fields.write("status", status)
    try fields.write("title", title)
    try fields.write("type", type)
  }
}

/// Problem document returned for a sync request, with the hub's position and the outcomes so far.
public struct ProblemDocument: Hashable, Sendable {
  public var details: ProblemDetails
  /// Position of the hub, or `nil` if the hub sends none.
  public var position: HubPosition?
  /// Outcomes of a push up to the point where the hub detected that the device was forked.
  public var outcomes: [OutcomeEnvelope]?

  public init(details: ProblemDetails, position: HubPosition? = nil, outcomes: [OutcomeEnvelope]? = nil) {
    self.details = details
    self.position = position
    self.outcomes = outcomes
  }
}

extension ProblemDocument: WireDocument {
  public init(from fields: inout WireReader) throws {
    details = try ProblemDetails(from: &fields)
    position = try fields.position()
    outcomes = try fields.optional("outcomes")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.writeIfPresent("detail", details.detail)
    try fields.writeIfPresent("epoch", position?.epoch)
    try fields.writeIfPresent("epochs", position?.epochs)
    try fields.writeIfPresent("head", position?.head)
    try fields.writeIfPresent("instance", details.instance)
    try fields.writeIfPresent("now", position?.now)
    try fields.writeIfPresent("outcomes", outcomes)
    try fields.writeIfPresent("request_id", details.requestId)
    try fields.write("status", details.status)
    try fields.write("title", details.title)
    try fields.write("type", details.type)
  }
}
