#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols

/// Lays a hub's snapshot into a unit of work as a new generation, the queue over it unchanged. It does not save.
///
/// Where the hub was restored from a backup and lost what this store has seen, what it lost is offered again.
struct VersionedSnapshot {
  let snapshot: HubSnapshot
  let store: any DataStoreProtocol
  let now: Date
  /// For a new identity, and for mutations that offer again.
  let makeIdentifier: () -> String

  /// - Returns: how many entities it brought.
  func apply(_ memory: inout SyncMemory) throws -> Int {
    let position = snapshot.position
    let common =
      memory.epochs.isEmpty
      ? position.head
      : memory.epochs.lastCommonVersion(endingAt: memory.seen, with: position.epochs, endingAt: position.head)
    let isReset = common < memory.seen
    // One that is older than what is here, of the same history, says nothing.
    if !isReset, memory.generation > 0, position.head < (try store.syncCursor() ?? 0) { return 0 }

    let lost = isReset && memory.generation > 0 ? try entries(above: common) : []
    let accepted = try store.fetchAcceptedMutations()
    try forgetNotes()
    try lay(&memory, upTo: common)
    try store.setSyncCursor(position.head)
    memory.epochs = position.epochs
    memory.seen = position.head
    memory.complete = position.head
    memory.generation += 1
    for mutation in accepted where isReset || (mutation.acceptedVersion ?? 0) <= position.head {
      try store.deleteAcceptedMutation(mutation)
    }
    if isReset {
      try recover(lost, accepted.filter { ($0.acceptedVersion ?? 0) > common }, above: common)
    }
    let replica = Replica(store: store)
    let overlaid =
      try store.fetchPendingMutations().map(\.key) + store.fetchAcceptedMutations().map(\.key)
      + accepted.map(\.key)
    for key in overlaid.inShowingOrder { try replica.show(key) }
    return snapshot.entries.count
  }
}

// MARK: The new generation

extension VersionedSnapshot {
  /// The snapshot answers what was parked, and every deletion that the hub has heard of. What an import could make again stays noted
  /// as deleted unless it lives.
  private func forgetNotes() throws {
    for entry in try store.fetchParkedChanges() where MutationEntityType(rawValue: entry.entityType) != nil {
      try store.deleteParkedChange(entry)
    }
    let tombstones = try store.fetchTombstones()
    if tombstones.isEmpty { return }
    let living = Set(snapshot.entries.filter { !$0.isDelete }.compactMap(\.key))
    for tombstone in tombstones {
      if NaturalIdentifier.isNatural(tombstone.entityId), !living.contains(tombstone.key) { continue }
      try store.deleteTombstone(tombstone)
    }
  }

  private func lay(_ memory: inout SyncMemory, upTo common: Int64) throws {
    var present: Set<EntityKey> = []
    var living: Set<EntityKey> = []
    // In the order in which the hub gives them, what others refer to comes first; sorted, as not every hub must.
    let entries = snapshot.entries.sorted { $0.rank < $1.rank }
    for entry in entries {
      memory.passStamps(of: entry)
      guard let key = entry.key else {
        try store.insertParkedChange(entry)
        continue
      }
      func lay<Entity: StoredEntity>(_ type: Entity.Type) throws -> Bool {
        guard let entity = entry.entity(as: type) else { return false }
        if let parent = entity.parentEventTypeId, !living.contains(EntityKey(.eventType, parent)) { return false }
        var copy = entry
        copy.data = nil
        try store.insertHeldEntry(copy)
        try Entity.write(entity, in: store)
        return true
      }
      if entry.isDelete {
        try store.insertHeldEntry(entry)
        present.insert(key)
      } else if try lay(key.entityType.stored) {
        present.insert(key)
        living.insert(key)
      } else {
        try store.insertParkedChange(entry)
      }
    }
    for kind in MutationEntityType.parentsFirst.reversed() {
      func removeAbsent<Entity: StoredEntity>(_ type: Entity.Type) throws {
        for entity in try Entity.fetchAll(in: store) where !living.contains(EntityKey(kind, entity.id)) {
          try Entity.delete(id: entity.id, in: store)
        }
      }
      try removeAbsent(kind.stored)
      for held in try store.fetchHeldEntries(kind: kind) where !present.contains(EntityKey(kind, held.entityId)) {
        // The hub tells no more of what was deleted long ago; here a note keeps the next import of the same thing out.
        if held.id <= common, NaturalIdentifier.isNatural(held.entityId) {
          try store.insertTombstone(Tombstone(entityType: kind, entityId: held.entityId, version: held.id))
        }
        try store.deleteHeldEntry(kind: kind, id: held.entityId)
      }
    }
  }
}

// MARK: A hub that lost something

