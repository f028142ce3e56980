import TrendyFoundation
public import TrendyModels

extension APIClient {
  /// Returns the count and checksum of the user's entities at the hub's head, by kind.
  public func syncSummary() async throws -> SyncSummary { try await get("/me/sync") }

  // MARK: Event types

  /// Calls `GET /event-types`.
  public func getEventTypes() async throws -> [APIEventType] {
    try await get("/event-types")
  }

  /// Calls `POST /event-types`.
  public func createEventType(_ request: CreateEventTypeRequest) async throws -> APIEventType {
    try await send(.post, "/event-types", request)
  }

  /// Calls `POST /event-types` with an `Idempotency-Key`.
  public func createEventTypeWithIdempotency(
    _ request: CreateEventTypeRequest, idempotencyKey: String
  ) async throws -> APIEventType {
    try await send(.post, "/event-types", request, idempotencyKey: idempotencyKey)
  }

  /// Calls `PATCH /event-types/{id}`.
  public func updateEventType(id: String, _ request: UpdateEventTypeRequest) async throws -> APIEventType {
    try await send(.patch, "/event-types/" + part(id), request)
  }

  /// Calls `DELETE /event-types/{id}`. A missing event type is not an error.
  public func deleteEventType(id: String) async throws {
    try await hub.delete("/event-types/" + part(id))
  }

  // MARK: Events

  /// Calls `GET /events`.
  public func getEvents(limit: Int, offset: Int) async throws -> [APIEvent] {
    try await get("/events", [("limit", "\(limit)"), ("offset", "\(offset)")])
  }

  /// Reads all events from one ``snapshot()`` and ignores `batchSize`. Paging by offset would miss an event if an
  /// earlier event were deleted between two pages.
  public func getAllEvents(batchSize: Int) async throws -> [APIEvent] {
    try await snapshot().events
  }

  /// Calls `POST /events`.
  public func createEvent(_ request: CreateEventRequest) async throws -> APIEvent {
    try await send(.post, "/events", request)
  }

  /// Calls `POST /events` with an `Idempotency-Key`.
  public func createEventWithIdempotency(
    _ request: CreateEventRequest, idempotencyKey: String
  ) async throws -> APIEvent {
    try await send(.post, "/events", request, idempotencyKey: idempotencyKey)
  }

  /// Calls `POST /events/batch`.
  public func createEventsBatch(_ events: [CreateEventRequest]) async throws -> BatchCreateEventsResponse {
    try await send(.post, "/events/batch", BatchCreateEventsRequest(events: events))
  }

  /// Calls `PATCH /events/{id}`.
  public func updateEvent(id: String, _ request: UpdateEventRequest) async throws -> APIEvent {
    try await send(.patch, "/events/" + part(id), request)
  }

  /// Calls `DELETE /events/{id}`. A missing event is not an error.
  public func deleteEvent(id: String) async throws {
    try await hub.delete("/events/" + part(id))
  }

  // MARK: Geofences

  /// Calls `GET /geofences`.
  public func getGeofences(activeOnly: Bool) async throws -> [APIGeofence] {
    try await get("/geofences", [("active_only", "\(activeOnly)")])
  }

  /// Calls `POST /geofences`.
  public func createGeofence(_ request: CreateGeofenceRequest) async throws -> APIGeofence {
    try await send(.post, "/geofences", request)
  }

  /// Calls `POST /geofences` with an `Idempotency-Key`.
  public func createGeofenceWithIdempotency(
    _ request: CreateGeofenceRequest, idempotencyKey: String
  ) async throws -> APIGeofence {
    try await send(.post, "/geofences", request, idempotencyKey: idempotencyKey)
  }

  /// Calls `PATCH /geofences/{id}`.
  public func updateGeofence(id: String, _ request: UpdateGeofenceRequest) async throws -> APIGeofence {
    try await send(.patch, "/geofences/" + part(id), request)
  }

  /// Calls `DELETE /geofences/{id}`. A missing geofence is not an error.
  public func deleteGeofence(id: String) async throws {
    try await hub.delete("/geofences/" + part(id))
  }

  // MARK: Property definitions

  /// Calls `GET /event-types/{id}/properties`.
  public func getPropertyDefinitions(eventTypeId: String) async throws -> [APIPropertyDefinition] {
    try await get("/event-types/\(part(eventTypeId))/properties")
  }

  /// Calls `POST /event-types/{id}/properties`.
  public func createPropertyDefinition(
    eventTypeId: String, _ request: CreatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await send(.post, "/event-types/\(part(eventTypeId))/properties", request)
  }

  /// Calls `POST /property-definitions` with an `Idempotency-Key`.
  public func createPropertyDefinitionWithIdempotency(
    _ request: CreatePropertyDefinitionRequest, idempotencyKey: String
  ) async throws -> APIPropertyDefinition {
    try await send(.post, "/property-definitions", request, idempotencyKey: idempotencyKey)
  }

  /// Calls `PATCH /property-definitions/{id}`.
  public func updatePropertyDefinition(
    id: String, _ request: UpdatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await send(.patch, "/property-definitions/" + part(id), request)
  }

  /// Calls `DELETE /property-definitions/{id}`. A missing definition is not an error.
  public func deletePropertyDefinition(id: String) async throws {
    try await hub.delete("/property-definitions/" + part(id))
  }

  // MARK: Feed

  /// Calls `GET /changes`.
  public func getChanges(since cursor: Int64, limit: Int) async throws -> ChangeFeedResponse {
    try await get("/changes", [("since", "\(cursor)"), ("limit", "\(limit)")])
  }

  /// Calls `GET /changes` with the device's position.
  public func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse {
    try await get(
      "/changes", [("since", "\(request.cursor)"), ("limit", "\(request.limit)")] + (request.position?.query ?? []))
  }

  /// Calls `GET /changes/latest-cursor`.
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

  /// Encodes an id as one path segment.
  ///
  /// - Throws: `APIError.problem` if the id is empty, `.` or `..`, which cannot be path segments.
  private func part(_ id: String) throws -> String {
    guard !id.isEmpty, id != ".", id != ".." else {
      throw APIError.problem(
        ProblemDetails(
          type: "urn:trendy:error:invalid", title: "Invalid id", status: 400,
          detail: "\"\(id)\" cannot be part of a URL path"), retryAfter: nil)
    }
    return percentEncoded(id)
  }

  /// Encodes a key as a header value. Characters that could end the header field, or be trimmed from it, become `%XX`.
  private func headerValue(_ key: String) -> String {
    key.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "%") } ? key : percentEncoded(key)
  }
}
