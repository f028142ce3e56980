import Foundation
import TrendyModels
import TrendyPersistence

/// The rows of the stores that earlier versions wrote, as code: what a test reads from one is compared with this.
enum EarlierVersionRows {
  static let types = ["018c2bb2-7a40-7000-8000-000000000001", "018c2bb2-7a40-7000-8000-000000000002", "coffee"]

  static func event(_ number: Int) -> Event {
    let digits = String(repeating: "0", count: 12 - "\(number)".count) + "\(number)"
    var event = Event(
      id: number % 7 == 3 ? "imported-\(number)" : "018c2bb2-7a40-7000-8000-\(digits)",
      eventTypeId: types[number % 3],
      // Some with a fraction of a second that no number of microseconds is.
      timestamp: Date(
        timeIntervalSinceReferenceDate: 700_000_000 + Double(number) * (number % 4 == 0 ? 1000 / 3 : 5000)))
    if number % 2 == 0 { event.endDate = event.timestamp.addingTimeInterval(90.5) }
    event.isAllDay = number % 5 == 0
    if number % 3 != 0 { event.notes = String(repeating: "é\(number) ", count: number % 13) }
    event.sourceType = EventSourceType.allCases[number % EventSourceType.allCases.count]
    if number % 11 == 0 {
      event.externalId = "ext-\(number)"
      event.originalTitle = "Title \(number)"
      event.geofenceId = types[0]
      event.healthKitSampleId = "sample \(number)"
      event.healthKitCategory = "category"
      event.unknownFields = ["later": .array([.int(Int64(number)), .null, .object(["a": .double(0.5)])])]
    }
    if number % 4 == 1 {
      event.locationLatitude = Double(number) / 3
      event.locationLongitude = -Double(number) / 7
      event.locationName = "Place \(number % 6)"
      event.timeZone = "Europe/Amsterdam"
    }
    event.syncStatus = SyncStatus.allCases[number % 3]
    if number % 6 != 0 {
      event.properties = [
        "mood": PropertyValue(type: .number, value: .int(Int64(number) - 30)),
        "weight_kg": PropertyValue(type: .number, value: .double(60 + Double(number) / 10)),
        "place": PropertyValue(type: .text, value: .string("a place whose name is long \(number)")),
        "done": PropertyValue(type: .boolean, value: .bool(number % 2 == 0)),
      ]
    }
    if number % 9 == 0 {
      event.properties["any"] = PropertyValue(type: .select, value: .array([.string("x"), .bool(true), .null]))
    }
    return event
  }

  /// Sixty events; of them 7 was changed and 8 deleted after they came into a segment, and the last twenty are in the log.
  static func write(to factory: DefaultDataStoreFactory, seal: () throws -> Void) throws {
    let store = factory.makeLocalStore()
    for type in types { try store.upsertEventType(id: type) { $0.name = "Type \(type)" } }
    for number in 0..<40 { try store.upsertEvent(id: event(number).id) { $0 = event(number) } }
    try store.insertTombstone(Tombstone(entityType: .event, entityId: "gone", version: 7))
    try store.setSyncCursor(99)
    try store.save()
    try seal()
    try store.upsertEvent(id: event(7).id) { $0.notes = "changed" }
    try store.deleteEvent(id: event(8).id)
    for number in 40..<60 { try store.upsertEvent(id: event(number).id) { $0 = event(number) } }
    try store.save()
  }

  /// What the store then holds.
  static var events: [Event] {
    (0..<60).filter { $0 != 8 }.map { number in
      var event = event(number)
      if number == 7 { event.notes = "changed" }
      return event
    }
  }
}
