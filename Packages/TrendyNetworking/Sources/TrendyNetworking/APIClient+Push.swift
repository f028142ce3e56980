#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import TrendyModels
import TrendyProtocols

extension APIClient {
  /// The most mutations that a hub takes at once.
  private static let pushLimit = 500

  /// Mutations with a sequence go to the hub's `/mutations`, where each takes effect once however often it is sent; others go
  /// one call each, as every client sends them.
  ///
  /// The outcomes of what lies before the first of them are taken to be held by the caller for good.
  public func push(_ mutations: [PendingMutation]) async throws -> [MutationOutcome] {
    var outcomes: [MutationOutcome] = []
    while outcomes.count < mutations.count {
      let rest = mutations[outcomes.count...]
      do {
        if let device = rest.first?.sentBy {
          // Outcomes of this call are not the caller's until it returns: only what lies before all of it is acknowledged.
          let acknowledged = (mutations.first { $0.sentBy == device }?.sequence ?? 1) - 1
          let run = Array(rest.prefix { $0.sentBy == device }.prefix(Self.pushLimit))
          outcomes += try await push(
            PushRequest(device: device, acknowledgedThrough: acknowledged, mutations: run.map { MutationEnvelope($0) }))
        } else {
          outcomes += try await PlainClient(client: self).push(Array(rest.prefix { $0.sentBy == nil }))
        }
      } catch  where !outcomes.isEmpty {
        // What is settled must reach the caller; who pushes the rest meets the error again, alone.
        let failure = error as? APIError
        if let failure, failure.isTransient { PushObservation.current?.onTransientFailure(failure) }
        outcomes.append(.tryLater(retryAfter: failure?.retryAfter))
      }
      // What follows a mutation that could not be judged may depend on it.
      if let unjudged = outcomes.last(where: \.isTryLater) {
        outcomes += Array(repeating: unjudged, count: mutations.count - outcomes.count)
      }
    }
    return outcomes
  }

  private func push(_ request: PushRequest) async throws -> [MutationOutcome] {
    let response = try await hub.document(
      PushResponse.self, HTTPRequest(method: .post, path: "/mutations", body: try WireJSON.encode(request)))
    return try outcomes(of: request.mutations, in: response)
  }

  /// An outcome for each mutation: what the hub did not judge is for later.
  private func outcomes(
    of mutations: [MutationEnvelope], in response: PushResponse
  ) throws -> [MutationOutcome] {
    let bySequence = Dictionary(
      response.outcomes.map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
    var outcomes: [MutationOutcome] = []
    for mutation in mutations {
      guard let envelope = bySequence[mutation.sequence] else {
        outcomes.append(.tryLater(retryAfter: nil))
        continue
      }
      switch envelope.status {
      case "accepted": outcomes.append(.accepted(version: envelope.version))
      case "merged": outcomes.append(.merged(version: envelope.version))
      case "refused":
        outcomes.append(.refused(envelope.problem ?? ProblemDetails(title: "The hub refused", status: 422)))
      case "try_later":
        outcomes.append(.tryLater(retryAfter: envelope.retryAfterSeconds.map { .seconds(max($0, 0)) }))
      default:
        // Words of a newer hub. What it settled before them still counts; alone they are an error that someone can see.
        guard !outcomes.isEmpty else {
          throw APIError.decodingError(
            "the outcome of sequence \(mutation.sequence): expected accepted, merged, refused or try_later, found "
              + "\"\(envelope.status)\": this device may be too old for its hub")
        }
        outcomes.append(.tryLater(retryAfter: nil))
      }
      if let unjudged = outcomes.last, unjudged.isTryLater {
        return outcomes + Array(repeating: unjudged, count: mutations.count - outcomes.count)
      }
    }
    return outcomes
  }
}

extension MutationOutcome {
  fileprivate var isTryLater: Bool { if case .tryLater = self { true } else { false } }
}

extension PendingMutation {
  /// The device whose row of sequences it stands in; `nil` while it was given none.
  fileprivate var sentBy: String? { sequence == nil ? nil : device }
}

extension MutationEnvelope {
  fileprivate init(_ mutation: PendingMutation) {
    // A payload that is no JSON object goes as one that every hub refuses. So its sequence is used up, what follows goes on,
    // and the person's data comes to the journal. A delete is meant with or without the edits it carries.
    let readable =
      mutation.payload.isEmpty ? [:] : try? WireJSON.decode([String: JSONValue].self, from: mutation.payload)
    self.init(
      id: mutation.idempotencyKey, sequence: mutation.sequence ?? 0, entityType: mutation.entityType.rawValue,
      entityId: mutation.entityId, operation: mutation.operation.rawValue,
      payload: readable ?? (mutation.operation == .delete ? [:] : ["id": nil]))
  }
}

/// The client with the push that every client has: a call for each mutation.
private struct PlainClient: NetworkClientProtocol {
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
