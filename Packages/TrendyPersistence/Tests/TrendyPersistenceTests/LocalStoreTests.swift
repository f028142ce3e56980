import Foundation
import StorageTesting
import Testing
import TrendyModels
import TrendyPersistence
import TrendyProtocols

@Suite("LocalStore", .timeLimit(.minutes(10)))
struct LocalStoreTests {
  static let options = StorageEngine.Options(
    lockTimeout: .milliseconds(50), firstChunkBytes: 64 << 10, largestChunkBytes: 128 << 10)
  let disk = SimulatedFileSystem()
  let factory: DefaultDataStoreFactory
  let store: LocalStore

  init() throws {
    factory = try DefaultDataStoreFactory(directory: "/home/store", fileSystem: disk, options: Self.options)
    store = factory.makeLocalStore()
  }

  /// Opens the same store in another process.
  private func elsewhere() throws -> LocalStore {
    try DefaultDataStoreFactory(
      directory: "/home/store", fileSystem: disk.anotherProcess(), options: Self.options
    ).makeLocalStore()
  }

  private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_700_000_000 + seconds) }

  static let fullEvent = Event(
    id: "018c2bb2-7a40-7000-8000-00000000abcd", eventTypeId: "018c2bb2-7a40-7000-8000-000000000001",
    timestamp: Date(timeIntervalSince1970: 1_700_000_000.123), endDate: Date(timeIntervalSince1970: 1_700_000_100.1),
    isAllDay: true, notes: "ü\u{0}b", sourceType: .healthKit, externalId: "", originalTitle: "t",
    geofenceId: "NOT-A-UUID", locationLatitude: -0.0, locationLongitude: 179.999, locationName: "here",
    healthKitSampleId: "h", healthKitCategory: "c", timeZone: "Europe/Amsterdam",
    properties: [
      "mood": PropertyValue(type: .number, value: 5), "day": PropertyValue(type: .date, value: "2024-01-01T00:00:00Z"),
      "all": PropertyValue(type: .text, value: [nil, true, false, 1.5, -9_223_372_036_854_775_808, ["a": [:]], "x"]),
    ], syncStatus: .failed, unknownFields: ["later": ["deep": [1, 2, nil]], "flag": true])

  @Test func `local values are saved with the unit, and entity changes reflect its final state`()
    throws
  {
    let note = JSONValue.object(["list": [1, 2.5, nil, "x"], "deep": ["flag": true]])
    let kept = Event(id: "kept", eventTypeId: "t", timestamp: date(0))
    try store.upsertEvent(kept)
    try store.save()
    #expect(try store.entityChanges().isEmpty)
    try store.setNote(note, named: "undo")
    #expect(throws: StorageError.invalidIdentifier("")) { try store.setNote(note, named: "") }
    var edited = kept
    edited.notes = "n"
    try store.upsertEvent(edited)
    let gone = Event(id: "gone", eventTypeId: "t", timestamp: date(1))
    try store.upsertEvent(gone)
    try store.deleteEvent(id: "gone")
    #expect(try store.entityChanges() == [EntityChange(before: .event(kept), after: .event(edited))])
    #expect(try elsewhere().note(named: "undo") == nil)
    try store.save()
    #expect(try store.entityChanges().isEmpty && elsewhere().note(named: "undo") == note)
    try store.deleteEvent(id: "kept")
    try store.setNote(nil, named: "undo")
    #expect(try store.entityChanges() == [EntityChange(before: .event(edited), after: nil)])
    store.rollback()
    #expect(try store.note(named: "undo") == note)
  }

  @Test func `every field of every kind is restored`() throws {
    let event = Self.fullEvent
    let type = EventType(
      id: "any id", name: "Run", colorHex: "#FF0000", iconName: "🏃", syncStatus: .synced, unknownFields: ["a": 1])
    let fence = Geofence(
      id: "018C2BB2-7A40-7000-8000-00000000ABCD", name: "Home", latitude: 52, longitude: 4, radius: 10_000,
      eventTypeEntryId: type.id, eventTypeExitId: event.eventTypeId, isActive: false, notifyOnEntry: true,
      notifyOnExit: true, syncStatus: .failed, unknownFields: ["b": "c"])
    let definition = PropertyDefinition(
      id: "d", eventTypeId: type.id, key: "k", label: "l", propertyType: .select, options: ["", "b", "b"],
      defaultValue: ["b", 1], displayOrder: -3, syncStatus: .synced, unknownFields: ["c": []])
    try store.upsertEvent(id: event.id) { $0 = event }
    try store.upsertEventType(id: type.id) { $0 = type }
    try store.upsertGeofence(id: fence.id) { $0 = fence }
    try store.upsertPropertyDefinition(id: definition.id, eventTypeId: "other") { $0 = definition }
    #expect(try store.findEvent(id: event.id) == event)
    try store.save()
    let other = try elsewhere()
    #expect(try other.findEvent(id: event.id) == event)
    #expect(try other.findEvent(id: event.id)?.locationLatitude?.sign == .minus)
    #expect(try other.findEventType(id: type.id) == type)
    #expect(try other.findGeofence(id: fence.id) == fence)
    #expect(try other.findGeofence(id: fence.id.lowercased()) == nil)
    #expect(try other.findPropertyDefinition(id: definition.id) == definition)
    #expect(try other.fetchAllEvents() == [event])
    #expect(try other.fetchAllEventTypes() == [type])
    #expect(try other.fetchAllGeofences() == [fence])
    #expect(try other.fetchAllPropertyDefinitions() == [definition])
  }

  @Test(arguments: ["018c2bb2-7a40-7000-8000-00000000abcd", "no uuid", "018C2BB2-7A40-7000-8000-00000000ABCD"])
  func `a complete event replaces the one with its identifier`(id: String) throws {
    let full = Self.fullEvent
    let event = Event(
      id: id, eventTypeId: full.eventTypeId, timestamp: full.timestamp, notes: full.notes, properties: full.properties)
    try store.upsertEvent(Event(id: id, eventTypeId: "other", timestamp: date(1), originalTitle: "gone"))
    try store.upsertEvent(event)
    #expect(try store.findEvent(id: id) == event)
    try store.save()
    #expect(try elsewhere().fetchAllEvents() == [event])
    // The closure writes an identical row with the same groups.
    try store.upsertEvent(id: id) { $0 = event }
    let before = disk.contents("/home/store/log-1")
    try store.save()
    #expect(disk.contents("/home/store/log-1") == before)
    #expect(try store.events(in: nil, ofType: full.eventTypeId, limit: nil) == [event])
    #expect(try store.events(in: nil, ofType: "other", limit: nil).isEmpty)
    #expect(throws: StorageError.invalidIdentifier("")) {
      try store.upsertEvent(Event(id: "", eventTypeId: "t", timestamp: date(0)))
    }
  }

  @Test(arguments: [0, 1, 126, 127, 128, 129, 1000, 16_383, 16_384, 70_000])
  func `a row of any length is read unchanged`(length: Int) throws {
    var event = Self.fullEvent
    event.notes = String(repeating: "n", count: length)
    event.properties["long"] = PropertyValue(type: .text, value: .string(String(repeating: "p", count: length)))
    event.unknownFields["long"] = .string(String(repeating: "u", count: length))
    try store.upsertEvent(event)
    try store.save()
    #expect(try elsewhere().fetchAllEvents() == [event])
  }

  @Test func `a new row is pending and only its closure sets values`() throws {
    let made = try store.upsertEvent(id: "a") { _ in }
    #expect(made == Event(id: "a", eventTypeId: "", timestamp: Date(timeIntervalSinceReferenceDate: 0)))
    #expect(try store.upsertPropertyDefinition(id: "d", eventTypeId: "t") { _ in }.eventTypeId == "t")
    #expect(try store.upsertPropertyDefinition(id: "d", eventTypeId: "u") { $0.label = "x" }.eventTypeId == "t")
  }

  @Test func `changes are visible in the unit at once and elsewhere after the save`() throws {
    let sibling = factory.makeLocalStore()
    let other = try elsewhere()
    try store.upsertEventType(id: "t") { $0.name = "Coffee" }
    try store.setSyncCursor(7)
    #expect(try store.findEventType(id: "t")?.name == "Coffee")
    #expect(try store.syncCursor() == 7)
    for reader in [sibling, other] {
      #expect(try reader.findEventType(id: "t") == nil)
      #expect(try reader.syncCursor() == nil)
    }
    try store.save()
    for reader in [sibling, other] {
      #expect(try reader.findEventType(id: "t")?.name == "Coffee")
      #expect(try reader.syncCursor() == 7)
    }
  }

  @Test func `a rollback discards the unit and releases the lock`() throws {
    try store.upsertEvent(id: "a") { _ in }
    try store.setSyncCursor(3)
    store.rollback()
    #expect(try store.fetchAllEvents().isEmpty)
    #expect(try store.syncCursor() == nil)
    let other = try elsewhere()
    try other.upsertEvent(id: "b") { _ in }
    try other.save()
    #expect(try store.fetchAllEvents().map(\.id) == ["b"])
  }

  @Test func `a closure that throws leaves the row and the lock unchanged`() throws {
    struct Refusal: Error {}
    try store.upsertEventType(id: "t") { $0.name = "Before" }
    try store.save()
    #expect(throws: Refusal.self) {
      try store.upsertEventType(id: "t") { type in
        type.name = "After"
        throw Refusal()
      }
    }
    #expect(try store.findEventType(id: "t")?.name == "Before")
    let other = try elsewhere()
    try other.upsertEventType(id: "t") { $0.name = "Other" }
    try other.save()
    #expect(try store.findEventType(id: "t")?.name == "Other")
  }

  @Test func `read-modify-write is atomic across processes`() throws {
    let other = try elsewhere()
    try store.upsertEvent(id: "n") { $0.notes = "0" }
    try store.save()
    for round in 0..<50 {
      let unit = round.isMultiple(of: 3) ? store : other
      // An earlier read without the lock does not matter, because the closure receives the current value.
      _ = try unit.findEvent(id: "n")
      try unit.upsertEvent(id: "n") { $0.notes = String((Int($0.notes ?? "") ?? 0) + 1) }
      try unit.save()
    }
    #expect(try store.findEvent(id: "n")?.notes == "50")
  }

  @Test func `a second writer waits for the first and throws busy after a timeout`() throws {
    let other = try elsewhere()
    try store.upsertEvent(id: "a") { _ in }
    #expect(throws: StorageError.busy(path: "/home/store/lock")) { try other.upsertEvent(id: "b") { _ in } }
    #expect(throws: StorageError.busy(path: "/home/store/lock")) {
      try factory.makeLocalStore().upsertEvent(id: "b") { _ in }
    }
    try store.save()
    try store.beginWriting()
    #expect(throws: StorageError.busy(path: "/home/store/lock")) { try other.beginWriting() }
    store.rollback()
    try other.upsertEvent(id: "b") { _ in }
    try other.save()
    #expect(try store.fetchAllEvents().count == 2)
  }

  @Test func `deleting a type deletes its events and property definitions, and no others`() throws {
    for type in ["t", "018c2bb2-7a40-7000-8000-000000000001"] {
      try store.upsertEventType(id: type) { $0.name = type }
      try store.upsertPropertyDefinition(id: "d-\(type)", eventTypeId: type) { _ in }
      for number in 0..<3 {
        try store.upsertEvent(id: "\(type)-\(number)") { event in
          event.eventTypeId = type
          event.timestamp = date(Double(number))
        }
      }
    }
    try store.save()
    try store.upsertEvent(id: "unsaved") { $0.eventTypeId = "t" }
    try store.upsertEvent(id: "t-0") { $0.eventTypeId = "018c2bb2-7a40-7000-8000-000000000001" }
    try store.deleteEventType(id: "t")
    try store.deleteEventType(id: "never there")
    try store.save()
    let other = try elsewhere()
    #expect(try other.fetchAllEventTypes().map(\.id) == ["018c2bb2-7a40-7000-8000-000000000001"])
    #expect(try other.fetchAllPropertyDefinitions().count == 1)
    #expect(Set(try other.fetchAllEvents().map(\.id)).contains("t-0"))
    #expect(try other.fetchAllEvents().count == 4)
    try other.deleteAllEventTypes()
    try other.save()
    #expect(try store.fetchAllEvents().isEmpty)
    #expect(try store.fetchAllPropertyDefinitions().isEmpty)
    #expect(try store.fetchAllEventTypes().isEmpty)
  }

  @Test func `events are listed newest first, equal timestamps by id, up to the limit`() throws {
    let ids = (0..<40).map { "id-\($0)" }
    for (number, id) in ids.enumerated() {
      try store.upsertEvent(id: id) { event in
        event.timestamp = date(Double(number / 4))
        event.eventTypeId = number.isMultiple(of: 2) ? "even" : "odd"
      }
      if number == 20 { try store.save() }
    }
    let expected = try store.fetchAllEvents().sorted {
      ($0.timestamp, $0.id) > ($1.timestamp, $1.id)
    }
    for _ in 0..<2 {
      #expect(try store.fetchAllEvents() == expected)
      for limit in 0...41 {
        #expect(try store.events(in: nil, ofType: nil, limit: limit) == Array(expected.prefix(limit)))
      }
      let some = date(2)..<date(5)
      let odd = expected.filter { $0.eventTypeId == "odd" && some.contains($0.timestamp) }
      #expect(odd.count == 6)
      #expect(try store.events(in: some, ofType: "odd", limit: nil) == odd)
      #expect(try store.events(in: some, ofType: "odd", limit: 3) == Array(odd.prefix(3)))
      #expect(try store.events(in: date(3)..<date(3), ofType: nil, limit: nil).isEmpty)
      try store.save()
    }
  }

  @Test func `an event is moved when its timestamp or type changes`() throws {
    try store.upsertEvent(id: "a") {
      $0.eventTypeId = "t"; $0.timestamp = date(0)
    }
    try store.save()
    try store.upsertEvent(id: "a") {
      $0.eventTypeId = "u"; $0.timestamp = date(100)
    }
    for _ in 0..<2 {
      #expect(try store.events(in: date(0)..<date(1), ofType: nil, limit: nil).isEmpty)
      #expect(try store.events(in: nil, ofType: "t", limit: nil).isEmpty)
      #expect(try store.events(in: date(100)..<date(101), ofType: "u", limit: nil).map(\.id) == ["a"])
      try store.save()
    }
  }

  @Test func `mutations are ordered by timestamp, then by insertion, and keep their position when replaced`() throws {
    func mutation(_ id: String, at seconds: Double) -> PendingMutation {
      PendingMutation(
        id: id, entityType: .event, entityId: "e-\(id)", operation: .update, payload: Data(id.utf8),
        createdAt: date(seconds))
    }
    for id in ["z", "b", "y"] { try store.insertPendingMutation(mutation(id, at: 5)) }
    try store.save()
    let other = try elsewhere()
    for id in ["a", "018c2bb2-7a40-7000-8000-000000000001"] { try other.insertPendingMutation(mutation(id, at: 5)) }
    try other.insertPendingMutation(mutation("early", at: 1))
    try other.save()
    var changed = mutation("b", at: 5)
    changed.attempts = 3
    changed.lastError = "no"
    changed.sequence = 9
    changed.device = "018c2bb2-7a40-7000-8000-0000000000dd"
    changed.idempotencyKey = "key"
    try store.insertPendingMutation(changed)
    #expect(
      try store.fetchPendingMutations().map(\.id)
        == ["early", "z", "b", "y", "a", "018c2bb2-7a40-7000-8000-000000000001"])
    try store.save()
    #expect(try other.fetchPendingMutations()[2] == changed)
    #expect(try other.hasPendingMutation(entityId: "e-b", entityType: .event, operation: .update))
    #expect(try !other.hasPendingMutation(entityId: "e-b", entityType: .eventType, operation: .update))
    #expect(try !other.hasPendingMutation(entityId: "e-b", entityType: .event, operation: .create))
    try other.deletePendingMutation(changed)
    try other.deletePendingMutation(changed)
    #expect(try !other.hasPendingMutation(entityId: "e-b", entityType: .event, operation: .update))
    try other.save()
    #expect(try store.fetchPendingMutations().count == 5)
  }

  @Test func `sync state is stored in the same unit`() throws {
    let conflict = Conflict(
      id: "c", entityType: .geofence, entityId: "g", operation: .delete, payload: Data([0, 255]), reason: "no",
      recordedAt: date(1))
    let parked = ChangeEntry(
      id: 12, entityType: "vehicle", operation: "update", entityId: "v",
      data: ChangeEntryData(rawData: ["a": [1, nil]]), deletedAt: date(0.25), createdAt: date(0.1234567),
      unknownFields: ["x": "y"])
    try store.insertTombstone(Tombstone(entityType: .event, entityId: "e"))
    try store.insertTombstone(Tombstone(entityType: .event, entityId: "e", version: 4))
    try store.insertTombstone(Tombstone(entityType: .geofence, entityId: "e", version: -1))
    try store.insertConflict(conflict)
    try store.insertParkedChange(ChangeEntry(id: 11, entityType: "vehicle", operation: "create", entityId: "v"))
    try store.insertParkedChange(parked)
    try store.insertParkedChange(ChangeEntry(id: 3, entityType: "vehicle", operation: "create", entityId: "w"))
    try store.setSyncIdentity(SyncIdentity(device: "d", lastSequence: 8))
    try store.setSyncCursor(.max)
    try store.save()
    let other = try elsewhere()
    #expect(
      try other.fetchTombstones() == [
        Tombstone(entityType: .event, entityId: "e", version: 4),
        Tombstone(entityType: .geofence, entityId: "e", version: -1),
      ])
    #expect(try other.fetchConflicts() == [conflict])
    #expect(try other.fetchParkedChanges().map(\.id) == [3, 12])
    #expect(try other.fetchParkedChanges().last == parked)
    #expect(try other.syncIdentity() == SyncIdentity(device: "d", lastSequence: 8))
    #expect(try other.syncCursor() == .max)
    try other.deleteTombstone(Tombstone(entityType: .event, entityId: "e"))
    try other.deleteConflict(conflict)
    try other.deleteParkedChange(parked)
    try other.setSyncIdentity(nil)
    try other.setSyncCursor(nil)
    try other.save()
    #expect(try store.fetchTombstones().count == 1)
    #expect(try store.fetchConflicts().isEmpty)
    #expect(try store.fetchParkedChanges().count == 1)
    #expect(try store.syncIdentity() == nil)
    #expect(try store.syncCursor() == nil)
  }

  @Test func `marking as synced changes existing rows and creates none`() throws {
    try store.upsertEvent(id: "a") { _ in }
    try store.upsertEventType(id: "a") { _ in }
    try store.upsertGeofence(id: "a") { _ in }
    try store.upsertPropertyDefinition(id: "a", eventTypeId: "a") { _ in }
    for id in ["a", "b"] {
      try store.markEventSynced(id: id)
      try store.markEventTypeSynced(id: id)
      try store.markGeofenceSynced(id: id)
      try store.markPropertyDefinitionSynced(id: id)
    }
    try store.save()
    #expect(try store.fetchAllEvents().map(\.syncStatus) == [.synced])
    #expect(try store.fetchAllEventTypes().map(\.syncStatus) == [.synced])
    #expect(try store.fetchAllGeofences().map(\.syncStatus) == [.synced])
    #expect(try store.fetchAllPropertyDefinitions().map(\.syncStatus) == [.synced])
  }

  @Test func `identifiers of 1 to 128 bytes are accepted, others rejected`() throws {
    for id in ["", String(repeating: "é", count: 65)] {
      #expect(throws: StorageError.invalidIdentifier(id)) { try store.upsertEvent(id: id) { _ in } }
    }
    let longest = String(repeating: "é", count: 64)
    try store.upsertEvent(id: longest) { _ in }
    try store.save()
    #expect(try store.fetchAllEvents().map(\.id) == [longest])
  }

  @Test func `a save without space leaves the unit unchanged and can be repeated`() throws {
    try store.upsertEvent(id: "before") { _ in }
    try store.save()
    disk.setCapacity(disk.usedBytes)
    let long = String(repeating: "x", count: 100_000)
    try store.upsertEvent(id: "large") { $0.notes = long }
    for _ in 0..<3 {
      #expect(throws: StorageError.diskFull(path: "/home/store/log-2")) { try store.save() }
      #expect(try store.findEvent(id: "large")?.notes == long)
    }
    #expect(try elsewhere().fetchAllEvents().map(\.id) == ["before"])
    disk.setCapacity(nil)
    try store.save()
    #expect(Set(try elsewhere().fetchAllEvents().map(\.id)) == ["before", "large"])
  }

  @Test func `after a failed sync the store throws until it is reopened`() throws {
    try store.upsertEvent(id: "a") { _ in }
    disk.fail(.init(operation: .synchronize, call: 1, code: 5))
    let failure = StorageError.syncFailed(path: "/home/store/log-1", code: 5)
    for _ in 0..<2 { #expect(throws: failure) { try store.save() } }
    #expect(throws: failure) { try store.upsertEvent(id: "b") { _ in } }
    #expect(throws: failure) { _ = try store.fetchAllEvents() }
    store.rollback()
    #expect(throws: failure) { _ = try store.findEvent(id: "a") }
    #expect(throws: failure) { try store.save() }
    let fresh = factory.makeLocalStore()
    try fresh.upsertEvent(id: "c") { _ in }
    try fresh.save()
    #expect(try fresh.findEvent(id: "c") != nil)
  }

  @Test func `one process at a time has the sync lock, until it releases the lock or ends`() throws {
    var lock = try factory.lockForSync()
    #expect(lock != nil)
    #expect(try factory.lockForSync() == nil, "not twice in this process")
    let process = disk.anotherProcess()
    let other = try DefaultDataStoreFactory(directory: "/home/store", fileSystem: process, options: Self.options)
    #expect(try other.lockForSync() == nil)
    // Recording does not need the lock.
    try store.upsertEvent(id: "e") { $0.eventTypeId = "t" }
    try store.save()
    lock = nil
    lock = try other.lockForSync()
    #expect(lock != nil)
    #expect(try factory.lockForSync() == nil)
  }

  @Test func `a store that failed to open throws its error from every operation`() throws {
    let failure = StorageError.readOnly(path: "/p")
    let broken = LocalStore(failure: failure)
    #expect(throws: failure) { try broken.upsertEvent(id: "a") { _ in } }
    #expect(throws: failure) { _ = try broken.findEvent(id: "a") }
    #expect(throws: failure) { _ = try broken.fetchPendingMutations() }
    #expect(throws: failure) { _ = try broken.syncCursor() }
    #expect(throws: failure) { try broken.deleteAllEvents() }
    #expect(throws: failure) { try broken.save() }
    broken.rollback()
  }
}

