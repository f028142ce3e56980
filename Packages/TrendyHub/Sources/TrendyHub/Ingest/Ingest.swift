public import Foundation
public import TrendyModels

/// Takes in what devices post that know nothing of this API: tracking apps, loggers, a car's automation.
///
/// A server finds out who posts and in which protocol; what the words mean, and what comes of them, is the implementer's. A
/// request that is half wrong is taken by its good half, and the rest reported.
public protocol Ingest: Sendable {
  /// What was taken is durable on return.
  /// - Throws: a ``Problem`` for a request of which nothing can be read, or of which nothing that was read could be kept.
  func take(_ request: IngestRequest, from sender: IngestSender) async throws -> IngestAnswer

  /// The trips that go on by now, of the person whose desk it is; by default none is known of.
  func liveTrips(for desk: HubDesk) async throws -> [APILiveTrip]

  /// The way so far of a trip that goes on, thinned, to the last fix; `nil` where no such trip is known of, as by default.
  func route(ofLiveTrip id: String, for desk: HubDesk) async throws -> [Coordinate]?

  /// What was posted lately for the person and not kept, by device; by default none is known of.
  func leftOut(for desk: HubDesk) async throws -> [APILeftOut]

  /// How an event of the person was found in what a device posted; `nil` for one that was not, as by default.
  func explanation(ofEvent id: String, for desk: HubDesk) async throws -> APIExplanation?

  /// The fixes that were posted in a span of time, in their order, where exactly one device posted some; by default none.
  func fixes(in span: ClosedRange<Date>, for desk: HubDesk) async throws -> [Location]

  /// A part of all that was posted in a span of time, in all of time for `nil`: the first part, or the one behind a position. By default
  /// there is none.
  func readings(
    in span: ClosedRange<Date>?, after position: PostedReadings.Position?, for desk: HubDesk
  ) async throws -> PostedReadings
}

extension Ingest {
  public func explanation(ofEvent id: String, for desk: HubDesk) async throws -> APIExplanation? { nil }

  public func fixes(in span: ClosedRange<Date>, for desk: HubDesk) async throws -> [Location] { [] }

  public func readings(
    in span: ClosedRange<Date>?, after position: PostedReadings.Position?, for desk: HubDesk
  ) async throws -> PostedReadings { PostedReadings() }

  public func leftOut(for desk: HubDesk) async throws -> [APILeftOut] { [] }

  public func liveTrips(for desk: HubDesk) async throws -> [APILiveTrip] { [] }

  public func route(ofLiveTrip id: String, for desk: HubDesk) async throws -> [Coordinate]? { nil }
}

/// Who posts.
public struct IngestSender: Sendable {
  public var person: String
  /// The id of the device whose token was shown.
  public var device: String
  /// Where what is found for this person is written; `nil` where no hub stands behind it.
  public var desk: HubDesk?

  public init(person: String, device: String, desk: HubDesk? = nil) {
    self.person = person
    self.device = device
    self.desk = desk
  }
}

/// What was posted.
public struct IngestRequest: Hashable, Sendable {
  public enum Form: Hashable, Sendable {
    case ownTracks
    case overland
    case gpsLogger
    case osmAnd
    case webhook(Webhook)
  }

  public enum Webhook: String, Hashable, Sendable, CaseIterable {
    case start
    case ping
    case end
    case finalize
    case cancel
    case status
  }

  public var form: Form
  /// As it stands in the address after the question mark, escapes and all.
  public var query: String
  public var body: Data

  public init(form: Form, query: String = "", body: Data = Data()) {
    self.form = form
    self.query = query
    self.body = body
  }
}

/// What became of it.
public struct IngestAnswer: Hashable, Sendable {
  /// Readings that are new, and such as were held before.
  public var added = 0
  public var known = 0
  /// Whether a trip or a visit came of them, or changed.
  public var isRecordChanged = false
  /// What could not be taken, in words: the first of them, and how many there are.
  public var problems: [String] = []
  public var problemCount = 0
  /// Of a webhook: whether a trip goes on, and what is known of it.
  public var trip: JSONValue?
  /// Why what was taken was not looked through at once, for the one who runs the server; it will be.
  public var delay: String?

  public init() {}
}

// MARK: On the wire

extension IngestRequest {
  /// The request that an address outside `/api` means; `nil` for any other.
  init?(_ request: HTTPRequest) {
    guard let segments = request.pathSegments else { return nil }
    let target = request.target
    let query = target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } ?? ""
    let form: Form
    switch segments {
    case ["pub"]: form = .ownTracks
    case ["overland"]: form = .overland
    case ["gpslogger"], ["log"]: form = .gpsLogger
    case ["osmand"]: form = .osmAnd
    // Traccar's clients are given an address without a path.
    case [] where request.method == "POST" || query.contains("id="): form = .osmAnd
    case let path where path.count == 2 && path[0] == "webhook":
      guard let call = Webhook(rawValue: path[1]) else { return nil }
      form = .webhook(call)
    default: return nil
    }
    self.init(form: form, query: query, body: request.body)
  }

  /// A problem with status 405 for a method that the form does not allow.
  func problem(ofMethod method: String) -> Problem? {
    let allowed: [String] =
      switch form {
      case .ownTracks, .overland: ["POST"]
      case .gpsLogger: ["GET", "POST", "PUT"]
      case .osmAnd, .webhook: ["GET", "POST"]
      }
    guard !allowed.contains(method) else { return nil }
    return Problem(
      "method_not_allowed", status: 405, title: "Method not allowed",
      detail: "this address takes \(allowed.joined(separator: ", ")), found \(method)",
      allow: allowed.joined(separator: ", "))
  }

  /// What the form's own clients wait for, beside what they do not read.
  func response(to answer: IngestAnswer) -> HTTPResponse {
    var members: [String: JSONValue] = [
      "added": .int(Int64(answer.added)), "known": .int(Int64(answer.known)),
      "problems": .array(answer.problems.map { .string($0) }), "problem_count": .int(Int64(answer.problemCount)),
    ]
    var response: HTTPResponse
    switch form {
    case .ownTracks:
      response = .json([])
      // Its answer is a list of commands to the app; there is no room in it.
      if answer.problemCount > 0 { response.headers["X-Trendy-Problems"] = String(answer.problemCount) }
    case .overland:
      members["result"] = "ok"
      response = .json(.object(members))
    case .gpsLogger, .osmAnd:
      response = .json(.object(members))
    case .webhook:
      members["status"] = "ok"
      members["active"] = .bool(answer.trip != nil)
      members["trip"] = answer.trip ?? .null
      response = .json(.object(members))
    }
    return response
  }
}

extension HTTPRequest {
  /// The token of a request, wherever its sender could put it: a bearer field, the password of basic authentication, or `token` in
  /// the query. `nil` for none, or for more than one.
  var ingestToken: String? {
    let values = headers.values(of: "Authorization")
    guard let value = values.first else { return query?["token"] }
    guard values.count == 1, let space = value.firstIndex(of: " ") else { return nil }
    let rest = value[space...].drop { $0 == " " }
    switch value[..<space].lowercased() {
    case "bearer": return String(rest)
    case "basic":
      guard let data = Data(base64Encoded: String(rest)), let text = String(data: data, encoding: .utf8),
        let colon = text.firstIndex(of: ":")
      else { return nil }
      return String(text[text.index(after: colon)...])
    default: return nil
    }
  }
}

extension Problem {
  static let noIngestToken = Problem(
    "unauthorized", status: 401, title: "Not paired",
    detail: "show a device's token: Authorization: Bearer <token>, as the password of basic authentication, or ?token=")
}
