import TrendyModels
import TrendyProtocols

/// A client that knows the plain operations only, as an old version of a program does; the rest is what the protocol gives by
/// default.
struct PlainClient: NetworkClientProtocol {
  private let base: any NetworkClientProtocol

  init(_ base: any NetworkClientProtocol) { self.base = base }

  func getEventTypes() async throws -> [APIEventType] { try await base.getEventTypes() }
  func createEventType(_ request: CreateEventTypeRequest) async throws -> APIEventType {
    try await base.createEventType(request)
  }
  func createEventTypeWithIdempotency(
    _ request: CreateEventTypeRequest, idempotencyKey: String
  ) async throws -> APIEventType {
    try await base.createEventTypeWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  func updateEventType(id: String, _ request: UpdateEventTypeRequest) async throws -> APIEventType {
    try await base.updateEventType(id: id, request)
  }
  func deleteEventType(id: String) async throws { try await base.deleteEventType(id: id) }

  func getEvents(limit: Int, offset: Int) async throws -> [APIEvent] {
    try await base.getEvents(limit: limit, offset: offset)
  }
  func getAllEvents(batchSize: Int) async throws -> [APIEvent] { try await base.getAllEvents(batchSize: batchSize) }
  func createEvent(_ request: CreateEventRequest) async throws -> APIEvent { try await base.createEvent(request) }
  func createEventWithIdempotency(
    _ request: CreateEventRequest, idempotencyKey: String
  ) async throws -> APIEvent {
    try await base.createEventWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  func createEventsBatch(_ events: [CreateEventRequest]) async throws -> BatchCreateEventsResponse {
    try await base.createEventsBatch(events)
  }
  func updateEvent(id: String, _ request: UpdateEventRequest) async throws -> APIEvent {
    try await base.updateEvent(id: id, request)
  }
  func deleteEvent(id: String) async throws { try await base.deleteEvent(id: id) }

  func getGeofences(activeOnly: Bool) async throws -> [APIGeofence] {
    try await base.getGeofences(activeOnly: activeOnly)
  }
  func createGeofence(_ request: CreateGeofenceRequest) async throws -> APIGeofence {
    try await base.createGeofence(request)
  }
  func createGeofenceWithIdempotency(
    _ request: CreateGeofenceRequest, idempotencyKey: String
  ) async throws -> APIGeofence {
    try await base.createGeofenceWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  func updateGeofence(id: String, _ request: UpdateGeofenceRequest) async throws -> APIGeofence {
    try await base.updateGeofence(id: id, request)
  }
  func deleteGeofence(id: String) async throws { try await base.deleteGeofence(id: id) }

  func getPropertyDefinitions(eventTypeId: String) async throws -> [APIPropertyDefinition] {
    try await base.getPropertyDefinitions(eventTypeId: eventTypeId)
  }
  func createPropertyDefinition(
    eventTypeId: String, _ request: CreatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await base.createPropertyDefinition(eventTypeId: eventTypeId, request)
  }
  func createPropertyDefinitionWithIdempotency(
    _ request: CreatePropertyDefinitionRequest, idempotencyKey: String
  ) async throws -> APIPropertyDefinition {
    try await base.createPropertyDefinitionWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  func updatePropertyDefinition(
    id: String, _ request: UpdatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await base.updatePropertyDefinition(id: id, request)
  }
  func deletePropertyDefinition(id: String) async throws { try await base.deletePropertyDefinition(id: id) }

  func getChanges(since cursor: Int64, limit: Int) async throws -> ChangeFeedResponse {
    try await base.getChanges(since: cursor, limit: limit)
  }
  func getLatestCursor() async throws -> Int64 { try await base.getLatestCursor() }
}
