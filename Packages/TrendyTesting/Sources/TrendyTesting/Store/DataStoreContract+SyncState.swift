#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols

extension DataStoreContract {
  /// The mutations that wait.
  static let queueClauses: [Clause] = [
    Clause("the queue is in order of time, and at one time in order of insertion") { makeUnit in
      let unit = try makeUnit()
      let later = Rows.date.addingTimeInterval(0.001)
      // Ids that sort otherwise, part of them saved.
      for id in ["z", "y"] { try unit.insertPendingMutation(Rows.mutation(id)) }
      try unit.insertPendingMutation(Rows.mutation("c", at: later))
      try unit.save()
      for id in ["x", "a"] { try unit.insertPendingMutation(Rows.mutation(id)) }
      try unit.insertPendingMutation(Rows.mutation("0", at: Rows.date.addingTimeInterval(-1)))
      for state in ["unsaved", "saved"] {
        try owe("the queue, \(state)", unit.fetchPendingMutations().map(\.id), ["0", "z", "y", "x", "a", "c"])
        try unit.save()
      }
      try owe(
        "the queue of another unit", makeUnit().fetchPendingMutations().map(\.id), ["0", "z", "y", "x", "a", "c"])
    },
    Clause("a mutation is kept with every field") { makeUnit in
      let unit = try makeUnit()
      let mutation = PendingMutation(
        id: "m-1", entityType: .propertyDefinition, entityId: "def-1", operation: .update,
        payload: Data([0, 1, 254, 255]), createdAt: Rows.date, idempotencyKey: "key", attempts: 3, lastError: "503",
        sequence: 9_007_199_254_740_993, device: "device")
      let bare = PendingMutation(
        id: "m-2", entityType: .event, entityId: "evt-1", operation: .delete, payload: Data(), createdAt: Rows.date)
      try unit.insertPendingMutation(mutation)
      try unit.insertPendingMutation(bare)
      try unit.save()
      try owe("the queue", makeUnit().fetchPendingMutations(), [mutation, bare])
    },
    Clause("a mutation inserted again is replaced and keeps its place") { makeUnit in
      let unit = try makeUnit()
      for id in ["a", "b", "c"] { try unit.insertPendingMutation(Rows.mutation(id)) }
      try unit.save()
      var again = Rows.mutation("b")
      again.attempts = 1
      again.lastError = "503"
      try unit.insertPendingMutation(again)
      for state in ["unsaved", "saved"] {
        try owe("the queue, \(state)", unit.fetchPendingMutations(), [Rows.mutation("a"), again, Rows.mutation("c")])
        try unit.save()
      }
    },
    Clause("a mutation is found by entity, kind and operation, all three") { makeUnit in
      let unit = try makeUnit()
      try unit.insertPendingMutation(Rows.mutation("a", entity: "x", type: .event, operation: .update))
      func has(_ entity: String, _ type: MutationEntityType, _ operation: MutationOperation) throws -> Bool {
        try unit.hasPendingMutation(entityId: entity, entityType: type, operation: operation)
      }
      for state in ["unsaved", "saved"] {
        try owe("the one that waits, \(state)", has("x", .event, .update), true)
        try owe("another entity, \(state)", has("y", .event, .update), false)
        try owe("another kind, \(state)", has("x", .geofence, .update), false)
        try owe("another operation, \(state)", has("x", .event, .delete), false)
        try unit.save()
      }
      try unit.deletePendingMutation(Rows.mutation("a", entity: "x", type: .event, operation: .update))
      try owe("one that was taken out", has("x", .event, .update), false)
    },
    Clause("a mutation is taken out by its id, whatever else changed of it") { makeUnit in
      let unit = try makeUnit()
      for id in ["a", "b"] { try unit.insertPendingMutation(Rows.mutation(id)) }
      try unit.save()
      var changed = Rows.mutation("a")
      changed.attempts = 7
      try unit.deletePendingMutation(changed)
      for state in ["unsaved", "saved"] {
        try owe("the queue, \(state)", unit.fetchPendingMutations().map(\.id), ["b"])
        try unit.save()
      }
    },
  ]

