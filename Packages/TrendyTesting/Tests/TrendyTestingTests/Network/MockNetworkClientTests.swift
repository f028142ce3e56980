import Testing
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendyTesting

@Suite("MockNetworkClient", .timeLimit(.minutes(10)))
struct MockNetworkClientTests {
  private let network = MockNetworkClient()

  // MARK: Order of responses

  @Test func `responses come from the queue, then the error, then the default response`() async throws {
    network.eventTypesToReturn = [APIModelFixture.makeAPIEventType(id: "standing")]
    network.getEventTypesResponses = [.success([APIModelFixture.makeAPIEventType(id: "queued")])]
    network.errorToThrow = APIError.httpError(503)

    #expect(try await network.getEventTypes().map(\.id) == ["queued"])
    await #expect(throws: APIError.httpError(503)) { try await network.getEventTypes() }
    await #expect(throws: APIError.httpError(503)) { try await network.getEventTypes() }
    network.errorToThrow = nil
    #expect(try await network.getEventTypes().map(\.id) == ["standing"])
  }

  @Test func `a queue returns its responses in order, each once`() async throws {
    network.getLatestCursorResponses = [.success(1), .failure(APIError.httpError(429)), .success(3)]
    network.latestCursorToReturn = 9
    #expect(try await network.getLatestCursor() == 1)
    await #expect(throws: APIError.httpError(429)) { try await network.getLatestCursor() }
    #expect(try await network.getLatestCursor() == 3)
    #expect(try await network.getLatestCursor() == 9)
    #expect(network.getLatestCursorResponses.isEmpty)
  }

  @Test func `each operation has a separate queue`() async throws {
    network.createEventResponses = [.failure(APIError.httpError(500))]
    _ = try await network.createEventWithIdempotency(APIModelFixture.makeCreateEventRequest(), idempotencyKey: "key")
    #expect(network.createEventResponses.count == 1)
  }

  @Test func `a call is recorded even when it throws`() async {
    network.errorToThrow = APIError.networkError("down")
    await #expect(throws: APIError.networkError("down")) { try await network.deleteEvent(id: "evt-1") }
    #expect(network.deleteEventCalls.map(\.id) == ["evt-1"])
    #expect(network.operations == [.deleteEvent])
  }