extension VersionedSnapshot {
  /// What this store has that was written above a version, each with its data.
  private func entries(above version: Int64) throws -> [ChangeEntry] {
    let replica = Replica(store: store)
    var lost: [EntityKey: ChangeEntry] = [:]
    for kind in MutationEntityType.parentsFirst {
      for held in try store.fetchHeldEntries(kind: kind) where held.id > version {
        lost[EntityKey(kind, held.entityId)] = try replica.complete(held)
      }
    }
    for parked in try store.fetchParkedChanges() where parked.id > version {
      if let key = parked.key { lost[key] = parked }
    }
    return lost.values.sorted { ($0.rank, $0.id, $0.entityId) < ($1.rank, $1.id, $1.entityId) }
  }

  /// Under a new identity: what the hub lost is offered again, with its authors and stamps; then everything sent, waiting, or
  /// accepted above the last common version, in its order, based on no more than that version.
  private func recover(_ lost: [ChangeEntry], _ accepted: [PendingMutation], above common: Int64) throws {
    try NewIdentity(store: store, device: makeIdentifier()).take()
    let waiting = try store.fetchPendingMutations()
    var queue = accepted.inAcceptingOrder + waiting
    for index in queue.indices {
      // The queue lies by time: a clock set back must not put what was made later before it.
      if index > 0 { queue[index].createdAt = max(queue[index].createdAt, queue[index - 1].createdAt) }
      queue[index].acceptedVersion = nil
      queue[index].sequence = nil
      queue[index].attempts = 0
      queue[index].lastError = nil
      if let base = queue[index].base { queue[index].base = min(base, common) }
      queue[index].marks = queue[index].marks.mapValues {
        FieldMark(version: min($0.version, common), stamp: $0.stamp, author: $0.author)
      }
    }
    let first = queue.first?.createdAt ?? now
    let offers =
      try lost.filter { !$0.isDelete }.compactMap { try offer($0, above: common, at: first) }
      + lost.filter(\.isDelete).reversed().compactMap { try offer($0, above: common, at: first) }
    for mutation in waiting { try store.deletePendingMutation(mutation) }
    // Each anew, so that those of one time lie in this order.
    for mutation in offers + queue { try store.insertPendingMutation(mutation) }
  }

  private func offer(_ entry: ChangeEntry, above common: Int64, at date: Date) throws -> PendingMutation? {
    guard let key = entry.key else { return nil }
    var mutation = PendingMutation(
      id: makeIdentifier(), entityType: key.entityType, entityId: key.entityId, operation: .delete, payload: Data(),
      createdAt: date, incarnation: entry.incarnation)
    if entry.isDelete {
      mutation.base = common
      let mark = entry.marks[FieldMark.others] ?? FieldMark(version: common, stamp: 0)
      mutation.marks = [FieldMark.others: FieldMark(version: common, stamp: mark.stamp, author: mark.author)]
      return mutation
    }
    let held = try store.heldEntry(kind: key.entityType, id: key.entityId)
    if let held {
      mutation.operation = held.isDelete || held.incarnation < entry.incarnation ? .restore : .update
    } else {
      mutation.operation = .create
    }
    let (members, marks) = entry.fields(above: common)
    if members.isEmpty, mutation.operation == .update { return nil }
    var payload = members
    if mutation.operation == .create { payload["id"] = .string(key.entityId) }
    mutation.payload = try WireJSON.encode(payload)
    mutation.marks = marks
    return mutation
  }
}

extension ChangeEntry {
  /// `nil` for a kind that this version does not know.
  var key: EntityKey? { MutationEntityType(rawValue: entityType).map { EntityKey($0, entityId) } }

  var rank: Int { SyncedKind.named(entityType)?.rank ?? .max }

  /// The fields that were written above a version, as members of a request, and who wrote them when, on the base of that version.
  fileprivate func fields(above version: Int64) -> (members: [String: JSONValue], marks: [String: FieldMark]) {
    var values = (data?.rawData ?? [:]).filter { !RecordDocument.ownMembers.contains($0.key) && $0.key != "event_type" }
    let nested = SyncedKind.named(entityType)?.nestedMember
    if let nested {
      for (key, value) in values.removeValue(forKey: nested)?.objectValue ?? [:] { values["\(nested).\(key)"] = value }
    }
    // What was cleared has a mark and no value.
    for name in marks.keys where name != FieldMark.others && values[name] == nil {
      values.updateValue(.null, forKey: name)
    }
    var members: [String: JSONValue] = [:]
    var offered: [String: FieldMark] = [:]
    for (name, value) in values {
      guard let mark = marks.mark(of: name), mark.version > version else { continue }
      offered[name] = FieldMark(version: version, stamp: mark.stamp, author: mark.author)
      if let nested, name.hasPrefix("\(nested).") {
        var object = members[nested]?.objectValue ?? [:]
        object.updateValue(value, forKey: String(name.dropFirst(nested.count + 1)))
        members[nested] = .object(object)
      } else {
        members.updateValue(value, forKey: name)
      }
    }
    if offered.isEmpty { offered[FieldMark.others] = FieldMark(version: version, stamp: 0) }
    return (members, offered)
  }
}
