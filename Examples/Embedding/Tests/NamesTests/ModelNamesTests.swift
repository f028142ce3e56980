import Foundation
import Testing
import TrendyModels

@Suite("Names of the models")
struct ModelNamesTests {
  private let date = Date(timeIntervalSince1970: 1_704_067_200)

  @Test func `an event has the documented names`() {
    var event = Event(id: "e", eventTypeId: "t", timestamp: date)
    #expect(event.id == "e" && event.eventTypeId == "t" && event.timestamp == date)
    #expect(event.endDate == nil && !event.isAllDay && event.notes == nil && event.sourceType == .manual)
    #expect(event.externalId == nil && event.originalTitle == nil && event.geofenceId == nil)
    #expect(event.locationLatitude == nil && event.locationLongitude == nil && event.locationName == nil)
    #expect(event.healthKitSampleId == nil && event.healthKitCategory == nil && event.timeZone == nil)
    #expect(event.properties == [:] && event.syncStatus == .pending)
    event = Event(
      id: "e", eventTypeId: "t", timestamp: date, endDate: date, isAllDay: true, notes: "n", sourceType: .healthKit,
      externalId: "x", originalTitle: "o", geofenceId: "g", locationLatitude: 1, locationLongitude: 2,
      locationName: "l", healthKitSampleId: "hs", healthKitCategory: "hc", timeZone: "Europe/Amsterdam",
      properties: ["p": PropertyValue(type: .number, value: 5)], syncStatus: .synced)
    event.eventTypeId = "t2"
    event.timestamp = date + 1
    event.syncStatus = .failed
    let properties: [String: PropertyValue] = event.properties
    #expect(properties["p"]?.intValue == 5)
  }

  @Test func `event types and geofences have the documented names`() {
    var type = EventType(id: "t", name: "n", colorHex: "#000000", iconName: "circle")
    type.name = "m"
    type.colorHex = "#FFFFFF"
    type.iconName = "cup"
    #expect(type.id == "t" && type.syncStatus == .pending)
    var geofence = Geofence(id: "g", name: "n", latitude: 1, longitude: 2, radius: 100)
    let metres: Double = geofence.radius
    #expect(metres == 100 && geofence.eventTypeEntryId == nil && geofence.eventTypeExitId == nil)
    geofence.isActive = false
    geofence.notifyOnEntry = true
    geofence.notifyOnExit = true
    #expect(geofence.syncStatus == .pending)
    _ = Geofence(
      id: "g", name: "n", latitude: 1, longitude: 2, radius: 100, eventTypeEntryId: "t", eventTypeExitId: "t",
      isActive: true, notifyOnEntry: true, notifyOnExit: false)
  }

  @Test func `property definitions and values have the documented names`() {
    var definition = PropertyDefinition(id: "p", eventTypeId: "t", key: "k", label: "l", propertyType: .select)
    definition.options = ["a"]
    definition.defaultValue = .string("a")
    definition.displayOrder = 1
    let options: [String] = definition.options
    let standard: JSONValue? = definition.defaultValue
    #expect(options == ["a"] && standard == "a" && definition.syncStatus == .pending)
    let value = PropertyValue(type: .number, value: 5)
    #expect(value == PropertyValue(type: .number, value: 5.0))
    #expect(value.stringValue == nil && value.intValue == 5 && value.doubleValue == 5 && value.boolValue == nil)
    #expect(value.dateValue == nil && value.type == .number && value.value == 5)
    let types: [PropertyType] = [.text, .number, .boolean, .date, .select, .duration, .url, .email]
    #expect(types.count == 8)
  }

  @Test func `pending mutations, conflicts and tombstones have the documented names`() {
    var mutation = PendingMutation(
      id: "m", entityType: .event, entityId: "e", operation: .create, payload: Data(), createdAt: date)
    #expect(mutation.idempotencyKey == "m")
    mutation.attempts = 1
    mutation.lastError = "x"
    let conflict = Conflict(
      id: "c", entityType: .propertyDefinition, entityId: "p", operation: .update, payload: Data(), reason: "r",
      recordedAt: date)
    #expect(conflict.reason == "r")
    let tombstone = Tombstone(entityType: .geofence, entityId: "g", version: Int64(5))
    let version: Int64? = tombstone.version
    #expect(version == 5 && tombstone != Tombstone(entityType: .geofence, entityId: "g", version: nil))
    let sources: [EventSourceType] = [.manual, .imported, .geofence, .healthKit, .trip]
    #expect(sources.map(\.rawValue) == ["manual", "imported", "geofence", "healthkit", "trip"])
    let statuses: [SyncStatus] = [.pending, .synced, .failed]
    #expect(Set(statuses).count == 3)
    #expect(MutationEntityType.eventType.rawValue == "event_type" && MutationOperation.delete.rawValue == "delete")
  }

  @Test func `locations, motion and trips have the documented names`() {
    let place = Coordinate(latitude: 1, longitude: 2)
    let fix = Location(
      coordinate: place, horizontalAccuracy: 10, timestamp: date, altitude: 1, speed: 2, course: 3)
    #expect(fix != Location(coordinate: place, horizontalAccuracy: 10, timestamp: date))
    let speeds: [Double?] = [fix.altitude, fix.speed, fix.course]
    #expect(speeds == [1, 2, 3])
    let motion = MotionActivity(state: .automotive, confidence: .high, timestamp: date)
    #expect(motion.confidence > MotionActivity.Confidence.medium && MotionActivity.Confidence.low < .medium)
    let consent: [LocationAuthorizationStatus] = [
      .notDetermined, .restricted, .denied, .authorizedWhenInUse, .authorizedAlways,
    ]
    #expect(Set(consent).count == 5)
    let trip = Trip(
      id: "t", startTime: date, endTime: nil, startCoordinate: place, endCoordinate: nil, distanceMeters: 0)
    #expect(trip.id == "t" && trip.distanceMeters == 0)
  }

  @Test func `JSON values and identifiers have the documented names`() {
    let values: [JSONValue] = [nil, true, 1, 1.5, "x", [1], ["a": 1]]
    #expect(values[0].isNull && values[1].boolValue == true && values[2].intValue == 1 && values[3].doubleValue == 1.5)
    #expect(values[4].stringValue == "x" && values[5].arrayValue == [1] && values[6].objectValue == ["a": 1])
    #expect(values[1].intValue == nil)
    var generator = UUIDv7.Generator()
    var random = SystemRandomNumberGenerator()
    let id: UUIDv7 = generator.next(at: date, using: &random)
    #expect(UUIDv7(id.description) == id && id < generator.next(at: date - 5, using: &random))
    #expect(id.date == date)
    func isTextual<Value: LosslessStringConvertible & Comparable & Codable & Sendable>(_ value: Value) {}
    isTextual(id)
  }
}
