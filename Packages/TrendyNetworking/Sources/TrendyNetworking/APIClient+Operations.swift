import TrendyFoundation
public import TrendyModels

extension APIClient {
  /// What the hub's living entities add up to at its head, kind by kind.
  public func syncSummary() async throws -> SyncSummary { try await get("/me/sync") }

  // MARK: Event types

  public func getEventTypes() async throws -> [APIEventType] {
    try await get("/event-types")
  }

  public func createEventType(_ request: CreateEventTypeRequest) async throws -> APIEventType {
    try await send(.post, "/event-types", request)
  }

  public func createEventTypeWithIdempotency(
    _ request: CreateEventTypeRequest, idempotencyKey: String
  ) async throws -> APIEventType {
    try await send(.post, "/event-types", request, idempotencyKey: idempotencyKey)
  }

  public func updateEventType(id: String, _ request: UpdateEventTypeRequest) async throws -> APIEventType {
    try await send(.patch, "/event-types/" + part(id), request)
  }

  public func deleteEventType(id: String) async throws {
    try await hub.delete("/event-types/" + part(id))
  }

  // MARK: Events

  public func getEvents(limit: Int, offset: Int) async throws -> [APIEvent] {
    try await get("/events", [("limit", "\(limit)"), ("offset", "\(offset)")])
  }

  /// Read from one ``snapshot()``, whatever `batchSize` says: pages counted by offset skip a row when one before it is deleted
  /// between two of them.
  public func getAllEvents(batchSize: Int) async throws -> [APIEvent] {
    try await snapshot().events
  }

  public func createEvent(_ request: CreateEventRequest) async throws -> APIEvent {
    try await send(.post, "/events", request)
  }

  public func createEventWithIdempotency(
    _ request: CreateEventRequest, idempotencyKey: String
  ) async throws -> APIEvent {
    try await send(.post, "/events", request, idempotencyKey: idempotencyKey)
  }

  public func createEventsBatch(_ events: [CreateEventRequest]) async throws -> BatchCreateEventsResponse {
    try await send(.post, "/events/batch", BatchCreateEventsRequest(events: events))
  }

  public func updateEvent(id: String, _ request: UpdateEventRequest) async throws -> APIEvent {
    try await send(.patch, "/events/" + part(id), request)
  }

  public func deleteEvent(id: String) async throws {
    try await hub.delete("/events/" + part(id))
  }

  // MARK: Geofences

  public func getGeofences(activeOnly: Bool) async throws -> [APIGeofence] {
    try await get("/geofences", [("active_only", "\(activeOnly)")])
  }

  public func createGeofence(_ request: CreateGeofenceRequest) async throws -> APIGeofence {
    try await send(.post, "/geofences", request)
  }

  public func createGeofenceWithIdempotency(
    _ request: CreateGeofenceRequest, idempotencyKey: String
  ) async throws -> APIGeofence {
    try await send(.post, "/geofences", request, idempotencyKey: idempotencyKey)
  }

  public func updateGeofence(id: String, _ request: UpdateGeofenceRequest) async throws -> APIGeofence {
    try await send(.patch, "/geofences/" + part(id), request)
  }

  public func deleteGeofence(id: String) async throws {
    try await hub.delete("/geofences/" + part(id))
  }

  // MARK: Property definitions

  public func getPropertyDefinitions(eventTypeId: String) async throws -> [APIPropertyDefinition] {
    try await get("/event-types/\(part(eventTypeId))/properties")
  }

  public func createPropertyDefinition(
    eventTypeId: String, _ request: CreatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await send(.post, "/event-types/\(part(eventTypeId))/properties", request)
  }

  public func createPropertyDefinitionWithIdempotency(
    _ request: CreatePropertyDefinitionRequest, idempotencyKey: String
  ) async throws -> APIPropertyDefinition {
    try await send(.post, "/property-definitions", request, idempotencyKey: idempotencyKey)
  }

  public func updatePropertyDefinition(
    id: String, _ request: UpdatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await send(.patch, "/property-definitions/" + part(id), request)
  }

  public func deletePropertyDefinition(id: String) async throws {
    try await hub.delete("/property-definitions/" + part(id))
  }

  // MARK: Feed

  public func getChanges(since cursor: Int64, limit: Int) async throws -> ChangeFeedResponse {
    try await get("/changes", [("since", "\(cursor)"), ("limit", "\(limit)")])
  }

  public func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse {
    try await get(
      "/changes", [("since", "\(request.cursor)"), ("limit", "\(request.limit)")] + (request.position?.query ?? []))
  }

  public func getLatestCursor() async throws -> Int64 {
    let response: LatestCursorResponse = try await get("/changes/latest-cursor")
    return response.cursor
  }
}

extension APIClient {
  private func get<Value: Decodable & Sendable>(
    _ path: String, _ query: [(name: String, value: String)] = []
  ) async throws -> Value {
    try await hub.document(Value.self, HTTPRequest(method: .get, path: path, query: query))
  }

  private func send<Value: Decodable & Sendable>(
    _ method: HTTPRequest.Method, _ path: String, _ body: some Encodable, idempotencyKey: String? = nil
  ) async throws -> Value {
    var request = HTTPRequest(method: method, path: path, body: try WireJSON.encode(body))
    if let idempotencyKey { request.headers["Idempotency-Key"] = headerValue(idempotencyKey) }
    return try await hub.document(Value.self, request)
  }

  /// An id as one part of a path.
  /// - Throws: for an id that no path can hold: an empty one, and the two that mean "here" and "above".
  private func part(_ id: String) throws -> String {
    guard !id.isEmpty, id != ".", id != ".." else {
      throw APIError.problem(
        ProblemDetails(
          type: "urn:trendy:error:invalid", title: "The id cannot be asked for", status: 400,
          detail: "\"\(id)\" cannot stand in a path"), retryAfter: nil)
    }
    return percentEncoded(id)
  }

  /// A key as a header field can hold it: what could end the field, or be trimmed from it, is written as `%XX`.
  private func headerValue(_ key: String) -> String {
    key.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "%") } ? key : percentEncoded(key)
  }
}
