import Foundation
import StorageTesting
import TrendyModels
import TrendyPersistence
import TrendyProtocols

/// Content of the golden files, with every kind of row.
enum GoldenRecord {
  static let stores = [
    StoreBackup.Store(name: "record", directory: "/store"),
    StoreBackup.Store(name: "tracks", directory: "/store/tracks"),
  ]
  static let backupPath = "/stick/trendy.backup"
  static let moment = Date(timeIntervalSinceReferenceDate: 800_000_000.125)
  static let types = ["018c2bb2-7a40-7000-8000-000000000001", "018c2bb2-7a40-7000-8000-000000000002", "coffee"]

  static func event(_ number: Int) -> Event {
    let digits = String(repeating: "0", count: 12 - "\(number)".count) + "\(number)"
    var event = Event(
      id: number % 7 == 3 ? "imported-\(number)" : "018c2bb2-7a40-7000-8000-\(digits)",
      eventTypeId: types[number % 3],
      // Some timestamps are not whole microseconds.
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

  /// Writes the stores and their backup.
  ///
  /// Forty of the sixty events were sealed in a segment. After that, number 7 was changed and number 8 deleted. The
  /// last twenty are in the log.
  static func write() throws -> SimulatedFileSystem {
    let disk = SimulatedFileSystem()
    let factory = try DefaultDataStoreFactory(
      directory: "/store", fileSystem: disk, options: EngineFixture.options, generator: FixedGenerator())
    let store = factory.makeLocalStore()
    for type in types { try store.upsertEventType(id: type) { $0.name = "Type \(type)" } }
    for number in 0..<40 { try store.upsertEvent(id: event(number).id) { $0 = event(number) } }
    try writeEntities(to: store)
    try writeSyncState(to: store)
    try store.save()
    try factory.maintain(sealingAll: true)
    try store.upsertEvent(id: event(7).id) { $0.notes = "changed" }
    try store.deleteEvent(id: event(8).id)
    for number in 40..<60 { try store.upsertEvent(id: event(number).id) { $0 = event(number) } }
    try store.noteSaved(events: [event(41).id, event(40).id], at: moment)
    try store.save()
    try writeTrack(to: disk)
    try disk.createDirectory("/stick")
    _ = try StoreBackup.write(
      stores, to: backupPath, madeMillis: 1_700_000_000_123, isReplacing: false, fileSystem: disk,
      options: EngineFixture.options)
    return disk
  }

  private static func writeEntities(to store: LocalStore) throws {
    try store.upsertEventType(id: types[0]) {
      $0.colorHex = "#3A7D44"
      $0.iconName = "cup"
      $0.unknownFields = ["later": .bool(true)]
    }
    try store.upsertGeofence(id: "home") {
      $0.name = "Home"
      ($0.latitude, $0.longitude, $0.radius) = (51.927, 4.362, 120.5)
      ($0.eventTypeEntryId, $0.eventTypeExitId) = (types[0], "coffee")
      $0.notifyOnExit = true
    }
    try store.upsertPropertyDefinition(id: "size", eventTypeId: types[0]) {
      ($0.key, $0.label, $0.propertyType) = ("size", "Size", .select)
      $0.options = ["small", "large"]
      $0.defaultValue = .string("small")
      $0.displayOrder = 3
    }
    try store.upsertRecord(SyncedRecord(id: "car", kind: .vehicle, fields: ["name": .string("Car")]))
    try store.setNote(.object(["a": .array([.int(-3), .double(0.25), .null])]), named: "note")
  }

  private static func writeSyncState(to store: LocalStore) throws {
    let mark = FieldVersion(version: 12, stamp: 1_700_000_000_000, author: "phone")
    var mutation = PendingMutation(
      id: "m", entityType: .event, entityId: "e", operation: .update, payload: Data("{}".utf8), createdAt: moment,
      idempotencyKey: "k", attempts: 3, lastError: "no", sequence: 8, device: "phone",
      marks: ["notes": mark, FieldVersion.others: mark], base: 11, incarnation: 2)
    try store.insertPendingMutation(mutation)
    mutation.acceptedVersion = 13
    try store.insertAcceptedMutation(mutation)
    try store.insertTombstone(Tombstone(entityType: .event, entityId: "gone", version: 7))
    try store.insertConflict(
      Conflict(
        id: "c", entityType: .event, entityId: "e", operation: .create, payload: Data("x".utf8), reason: "why",
        recordedAt: moment))
    try store.insertParkedChange(
      ChangeEntry(id: 14, entityType: "unheard", operation: "create", entityId: "p", createdAt: moment))
    try store.insertHeldEntry(
      ChangeEntry(
        id: 15, entityType: "event", operation: "delete", entityId: "held", deletedAt: moment, createdAt: moment))
    try store.setSyncCursor(99)
    try store.setSyncIdentity(SyncIdentity(device: "phone", lastSequence: 8))
    try store.setSyncMemory(SyncMetadata(epochs: [HubEpoch(id: "epoch", first: 1)], seen: 99, complete: 98))
  }

  private static func writeTrack(to disk: SimulatedFileSystem) throws {
    let log = try TrackLog(
      directory: "/store/tracks", fileSystem: disk, options: TrackFixture.options, generator: FixedGenerator())
    _ = try log.append(track, device: "phone")
    var changes = TrackChanges()
    changes.put = [note]
    try log.commit(changes, device: "phone")
  }

  static let track = (0..<60).flatMap { second in
    second % 20 == 0 ? [TrackFixture.motion(second), TrackFixture.fix(second)] : [TrackFixture.fix(second)]
  }
  static let note = TrackNote(
    kind: .finding, id: "trip-1", time: TrackFixture.moment(30), content: Array("content".utf8))

  /// Events in the store written by ``write()``.
  static var events: [Event] {
    (0..<60).filter { $0 != 8 }.map { number in
      var event = event(number)
      if number == 7 { event.notes = "changed" }
      return event
    }
  }
}
