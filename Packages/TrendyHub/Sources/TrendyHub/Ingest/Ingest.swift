public import Foundation
public import TrendyModels

/// Receiver of readings from trackers that do not use this API, such as tracking apps, loggers and car automations.
///
/// The server identifies the sender and the protocol. The implementation parses the body and detects trips. Valid items
/// in a request are accepted even if other items are invalid. Invalid items are reported.
public protocol Ingest: Sendable {
  /// Stores posted readings durably.
  ///
  /// - Throws: A ``Problem`` if nothing in the request can be parsed or stored.
  func take(_ request: IngestRequest, from sender: IngestSender) async throws -> IngestResponse

  /// Returns the user's trips in progress. The default implementation returns none.
  func liveTrips(for desk: UserRecordService) async throws -> [APILiveTrip]

  /// Returns the simplified route of a trip in progress, or `nil` if the route is unknown.
  ///
  /// The default implementation returns `nil`.
  func route(ofLiveTrip id: String, for desk: UserRecordService) async throws -> [Coordinate]?

  /// Returns recently posted items that were rejected, grouped by device. The default implementation returns none.
  func leftOut(for desk: UserRecordService) async throws -> [APILeftOut]

  /// Returns how an event was detected in posted readings, or `nil` if it was not detected in them.
  ///
  /// The default implementation returns `nil`.
  func explanation(ofEvent id: String, for desk: UserRecordService) async throws -> APIExplanation?

  /// Returns the posted fixes from a time span, in order, if they all come from one device.
  ///
  /// The default implementation returns none.
  func fixes(in span: ClosedRange<Date>, for desk: UserRecordService) async throws -> [Location]

  /// Returns a part of the posted readings from a time span, or of all posted readings if `span` is `nil`.
  ///
  /// `position` is the end of the previous part, or `nil` for the first part. The default implementation returns no
  /// readings.
  func readings(
    in span: ClosedRange<Date>?, after position: PostedReadings.Position?, for desk: UserRecordService
  ) async throws -> PostedReadings
}

extension Ingest {
  public func explanation(ofEvent id: String, for desk: UserRecordService) async throws -> APIExplanation? { nil }

  public func fixes(in span: ClosedRange<Date>, for desk: UserRecordService) async throws -> [Location] { [] }

  public func readings(
    in span: ClosedRange<Date>?, after position: PostedReadings.Position?, for desk: UserRecordService
  ) async throws -> PostedReadings { PostedReadings() }

  public func leftOut(for desk: UserRecordService) async throws -> [APILeftOut] { [] }

  public func liveTrips(for desk: UserRecordService) async throws -> [APILiveTrip] { [] }

  public func route(ofLiveTrip id: String, for desk: UserRecordService) async throws -> [Coordinate]? { nil }
}

/// Sender of a tracker request.
public struct IngestSender: Sendable {
  /// Id of the user.
  public var user: String
  /// Id of the device that owns the token.
  public var device: String
  /// Service for writing detected events, or `nil` on an ingest server without a hub.
  public var desk: UserRecordService?

  public init(user: String, device: String, desk: UserRecordService? = nil) {
    self.user = user
    self.device = device
    self.desk = desk
  }
}

/// A request from a tracker.
public struct IngestRequest: Hashable, Sendable {
  /// Protocol of the request.
  public enum Form: Hashable, Sendable {
    case ownTracks
    case overland
    case gpsLogger
    case osmAnd
    case webhook(Webhook)
  }

  /// Commands from automations.
  public enum Webhook: String, Hashable, Sendable, CaseIterable {
    case start
    case ping
    case end
    case finalize
    case cancel
    case status
  }

  public var form: Form
  /// The request's query, percent-encoded.
  public var query: String
  /// Body of the request.
  public var body: Data

  public init(form: Form, query: String = "", body: Data = Data()) {
    self.form = form
    self.query = query
    self.body = body
  }
}

/// Result of a tracker request.
public struct IngestResponse: Hashable, Sendable {
  /// Number of new readings.
  public var added = 0
  /// Number of readings that were already stored.
  public var known = 0
  /// Whether a trip or visit was created or changed.
  public var isRecordChanged = false
  /// The first few error messages.
  public var problems: [String] = []
  /// Number of items that could not be parsed or stored.
  public var problemCount = 0
  /// For a webhook, whether a trip is in progress, and its details.
  public var trip: JSONValue?
  /// Reason why trip detection was postponed, for the server's operator.
  public var delay: String?

  public init() {}
}

// MARK: On the wire

extension IngestRequest {
  /// Parses a request outside `/api`, or returns `nil` if its path does not belong to a tracker protocol.
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
    // Traccar's client is configured with an address that has no path.
    case [] where request.method == "POST" || query.contains("id="): form = .osmAnd
    case let path where path.count == 2 && path[0] == "webhook":
      guard let call = Webhook(rawValue: path[1]) else { return nil }
      form = .webhook(call)
    default: return nil
    }
    self.init(form: form, query: query, body: request.body)
  }

  /// Returns a problem with status 405 unless the protocol allows the method.
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
      detail: "expected \(allowed.joined(separator: " or ")), found \(method)",
      allow: allowed.joined(separator: ", "))
  }

  /// Returns the response that the protocol's clients expect, plus members that they ignore.
  func response(to answer: IngestResponse) -> HTTPResponse {
    var members: [String: JSONValue] = [
      "added": .int(Int64(answer.added)), "known": .int(Int64(answer.known)),
      "problems": .array(answer.problems.map { .string($0) }), "problem_count": .int(Int64(answer.problemCount)),
    ]
    var response: HTTPResponse
    switch form {
    case .ownTracks:
      response = .json([])
      // The response to OwnTracks is a list of commands, with no place for the number of problems.
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
  /// The bearer token, the password from basic authentication, or the `token` query parameter.
  ///
  /// `nil` if the request has no token, or more than one `Authorization` header.
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
    detail:
      "send a device token as Authorization: Bearer <token>, as the password of basic authentication, or as ?token=")
}
