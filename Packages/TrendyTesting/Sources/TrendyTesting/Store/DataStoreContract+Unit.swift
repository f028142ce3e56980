import TrendyFoundation
import TrendyModels
import TrendyProtocols

extension DataStoreContract {
  /// Requirements for transactions.
  static let unitClauses: [Clause] = [
    Clause("other units see nothing before a save and everything after it") { makeUnit in
      let unit = try makeUnit()
      let other = try makeUnit()
      try writeOneOfEach(unit)
      try require("another unit before the save", contents(other), Contents())
      try require("a unit created in between", contents(makeUnit()), Contents())
      try require("the unit", contents(unit), Contents.full)
      try unit.save()
      try require("another unit after the save", contents(other), Contents.full)
      try require("the unit after the save", contents(unit), Contents.full)
    },
    Clause("a rollback discards all changes since the last save") { makeUnit in
      let unit = try makeUnit()
      try writeOneOfEach(unit)
      unit.rollback()
      try require("after a rollback of all", contents(unit), Contents())
      try writeOneOfEach(unit)
      try unit.save()
      try unit.deleteEventType(id: Rows.type.id)
      try unit.upsertGeofence(id: Rows.geofence.id) { $0.name = "other" }
      try unit.deletePendingMutation(Rows.mutation("m-1"))
      try unit.setSyncCursor(9)
      try unit.deleteConflict(Rows.conflict("m-2"))
      unit.rollback()
      try require("after a rollback of changes", contents(unit), Contents.full)
      try unit.save()
      try require("another unit", contents(makeUnit()), Contents.full)
    },
    Clause("a rollback and a save release the write lock") { makeUnit in
      let unit = try makeUnit()
      let other = try makeUnit()
      try unit.upsertGeofence(id: "a") { $0.name = "dropped" }
      unit.rollback()
      try other.upsertGeofence(id: "b") { $0.name = "b" }
      try other.save()
      try unit.upsertGeofence(id: "c") { $0.name = "c" }
      try unit.save()
      try other.upsertGeofence(id: "d") { $0.name = "d" }
      try other.save()
      try require("the geofences", unit.fetchAllGeofences().map(\.id), ["b", "c", "d"])
    },
    Clause("a read-modify-write is atomic although another unit saves in between") { makeUnit in
      let unit = try makeUnit()
      let other = try makeUnit()
      try unit.upsertEvent(id: "evt-1") {
        $0.eventTypeId = "type-1"
        $0.notes = "0"
      }
      try unit.save()
      func addOne(_ unit: any DataStoreProtocol) throws {
        // Read the event first, because a unit that cached this read would lose an update.
        _ = try unit.findEvent(id: "evt-1")
        try unit.upsertEvent(id: "evt-1") { $0.notes = ($0.notes.flatMap { Int($0) }).map { "\($0 + 1)" } }
        try unit.save()
      }
      _ = try unit.findEvent(id: "evt-1")
      try addOne(other)
      try addOne(unit)
      try addOne(other)
      try require("the count of additions", unit.findEvent(id: "evt-1")?.notes, "3")
    },
    Clause("a unit that begins to write sees what others saved and releases the lock when it ends") { makeUnit in
      let unit = try makeUnit()
      let other = try makeUnit()
      try require("the geofences before", unit.fetchAllGeofences().map(\.id), [])
      try other.upsertGeofence(id: "a") { $0.name = "a" }
      try other.save()
      try unit.beginWriting()
      try unit.beginWriting()
      try require("the geofences of a unit that writes", unit.fetchAllGeofences().map(\.id), ["a"])
      unit.rollback()
      try other.upsertGeofence(id: "b") { $0.name = "b" }
      try other.save()
      try unit.beginWriting()
      try unit.save()
      try other.upsertGeofence(id: "c") { $0.name = "c" }
      try other.save()
      try require("the geofences", unit.fetchAllGeofences().map(\.id), ["a", "b", "c"])
    },
    Clause("saving without changes has no effect") { makeUnit in
      let unit = try makeUnit()
      try unit.save()
      unit.rollback()
      try writeOneOfEach(unit)
      try unit.save()
      try unit.save()
      unit.rollback()
      try require("the unit", contents(unit), Contents.full)
    },
    Clause("a unit released without a save leaves no changes and no lock") { makeUnit in
      let unit = try makeUnit()
      try { try writeOneOfEach(makeUnit()) }()
      try require("another unit", contents(unit), Contents())
      try unit.upsertGeofence(id: "a") { $0.name = "a" }
      try unit.save()
    },
    Clause("many rows are saved and read back completely") { makeUnit in
      let unit = try makeUnit()
      for number in 0..<1000 {
        try unit.upsertEvent(id: "evt-\(number)") {
          $0.eventTypeId = "type-\(number % 7)"
          $0.timestamp = Rows.date.addingTimeInterval(Double(number))
          $0.notes = String(repeating: "n", count: number)
        }
      }
      try unit.save()
      let other = try makeUnit()
      let found = try other.fetchAllEvents()
      try require("the events", found.map(\.id), (0..<1000).reversed().map { "evt-\($0)" })
      try require("their notes", found.reversed().map { $0.notes?.count }, (0..<1000).map { $0 })
      try require("one type's", other.events(in: nil, ofType: "type-3", limit: nil).count, 143)
    },
  ]

  private struct Contents: Equatable {
    var rows: [String] = []
    var queue: [String] = []
    var cursor: Int64?
    var identity: String?
    var state: [String] = []

    static let full = Contents(
      rows: ["evt", Rows.type.name, Rows.geofence.name, Rows.definition.key], queue: ["m-1"], cursor: 7,
      identity: "device", state: ["gone", "m-2", "parked"])
  }

  private static func contents(_ unit: any DataStoreProtocol) throws -> Contents {
    try Contents(
      rows: unit.fetchAllEvents().map(\.id) + unit.fetchAllEventTypes().map(\.name)
        + unit.fetchAllGeofences().map(\.name) + unit.fetchAllPropertyDefinitions().map(\.key),
      queue: unit.fetchPendingMutations().map(\.id), cursor: unit.syncCursor(), identity: unit.syncIdentity()?.device,
      state: unit.fetchTombstones().map(\.entityId) + unit.fetchConflicts().map(\.id)
        + unit.fetchParkedChanges().map(\.entityId))
  }

  private static func writeOneOfEach(_ unit: any DataStoreProtocol) throws {
    try unit.upsertEventType(id: Rows.type.id) { $0 = Rows.type }
    try unit.upsertEvent(id: "evt") { $0.eventTypeId = Rows.type.id }
    try unit.upsertGeofence(id: Rows.geofence.id) { $0 = Rows.geofence }
    try unit.upsertPropertyDefinition(id: Rows.definition.id, eventTypeId: Rows.type.id) { $0 = Rows.definition }
    try unit.insertPendingMutation(Rows.mutation("m-1"))
    try unit.setSyncCursor(7)
    try unit.setSyncIdentity(SyncIdentity(device: "device"))
    try unit.insertTombstone(Tombstone(entityType: .event, entityId: "gone"))
    try unit.insertConflict(Rows.conflict("m-2"))
    try unit.insertParkedChange(ChangeEntry(id: 1, entityType: "vehicle", operation: "create", entityId: "parked"))
  }
}