  /// Cursor, identity, tombstones, journal, parked changes.
  static let syncStateClauses: [Clause] = [
    Clause("the cursor is nothing, then what it was set to, then nothing again") { makeUnit in
      let unit = try makeUnit()
      try owe("a new store's cursor", unit.syncCursor(), nil)
      for cursor in [0, 1, Int64.max, nil] {
        try unit.setSyncCursor(cursor)
        try owe("the cursor, unsaved", unit.syncCursor(), cursor)
        try unit.save()
        try owe("the cursor of another unit", makeUnit().syncCursor(), cursor)
      }
    },
    Clause("the identity is nothing, then what it was set to, then nothing again") { makeUnit in
      let unit = try makeUnit()
      try owe("a new store's identity", unit.syncIdentity(), nil)
      for identity in [SyncIdentity(device: "a"), SyncIdentity(device: "b", lastSequence: .max), nil] {
        try unit.setSyncIdentity(identity)
        try owe("the identity, unsaved", unit.syncIdentity(), identity)
        try unit.save()
        try owe("the identity of another unit", makeUnit().syncIdentity(), identity)
      }
    },
    Clause("there is one tombstone for each entity, the last") { makeUnit in
      let unit = try makeUnit()
      let tombstones: Set = [
        Tombstone(entityType: .event, entityId: "x", version: 5), Tombstone(entityType: .geofence, entityId: "x"),
        Tombstone(entityType: .event, entityId: "y"),
      ]
      try unit.insertTombstone(Tombstone(entityType: .event, entityId: "x"))
      try unit.save()
      for tombstone in tombstones { try unit.insertTombstone(tombstone) }
      for state in ["unsaved", "saved"] {
        let found = try unit.fetchTombstones()
        try owe("how many tombstones, \(state)", found.count, 3)
        try owe("the tombstones, \(state)", Set(found), tombstones)
        try unit.save()
      }
      // Taken away by entity, whatever its version.
      try unit.deleteTombstone(Tombstone(entityType: .event, entityId: "x", version: 1))
      try unit.save()
      try owe(
        "the tombstones of another unit", Set(makeUnit().fetchTombstones()),
        tombstones.filter { $0.entityId == "y" || $0.entityType == .geofence })
    },
    Clause("conflicts come in the order they were recorded, each whole, the last of one id") { makeUnit in
      let unit = try makeUnit()
      try unit.insertConflict(Rows.conflict("b", at: Rows.date.addingTimeInterval(2)))
      try unit.insertConflict(Rows.conflict("c", at: Rows.date.addingTimeInterval(1)))
      try unit.save()
      var again = Rows.conflict("c", at: Rows.date.addingTimeInterval(1))
      again.reason = "in other words"
      try unit.insertConflict(again)
      try unit.insertConflict(Rows.conflict("a", at: Rows.date.addingTimeInterval(3)))
      let owed = [
        again, Rows.conflict("b", at: Rows.date.addingTimeInterval(2)),
        Rows.conflict("a", at: Rows.date.addingTimeInterval(3)),
      ]
      for state in ["unsaved", "saved"] {
        try owe("the conflicts, \(state)", unit.fetchConflicts(), owed)
        try unit.save()
      }
      try unit.deleteConflict(again)
      try unit.save()
      try owe("the conflicts of another unit", makeUnit().fetchConflicts(), Array(owed.dropFirst()))
    },
    Clause("parked changes come by version, each raw, the last of one entity") { makeUnit in
      let unit = try makeUnit()
      func entry(_ version: Int64, _ kind: String, _ entity: String) -> ChangeEntry {
        ChangeEntry(
          id: version, entityType: kind, operation: "create", entityId: entity,
          data: ChangeEntryData(rawData: ["id": .string(entity), "of": [1, nil, "newer"]]), deletedAt: Rows.date,
          createdAt: Rows.date, unknownFields: ["stamp": 1])
      }
      try unit.insertParkedChange(entry(10, "vehicle", "x"))
      try unit.insertParkedChange(entry(9, "event", "x"))
      try unit.save()
      try unit.insertParkedChange(entry(12, "event", "x"))
      try unit.insertParkedChange(entry(11, "event", "y"))
      let owed = [entry(10, "vehicle", "x"), entry(11, "event", "y"), entry(12, "event", "x")]
      for state in ["unsaved", "saved"] {
        try owe("the parked changes, \(state)", unit.fetchParkedChanges(), owed)
        try unit.save()
      }
      try unit.deleteParkedChange(entry(12, "event", "x"))
      try unit.save()
      try owe("the parked changes of another unit", makeUnit().fetchParkedChanges(), Array(owed.prefix(2)))
    },
  ]
}
