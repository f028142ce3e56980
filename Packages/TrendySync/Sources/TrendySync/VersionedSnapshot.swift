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
      try Reoffer(store: store, now: now, makeIdentifier: makeIdentifier).queue(
        lost.map { Reoffer.Loss(entry: $0, atHub: try Replica(store: store).held($0), common: common) },
        accepted.filter { ($0.acceptedVersion ?? 0) > common }, above: common)
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
    return Array(lost.values)
  }
}

extension ChangeEntry {
  /// `nil` for a kind that this version does not know.
  var key: EntityKey? { MutationEntityType(rawValue: entityType).map { EntityKey($0, entityId) } }

  var rank: Int { SyncedKind.named(entityType)?.rank ?? .max }
}
