import Foundation
public import TrendyHub
public import TrendyModels
public import TrendyProtocols

/// Client without a socket, for a hub or any server that implements `docs/api.md`.
///
/// Passes every request to a closure. The closure forwards it to a `HubServer` or a custom server, possibly with
/// simulated faults, and throws `APIError.networkError` if there is no response.
public struct InProcessClient: NetworkClientProtocol {
  private let token: String
  private let signals: (@Sendable () -> AsyncThrowingStream<Int64, any Error>)?
  private let carry: Carry

  /// Sends a request, with its decoded body if it is a push. Returns the response, and its decoded body if the closure
  /// had to decode it.
  typealias Carry = @Sendable (HTTPRequest, PushRequest?) async throws -> (HTTPResponse, PushResponse?)

  /// Creates a client. Without `signals`, signal streams end immediately.
  public init(
    token: String, signals: (@Sendable () -> AsyncThrowingStream<Int64, any Error>)? = nil,
    send: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
  ) {
    self.init(token: token, signals: signals, carry: { request, _ in (try await send(request), nil) })
  }

  init(
    token: String, signals: (@Sendable () -> AsyncThrowingStream<Int64, any Error>)? = nil, carry: @escaping Carry
  ) {
    self.token = token
    self.signals = signals
    self.carry = carry
  }

  /// Creates a client for a hub without simulated faults.
  public init(token: String, server: HubServer) {
    self.init(token: token) { await server.handle($0) }
  }

  // MARK: Sync

  /// Does nothing: if the hub is unhealthy, the other requests fail.
  public func checkHealth() async throws {}

  public func changeSignals() -> AsyncThrowingStream<Int64, any Error> {
    signals?() ?? AsyncThrowingStream { $0.finish() }
  }

  public func push(_ mutations: [PendingMutation]) async throws -> [MutationOutcome] {
    guard let first = mutations.first else { return [] }
    guard let device = first.device, let sequence = first.sequence else {
      throw APIError.decodingError("this client cannot send a mutation without a sequence number")
    }
    let request = PushRequest(
      device: device, acknowledgedThrough: sequence - 1, mutations: mutations.map { MutationEnvelope($0) })
    let response: PushResponse = try await document("POST", "/mutations", try WireJSON.encode(request))
    return try response.answer(to: request.mutations).outcomes
  }

  public func push(_ batch: PushBatch) async throws -> PushBatchResult {
    let request = PushRequest(batch)
    let response = try await respond("POST", "/mutations", try WireJSON.encode(request), push: request)
    // If the hub reports a fork, the preceding outcomes remain valid.
    let judged = try? response.judged ?? WireJSON.decode(PushResponse.self, from: response.body)
    if response.status >= 400, judged?.isForked != true { throw response.error }
    return try (judged ?? WireJSON.decode(PushResponse.self, from: response.body)).answer(to: request.mutations)
  }

  public func snapshot(for position: DevicePosition?) async throws -> SnapshotAnswer {
    let (header, entries) = try await snapshotLines(query(position))
    guard let position = header.position else { return .lists(try await snapshot()) }
    return .entries(HubSnapshot(position: position, entries: entries))
  }

  public func snapshotPart(_ request: SnapshotRequest) async throws -> SnapshotPart {
    let query = [(name: "part", value: request.part ?? SnapshotRequest.firstPart)] + (request.position?.query ?? [])
    let (header, entries) = try await snapshotLines(self.query(query))
    guard let position = header.position else { return SnapshotPart(answer: .lists(try await snapshot())) }
    return SnapshotPart(
      answer: .entries(HubSnapshot(position: position, entries: entries)), spans: header.spans, next: header.next)
  }

  public func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse {
    let position = query(request.position).map { "&\($0.dropFirst())" } ?? ""
    return try await document("GET", "/changes?since=\(request.cursor)&limit=\(request.limit)\(position)")
  }

  private func query(_ position: DevicePosition?) -> String? { position.map { query($0.query) } }

  private func query(_ items: [(name: String, value: String)]) -> String {
    "?" + items.map { "\($0.name)=\(part($0.value))" }.joined(separator: "&")
  }

