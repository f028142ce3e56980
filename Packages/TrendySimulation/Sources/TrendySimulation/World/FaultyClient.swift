import TrendyModels
import TrendyProtocols

/// Client of a custom server, with the faults of the simulated network.
struct FaultyClient: NetworkClientProtocol {
  let base: any NetworkClientProtocol
  let wire: SimulatedLink
  let files: ProcessFileSystem
  unowned let run: SimulationRun

  func checkHealth() async throws { try await meet("checkHealth") { try await base.checkHealth() } }
  func push(_ mutations: [PendingMutation]) async throws -> [MutationOutcome] {
    try await meet("push", mutations: mutations) {
      let outcomes = try await base.push(mutations)
      run.ledger.onOutcomes(outcomes, of: mutations)
      return outcomes
    }
  }
  func push(_ batch: PushBatch) async throws -> PushBatchResult {
    try await meet("push", mutations: batch.mutations) {
      let answer = try await base.push(batch)
      run.ledger.onOutcomes(answer.outcomes, of: batch.mutations)
      return answer
    }
  }
  func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse {
    try await meet("changes") { try await base.changes(request) }
  }
  func snapshot(for position: DevicePosition?) async throws -> SnapshotAnswer {
    try await meet("snapshot") { try await base.snapshot(for: position) }
  }
  func snapshotPart(_ request: SnapshotRequest) async throws -> SnapshotPart {
    try await meet("snapshot") { try await base.snapshotPart(request) }
  }
  func snapshot() async throws -> Snapshot { try await meet("snapshot") { try await base.snapshot() } }

  func getEventTypes() async throws -> [APIEventType] {
    try await meet("getEventTypes") { try await base.getEventTypes() }
  }
  func createEventType(_ request: CreateEventTypeRequest) async throws -> APIEventType {
    try await meet("createEventType", writing: request) { try await base.createEventType(request) }
  }
  func createEventTypeWithIdempotency(
    _ request: CreateEventTypeRequest, idempotencyKey: String
  ) async throws -> APIEventType {
    try await meet("createEventTypeWithIdempotency", writing: request) {
      try await base.createEventTypeWithIdempotency(request, idempotencyKey: idempotencyKey)
    }
  }
  func updateEventType(id: String, _ request: UpdateEventTypeRequest) async throws -> APIEventType {
    try await meet("updateEventType", writing: request) { try await base.updateEventType(id: id, request) }
  }
  func deleteEventType(id: String) async throws {
    try await meet("deleteEventType") { try await base.deleteEventType(id: id) }
  }

  func getEvents(limit: Int, offset: Int) async throws -> [APIEvent] {
    try await meet("getEvents") { try await base.getEvents(limit: limit, offset: offset) }
  }
  func getAllEvents(batchSize: Int) async throws -> [APIEvent] {
    try await meet("getAllEvents") { try await base.getAllEvents(batchSize: batchSize) }
  }
  func createEvent(_ request: CreateEventRequest) async throws -> APIEvent {
    try await meet("createEvent", writing: request) { try await base.createEvent(request) }
  }
  func createEventWithIdempotency(
    _ request: CreateEventRequest, idempotencyKey: String
  ) async throws -> APIEvent {
    try await meet("createEventWithIdempotency", writing: request) {
      try await base.createEventWithIdempotency(request, idempotencyKey: idempotencyKey)
    }
  }
  func createEventsBatch(_ events: [CreateEventRequest]) async throws -> BatchCreateEventsResponse {
    try await meet("createEventsBatch", writing: events) { try await base.createEventsBatch(events) }
  }
  func updateEvent(id: String, _ request: UpdateEventRequest) async throws -> APIEvent {
    try await meet("updateEvent", writing: request) { try await base.updateEvent(id: id, request) }
  }
  func deleteEvent(id: String) async throws { try await meet("deleteEvent") { try await base.deleteEvent(id: id) } }

  func getGeofences(activeOnly: Bool) async throws -> [APIGeofence] {
    try await meet("getGeofences") { try await base.getGeofences(activeOnly: activeOnly) }
  }
  func createGeofence(_ request: CreateGeofenceRequest) async throws -> APIGeofence {
    try await meet("createGeofence", writing: request) { try await base.createGeofence(request) }
  }
  func createGeofenceWithIdempotency(
    _ request: CreateGeofenceRequest, idempotencyKey: String
  ) async throws -> APIGeofence {
    try await meet("createGeofenceWithIdempotency", writing: request) {
      try await base.createGeofenceWithIdempotency(request, idempotencyKey: idempotencyKey)
    }
  }
  func updateGeofence(id: String, _ request: UpdateGeofenceRequest) async throws -> APIGeofence {
    try await meet("updateGeofence", writing: request) { try await base.updateGeofence(id: id, request) }
  }
  func deleteGeofence(id: String) async throws {
    try await meet("deleteGeofence") { try await base.deleteGeofence(id: id) }
  }

  func getPropertyDefinitions(eventTypeId: String) async throws -> [APIPropertyDefinition] {
    try await meet("getPropertyDefinitions") { try await base.getPropertyDefinitions(eventTypeId: eventTypeId) }
  }
  func createPropertyDefinition(
    eventTypeId: String, _ request: CreatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await meet("createPropertyDefinition", writing: request) {
      try await base.createPropertyDefinition(eventTypeId: eventTypeId, request)
    }
  }
  func createPropertyDefinitionWithIdempotency(
    _ request: CreatePropertyDefinitionRequest, idempotencyKey: String
  ) async throws -> APIPropertyDefinition {
    try await meet("createPropertyDefinitionWithIdempotency", writing: request) {
      try await base.createPropertyDefinitionWithIdempotency(request, idempotencyKey: idempotencyKey)
    }
  }
  func updatePropertyDefinition(
    id: String, _ request: UpdatePropertyDefinitionRequest
  ) async throws -> APIPropertyDefinition {
    try await meet("updatePropertyDefinition", writing: request) {
      try await base.updatePropertyDefinition(id: id, request)
    }
  }
  func deletePropertyDefinition(id: String) async throws {
    try await meet("deletePropertyDefinition") { try await base.deletePropertyDefinition(id: id) }
  }

  func getChanges(since cursor: Int64, limit: Int) async throws -> ChangeFeedResponse {
    try await meet("getChanges") { try await base.getChanges(since: cursor, limit: limit) }
  }
  func getLatestCursor() async throws -> Int64 {
    try await meet("getLatestCursor") { try await base.getLatestCursor() }
  }

  private func meet<Answer>(
    _ words: String, mutations: [PendingMutation] = [], writing request: (any Encodable & Sendable)? = nil,
    _ call: @escaping () async throws -> Answer
  ) async throws -> Answer {
    func reach() async throws -> Answer {
      let answer = try await call()
      if let request { run.ledger.onPlainWrite(try WireJSON.encode(request)) }
      return answer
    }
    return try await wire.meet(
      SimulatedLink.Call(
        words: words, mutations: mutations.count, again: { _ = try await reach() },
        onRefusal: { run.ledger.onRefusal(mutations.map { ($0.id, $0.entityId) }) }), from: files,
      garble: { _ in throw APIError.decodingError("the response is an HTML page") }
    ) { thousandths in thousandths == nil ? try await reach() : nil }
  }
}