  @Test func `a cancelled call is recorded, throws and uses no response`() async {
    network.getLatestCursorResponses = [.success(1)]
    let call = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await network.getLatestCursor()
    }
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(network.getLatestCursorCalls.count == 1)
    #expect(network.getLatestCursorResponses.count == 1)
  }

  @Test func `reset clears records, queues, default responses and the error`() async throws {
    network.eventsToReturn = [APIModelFixture.makeAPIEvent()]
    network.getEventsResponses = [.failure(APIError.httpError(500))]
    network.errorToThrow = APIError.httpError(500)
    network.beforeAnswering = { _ in Issue.record("reset takes the hook away") }
    network.latestCursorToReturn = 5
    network.reset()
    #expect(try await network.getEvents(limit: 10, offset: 0) == [])
    #expect(try await network.getLatestCursor() == 0)
    #expect(network.operations == [.getEvents, .getLatestCursor])
  }

  // MARK: Default responses

  @Test func `without responses the hub is empty`() async throws {
    #expect(try await network.getEventTypes().isEmpty)
    #expect(try await network.getAllEvents(batchSize: 500).isEmpty)
    #expect(try await network.getGeofences(activeOnly: false).isEmpty)
    #expect(try await network.getPropertyDefinitions(eventTypeId: "type-1").isEmpty)
    #expect(try await network.getLatestCursor() == 0)
  }

  @Test("without a page the feed is empty at the requested cursor", arguments: [0, 1000, Int64.max])
  func emptyFeed(cursor: Int64) async throws {
    let page = try await network.getChanges(since: cursor, limit: 100)
    #expect(page == ChangeFeedResponse(changes: [], nextCursor: cursor, hasMore: false))
  }

  @Test func `a page of events is a slice of the default response`() async throws {
    network.eventsToReturn = (0..<5).map { APIModelFixture.makeAPIEvent(id: "evt-\($0)") }
    #expect(try await network.getEvents(limit: 2, offset: 0).map(\.id) == ["evt-0", "evt-1"])
    #expect(try await network.getEvents(limit: 2, offset: 4).map(\.id) == ["evt-4"])
    #expect(try await network.getEvents(limit: 2, offset: 6).isEmpty)
    #expect(try await network.getAllEvents(batchSize: 2).count == 5)
  }

  @Test func `geofences can be filtered by active state`() async throws {
    network.geofencesToReturn = [
      APIModelFixture.makeAPIGeofence(id: "on"), APIModelFixture.makeAPIGeofence(id: "off", isActive: false),
    ]
    #expect(try await network.getGeofences(activeOnly: true).map(\.id) == ["on"])
    #expect(try await network.getGeofences(activeOnly: false).map(\.id) == ["on", "off"])
  }

  @Test func `property definitions are filtered by type`() async throws {
    network.propertyDefinitionsToReturn = [
      APIModelFixture.makeAPIPropertyDefinition(id: "one", eventTypeId: "type-1"),
      APIModelFixture.makeAPIPropertyDefinition(id: "two", eventTypeId: "type-2"),
    ]
    #expect(try await network.getPropertyDefinitions(eventTypeId: "type-2").map(\.id) == ["two"])
  }

  @Test func `a default page and a default batch answer every request`() async throws {
    let page = APIModelFixture.makeChangeFeedResponse(changes: [APIModelFixture.makeChangeEntry()], nextCursor: 7)
    network.changeFeedResponseToReturn = page
    #expect(try await network.getChanges(since: 0, limit: 10) == page)
    #expect(try await network.getChanges(since: 7, limit: 10) == page)
    let batch = APIModelFixture.makeBatchCreateEventsResponse(errors: [APIModelFixture.makeBatchError()])
    network.batchCreateResponseToReturn = batch
    #expect(try await network.createEventsBatch([]) == batch)
  }

  // MARK: Echoes

  @Test func `a create returns an event with every field of its request`() async throws {
    var request = APIModelFixture.makeCreateEventRequest(
      id: "evt-9", eventTypeId: "type-9", timestamp: DeterministicDate.jun15_2024, notes: "n", isAllDay: true,
      endDate: DeterministicDate.dec31_2024, sourceType: "trip", externalId: "x", originalTitle: "o",
      geofenceId: "geo-9", locationLatitude: 1, locationLongitude: 2, locationName: "l", healthKitSampleId: "h",
      healthKitCategory: "c", timeZone: "Europe/Amsterdam",
      properties: ["k": APIPropertyValue(type: "number", value: 5)])
    request.unknownFields = ["mood": "good"]
    let echo = try await network.createEvent(request)
    // Request and echo have the same fields on the wire, except for those set by the server.
    var members = try ChangeEntryData(echo).rawData
    for added in ["user_id", "created_at", "updated_at"] { #expect(members.removeValue(forKey: added) != nil) }
    #expect(try members == ChangeEntryData(request).rawData)
    #expect(try await network.createEventWithIdempotency(request, idempotencyKey: "key") == echo)
    let batch = try await network.createEventsBatch([request, request])
    #expect(batch == BatchCreateEventsResponse(created: [echo, echo], total: 2, success: 2, failed: 0))
  }

  @Test func `a create of any other kind returns every field of its request`() async throws {
    func members(_ value: some Encodable) throws -> [String: JSONValue] {
      try ChangeEntryData(value).rawData.filter { !["user_id", "created_at", "updated_at"].contains($0.key) }
    }
    let type = CreateEventTypeRequest(id: "t", name: "n", color: "#123456", icon: "i", unknownFields: ["x": 1])
    #expect(try await members(network.createEventType(type)) == members(type))
    #expect(try await members(network.createEventTypeWithIdempotency(type, idempotencyKey: "k")) == members(type))

    let geofence = CreateGeofenceRequest(
      id: "g", name: "n", latitude: 1, longitude: 2, radius: 300, eventTypeEntryId: "a", eventTypeExitId: "b",
      isActive: false, notifyOnEntry: true, notifyOnExit: true, unknownFields: ["x": 1])
    #expect(try await members(network.createGeofence(geofence)) == members(geofence))
    #expect(
      try await members(network.createGeofenceWithIdempotency(geofence, idempotencyKey: "k")) == members(geofence))

    let definition = CreatePropertyDefinitionRequest(
      id: "p", eventTypeId: "t", key: "k", label: "l", propertyType: "select", options: ["a"], defaultValue: "a",
      displayOrder: 3, unknownFields: ["x": 1])
    #expect(try await members(network.createPropertyDefinition(eventTypeId: "t", definition)) == members(definition))
    #expect(
      try await members(network.createPropertyDefinitionWithIdempotency(definition, idempotencyKey: "k"))
        == members(definition))
  }

  @Test func `an update is applied to the default response, or to an empty entity`() async throws {
    network.eventsToReturn = [APIModelFixture.makeAPIEvent(id: "known", notes: "old", locationName: "here")]
    let request = APIModelFixture.makeUpdateEventRequest(notes: .value("new"), locationName: .null)
    let known = try await network.updateEvent(id: "known", request)
    #expect(known.eventTypeId == "type-1" && known.notes == "new" && known.locationName == nil)
    #expect(try await network.updateEvent(id: "other", request).notes == "new")

    network.eventTypesToReturn = [APIModelFixture.makeAPIEventType()]
    let type = try await network.updateEventType(id: "type-1", .init(name: "New"))
    #expect(type.name == "New" && type.color == "#FF5733")

    network.geofencesToReturn = [APIModelFixture.makeAPIGeofence()]
    let geofence = try await network.updateGeofence(id: "geo-1", .init(radius: 250))
    #expect(geofence.radius == 250 && geofence.name == "Home")

    network.propertyDefinitionsToReturn = [APIModelFixture.makeAPIPropertyDefinition()]
    let definition = try await network.updatePropertyDefinition(id: "propdef-1", .init(label: "New"))
    #expect(definition.label == "New" && definition.key == "duration")
  }

  // MARK: Records

  @Test func `every operation records its parameters, its time and its order`() async throws {
    let clock = ManualClock()
    let network = MockNetworkClient(clock: clock)
    await clock.advance(by: .seconds(60))
    let now = clock.now
    let event = APIModelFixture.makeCreateEventRequest()
    let type = APIModelFixture.makeCreateEventTypeRequest()
    let geofence = APIModelFixture.makeCreateGeofenceRequest()
    let definition = APIModelFixture.makeCreatePropertyDefinitionRequest()
    let eventUpdate = APIModelFixture.makeUpdateEventRequest(notes: .null)
    let typeUpdate = APIModelFixture.makeUpdateEventTypeRequest(name: "n")
    let geofenceUpdate = APIModelFixture.makeUpdateGeofenceRequest(name: "n")
    let definitionUpdate = APIModelFixture.makeUpdatePropertyDefinitionRequest(key: "k")

    _ = try await network.getEventTypes()
    _ = try await network.createEventType(type)
    _ = try await network.createEventTypeWithIdempotency(type, idempotencyKey: "1")
    _ = try await network.updateEventType(id: "a", typeUpdate)
    try await network.deleteEventType(id: "b")
    _ = try await network.getEvents(limit: 1, offset: 2)
    _ = try await network.getAllEvents(batchSize: 3)
    _ = try await network.createEvent(event)
    _ = try await network.createEventWithIdempotency(event, idempotencyKey: "2")
    _ = try await network.createEventsBatch([event])
    _ = try await network.updateEvent(id: "c", eventUpdate)
    try await network.deleteEvent(id: "d")
    _ = try await network.getGeofences(activeOnly: true)
    _ = try await network.createGeofence(geofence)
    _ = try await network.createGeofenceWithIdempotency(geofence, idempotencyKey: "3")
    _ = try await network.updateGeofence(id: "e", geofenceUpdate)
    try await network.deleteGeofence(id: "f")
    _ = try await network.getPropertyDefinitions(eventTypeId: "g")
    _ = try await network.createPropertyDefinition(eventTypeId: "h", definition)
    _ = try await network.createPropertyDefinitionWithIdempotency(definition, idempotencyKey: "4")
    _ = try await network.updatePropertyDefinition(id: "i", definitionUpdate)
    try await network.deletePropertyDefinition(id: "j")
    _ = try await network.getChanges(since: 4, limit: 5)
    _ = try await network.getLatestCursor()

    #expect(network.operations == MockNetworkClient.Operation.allCases)
    #expect(network.getEventTypesCalls == [.init(timestamp: now)])
    #expect(network.createEventTypeCalls == [.init(request: type, timestamp: now)])
    #expect(network.createEventTypeWithIdempotencyCalls == [.init(request: type, idempotencyKey: "1", timestamp: now)])
    #expect(network.updateEventTypeCalls == [.init(id: "a", request: typeUpdate, timestamp: now)])
    #expect(network.deleteEventTypeCalls == [.init(id: "b", timestamp: now)])
    #expect(network.getEventsCalls == [.init(limit: 1, offset: 2, timestamp: now)])
    #expect(network.getAllEventsCalls == [.init(batchSize: 3, timestamp: now)])
    #expect(network.createEventCalls == [.init(request: event, timestamp: now)])
    #expect(network.createEventWithIdempotencyCalls == [.init(request: event, idempotencyKey: "2", timestamp: now)])
    #expect(network.createEventsBatchCalls == [.init(events: [event], timestamp: now)])
    #expect(network.updateEventCalls == [.init(id: "c", request: eventUpdate, timestamp: now)])
    #expect(network.deleteEventCalls == [.init(id: "d", timestamp: now)])
    #expect(network.getGeofencesCalls == [.init(activeOnly: true, timestamp: now)])
    #expect(network.createGeofenceCalls == [.init(request: geofence, timestamp: now)])
    #expect(
      network.createGeofenceWithIdempotencyCalls == [.init(request: geofence, idempotencyKey: "3", timestamp: now)])
    #expect(network.updateGeofenceCalls == [.init(id: "e", request: geofenceUpdate, timestamp: now)])
    #expect(network.deleteGeofenceCalls == [.init(id: "f", timestamp: now)])
    #expect(network.getPropertyDefinitionsCalls == [.init(eventTypeId: "g", timestamp: now)])
    #expect(
      network.createPropertyDefinitionCalls == [.init(eventTypeId: "h", request: definition, timestamp: now)])
    #expect(
      network.createPropertyDefinitionWithIdempotencyCalls
        == [.init(request: definition, idempotencyKey: "4", timestamp: now)])
    #expect(network.updatePropertyDefinitionCalls == [.init(id: "i", request: definitionUpdate, timestamp: now)])
    #expect(network.deletePropertyDefinitionCalls == [.init(id: "j", timestamp: now)])
    #expect(network.getChangesCalls == [.init(cursor: 4, limit: 5, timestamp: now)])
    #expect(network.getLatestCursorCalls == [.init(timestamp: now)])
  }

  @Test func `every operation uses its own queue`() async {
    // One failure with a distinct status in each queue.
    let event = APIModelFixture.makeCreateEventRequest()
    let type = APIModelFixture.makeCreateEventTypeRequest()
    let geofence = APIModelFixture.makeCreateGeofenceRequest()
    let definition = APIModelFixture.makeCreatePropertyDefinitionRequest()
    func failure<Answer>(_ status: Int) -> [Result<Answer, any Error>] { [.failure(APIError.httpError(status))] }
    network.getEventTypesResponses = failure(400)
    network.createEventTypeResponses = failure(401)
    network.createEventTypeWithIdempotencyResponses = failure(402)
    network.updateEventTypeResponses = failure(403)
    network.deleteEventTypeResponses = failure(404)
    network.getEventsResponses = failure(405)
    network.getAllEventsResponses = failure(406)
    network.createEventResponses = failure(407)
    network.createEventWithIdempotencyResponses = failure(408)
    network.createEventsBatchResponses = failure(409)
    network.updateEventResponses = failure(410)
    network.deleteEventResponses = failure(411)
    network.getGeofencesResponses = failure(412)
    network.createGeofenceResponses = failure(413)
    network.createGeofenceWithIdempotencyResponses = failure(414)
    network.updateGeofenceResponses = failure(415)
    network.deleteGeofenceResponses = failure(416)
    network.getPropertyDefinitionsResponses = failure(417)
    network.createPropertyDefinitionResponses = failure(418)
    network.createPropertyDefinitionWithIdempotencyResponses = failure(419)
    network.updatePropertyDefinitionResponses = failure(420)
    network.deletePropertyDefinitionResponses = failure(421)
    network.getChangesResponses = failure(422)
    network.getLatestCursorResponses = failure(423)

    var statuses: [Int?] = []
    func ask(_ call: () async throws -> Void) async {
      do {
        try await call()
        statuses.append(nil)
      } catch {
        statuses.append((error as? APIError)?.statusCode)
      }
    }
    await ask { _ = try await network.getEventTypes() }
    await ask { _ = try await network.createEventType(type) }
    await ask { _ = try await network.createEventTypeWithIdempotency(type, idempotencyKey: "") }
    await ask { _ = try await network.updateEventType(id: "", .init()) }
    await ask { try await network.deleteEventType(id: "") }
    await ask { _ = try await network.getEvents(limit: 1, offset: 0) }
    await ask { _ = try await network.getAllEvents(batchSize: 1) }
    await ask { _ = try await network.createEvent(event) }
    await ask { _ = try await network.createEventWithIdempotency(event, idempotencyKey: "") }
    await ask { _ = try await network.createEventsBatch([]) }
    await ask { _ = try await network.updateEvent(id: "", .init()) }
    await ask { try await network.deleteEvent(id: "") }
    await ask { _ = try await network.getGeofences(activeOnly: true) }
    await ask { _ = try await network.createGeofence(geofence) }
    await ask { _ = try await network.createGeofenceWithIdempotency(geofence, idempotencyKey: "") }
    await ask { _ = try await network.updateGeofence(id: "", .init()) }
    await ask { try await network.deleteGeofence(id: "") }
    await ask { _ = try await network.getPropertyDefinitions(eventTypeId: "") }
    await ask { _ = try await network.createPropertyDefinition(eventTypeId: "", definition) }
    await ask { _ = try await network.createPropertyDefinitionWithIdempotency(definition, idempotencyKey: "") }
    await ask { _ = try await network.updatePropertyDefinition(id: "", .init()) }
    await ask { try await network.deletePropertyDefinition(id: "") }
    await ask { _ = try await network.getChanges(since: 0, limit: 1) }
    await ask { _ = try await network.getLatestCursor() }
    #expect(statuses == Array(400...423))
  }

  // MARK: Operations with defaults

  @Test func `a health check requests event types and uses one response of their queue`() async throws {
    network.getEventTypesResponses = [.success([]), .failure(APIError.httpError(503))]
    try await network.checkHealth()
    #expect(network.getEventTypesCalls.count == 1)
    await #expect(throws: APIError.httpError(503)) { try await network.checkHealth() }
    #expect(network.getEventTypesResponses.isEmpty)
  }

  @Test func `a push is recorded as its individual calls`() async throws {
    let payload = try WireJSON.encode(APIModelFixture.makeCreateEventRequest())
    let outcomes = try await network.push([
      PendingMutation(
        id: "m-1", entityType: .event, entityId: "evt-1", operation: .create, payload: payload,
        createdAt: DeterministicDate.jan1_2024),
      PendingMutation(
        id: "m-2", entityType: .geofence, entityId: "geo-1", operation: .delete, payload: Data(),
        createdAt: DeterministicDate.jan1_2024),
    ])
    #expect(outcomes == [.accepted(version: nil), .accepted(version: nil)])
    #expect(network.operations == [.createEventsBatch, .deleteGeofence])
  }

  @Test func `a snapshot consists of the default lists and cursor`() async throws {
    network.latestCursorToReturn = 12
    network.eventTypesToReturn = [APIModelFixture.makeAPIEventType()]
    network.eventsToReturn = [APIModelFixture.makeAPIEvent()]
    network.geofencesToReturn = [APIModelFixture.makeAPIGeofence()]
    network.propertyDefinitionsToReturn = [APIModelFixture.makeAPIPropertyDefinition()]
    let snapshot = try await network.snapshot()
    #expect(
      snapshot
        == Snapshot(
          cursor: 12, eventTypes: network.eventTypesToReturn, events: network.eventsToReturn,
          geofences: network.geofencesToReturn, propertyDefinitions: network.propertyDefinitionsToReturn))
    #expect(network.operations.first == .getLatestCursor)
  }

  // MARK: Several tasks

  @Test func `a call can be delayed in flight`() async throws {
    let (gate, opener) = AsyncStream.makeStream(of: Void.self)
    network.beforeAnswering = { operation in
      if operation == .getChanges { for await _ in gate {} }
    }
    let held = Task { try await network.getChanges(since: 3, limit: 1) }
    while network.getChangesCalls.isEmpty { await Task.yield() }
    // The call has not returned yet, so it returns the response set here.
    network.changeFeedResponseToReturn = APIModelFixture.makeChangeFeedResponse(nextCursor: 4)
    #expect(try await network.getLatestCursor() == 0)
    opener.finish()
    #expect(try await held.value.nextCursor == 4)
  }

  @Test func `concurrent calls are all recorded, and each queued response is used once`() async {
    network.getLatestCursorResponses = (1...200).map { .success($0) }
    let answers = await withTaskGroup(of: Int64?.self) { group in
      for _ in 0..<200 {
        // If a call failed, one of the numbers would be missing.
        group.addTask { try? await network.getLatestCursor() }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.compactMap(\.self).sorted() == Array(1...200))
    #expect(network.getLatestCursorCalls.count == 200)
  }

  @Test func `a queue can be extended atomically during calls`() async {
    await withTaskGroup { group in
      for number in 0..<100 {
        group.addTask { network.update { $0.getLatestCursorResponses.append(.success(Int64(number))) } }
      }
    }
    #expect(network.getLatestCursorResponses.count == 100)
  }
}
