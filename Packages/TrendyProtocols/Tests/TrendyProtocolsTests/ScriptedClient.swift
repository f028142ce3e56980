import Foundation
import Synchronization
import TrendyModels
import TrendyProtocols

/// Network client that returns scripted responses and records its calls. Its last four operations are the defaults.
final class ScriptedClient: NetworkClientProtocol {
  /// Calls as text, such as `createEventsBatch e1 e2`.
  private let asked = Mutex<[String]>([])
  private let failure: @Sendable (String) -> (any Error)?
  private let batchAnswer: @Sendable ([CreateEventRequest]) -> BatchCreateEventsResponse

  init(
    failing failure: @escaping @Sendable (String) -> (any Error)? = { _ in nil },
    batch: @escaping @Sendable ([CreateEventRequest]) -> BatchCreateEventsResponse = ScriptedClient.all
  ) {
    self.failure = failure
    batchAnswer = batch
  }

  var calls: [String] { asked.withLock { $0 } }

  /// Returns a response in which every event was created.
  static func all(_ requests: [CreateEventRequest]) -> BatchCreateEventsResponse {
    BatchCreateEventsResponse(
      created: requests.map(event), total: requests.count, success: requests.count, failed: 0)
  }

  static func event(_ request: CreateEventRequest) -> APIEvent {
    APIEvent(id: request.id, eventTypeId: request.eventTypeId, timestamp: request.timestamp)
  }

  private func call(_ words: String...) throws {
    let call = words.joined(separator: " ")
    asked.withLock { $0.append(call) }
    if let error = failure(call) { throw error }
  }

  func getEventTypes() async throws -> [APIEventType] {
    try call("getEventTypes")
    return [APIEventType(id: "t1", name: "n"), APIEventType(id: "t2", name: "n")]
  }

  func createEventType(_ request: CreateEventTypeRequest) async throws -> APIEventType {
    try call("createEventType", request.id)
    return APIEventType(id: request.id, name: request.name)
  }

  func createEventTypeWithIdempotency(_ request: CreateEventTypeRequest, idempotencyKey: String) async throws
    -> APIEventType
  {
    try call("createEventTypeWithIdempotency", request.id, idempotencyKey)
    return APIEventType(id: request.id, name: request.name)
  }

  func updateEventType(id: String, _ request: UpdateEventTypeRequest) async throws -> APIEventType {
    try call("updateEventType", id, request.name ?? "-")
    return APIEventType(id: id, name: "n")
  }

  func deleteEventType(id: String) async throws { try call("deleteEventType", id) }

  func getEvents(limit: Int, offset: Int) async throws -> [APIEvent] {
    try call("getEvents", "\(limit)", "\(offset)")
    return []
  }

  func getAllEvents(batchSize: Int) async throws -> [APIEvent] {
    try call("getAllEvents", "\(batchSize)")
    return [APIEvent(id: "e1", eventTypeId: "t1", timestamp: .init(timeIntervalSince1970: 0))]
  }

  func createEvent(_ request: CreateEventRequest) async throws -> APIEvent {
    try call("createEvent", request.id)
    return Self.event(request)
  }

  func createEventWithIdempotency(_ request: CreateEventRequest, idempotencyKey: String) async throws -> APIEvent {
    try call("createEventWithIdempotency", request.id, idempotencyKey)
    return Self.event(request)
  }

  func createEventsBatch(_ events: [CreateEventRequest]) async throws -> BatchCreateEventsResponse {
    try call((["createEventsBatch"] + events.map(\.id)).joined(separator: " "))
    return batchAnswer(events)
  }

  func updateEvent(id: String, _ request: UpdateEventRequest) async throws -> APIEvent {
    try call("updateEvent", id, "\(request.notes)")
    return APIEvent(id: id, eventTypeId: "t1", timestamp: .init(timeIntervalSince1970: 0))
  }

  func deleteEvent(id: String) async throws { try call("deleteEvent", id) }

  func getGeofences(activeOnly: Bool) async throws -> [APIGeofence] {
    try call("getGeofences", "\(activeOnly)")
    return [APIGeofence(id: "g1", name: "n", latitude: 0, longitude: 0, radius: 50)]
  }

  func createGeofence(_ request: CreateGeofenceRequest) async throws -> APIGeofence {
    try call("createGeofence", request.id)
    return APIGeofence(id: request.id, name: request.name, latitude: 0, longitude: 0, radius: 50)
  }

  func createGeofenceWithIdempotency(_ request: CreateGeofenceRequest, idempotencyKey: String) async throws
    -> APIGeofence
  {
    try call("createGeofenceWithIdempotency", request.id, idempotencyKey)
    return APIGeofence(id: request.id, name: request.name, latitude: 0, longitude: 0, radius: 50)
  }

  func updateGeofence(id: String, _ request: UpdateGeofenceRequest) async throws -> APIGeofence {
    try call("updateGeofence", id)
    return APIGeofence(id: id, name: "n", latitude: 0, longitude: 0, radius: 50)
  }

  func deleteGeofence(id: String) async throws { try call("deleteGeofence", id) }

  func getPropertyDefinitions(eventTypeId: String) async throws -> [APIPropertyDefinition] {
    try call("getPropertyDefinitions", eventTypeId)
    return [definition(id: "p-\(eventTypeId)", eventTypeId: eventTypeId)]
  }

  func createPropertyDefinition(eventTypeId: String, _ request: CreatePropertyDefinitionRequest) async throws
    -> APIPropertyDefinition
  {
    try call("createPropertyDefinition", eventTypeId, request.id)
    return definition(id: request.id, eventTypeId: eventTypeId)
  }

  func createPropertyDefinitionWithIdempotency(_ request: CreatePropertyDefinitionRequest, idempotencyKey: String)
    async throws -> APIPropertyDefinition
  {
    try call("createPropertyDefinitionWithIdempotency", request.id, idempotencyKey)
    return definition(id: request.id, eventTypeId: request.eventTypeId)
  }

  func updatePropertyDefinition(id: String, _ request: UpdatePropertyDefinitionRequest) async throws
    -> APIPropertyDefinition
  {
    try call("updatePropertyDefinition", id)
    return definition(id: id, eventTypeId: "t1")
  }

  func deletePropertyDefinition(id: String) async throws { try call("deletePropertyDefinition", id) }

  func getChanges(since cursor: Int64, limit: Int) async throws -> ChangeFeedResponse {
    try call("getChanges", "\(cursor)", "\(limit)")
    return ChangeFeedResponse(changes: [], nextCursor: cursor, hasMore: false)
  }

  func getLatestCursor() async throws -> Int64 {
    try call("getLatestCursor")
    return 42
  }

  private func definition(id: String, eventTypeId: String) -> APIPropertyDefinition {
    APIPropertyDefinition(id: id, eventTypeId: eventTypeId, key: "k", label: "l", propertyType: "text")
  }
}