  private func snapshotLines(_ query: String?) async throws -> (SnapshotHeader, [ChangeEntry]) {
    let lines = try await ask("GET", "/snapshot\(query ?? "")").split(separator: UInt8(ascii: "\n"))
    guard let first = lines.first else {
      throw APIError.networkError("the snapshot was truncated before its first line")
    }
    let header = try WireJSON.decode(SnapshotHeader.self, from: Data(first))
    guard lines.count == header.count + 1 else {
      throw APIError.networkError("the snapshot was truncated after \(lines.count - 1) of \(header.count) entries")
    }
    return (header, try lines.dropFirst().map { try WireJSON.decode(ChangeEntry.self, from: Data($0)) })
  }

  public func snapshot() async throws -> Snapshot {
    let (header, entries) = try await snapshotLines(nil)
    var snapshot = Snapshot(cursor: header.cursor)
    for entry in entries {
      guard let data = entry.data, entry.operation != MutationOperation.delete.rawValue else { continue }
      switch MutationEntityType(rawValue: entry.entityType) {
      case .event: snapshot.events.append(try data.decode(APIEvent.self))
      case .eventType: snapshot.eventTypes.append(try data.decode(APIEventType.self))
      case .geofence: snapshot.geofences.append(try data.decode(APIGeofence.self))
      case .propertyDefinition: snapshot.propertyDefinitions.append(try data.decode(APIPropertyDefinition.self))
      default: break
      }
    }
    return snapshot
  }

  public func getChanges(since cursor: Int64, limit: Int) async throws -> ChangeFeedResponse {
    try await document("GET", "/changes?since=\(cursor)&limit=\(limit)")
  }

  public func getLatestCursor() async throws -> Int64 {
    let response: LatestCursorResponse = try await document("GET", "/changes/latest-cursor")
    return response.cursor
  }
}

// MARK: Plain REST

extension InProcessClient {
  public func getEventTypes() async throws -> [APIEventType] { try await document("GET", "/event-types") }
  public func createEventType(_ request: CreateEventTypeRequest) async throws -> APIEventType {
    try await document("POST", "/event-types", try WireJSON.encode(request))
  }
  public func createEventTypeWithIdempotency(
    _ request: CreateEventTypeRequest, idempotencyKey: String
  ) async throws -> APIEventType {
    try await document("POST", "/event-types", try WireJSON.encode(request), key: idempotencyKey)
  }
  public func updateEventType(id: String, _ request: UpdateEventTypeRequest) async throws -> APIEventType {
    try await document("PATCH", "/event-types/\(part(id))", try WireJSON.encode(request))
  }
  public func deleteEventType(id: String) async throws { _ = try await ask("DELETE", "/event-types/\(part(id))") }

  public func getEvents(limit: Int, offset: Int) async throws -> [APIEvent] {
    try await document("GET", "/events?limit=\(limit)&offset=\(offset)")
  }
  public func getAllEvents(batchSize: Int) async throws -> [APIEvent] { try await snapshot().events }
  public func createEvent(_ request: CreateEventRequest) async throws -> APIEvent {
    try await document("POST", "/events", try WireJSON.encode(request))
  }
  public func createEventWithIdempotency(
    _ request: CreateEventRequest, idempotencyKey: String
  ) async throws -> APIEvent {
    try await document("POST", "/events", try WireJSON.encode(request), key: idempotencyKey)
  }
  public func createEventsBatch(_ events: [CreateEventRequest]) async throws -> BatchCreateEventsResponse {
    try await document("POST", "/events/batch", try WireJSON.encode(BatchCreateEventsRequest(events: events)))
  }
  public func updateEvent(id: String, _ request: UpdateEventRequest) async throws -> APIEvent {
    try await document("PATCH", "/events/\(part(id))", try WireJSON.encode(request))
  }
  public func deleteEvent(id: String) async throws { _ = try await ask("DELETE", "/events/\(part(id))") }

