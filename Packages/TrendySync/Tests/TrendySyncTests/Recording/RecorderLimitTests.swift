import Foundation
import Testing
import TrendyModels
import TrendySync
import TrendyTesting

/// Checks that a value that every hub rejects is already rejected when it is recorded.
@Suite("Limits of recorded values", .timeLimit(.minutes(10)))
struct RecorderLimitTests {
  private let device = Device()

  private func nested(_ depth: Int) -> JSONValue { (0..<depth).reduce(1) { value, _ in .array([value]) } }

  private func reason(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch RecorderError.invalidValue(_, let error) {
      return "\(error)"
    } catch {
      return "another error: \(error)"
    }
  }

  private func record(_ change: (inout Event) -> Void) -> String? {
    var event = EventFixture.makeEvent(id: "e", eventTypeId: "T")
    change(&event)
    return reason { try device.recorder.record(event) }
  }

  private func recordPlace(_ change: (inout Geofence) -> Void) -> String? {
    var place = Geofence(id: "p", name: "Home", latitude: 1, longitude: 2)
    change(&place)
    return reason { try device.recorder.record(place) }
  }

  init() { device.seedType("T") }

  @Test func `an event beyond a limit is rejected with the field and the limit`() {
    let longest = SyncedKind.maximumTextBytes
    #expect(
      record { $0.notes = String(repeating: "x", count: longest + 1) }
        == "notes: expected a string of up to 262144 bytes, found 262145 bytes")
    #expect(
      record { $0.locationLatitude = 999 } == "location_latitude: expected a number from -90.0 to 90.0, found 999")
    #expect(record { $0.locationLongitude = -180.5 }?.hasPrefix("location_longitude: expected") == true)
    #expect(record { $0.locationLatitude = .nan }?.contains("location_latitude") == true)
    #expect(record { $0.timeZone = String(repeating: "z", count: 129) }?.hasPrefix("time_zone:") == true)
    #expect(record { $0.eventTypeId = "" }?.hasPrefix("event_type_id:") == true)
    #expect(
      record { $0.properties["deep"] = PropertyValue(type: .text, value: nested(17)) }
        == "properties.deep: expected at most 16 levels of nesting, found more")
    #expect(record { $0.properties[""] = 1 }?.hasPrefix("properties: expected keys of 1 to 1024 bytes") == true)
    #expect(
      record {
        for index in 0..<5 { $0.properties["p\(index)"] = .text(String(repeating: "x", count: longest)) }
      }?.hasPrefix("the entry: expected at most 1048576 bytes as JSON") == true)
    #expect(device.store.storedEvents.isEmpty && device.store.storedPendingMutations.isEmpty)
  }

  @Test func `an event at its limits is recorded`() {
    #expect(
      record {
        $0.notes = String(repeating: "\"", count: SyncedKind.maximumTextBytes)
        $0.locationLatitude = 90
        $0.locationLongitude = -180
        $0.timeZone = String(repeating: "z", count: 128)
        $0.properties["deep"] = PropertyValue(type: .text, value: nested(16))
      } == nil)
    #expect(device.store.storedPendingMutations.count == 1)
  }

  @Test func `other kinds have limits as well`() {
    func type(_ name: String, _ color: String = "#000000") -> String? {
      reason { try device.recorder.record(EventType(id: "n", name: name, colorHex: color, iconName: "i")) }
    }
    #expect(type("") == "name: expected a string of 1 to 1024 bytes, found \"\"")
    #expect(type("x", "")?.hasPrefix("color:") == true)
    #expect(recordPlace { $0.latitude = 999 }?.hasPrefix("latitude: expected a number from -90.0 to 90.0") == true)
    #expect(recordPlace { $0.radius = 49 }?.hasPrefix("radius:") == true)
    #expect(recordPlace { $0.name = String(repeating: "n", count: 1025) }?.hasPrefix("name:") == true)
    #expect(recordPlace { _ in } == nil)
    let setting = SyncedRecord(id: "s", kind: .setting, fields: ["key": "k", "value": nested(17)])
    #expect(reason { try device.recorder.record(setting) }?.hasPrefix("value: expected at most 16") == true)
  }

  @Test func `an edit is checked against the limits of the changed fields only`() throws {
    try device.recorder.record(EventFixture.makeEvent(id: "e", eventTypeId: "T"))
    let long = String(repeating: "x", count: SyncedKind.maximumTextBytes + 1)
    #expect(reason { try device.recorder.edit(eventId: "e") { $0.notes = long } }?.hasPrefix("notes:") == true)
    device.store.seedEvent(id: "old", eventType: device.seedType("T")) {
      $0.timeZone = String(repeating: "z", count: 500)
      $0.syncStatus = .synced
    }
    #expect(reason { try device.recorder.edit(eventId: "old") { $0.notes = "new" } } == nil)
    let longest = String(repeating: "x", count: SyncedKind.maximumTextBytes)
    for index in 0..<3 { try device.recorder.edit(eventId: "e") { $0.properties["p\(index)"] = .text(longest) } }
    #expect(
      reason { try device.recorder.edit(eventId: "e") { $0.properties["p4"] = .text(longest) } }?
        .hasPrefix("the entry: ") == true)
  }

  @Test func `a ready-made payload is checked against the limits`() throws {
    let long = String(repeating: "x", count: SyncedKind.maximumTextBytes + 1)
    let made = EventFixture.makeEvent(id: "e", eventTypeId: "T", notes: long)
    let payload = try WireJSON.encode(made.createRequest)
    #expect(
      reason {
        try device.recorder.queueMutation(entityType: .event, operation: .create, entityId: "e", payload: payload)
      }?.hasPrefix("notes:") == true)
    let change = try WireJSON.encode(UpdateEventRequest(notes: .value(long)))
    #expect(
      reason {
        try device.recorder.queueMutation(entityType: .event, operation: .update, entityId: "x", payload: change)
      }?.hasPrefix("notes:") == true)
    #expect(device.store.storedPendingMutations.isEmpty)
  }

  @Test func `the error message suggests a correction`() {
    let error = RecorderError.invalidValue(
      .event,
      FieldError(field: "notes", reason: "expected a string of up to 9 bytes, found 10 bytes", advice: "shorten it"))
    #expect(
      error.description == "Cannot save the event: notes: expected a string of up to 9 bytes, found 10 bytes. "
        + "Nothing was changed: shorten it.")
  }
}
