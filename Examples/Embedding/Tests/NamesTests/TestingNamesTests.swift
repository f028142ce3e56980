import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting

@Suite("Names of clocks, random numbers and fixtures", .timeLimit(.minutes(10)))
struct TestingNamesTests {
  @Test func `clocks and random numbers have the documented names`() async {
    let clock = ManualClock()
    #expect(clock.now == DeterministicDate.jan1_2024)
    #expect(ManualClock(now: DeterministicDate.make(year: 2025, month: 2, day: 3)).now > clock.now)
    await clock.advance(by: .seconds(5))
    #expect(clock.now == DeterministicDate.make(year: 2024, month: 1, day: 1, hour: 0, minute: 0, second: 5))
    var generator = SeededGenerator(seed: 1)
    var same = SeededGenerator(seed: 1)
    #expect(generator.next() == same.next())
    #expect(DeterministicUUID.uuid(from: 0) == DeterministicUUID.zero)
  }

  @Test func `wire fixtures have the documented names and defaults`() {
    let date = DeterministicDate.jan1_2024
    let type = APIModelFixture.makeAPIEventType()
    #expect(
      type
        == APIModelFixture.makeAPIEventType(
          id: "type-1", userId: "user-1", name: "Workout", color: "#FF5733", icon: "figure.run"))
    #expect(type.createdAt == date)
    let event = APIModelFixture.makeAPIEvent()
    #expect(
      event == APIModelFixture.makeAPIEvent(id: "evt-1", userId: "user-1", eventTypeId: "type-1", notes: "Test event"))
    #expect(event.timestamp == date)
    #expect(APIModelFixture.makeCreateEventRequest(id: "evt-1", eventTypeId: "type-1").timestamp == date)
    #expect(APIModelFixture.makeUpdateEventRequest() == UpdateEventRequest())
    #expect(
      APIModelFixture.makeCreateEventTypeRequest()
        == APIModelFixture.makeCreateEventTypeRequest(
          id: "type-1", name: "Workout", color: "#FF5733", icon: "figure.run"))
    #expect(APIModelFixture.makeUpdateEventTypeRequest(name: nil, color: nil, icon: nil) == UpdateEventTypeRequest())
    #expect(
      APIModelFixture.makeAPIGeofence()
        == APIModelFixture.makeAPIGeofence(
          id: "geo-1", userId: "user-1", name: "Home", latitude: 37.7749, longitude: -122.4194, radius: 100,
          eventTypeEntryId: nil, eventTypeExitId: nil, isActive: true, notifyOnEntry: true, notifyOnExit: false))
    #expect(
      APIModelFixture.makeCreateGeofenceRequest()
        == APIModelFixture.makeCreateGeofenceRequest(
          id: "geo-1", name: "Test Geofence", latitude: 37.7749, longitude: -122.4194, radius: 100,
          eventTypeEntryId: nil, eventTypeExitId: nil, isActive: true, notifyOnEntry: true, notifyOnExit: false))
    #expect(APIModelFixture.makeUpdateGeofenceRequest() == UpdateGeofenceRequest())
    #expect(
      APIModelFixture.makeAPIPropertyDefinition()
        == APIModelFixture.makeAPIPropertyDefinition(
          id: "propdef-1", eventTypeId: "type-1", userId: "user-1", key: "duration", label: "Duration",
          propertyType: "number", options: nil, displayOrder: 0))
    #expect(
      APIModelFixture.makeCreatePropertyDefinitionRequest()
        == APIModelFixture.makeCreatePropertyDefinitionRequest(
          id: "propdef-1", eventTypeId: "type-1", key: "duration", label: "Duration", propertyType: "number",
          options: nil, displayOrder: 0))
    #expect(APIModelFixture.makeUpdatePropertyDefinitionRequest() == UpdatePropertyDefinitionRequest())
  }

  @Test func `feed fixtures have the documented names and defaults`() throws {
    let date = DeterministicDate.jan1_2024
    #expect(
      APIModelFixture.makeChangeFeedResponse()
        == APIModelFixture.makeChangeFeedResponse(changes: [], nextCursor: 0, hasMore: false))
    let entry = APIModelFixture.makeChangeEntry()
    #expect(
      entry
        == APIModelFixture.makeChangeEntry(
          id: 1, entityType: "event", operation: "create", entityId: "entity-1", data: nil, deletedAt: nil))
    for kind in MutationEntityType.typed {
      let data = try #require(APIModelFixture.makeChangeEntry(entityType: kind.rawValue).data)
      switch kind {
      case .event: _ = try data.decode(APIEvent.self)
      case .eventType: _ = try data.decode(APIEventType.self)
      case .geofence: _ = try data.decode(APIGeofence.self)
      case .propertyDefinition: _ = try data.decode(APIPropertyDefinition.self)
      default: Issue.record("\(kind) has a type of its own and no fixture")
      }
    }
    #expect(
      APIModelFixture.makeChangeEntryData(timestamp: date, eventTypeId: "type-1").rawData["event_type_id"] == "type-1")
    #expect(
      APIModelFixture.makeResurrectingChangeEntry(id: 1, entityId: "e", entityType: "event", timestamp: date).entityId
        == "e")
    let response = APIModelFixture.makeBatchCreateEventsResponse(
      created: [APIModelFixture.makeAPIEvent()],
      errors: [APIModelFixture.makeBatchError(index: 0, message: "Validation failed")], total: nil, success: nil,
      failed: nil)
    #expect(response.total == 2 && response.success == 1 && response.failed == 1)
    #expect(APIModelFixture.makeBatchCreateEventsResponse().total == 0)
  }
}
