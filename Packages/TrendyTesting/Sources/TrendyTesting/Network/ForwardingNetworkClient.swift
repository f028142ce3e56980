public import TrendyModels
public import TrendyProtocols

/// Client that forwards the operations it does not implement to another client.
///
/// The 24 basic operations are forwarded. Operations with default implementations in the protocol are built on them.
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
  /// Forwards to `base`.
  public func getEventTypes() async throws -> [APIEventType] { try await base.getEventTypes() }
  /// Forwards to `base`.
  public func createEventType(_ request: CreateEventTypeRequest) async throws -> APIEventType {
    try await base.createEventType(request)
  }
  /// Forwards to `base`.
  public func createEventTypeWithIdempotency(
    _ request: CreateEventTypeRequest, idempotencyKey: String
  ) async throws -> APIEventType {
    try await base.createEventTypeWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  /// Forwards to `base`.
  public func updateEventType(id: String, _ request: UpdateEventTypeRequest) async throws -> APIEventType {
    try await base.updateEventType(id: id, request)
  }
  /// Forwards to `base`.
  public func deleteEventType(id: String) async throws { try await base.deleteEventType(id: id) }
  /// Forwards to `base`.
  public func getEvents(limit: Int, offset: Int) async throws -> [APIEvent] {
    try await base.getEvents(limit: limit, offset: offset)
  }
  /// Forwards to `base`.
  public func getAllEvents(batchSize: Int) async throws -> [APIEvent] {
    try await base.getAllEvents(batchSize: batchSize)
  }
  /// Forwards to `base`.
  public func createEvent(_ request: CreateEventRequest) async throws -> APIEvent {
    try await base.createEvent(request)
  }
  /// Forwards to `base`.
  public func createEventWithIdempotency(_ request: CreateEventRequest, idempotencyKey: String) async throws -> APIEvent
  {
    try await base.createEventWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  /// Forwards to `base`.
  public func createEventsBatch(_ events: [CreateEventRequest]) async throws -> BatchCreateEventsResponse {
    try await base.createEventsBatch(events)
  }
  /// Forwards to `base`.
  public func updateEvent(id: String, _ request: UpdateEventRequest) async throws -> APIEvent {
    try await base.updateEvent(id: id, request)
  }
  /// Forwards to `base`.
  public func deleteEvent(id: String) async throws { try await base.deleteEvent(id: id) }
  /// Forwards to `base`.
  public func getGeofences(activeOnly: Bool) async throws -> [APIGeofence] {
    try await base.getGeofences(activeOnly: activeOnly)
  }
  /// Forwards to `base`.
  public func createGeofence(_ request: CreateGeofenceRequest) async throws -> APIGeofence {
    try await base.createGeofence(request)
  }
  /// Forwards to `base`.
  public func createGeofenceWithIdempotency(
    _ request: CreateGeofenceRequest, idempotencyKey: String
  ) async throws -> APIGeofence {
    try await base.createGeofenceWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  /// Forwards to `base`.
  public func updateGeofence(id: String, _ request: UpdateGeofenceRequest) async throws -> APIGeofence {
    try await base.updateGeofence(id: id, request)
  }
  /// Forwards to `base`.
  public func deleteGeofence(id: String) async throws { try await base.deleteGeofence(id: id) }
  /// Forwards to `base`.
  public func getPropertyDefinitions(eventTypeId: String) async throws -> [APIPropertyDefinition] {
    try await base.getPropertyDefinitions(eventTypeId: eventTypeId)
  }
  /// Forwards to `base`.
  public func createPropertyDefinition(
    eventTypeId: String, _ request: CreatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await base.createPropertyDefinition(eventTypeId: eventTypeId, request)
  }
  /// Forwards to `base`.
  public func createPropertyDefinitionWithIdempotency(
    _ request: CreatePropertyDefinitionRequest, idempotencyKey: String
  ) async throws -> APIPropertyDefinition {
    try await base.createPropertyDefinitionWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  /// Forwards to `base`.
  public func updatePropertyDefinition(
    id: String, _ request: UpdatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await base.updatePropertyDefinition(id: id, request)
  }
  /// Forwards to `base`.
  public func deletePropertyDefinition(id: String) async throws { try await base.deletePropertyDefinition(id: id) }
  /// Forwards to `base`.
  public func getChanges(since cursor: Int64, limit: Int) async throws -> ChangeFeedResponse {
    try await base.getChanges(since: cursor, limit: limit)
  }
  /// Forwards to `base`.
  public func getLatestCursor() async throws -> Int64 { try await base.getLatestCursor() }
}
