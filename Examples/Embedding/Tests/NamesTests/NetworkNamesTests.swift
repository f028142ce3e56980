import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting

@Suite("Names of the network client and its mock", .timeLimit(.minutes(10)))
struct NetworkNamesTests {
  private let mock = MockNetworkClient()

  @Test func `the 24 operations, their recorded calls and their queued responses have the documented names`()
    async throws
  {
    let client: any NetworkClientProtocol = mock
    let event = APIModelFixture.makeAPIEvent()
    let type = APIModelFixture.makeAPIEventType()
    let geofence = APIModelFixture.makeAPIGeofence()
    let definition = APIModelFixture.makeAPIPropertyDefinition()

    mock.getEventTypesResponses = [.success([type])]
    #expect(try await client.getEventTypes() == [type])
    mock.createEventTypeResponses = [.success(type)]
    #expect(try await client.createEventType(APIModelFixture.makeCreateEventTypeRequest()) == type)
    mock.createEventTypeWithIdempotencyResponses = [.success(type)]
    _ = try await client.createEventTypeWithIdempotency(
      APIModelFixture.makeCreateEventTypeRequest(), idempotencyKey: "k")
    mock.updateEventTypeResponses = [.success(type)]
    _ = try await client.updateEventType(id: "t", APIModelFixture.makeUpdateEventTypeRequest())
    mock.deleteEventTypeResponses = [.success(())]
    try await client.deleteEventType(id: "t")

    mock.getEventsResponses = [.success([event])]
    _ = try await client.getEvents(limit: 5, offset: 1)
    mock.getAllEventsResponses = [.success([event])]
    _ = try await client.getAllEvents(batchSize: 7)
    mock.createEventResponses = [.success(event)]
    _ = try await client.createEvent(APIModelFixture.makeCreateEventRequest())
    mock.createEventWithIdempotencyResponses = [.success(event)]
    _ = try await client.createEventWithIdempotency(APIModelFixture.makeCreateEventRequest(), idempotencyKey: "k")
    mock.createEventsBatchResponses = [.success(APIModelFixture.makeBatchCreateEventsResponse())]
    _ = try await client.createEventsBatch([APIModelFixture.makeCreateEventRequest()])
    mock.updateEventResponses = [.success(event)]
    _ = try await client.updateEvent(id: "e", APIModelFixture.makeUpdateEventRequest())
    mock.deleteEventResponses = [.failure(APIError.httpError(500))]
    await #expect(throws: APIError.httpError(500)) { try await client.deleteEvent(id: "e") }

    mock.getGeofencesResponses = [.success([geofence])]
    _ = try await client.getGeofences(activeOnly: true)
    mock.createGeofenceResponses = [.success(geofence)]
    _ = try await client.createGeofence(APIModelFixture.makeCreateGeofenceRequest())
    mock.createGeofenceWithIdempotencyResponses = [.success(geofence)]
    _ = try await client.createGeofenceWithIdempotency(
      APIModelFixture.makeCreateGeofenceRequest(), idempotencyKey: "k")
    mock.updateGeofenceResponses = [.success(geofence)]
    _ = try await client.updateGeofence(id: "g", APIModelFixture.makeUpdateGeofenceRequest())
    mock.deleteGeofenceResponses = [.success(())]
    try await client.deleteGeofence(id: "g")

    mock.getPropertyDefinitionsResponses = [.success([definition])]
    _ = try await client.getPropertyDefinitions(eventTypeId: "t")
    mock.createPropertyDefinitionResponses = [.success(definition)]
    _ = try await client.createPropertyDefinition(
      eventTypeId: "t", APIModelFixture.makeCreatePropertyDefinitionRequest())
    mock.createPropertyDefinitionWithIdempotencyResponses = [.success(definition)]
    _ = try await client.createPropertyDefinitionWithIdempotency(
      APIModelFixture.makeCreatePropertyDefinitionRequest(), idempotencyKey: "k")
    mock.updatePropertyDefinitionResponses = [.success(definition)]
    _ = try await client.updatePropertyDefinition(id: "p", APIModelFixture.makeUpdatePropertyDefinitionRequest())
    mock.deletePropertyDefinitionResponses = [.success(())]
    try await client.deletePropertyDefinition(id: "p")

    mock.getChangesResponses = [.success(APIModelFixture.makeChangeFeedResponse())]
    _ = try await client.getChanges(since: 3, limit: 9)
    mock.getLatestCursorResponses = [.success(12)]
    let cursor: Int64 = try await client.getLatestCursor()
    #expect(cursor == 12)

    #expect(mock.getEventTypesCalls.count == 1)
    let now: Date = try #require(mock.getEventTypesCalls.first).timestamp
    #expect(now == DeterministicDate.jan1_2024)
    #expect(mock.createEventTypeCalls.map(\.request.id) == ["type-1"])
    #expect(mock.createEventTypeWithIdempotencyCalls.map(\.idempotencyKey) == ["k"])
    #expect(mock.updateEventTypeCalls.map(\.id) == ["t"] && mock.updateEventTypeCalls.map(\.request.name) == [nil])
    #expect(mock.deleteEventTypeCalls.map(\.id) == ["t"])
    #expect(mock.getEventsCalls.map(\.limit) == [5] && mock.getEventsCalls.map(\.offset) == [1])
    #expect(mock.getAllEventsCalls.map(\.batchSize) == [7])
    #expect(mock.createEventCalls.map(\.request.id) == ["evt-1"])
    #expect(mock.createEventWithIdempotencyCalls.map(\.idempotencyKey) == ["k"])
    #expect(mock.createEventsBatchCalls.map(\.events.count) == [1])
    #expect(mock.updateEventCalls.map(\.id) == ["e"] && mock.updateEventCalls.map(\.request.notes) == [.absent])
    #expect(mock.deleteEventCalls.map(\.id) == ["e"], "recorded, though it threw")
    #expect(mock.getGeofencesCalls.map(\.activeOnly) == [true])
    #expect(mock.createGeofenceCalls.map(\.request.id) == ["geo-1"])
    #expect(mock.createGeofenceWithIdempotencyCalls.map(\.idempotencyKey) == ["k"])
    #expect(mock.updateGeofenceCalls.map(\.id) == ["g"] && mock.deleteGeofenceCalls.map(\.id) == ["g"])
    #expect(mock.getPropertyDefinitionsCalls.map(\.eventTypeId) == ["t"])
    #expect(mock.createPropertyDefinitionCalls.map(\.eventTypeId) == ["t"])
    #expect(mock.createPropertyDefinitionCalls.map(\.request.id) == ["propdef-1"])
    #expect(mock.createPropertyDefinitionWithIdempotencyCalls.map(\.idempotencyKey) == ["k"])
    #expect(mock.updatePropertyDefinitionCalls.map(\.id) == ["p"])
    #expect(mock.deletePropertyDefinitionCalls.map(\.id) == ["p"])
    #expect(mock.getChangesCalls.map(\.cursor) == [3] && mock.getChangesCalls.map(\.limit) == [9])
    #expect(mock.getLatestCursorCalls.count == 1)
  }

