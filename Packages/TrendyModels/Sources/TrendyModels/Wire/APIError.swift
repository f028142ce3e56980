/// What can go wrong between a device and its hub.
public enum APIError: Error, Hashable, Sendable {
  /// The answer, or a document given to be read, is not what was agreed; says the field and what was expected there.
  case decodingError(String)
  /// No answer: no route, refused, cut off. The request may or may not have had its effect.
  case networkError(String)
  /// No answer in time. The request may or may not have had its effect.
  case timedOut(String)
  /// An answer with a status of 400 or more and no problem document.
  case httpError(Int)
  /// An answer with a problem document, or a status with a `Retry-After`.
  case problem(ProblemDetails, retryAfter: Duration?)
}

extension APIError {
  /// The answer's HTTP status; `nil` where there was no answer.
  public var statusCode: Int? {
    switch self {
    case .decodingError, .networkError, .timedOut: nil
    case .httpError(let status): status
    case .problem(let problem, _): problem.status
    }
  }

  /// How long the hub asked to be left alone.
  public var retryAfter: Duration? {
    if case .problem(_, let retryAfter) = self { retryAfter } else { nil }
  }

  /// Whether the same request may succeed later: no network, 408, 425, 429 and every 5xx.
  public var isTransient: Bool {
    switch self {
    case .networkError, .timedOut: true
    case .decodingError: false
    case .httpError, .problem: ProblemDetails.isTransient(status: statusCode ?? 0)
    }
  }

  public var isRateLimited: Bool { statusCode == 429 }

  /// Whether the hub, or a proxy in front of it, took too long.
  public var isTimeout: Bool {
    if case .timedOut = self { true } else { statusCode == 408 || statusCode == 504 }
  }

  /// What was to be created exists: by its problem type, or a bare 409. A 409 of another type never counts.
  ///
  /// Ask it of a failed create only: to another request a bare 409 says something else.
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
    case .decodingError(let what): "Unreadable document: \(what)"
    case .networkError(let what), .timedOut(let what): "No answer: \(what)"
    case .httpError(let status): "The hub answered \(status)"
    case .problem(let problem, _): problem.description
    }
  }
}

/// A problem document (RFC 9457): why a request was refused, in the hub's words.
public struct ProblemDetails: Hashable, Sendable {
  /// `urn:trendy:error:…`, or `about:blank` where the status says it all.
  public var type: String
  public var title: String
  /// The HTTP status.
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

  /// Before the kind in the types of a hub's problems.
  public static let typePrefix = "urn:trendy:error:"

  /// The part of `urn:trendy:error:<kind>` that a program decides by; another type whole.
  public var kind: String { type.hasPrefix(Self.typePrefix) ? String(type.dropFirst(Self.typePrefix.count)) : type }

  /// The type of a problem that says: what was to be created exists.
  public static let duplicateType = "urn:trendy:error:duplicate"

  /// See ``APIError/isDuplicateError``.
  public var isDuplicate: Bool {
    type == Self.duplicateType || (type == "about:blank" && status == 409)
  }

  /// See ``APIError/isTransient``.
  public var isTransient: Bool { Self.isTransient(status: status) }

  static func isTransient(status: Int) -> Bool {
    status == 408 || status == 425 || status == 429 || (500..<600).contains(status)
  }
}

extension ProblemDetails: CustomStringConvertible {
  public var description: String {
    let words = [title, detail ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
    let request = requestId.map { ", request \($0)" } ?? ""
    return "\(words.isEmpty ? "The hub refused" : words) (\(status)\(request))"
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

/// A problem as a hub answers with it to a request of sync: where it stands, and what it judged before, come along.
public struct ProblemDocument: Hashable, Sendable {
  public var details: ProblemDetails
  public var position: HubPosition?
  /// Of a push whose device was found to be forked.
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
