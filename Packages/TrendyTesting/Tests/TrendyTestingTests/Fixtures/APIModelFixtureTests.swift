import Testing
import TrendyFoundation
import TrendyModels
import TrendyTesting

@Suite("APIModelFixture")
struct APIModelFixtureTests {
  private let date = Date(timeIntervalSince1970: 1_704_067_200)

  @Test func `the defaults match the documentation`() {
    #expect(
      APIModelFixture.makeAPIEventType()
        == APIEventType(
          id: "type-1", userId: "user-1", name: "Workout", color: "#FF5733", icon: "figure.run", createdAt: date,
          updatedAt: date))
    #expect(
      APIModelFixture.makeAPIEvent()
        == APIEvent(
          id: "evt-1", userId: "user-1", eventTypeId: "type-1", timestamp: date, notes: "Test event", createdAt: date,
          updatedAt: date))
    #expect(
      APIModelFixture.makeAPIGeofence()
        == APIGeofence(
          id: "geo-1", userId: "user-1", name: "Home", latitude: 37.7749, longitude: -122.4194, radius: 100,
          isActive: true, notifyOnEntry: true, notifyOnExit: false, createdAt: date, updatedAt: date))
    #expect(
      APIModelFixture.makeAPIPropertyDefinition()
        == APIPropertyDefinition(
          id: "propdef-1", eventTypeId: "type-1", userId: "user-1", key: "duration", label: "Duration",
          propertyType: "number", displayOrder: 0, createdAt: date, updatedAt: date))
    #expect(
      APIModelFixture.makeCreateEventRequest()
        == CreateEventRequest(id: "evt-1", eventTypeId: "type-1", timestamp: date, notes: "Test event"))
    #expect(
      APIModelFixture.makeCreateEventTypeRequest()
        == CreateEventTypeRequest(id: "type-1", name: "Workout", color: "#FF5733", icon: "figure.run"))
    #expect(
      APIModelFixture.makeCreateGeofenceRequest()
        == CreateGeofenceRequest(
          id: "geo-1", name: "Test Geofence", latitude: 37.7749, longitude: -122.4194, radius: 100,
          notifyOnEntry: true))
    #expect(
      APIModelFixture.makeCreatePropertyDefinitionRequest()
        == CreatePropertyDefinitionRequest(
          id: "propdef-1", eventTypeId: "type-1", key: "duration", label: "Duration", propertyType: "number"))
    #expect(APIModelFixture.makeChangeFeedResponse() == ChangeFeedResponse(changes: [], nextCursor: 0, hasMore: false))
    #expect(APIModelFixture.makeBatchError() == BatchError(index: 0, message: "Validation failed"))
  }

  @Test func `an update without arguments changes nothing`() {
    #expect(APIModelFixture.makeUpdateEventRequest() == UpdateEventRequest())
    #expect(APIModelFixture.makeUpdateEventTypeRequest() == UpdateEventTypeRequest())
    #expect(APIModelFixture.makeUpdateGeofenceRequest() == UpdateGeofenceRequest())
    #expect(APIModelFixture.makeUpdatePropertyDefinitionRequest() == UpdatePropertyDefinitionRequest())
  }

  @Test func `every parameter reaches its field`() {
    let value = APIPropertyValue(type: "text", value: "v")
    let event = APIModelFixture.makeAPIEvent(
      id: "1", userId: "2", eventTypeId: "3", timestamp: DeterministicDate.jun15_2024, notes: "4", isAllDay: true,
      endDate: DeterministicDate.dec31_2024, sourceType: "5", externalId: "6", originalTitle: "7", geofenceId: "8",
      locationLatitude: 9, locationLongitude: 10, locationName: "11", healthKitSampleId: "12",
      healthKitCategory: "13", timeZone: "14", properties: ["15": value],
      eventType: APIModelFixture.makeAPIEventType())
    #expect(
      event
        == APIEvent(
          id: "1", userId: "2", eventTypeId: "3", timestamp: DeterministicDate.jun15_2024, notes: "4", isAllDay: true,
          endDate: DeterministicDate.dec31_2024, sourceType: "5", externalId: "6", originalTitle: "7", geofenceId: "8",
          locationLatitude: 9, locationLongitude: 10, locationName: "11", healthKitSampleId: "12",
          healthKitCategory: "13", timeZone: "14", properties: ["15": value], createdAt: date, updatedAt: date,
          eventType: APIModelFixture.makeAPIEventType()))
    let request = APIModelFixture.makeCreateEventRequest(
      id: "1", eventTypeId: "3", timestamp: DeterministicDate.jun15_2024, notes: "4", isAllDay: true,
      endDate: DeterministicDate.dec31_2024, sourceType: "5", externalId: "6", originalTitle: "7", geofenceId: "8",
      locationLatitude: 9, locationLongitude: 10, locationName: "11", healthKitSampleId: "12",
      healthKitCategory: "13", timeZone: "14", properties: ["15": value])
    #expect(
      request
        == CreateEventRequest(
          id: "1", eventTypeId: "3", timestamp: DeterministicDate.jun15_2024, notes: "4", isAllDay: true,
          endDate: DeterministicDate.dec31_2024, sourceType: "5", externalId: "6", originalTitle: "7", geofenceId: "8",
          locationLatitude: 9, locationLongitude: 10, locationName: "11", healthKitSampleId: "12",
          healthKitCategory: "13", timeZone: "14", properties: ["15": value]))
    #expect(
      APIModelFixture.makeUpdateEventRequest(
        eventTypeId: "1", timestamp: date, notes: .value("2"), isAllDay: true, endDate: .null, sourceType: "3",
        externalId: .value("4"), originalTitle: .value("5"), geofenceId: .null, locationLatitude: .value(6),
        locationLongitude: .value(7), locationName: .value("8"), healthKitSampleId: .value("9"),
        healthKitCategory: .value("10"), timeZone: .value("11"), properties: ["12": nil])
        == UpdateEventRequest(
          eventTypeId: "1", timestamp: date, notes: .value("2"), isAllDay: true, endDate: .null, sourceType: "3",
          externalId: .value("4"), originalTitle: .value("5"), geofenceId: .null, locationLatitude: .value(6),
          locationLongitude: .value(7), locationName: .value("8"), healthKitSampleId: .value("9"),
          healthKitCategory: .value("10"), timeZone: .value("11"), properties: ["12": nil]))
    #expect(
      APIModelFixture.makeUpdateGeofenceRequest(
        name: "1", latitude: 2, longitude: 3, radius: 400, eventTypeEntryId: .value("5"), eventTypeExitId: .null,
        isActive: false, notifyOnEntry: true, notifyOnExit: true)
        == UpdateGeofenceRequest(
          name: "1", latitude: 2, longitude: 3, radius: 400, eventTypeEntryId: .value("5"), eventTypeExitId: .null,
          isActive: false, notifyOnEntry: true, notifyOnExit: true))
    #expect(
      APIModelFixture.makeUpdatePropertyDefinitionRequest(
        key: "1", label: "2", propertyType: "3", options: .value(["4"]), defaultValue: .null, displayOrder: 5)
        == UpdatePropertyDefinitionRequest(
          key: "1", label: "2", propertyType: "3", options: .value(["4"]), defaultValue: .null, displayOrder: 5))
  }

  // MARK: Feed

  @Test("an entry without data gets valid data of its kind", arguments: ["create", "update"])
  func fillsInData(operation: String) throws {
    func data(_ kind: MutationEntityType) throws -> ChangeEntryData {
      let entry = APIModelFixture.makeChangeEntry(entityType: kind.rawValue, operation: operation, entityId: "x")
      return try #require(entry.data)
    }
    // The fixtures have no unknown fields, so equality shows that the wire data contains every field.
    #expect(try data(.event).decode(APIEvent.self) == APIModelFixture.makeAPIEvent(id: "x"))
    #expect(try data(.eventType).decode(APIEventType.self) == APIModelFixture.makeAPIEventType(id: "x"))
    #expect(try data(.geofence).decode(APIGeofence.self) == APIModelFixture.makeAPIGeofence(id: "x"))
    #expect(
      try data(.propertyDefinition).decode(APIPropertyDefinition.self)
        == APIModelFixture.makeAPIPropertyDefinition(id: "x"))
  }

  @Test func `an entry of an unknown kind has its id`() {
    let entry = APIModelFixture.makeChangeEntry(entityType: "vehicle", entityId: "car-1")
    #expect(entry.data == ChangeEntryData(rawData: ["id": "car-1"]))
  }

  @Test func `a delete keeps its data`() {
    let entry = APIModelFixture.makeChangeEntry(id: 5, operation: "delete", entityId: "x", deletedAt: date)
    #expect(
      entry
        == ChangeEntry(id: 5, entityType: "event", operation: "delete", entityId: "x", deletedAt: date, createdAt: date)
    )
    #expect(APIModelFixture.makeChangeEntry(operation: "delete").deletedAt == nil)
  }

  @Test func `given data is kept and gets the entry's id if it has none`() {
    let given = ChangeEntryData(rawData: ["name": "n"])
    #expect(
      APIModelFixture.makeChangeEntry(entityType: "event_type", entityId: "x", data: given).data
        == ChangeEntryData(rawData: ["id": "x", "name": "n"]))
    let other = ChangeEntryData(rawData: ["id": "y"])
    #expect(APIModelFixture.makeChangeEntry(entityId: "x", data: other).data == other)
  }

  @Test func `an event's data contains the arguments`() throws {
    let data = APIModelFixture.makeChangeEntryData(timestamp: DeterministicDate.jun15_2024, eventTypeId: "type-7")
    let event = try #require(APIModelFixture.makeChangeEntry(data: data).data).decode(APIEvent.self)
    #expect(event.timestamp == DeterministicDate.jun15_2024)
    #expect(event.eventTypeId == "type-7")
  }

  @Test func `a resurrecting entry contains a complete entity`() throws {
    let entry = APIModelFixture.makeResurrectingChangeEntry(
      id: 9, entityId: "evt-1", timestamp: DeterministicDate.jun15_2024)
    #expect(entry.id == 9 && entry.entityType == "event" && entry.entityId == "evt-1" && entry.operation == "create")
    let event = try #require(entry.data).decode(APIEvent.self)
    #expect(event.id == "evt-1" && event.timestamp == DeterministicDate.jun15_2024)
    let type = APIModelFixture.makeResurrectingChangeEntry(entityId: "type-1", entityType: "event_type")
    #expect(try #require(type.data).decode(APIEventType.self).id == "type-1")
  }

  @Test func `a page survives encoding and decoding`() throws {
    let page = APIModelFixture.makeChangeFeedResponse(
      changes: MutationEntityType.allCases.map { APIModelFixture.makeChangeEntry(entityType: $0.rawValue) },
      nextCursor: 3, hasMore: true)
    #expect(try WireJSON.decode(ChangeFeedResponse.self, from: WireJSON.encode(page)) == page)
  }

  // MARK: Batches

  @Test func `the counts of a batch follow from its lists unless given`() {
    let created = [APIModelFixture.makeAPIEvent(id: "a"), APIModelFixture.makeAPIEvent(id: "b")]
    let errors = [APIModelFixture.makeBatchError(index: 2)]
    let counted = APIModelFixture.makeBatchCreateEventsResponse(created: created, errors: errors)
    #expect(counted == BatchCreateEventsResponse(created: created, errors: errors, total: 3, success: 2, failed: 1))
    let given = APIModelFixture.makeBatchCreateEventsResponse(created: created, total: 7, success: 6, failed: 1)
    #expect(given == BatchCreateEventsResponse(created: created, total: 7, success: 6, failed: 1))
    #expect(
      APIModelFixture.makeBatchCreateEventsResponse()
        == BatchCreateEventsResponse(created: [], total: 0, success: 0, failed: 0))
  }
}
