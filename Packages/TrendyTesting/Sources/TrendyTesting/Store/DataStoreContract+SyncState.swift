import TrendyFoundation
import TrendyModels
import TrendyProtocols

extension DataStoreContract {
  /// Requirements for pending and accepted mutations.
  static let queueClauses: [Clause] = [
    Clause("the queue is sorted by time, then by insertion") { makeUnit in
      let unit = try makeUnit()
      let later = Rows.date.addingTimeInterval(0.001)
      // Ids are not in the order of insertion, and some of the mutations are saved.
      for id in ["z", "y"] { try unit.insertPendingMutation(Rows.mutation(id)) }
      try unit.insertPendingMutation(Rows.mutation("c", at: later))
      try unit.save()
      for id in ["x", "a"] { try unit.insertPendingMutation(Rows.mutation(id)) }
      try unit.insertPendingMutation(Rows.mutation("0", at: Rows.date.addingTimeInterval(-1)))
      for state in ["unsaved", "saved"] {
        try require("the queue, \(state)", unit.fetchPendingMutations().map(\.id), ["0", "z", "y", "x", "a", "c"])
        try unit.save()
      }
      try require(
        "the queue of another unit", makeUnit().fetchPendingMutations().map(\.id), ["0", "z", "y", "x", "a", "c"])
    },
    Clause("a mutation is stored with every field") { makeUnit in
      let unit = try makeUnit()
      let mutation = PendingMutation(
        id: "m-1", entityType: .propertyDefinition, entityId: "def-1", operation: .update,
        payload: Data([0, 1, 254, 255]), createdAt: Rows.date, idempotencyKey: "key", attempts: 3, lastError: "503",
        sequence: 9_007_199_254_740_993, device: "device",
        marks: [
          FieldVersion.others: FieldVersion(version: 7, stamp: 1_704_067_200_123),
          "notes": FieldVersion(version: 9_007_199_254_740_993, stamp: -1, author: "another"),
        ], base: 12, incarnation: 3)
      let bare = PendingMutation(
        id: "m-2", entityType: .event, entityId: "evt-1", operation: .delete, payload: Data(), createdAt: Rows.date)
      try unit.insertPendingMutation(mutation)
      try unit.insertPendingMutation(bare)
      try unit.save()
      try require("the queue", makeUnit().fetchPendingMutations(), [mutation, bare])
    },
    Clause("inserting a mutation again replaces it at its position") { makeUnit in
      let unit = try makeUnit()
      for id in ["a", "b", "c"] { try unit.insertPendingMutation(Rows.mutation(id)) }
      try unit.save()
      var again = Rows.mutation("b")
      again.attempts = 1
      again.lastError = "503"
      try unit.insertPendingMutation(again)
      for state in ["unsaved", "saved"] {
        try require(
          "the queue, \(state)", unit.fetchPendingMutations(), [Rows.mutation("a"), again, Rows.mutation("c")])
        try unit.save()
      }
    },
    Clause("a mutation is found by entity, kind and operation together") { makeUnit in
      let unit = try makeUnit()
      try unit.insertPendingMutation(Rows.mutation("a", entity: "x", type: .event, operation: .update))
      func has(_ entity: String, _ type: MutationEntityType, _ operation: MutationOperation) throws -> Bool {
        try unit.hasPendingMutation(entityId: entity, entityType: type, operation: operation)
      }
      for state in ["unsaved", "saved"] {
        try require("the pending one, \(state)", has("x", .event, .update), true)
        try require("another entity, \(state)", has("y", .event, .update), false)
        try require("another kind, \(state)", has("x", .geofence, .update), false)
        try require("another operation, \(state)", has("x", .event, .delete), false)
        try unit.save()
      }
      try unit.deletePendingMutation(Rows.mutation("a", entity: "x", type: .event, operation: .update))
      try require("a deleted one", has("x", .event, .update), false)
    },
    Clause("the queue can be read from the front, from the back and by entity") { makeUnit in
      let unit = try makeUnit()
      let later = Rows.date.addingTimeInterval(0.001)
      try require("the last of an empty queue", unit.lastPendingMutation(), nil)
      try unit.insertPendingMutation(Rows.mutation("c", entity: "x", type: .event, operation: .update, at: later))
      for (id, entity) in [("b", "x"), ("a", "y")] {
        try unit.insertPendingMutation(Rows.mutation(id, entity: entity, type: .geofence, operation: .update))
      }
      try unit.insertPendingMutation(Rows.mutation("0", entity: "y", type: .event, operation: .delete, at: later))
      for state in ["unsaved", "saved"] {
        for count in 0...5 {
          try require(
            "the first \(count), \(state)", unit.firstPendingMutations(count).map(\.id),
            Array(["b", "a", "c", "0"].prefix(count)))
        }
        try require("the last, \(state)", unit.lastPendingMutation()?.id, "0")
        try require("those of x, \(state)", unit.pendingMutations(ofEntity: "x").map(\.id), ["b", "c"])
        try require("those of z, \(state)", unit.pendingMutations(ofEntity: "z").map(\.id), [])
        try require("how many, \(state)", unit.syncCounts(), SyncCounts(pending: 4))
        try unit.save()
      }
    },
    Clause("accepted mutations are not in the queue and are sorted by version") { makeUnit in
      let unit = try makeUnit()
      func accepted(_ id: String, _ entity: String, at version: Int64) -> PendingMutation {
        var mutation = Rows.mutation(id, entity: entity, type: .event, operation: .update)
        mutation.acceptedVersion = version
        mutation.marks = [FieldVersion.others: FieldVersion(version: 1, stamp: 2)]
        return mutation
      }
      let all = [accepted("b", "x", at: 3), accepted("a", "y", at: 9), accepted("c", "x", at: 9_007_199_254_740_993)]
      for mutation in all.reversed() { try unit.insertAcceptedMutation(mutation) }
      for state in ["unsaved", "saved"] {
        try require("the accepted, \(state)", unit.fetchAcceptedMutations(), all)
        try require("those up to 9, \(state)", unit.acceptedMutations(through: 9), Array(all.prefix(2)))
        try require("those up to 8, \(state)", unit.acceptedMutations(through: 8), Array(all.prefix(1)))
        try require("those of x, \(state)", unit.acceptedMutations(ofEntity: "x"), [all[0], all[2]])
        try require("the queue, \(state)", unit.fetchPendingMutations(), [])
        try unit.save()
      }
      try unit.deleteAcceptedMutation(all[1])
      try unit.save()
      try require("those of another unit", makeUnit().fetchAcceptedMutations(), [all[0], all[2]])
      try require("how many", makeUnit().syncCounts(), SyncCounts(accepted: 2))
    },
    Clause("a mutation is deleted by id, whatever its other fields") { makeUnit in
      let unit = try makeUnit()
      for id in ["a", "b"] { try unit.insertPendingMutation(Rows.mutation(id)) }
      try unit.save()
      var changed = Rows.mutation("a")
      changed.attempts = 7
      try unit.deletePendingMutation(changed)
      for state in ["unsaved", "saved"] {
        try require("the queue, \(state)", unit.fetchPendingMutations().map(\.id), ["b"])
        try unit.save()
      }
    },
  ]