  public func getGeofences(activeOnly: Bool) async throws -> [APIGeofence] {
    try await document("GET", "/geofences?active_only=\(activeOnly)")
  }
  public func createGeofence(_ request: CreateGeofenceRequest) async throws -> APIGeofence {
    try await document("POST", "/geofences", try WireJSON.encode(request))
  }
  public func createGeofenceWithIdempotency(
    _ request: CreateGeofenceRequest, idempotencyKey: String
  ) async throws -> APIGeofence {
    try await document("POST", "/geofences", try WireJSON.encode(request), key: idempotencyKey)
  }
  public func updateGeofence(id: String, _ request: UpdateGeofenceRequest) async throws -> APIGeofence {
    try await document("PATCH", "/geofences/\(part(id))", try WireJSON.encode(request))
  }
  public func deleteGeofence(id: String) async throws { _ = try await ask("DELETE", "/geofences/\(part(id))") }

  public func getPropertyDefinitions(eventTypeId: String) async throws -> [APIPropertyDefinition] {
    try await document("GET", "/event-types/\(part(eventTypeId))/properties")
  }
  public func createPropertyDefinition(
    eventTypeId: String, _ request: CreatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await document("POST", "/event-types/\(part(eventTypeId))/properties", try WireJSON.encode(request))
  }
  public func createPropertyDefinitionWithIdempotency(
    _ request: CreatePropertyDefinitionRequest, idempotencyKey: String
  ) async throws -> APIPropertyDefinition {
    try await document("POST", "/property-definitions", try WireJSON.encode(request), key: idempotencyKey)
  }
  public func updatePropertyDefinition(
    id: String, _ request: UpdatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await document("PATCH", "/property-definitions/\(part(id))", try WireJSON.encode(request))
  }
  public func deletePropertyDefinition(id: String) async throws {
    _ = try await ask("DELETE", "/property-definitions/\(part(id))")
  }
}

// MARK: Companions

extension InProcessClient: CompanionClientProtocol {
  public func companions() async throws -> [APICompanion] { try await document("GET", "/companions") }

  public func makeCompanion(deviceId: String) async throws -> APICompanion {
    try await document("POST", "/companions", try WireJSON.encode(CompanionRequest.tell(companionId: deviceId)))
  }

  public func send(_ request: CompanionNoticesRequest, toCompanion id: String) async throws -> APICompanion {
    try await document("POST", "/companions/\(part(id))/notices", try WireJSON.encode(request))
  }

  public func notices(ofCompanion id: String, after sequence: Int64, limit: Int) async throws
    -> CompanionNoticesResponse
  {
    try await document("GET", "/companions/\(part(id))/notices?after=\(sequence)&limit=\(limit)")
  }
}

extension InProcessClient {
  private func document<Value: Decodable>(
    _ method: String, _ path: String, _ body: Data = Data(), key: String? = nil
  ) async throws -> Value {
    try WireJSON.decode(Value.self, from: try await ask(method, path, body, key: key))
  }

  private func ask(_ method: String, _ path: String, _ body: Data = Data(), key: String? = nil) async throws -> Data {
    let response = try await respond(method, path, body, key: key)
    if response.status < 400 { return response.body }
    throw response.error
  }

  private func respond(
    _ method: String, _ path: String, _ body: Data, key: String? = nil, push: PushRequest? = nil
  ) async throws -> Response {
    var headers = HTTPHeaders([("Authorization", "Bearer \(token)")])
    headers["Idempotency-Key"] = key
    let (response, judged) = try await carry(
      HTTPRequest(id: "request", method: method, target: "/api/v1\(path)", headers: headers, body: body), push)
    return Response(
      status: response.status, body: try await response.collectedBody(),
      retryAfter: response.headers["Retry-After"].flatMap { Int($0) }, judged: judged)
  }

  private struct Response {
    var status: Int
    var body: Data
    /// `Retry-After` in seconds.
    var retryAfter: Int?
    var judged: PushResponse?

    var error: APIError {
      // Without a problem document, the status is the only information.
      guard let problem = try? WireJSON.decode(ProblemDetails.self, from: body) else { return .httpError(status) }
      return .problem(problem, retryAfter: retryAfter.map { .seconds($0) })
    }
  }

  private func part(_ id: String) -> String {
    id.utf8.map { byte in
      let isPlain =
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
      if isPlain { return String(UnicodeScalar(byte)) }
      return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
