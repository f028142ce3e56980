import TrendyFoundation
public import TrendyModels
import TrendyProtocols

extension APIClient {
  private static let pushLimit = 500

  /// Sends mutations with a sequence number to `/mutations`, where each mutation takes effect once, no matter how often
  /// it is sent. Sends all other mutations through the REST calls for their kinds.
  ///
  /// Acknowledges all sequence numbers before the first mutation, so the caller must have stored their outcomes.
  public func push(_ mutations: [PendingMutation]) async throws -> [MutationOutcome] {
    var outcomes: [MutationOutcome] = []
    while outcomes.count < mutations.count {
      let rest = mutations[outcomes.count...]
      do {
        if let device = rest.first?.sentBy {
          // Acknowledge only mutations before this call, because the caller does not have the outcomes of this call
          // yet.
          let acknowledged = (mutations.first { $0.sentBy == device }?.sequence ?? 1) - 1
          let run = Array(rest.prefix { $0.sentBy == device }.prefix(Self.pushLimit))
          outcomes += try await push(
            PushRequest(device: device, acknowledgedThrough: acknowledged, mutations: run.map { MutationEnvelope($0) }))
        } else {
          outcomes += try await DefaultPushClient(client: self).push(Array(rest.prefix { $0.sentBy == nil }))
        }
      } catch  where !outcomes.isEmpty {
        // Return the outcomes so far. Pushing the remaining mutations again will repeat the error and throw it.
        let failure = error as? APIError
        if let failure, failure.isTransient { PushObservation.current?.onTransientFailure(failure) }
        outcomes.append(.tryLater(retryAfter: failure?.retryAfter))
      }
      // Later mutations may depend on the mutation without an outcome, so they have no outcome either.
      if let undecided = outcomes.last(where: \.isTryLater) {
        outcomes += Array(repeating: undecided, count: mutations.count - outcomes.count)
      }
    }
    return outcomes
  }

  /// Sends a batch in one request. Mutations after the first 500 get the outcome `tryLater`.
  public func push(_ batch: PushBatch) async throws -> PushBatchResult {
    var first = batch
    first.mutations = Array(batch.mutations.prefix(Self.pushLimit))
    let request = PushRequest(first)
    let response = try await hub.document(
      PushResponse.self, HTTPRequest(method: .post, path: "/mutations", body: try WireJSON.encode(request))
    ) { failure in
      guard failure.head.status == 409,
        // A 409 that does not report a fork is an ordinary error.
        let response = try? WireJSON.decode(PushResponse.self, from: failure.body), response.isForked
      else { return nil }
      return response
    }
    var answer = try response.answer(to: request.mutations)
    answer.outcomes += Array(
      repeating: .tryLater(retryAfter: nil), count: batch.mutations.count - request.mutations.count)
    return answer
  }

  private func push(_ request: PushRequest) async throws -> [MutationOutcome] {
    let response = try await hub.document(
      PushResponse.self, HTTPRequest(method: .post, path: "/mutations", body: try WireJSON.encode(request)))
    return try response.answer(to: request.mutations).outcomes
  }
}

extension MutationOutcome {
  fileprivate var isTryLater: Bool { if case .tryLater = self { true } else { false } }
}

extension PendingMutation {
  /// Device id of a mutation with a sequence number, or `nil` for other mutations.
  fileprivate var sentBy: String? { sequence == nil ? nil : device }
}

/// Client with the default implementation of `push`, which uses the REST calls for each kind.
private struct DefaultPushClient: NetworkClientProtocol {
  let client: APIClient

  func getEventTypes() async throws -> [APIEventType] { try await client.getEventTypes() }
  func createEventType(_ request: CreateEventTypeRequest) async throws -> APIEventType {
    try await client.createEventType(request)
  }
  func createEventTypeWithIdempotency(
    _ request: CreateEventTypeRequest, idempotencyKey: String
  ) async throws -> APIEventType {
    try await client.createEventTypeWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  func updateEventType(id: String, _ request: UpdateEventTypeRequest) async throws -> APIEventType {
    try await client.updateEventType(id: id, request)
  }
  func deleteEventType(id: String) async throws { try await client.deleteEventType(id: id) }

  func getEvents(limit: Int, offset: Int) async throws -> [APIEvent] {
    try await client.getEvents(limit: limit, offset: offset)
  }
  func getAllEvents(batchSize: Int) async throws -> [APIEvent] {
    try await client.getAllEvents(batchSize: batchSize)
  }
  func createEvent(_ request: CreateEventRequest) async throws -> APIEvent { try await client.createEvent(request) }
  func createEventWithIdempotency(_ request: CreateEventRequest, idempotencyKey: String) async throws -> APIEvent {
    try await client.createEventWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  func createEventsBatch(_ events: [CreateEventRequest]) async throws -> BatchCreateEventsResponse {
    try await client.createEventsBatch(events)
  }
  func updateEvent(id: String, _ request: UpdateEventRequest) async throws -> APIEvent {
    try await client.updateEvent(id: id, request)
  }
  func deleteEvent(id: String) async throws { try await client.deleteEvent(id: id) }

  func getGeofences(activeOnly: Bool) async throws -> [APIGeofence] {
    try await client.getGeofences(activeOnly: activeOnly)
  }
  func createGeofence(_ request: CreateGeofenceRequest) async throws -> APIGeofence {
    try await client.createGeofence(request)
  }
  func createGeofenceWithIdempotency(
    _ request: CreateGeofenceRequest, idempotencyKey: String
  ) async throws -> APIGeofence {
    try await client.createGeofenceWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  func updateGeofence(id: String, _ request: UpdateGeofenceRequest) async throws -> APIGeofence {
    try await client.updateGeofence(id: id, request)
  }
  func deleteGeofence(id: String) async throws { try await client.deleteGeofence(id: id) }

  func getPropertyDefinitions(eventTypeId: String) async throws -> [APIPropertyDefinition] {
    try await client.getPropertyDefinitions(eventTypeId: eventTypeId)
  }
  func createPropertyDefinition(
    eventTypeId: String, _ request: CreatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await client.createPropertyDefinition(eventTypeId: eventTypeId, request)
  }
  func createPropertyDefinitionWithIdempotency(
    _ request: CreatePropertyDefinitionRequest, idempotencyKey: String
  ) async throws -> APIPropertyDefinition {
    try await client.createPropertyDefinitionWithIdempotency(request, idempotencyKey: idempotencyKey)
  }
  func updatePropertyDefinition(
    id: String, _ request: UpdatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await client.updatePropertyDefinition(id: id, request)
  }
  func deletePropertyDefinition(id: String) async throws { try await client.deletePropertyDefinition(id: id) }

  func getChanges(since cursor: Int64, limit: Int) async throws -> ChangeFeedResponse {
    try await client.getChanges(since: cursor, limit: limit)
  }
  func getLatestCursor() async throws -> Int64 { try await client.getLatestCursor() }
}