  /// Requirements for cursor, identity, metadata, replica, tombstones, conflict journal and parked changes.
  static let syncStateClauses: [Clause] = [
    Clause("the cursor can be set and cleared") { makeUnit in
      let unit = try makeUnit()
      try require("a new store's cursor", unit.syncCursor(), nil)
      for cursor in [0, 1, Int64.max, nil] {
        try unit.setSyncCursor(cursor)
        try require("the cursor, unsaved", unit.syncCursor(), cursor)
        try unit.save()
        try require("the cursor of another unit", makeUnit().syncCursor(), cursor)
      }
    },
    Clause("the identity can be set and cleared") { makeUnit in
      let unit = try makeUnit()
      try require("a new store's identity", unit.syncIdentity(), nil)
      let highest = SyncIdentity(device: "b", lastSequence: SyncRange.counter.upperBound)
      for identity in [SyncIdentity(device: "a"), highest, nil] {
        try unit.setSyncIdentity(identity)
        try require("the identity, unsaved", unit.syncIdentity(), identity)
        try unit.save()
        try require("the identity of another unit", makeUnit().syncIdentity(), identity)
      }
    },
    Clause("the sync metadata can be set and cleared") { makeUnit in
      let unit = try makeUnit()
      try require("a new store's memory", unit.syncMemory(), nil)
      let full = SyncMetadata(
        epochs: [HubEpoch(id: "a", first: 0), HubEpoch(id: "b", first: 9_007_199_254_740_993)], seen: 7, complete: 6,
        generation: 5, lastStamp: 1_704_067_200_123, clockOffset: -4,
        clockAnchor: SyncMetadata.ClockAnchor(boot: "boot", elapsed: 3, hub: 2),
        snapshot: SyncMetadata.SnapshotProgress(
          cursor: 9_007_199_254_740_993, epochs: [HubEpoch(id: "c", first: 3)], next: "event.5.c",
          unnamed: ["event": ["x", "ü"], "geofence": []]))
      for memory in [SyncMetadata(), full, nil] {
        try unit.setSyncMemory(memory)
        try require("the memory, unsaved", unit.syncMemory(), memory)
        try unit.save()
        try require("the memory of another unit", makeUnit().syncMemory(), memory)
      }
    },
    Clause("the replica has the last entry per kind and entity, with field versions and data") { makeUnit in
      let unit = try makeUnit()
      func entry(
        _ version: Int64, _ kind: String, _ entity: String, operation: String = "update",
        data: [String: JSONValue]? = nil
      ) -> ChangeEntry {
        ChangeEntry(
          id: version, entityType: kind, operation: operation, entityId: entity,
          data: data.map { ChangeEntryData(rawData: $0) }, deletedAt: operation == "delete" ? Rows.date : nil,
          incarnation: 2,
          marks: [
            FieldVersion.others: FieldVersion(version: version, stamp: 5, author: "device"),
            "notes": FieldVersion(version: 1, stamp: 2, author: "other"),
          ])
      }
      let event = entry(3, "event", "x", data: ["event_type_id": "t"])
      let fence = entry(4, "geofence", "x")
      let gone = entry(5, "event", "y", operation: "delete", data: ["event_type_id": "t", "notes": nil])
      let skip = entry(6, "skip", "z", data: ["event_type_id": "t"])
      let elsewhere = entry(7, "event", "w", data: ["event_type_id": "u"])
      try unit.insertHeldEntry(entry(2, "event", "x"))
      try unit.save()
      for held in [event, fence, gone, skip, elsewhere] { try unit.insertHeldEntry(held) }
      for state in ["unsaved", "saved"] {
        try require("the event, \(state)", unit.heldEntry(kind: .event, id: "x"), event)
        try require("the geofence, \(state)", unit.heldEntry(kind: .geofence, id: "x"), fence)
        try require("the tombstone, \(state)", unit.heldEntry(kind: .event, id: "y"), gone)
        try require("a missing entry, \(state)", unit.heldEntry(kind: .eventType, id: "x"), nil)
        try require("all events, \(state)", Set(unit.fetchHeldEntries(kind: .event)), [event, gone, elsewhere])
        for (after, last) in [(Int64.min, Int64.max), (event.id, .max), (.min, event.id), (event.id, event.id)] {
          try require(
            "events above \(after) to \(last), \(state)",
            Set(unit.heldEntries(kind: .event, after: after, through: last)),
            Set([event, gone, elsewhere].filter { $0.id > after && $0.id <= last }))
        }
        try require("the children of the type, \(state)", Set(unit.heldEntries(under: "t")), [event, skip])
        try unit.save()
      }
      try unit.deleteHeldEntry(kind: .event, id: "x")
      try unit.save()
      try require("in another unit", makeUnit().heldEntry(kind: .event, id: "x"), nil)
      try require("the geofence in another unit", makeUnit().heldEntry(kind: .geofence, id: "x"), fence)
    },
    Clause("records without a Swift type are stored by kind and id, with every member") { makeUnit in
      let unit = try makeUnit()
      let car = SyncedRecord(
        id: "b", kind: .vehicle, fields: ["name": "Kombi", "device_ids": ["x", "y"], "of_tomorrow": [1, nil]],
        syncStatus: .synced)
      let other = SyncedRecord(id: "a", kind: .vehicle, fields: ["name": "Käfer"])
      let rule = SyncedRecord(id: "b", kind: .tripRule, fields: ["position": 1.5], syncStatus: .failed)
      try unit.upsertRecord(SyncedRecord(id: "b", kind: .vehicle, fields: ["name": "old", "notes": "gone"]))
      for record in [car, other, rule] { try unit.upsertRecord(record) }
      for state in ["unsaved", "saved"] {
        try require("the vehicles, \(state)", unit.fetchRecords(kind: .vehicle), [other, car])
        try require("the rule, \(state)", unit.findRecord(kind: .tripRule, id: "b"), rule)
        try require("one of another kind, \(state)", unit.findRecord(kind: .setting, id: "b"), nil)
        try unit.save()
      }
      try unit.deleteRecord(kind: .vehicle, id: "b")
      try unit.save()
      try require("the vehicles of another unit", makeUnit().fetchRecords(kind: .vehicle), [other])
      try require("the rule of another unit", makeUnit().findRecord(kind: .tripRule, id: "b"), rule)
    },
    Clause("each entity has at most one tombstone, the last one") { makeUnit in
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
        try require("how many tombstones, \(state)", found.count, 3)
        try require("the tombstones, \(state)", Set(found), tombstones)
        for tombstone in tombstones {
          let (type, id) = (tombstone.entityType, tombstone.entityId)
          try require("one of them, \(state)", unit.findTombstone(entityType: type, entityId: id), tombstone)
        }
        try require("a missing one", unit.findTombstone(entityType: .geofence, entityId: "y"), nil)
        try unit.save()
      }
      // The version of the tombstone must not matter.
      try unit.deleteTombstone(Tombstone(entityType: .event, entityId: "x", version: 1))
      try unit.save()
      try require(
        "the tombstones of another unit", Set(makeUnit().fetchTombstones()),
        tombstones.filter { $0.entityId == "y" || $0.entityType == .geofence })
    },
    Clause("conflicts are sorted by recording time, complete, with the last one per id") { makeUnit in
      let unit = try makeUnit()
      try unit.insertConflict(Rows.conflict("b", at: Rows.date.addingTimeInterval(2)))
      try unit.insertConflict(Rows.conflict("c", at: Rows.date.addingTimeInterval(1)))
      try unit.save()
      var again = Rows.conflict("c", at: Rows.date.addingTimeInterval(1))
      again.reason = "in other words"
      try unit.insertConflict(again)
      try unit.insertConflict(Rows.conflict("a", at: Rows.date.addingTimeInterval(3)))
      let expected = [
        again, Rows.conflict("b", at: Rows.date.addingTimeInterval(2)),
        Rows.conflict("a", at: Rows.date.addingTimeInterval(3)),
      ]
      for state in ["unsaved", "saved"] {
        try require("the conflicts, \(state)", unit.fetchConflicts(), expected)
        try unit.save()
      }
      try unit.deleteConflict(again)
      try unit.save()
      try require("the conflicts of another unit", makeUnit().fetchConflicts(), Array(expected.dropFirst()))
    },
    Clause("a parked change is found by its entity and by the parent it needs") { makeUnit in
      let unit = try makeUnit()
      func entry(_ version: Int64, _ kind: String, _ entity: String, _ operation: String, parent: String?)
        -> ChangeEntry
      {
        ChangeEntry(
          id: version, entityType: kind, operation: operation, entityId: entity,
          data: parent.map { ChangeEntryData(rawData: ["event_type_id": .string($0)]) })
      }
      let child = entry(3, "event", "x", "update", parent: "t")
      let tombstone = entry(2, "event_type", "t", "delete", parent: nil)
      let buried = entry(4, "event", "y", "delete", parent: "t")
      let other = entry(5, "event", "z", "create", parent: "u")
      for change in [child, tombstone, buried, other] { try unit.insertParkedChange(change) }
      for state in ["unsaved", "saved"] {
        try require("of x, \(state)", unit.parkedChange(entityType: "event", entityId: "x"), child)
        try require("of nothing, \(state)", unit.parkedChange(entityType: "event", entityId: "t"), nil)
        try require("about t, \(state)", unit.parkedChanges(about: "t"), [tombstone, child])
        try require("about y, \(state)", unit.parkedChanges(about: "y"), [buried])
        try require("how many, \(state)", unit.syncCounts(), SyncCounts(parked: 4))
        try unit.save()
      }
    },
    Clause("parked changes are sorted by version, unchanged, with the last one per entity") { makeUnit in
      let unit = try makeUnit()
      func entry(_ version: Int64, _ kind: String, _ entity: String) -> ChangeEntry {
        ChangeEntry(
          id: version, entityType: kind, operation: "create", entityId: entity,
          data: ChangeEntryData(rawData: ["id": .string(entity), "of": [1, nil, "newer"]]), deletedAt: Rows.date,
          createdAt: Rows.date, unknownFields: ["stamp": 1], incarnation: 4,
          marks: ["notes": FieldVersion(version: 1, stamp: 2, author: "other")])
      }
      try unit.insertParkedChange(entry(10, "vehicle", "x"))
      try unit.insertParkedChange(entry(9, "event", "x"))
      try unit.save()
      try unit.insertParkedChange(entry(12, "event", "x"))
      try unit.insertParkedChange(entry(11, "event", "y"))
      let expected = [entry(10, "vehicle", "x"), entry(11, "event", "y"), entry(12, "event", "x")]
      for state in ["unsaved", "saved"] {
        try require("the parked changes, \(state)", unit.fetchParkedChanges(), expected)
        try unit.save()
      }
      try unit.deleteParkedChange(entry(12, "event", "x"))
      try unit.save()
      try require("the parked changes of another unit", makeUnit().fetchParkedChanges(), Array(expected.prefix(2)))
    },
  ]
}
