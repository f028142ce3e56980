public import TrendyModels
public import TrendyProtocols

/// A client that asks another for what it does not do itself: of the 24 plain operations each is passed on, what the protocol has
/// defaults for is built on them.
///
/// ```swift
/// struct SlowFeed: ForwardingNetworkClient {
///   let base: MockNetworkClient
///   func getChanges(since cursor: Int64, limit: Int) async throws -> ChangeFeedResponse { … }
/// }
/// ```
public protocol ForwardingNetworkClient: NetworkClientProtocol {
  associatedtype Base: NetworkClientProtocol
  var base: Base { get }
}

extension ForwardingNetworkClient {
  public func getEventTypes() async throws -> [APIEventType] { try await base.getEventTypes() }
  public func createEventType(_ request: CreateEventTypeRequest) async throws -> APIEventType {
    try await base.createEventType(request)
  }
  public func createEventTypeWithIdempotency(
    _ request: CreateEventTypeRequest, idempotencyKey: String
  ) async throws -> APIEventType {
    try await base.createEventTypeWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  public func updateEventType(id: String, _ request: UpdateEventTypeRequest) async throws -> APIEventType {
    try await base.updateEventType(id: id, request)
  }
  public func deleteEventType(id: String) async throws { try await base.deleteEventType(id: id) }
  public func getEvents(limit: Int, offset: Int) async throws -> [APIEvent] {
    try await base.getEvents(limit: limit, offset: offset)
  }
  public func getAllEvents(batchSize: Int) async throws -> [APIEvent] {
    try await base.getAllEvents(batchSize: batchSize)
  }
  public func createEvent(_ request: CreateEventRequest) async throws -> APIEvent {
    try await base.createEvent(request)
  }
  public func createEventWithIdempotency(_ request: CreateEventRequest, idempotencyKey: String) async throws -> APIEvent
  {
    try await base.createEventWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  public func createEventsBatch(_ events: [CreateEventRequest]) async throws -> BatchCreateEventsResponse {
    try await base.createEventsBatch(events)
  }
  public func updateEvent(id: String, _ request: UpdateEventRequest) async throws -> APIEvent {
    try await base.updateEvent(id: id, request)
  }
  public func deleteEvent(id: String) async throws { try await base.deleteEvent(id: id) }
  public func getGeofences(activeOnly: Bool) async throws -> [APIGeofence] {
    try await base.getGeofences(activeOnly: activeOnly)
  }
  public func createGeofence(_ request: CreateGeofenceRequest) async throws -> APIGeofence {
    try await base.createGeofence(request)
  }
  public func createGeofenceWithIdempotency(
    _ request: CreateGeofenceRequest, idempotencyKey: String
  ) async throws -> APIGeofence {
    try await base.createGeofenceWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  public func updateGeofence(id: String, _ request: UpdateGeofenceRequest) async throws -> APIGeofence {
    try await base.updateGeofence(id: id, request)
  }
  public func deleteGeofence(id: String) async throws { try await base.deleteGeofence(id: id) }
  public func getPropertyDefinitions(eventTypeId: String) async throws -> [APIPropertyDefinition] {
    try await base.getPropertyDefinitions(eventTypeId: eventTypeId)
  }
  public func createPropertyDefinition(
    eventTypeId: String, _ request: CreatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await base.createPropertyDefinition(eventTypeId: eventTypeId, request)
  }
  public func createPropertyDefinitionWithIdempotency(
    _ request: CreatePropertyDefinitionRequest, idempotencyKey: String
  ) async throws -> APIPropertyDefinition {
    try await base.createPropertyDefinitionWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  public func updatePropertyDefinition(
    id: String, _ request: UpdatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await base.updatePropertyDefinition(id: id, request)
  }
  public func deletePropertyDefinition(id: String) async throws { try await base.deletePropertyDefinition(id: id) }
  public func getChanges(since cursor: Int64, limit: Int) async throws -> ChangeFeedResponse {
    try await base.getChanges(since: cursor, limit: limit)
  }
  public func getLatestCursor() async throws -> Int64 { try await base.getLatestCursor() }
}