@Suite("LocalStore on a failing disk", .timeLimit(.minutes(10)))
struct LocalStoreFaultTests {
  @Test("a save that fails at any call leaves the unit unchanged, to be saved again", arguments: [28, 5] as [Int32])
  func saveAgain(code: Int32) throws {
    var call = 1
    while true {
      let disk = SimulatedFileSystem()
      let factory = try DefaultDataStoreFactory(
        directory: "/s", fileSystem: disk, options: .init(firstChunkBytes: 4096, largestChunkBytes: 4096))
      let store = factory.makeLocalStore()
      try store.upsertEvent(id: "before") { $0.notes = String(repeating: "x", count: 3000) }
      try store.save()
      // The change does not fit into the chunk, so the save creates another chunk.
      func change(_ store: LocalStore) throws {
        try store.upsertEvent(id: "before") { $0.notes = "changed" }
        try store.upsertEvent(id: "new") { $0.notes = String(repeating: "y", count: 2000) }
        try store.setSyncCursor(9)
      }
      try change(store)
      disk.fail(.init(call: call, code: code))
      var saved = store
      do {
        try store.save()
      } catch let error as StorageError {
        #expect(disk.metFault, "\(error)")
        let fresh = try DefaultDataStoreFactory(directory: "/s", fileSystem: disk.anotherProcess()).makeLocalStore()
        if case .syncFailed = error {
          // The state of the disk is unknown, so repeat the unit on a reopened store.
          #expect(throws: error) { _ = try store.fetchAllEvents() }
          saved = factory.makeLocalStore()
          try change(saved)
        } else {
          #expect(try fresh.fetchAllEvents().map(\.id) == ["before"])
          #expect(try store.findEvent(id: "before")?.notes == "changed")
          #expect(try store.syncCursor() == 9)
        }
        try saved.save()
      }
      let met = disk.metFault
      disk.fail(nil)
      disk.restart(losing: .unsynced)
      let after = try DefaultDataStoreFactory(directory: "/s", fileSystem: disk).makeLocalStore()
      #expect(try after.fetchAllEvents().count == 2, "call \(call)")
      #expect(try after.findEvent(id: "before")?.notes == "changed")
      #expect(try after.syncCursor() == 9)
      if !met { break }
      call += 1
    }
    #expect(call > 8)
  }
}