  @Test func `the mock returns default responses, throws the injected error and resets`() async throws {
    mock.eventTypesToReturn = [APIModelFixture.makeAPIEventType()]
    mock.eventsToReturn = [APIModelFixture.makeAPIEvent()]
    mock.geofencesToReturn = [APIModelFixture.makeAPIGeofence()]
    mock.propertyDefinitionsToReturn = [APIModelFixture.makeAPIPropertyDefinition()]
    mock.changeFeedResponseToReturn = APIModelFixture.makeChangeFeedResponse(nextCursor: 8)
    mock.latestCursorToReturn = 8
    mock.batchCreateResponseToReturn = APIModelFixture.makeBatchCreateEventsResponse(
      created: [APIModelFixture.makeAPIEvent()])
    let snapshot: Snapshot = try await mock.snapshot()
    #expect(snapshot.cursor == 8 && snapshot.eventTypes.count == 1 && snapshot.events.count == 1)
    #expect(snapshot.geofences.count == 1 && snapshot.propertyDefinitions.count == 1)
    #expect(try await mock.getChanges(since: 0, limit: 1).nextCursor == 8)
    #expect(try await mock.createEventsBatch([]).success == 1)

    mock.errorToThrow = APIError.networkError("no route")
    await #expect(throws: APIError.networkError("no route")) { try await mock.checkHealth() }
    mock.reset()
    try await mock.checkHealth()
    #expect(mock.getEventTypesCalls.count == 1 && mock.errorToThrow == nil)
    #expect(try await mock.push([]).isEmpty)
    let signals: AsyncThrowingStream<Int64, any Error> = mock.changeSignals()
    for try await _ in signals { Issue.record("the default ends at once") }
  }
}
