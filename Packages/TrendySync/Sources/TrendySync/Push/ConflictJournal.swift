import TrendyModels
import TrendyProtocols

/// Journal of mutations that the hub did not accept, with their data. Does not save.
struct ConflictJournal {
  let store: any DataStoreProtocol
  let clock: any TimeSource

  /// Moves a mutation from the queue to the journal. The caller must then update the visible state.
  func move(_ mutation: PendingMutation, reason: String) throws {
    try store.insertConflict(
      Conflict(
        id: mutation.id, entityType: mutation.entityType, entityId: mutation.entityId, operation: mutation.operation,
        payload: mutation.payload, reason: reason, recordedAt: clock.now))
    try store.deletePendingMutation(mutation)
  }

  /// Marks the row of an entity that the hub never had as failed. The row stays visible on this device until the user
  /// resolves the conflict.
  func markAsFailed(_ key: EntityKey) throws {
    func mark<Entity: StoredEntity>(_ type: Entity.Type) throws {
      guard var row = try Entity.find(id: key.entityId, in: store) else { return }
      row.syncStatus = .failed
      try Entity.write(row, in: store)
    }
    try mark(key.entityType.stored)
  }

  /// Moves the whole queue to the journal and returns the number of moved mutations.
  func clearQueue(
    reason: String, markEntitiesFailed: Bool, random: RandomSource, _ replications: ReplicationChoice
  ) throws -> Int {
    try store.beginWriting()
    let queue = try store.fetchPendingMutations()
    for mutation in queue { try setAside(mutation, reason: reason, markFailed: markEntitiesFailed) }
    // At the hub, an entity with a pending delete still exists, and an entity with a pending restore does not.
    let memory = try store.syncMemory() ?? SyncMetadata()
    let replication = replications.forStore(memory)
    for key in queue.filter({ [.delete, .restore].contains($0.operation) }).map(\.key).inShowingOrder {
      try replication.refreshVisibleState(key)
    }
    // Without the sent mutations, the sequence numbers would have a gap. A store with versions needs a new identity
    // immediately: without an identity it could not report the versions that it has seen, and would not notice a
    // restored hub.
    if queue.contains(where: { $0.sequence != nil }) {
      if memory.holdsVersions {
        try NewIdentity(store: store, random: random, now: clock.now).take()
      } else {
        try store.setSyncIdentity(nil)
      }
    }
    return queue.count
  }

  /// Moves a mutation to the journal in a store without versions. There is no replica, so the row is either marked as
  /// failed or corrected by the next snapshot.
  func setAside(_ mutation: PendingMutation, reason: String, markFailed: Bool) throws {
    let replica = Replica(store: store)
    try move(mutation, reason: reason)
    if mutation.operation == .delete {
      // The entity still exists at the hub. Its row was deleted here and the feed will not send it again, so a snapshot
      // is needed.
      if let tombstone = try store.tombstone(of: mutation.key) { try store.deleteTombstone(tombstone) }
      try store.setSyncCursor(nil)
    } else {
      if try replica.overlay(of: mutation.key).contains(where: { $0.operation == .create }) {
        try replica.show(mutation.key)
      } else if markFailed {
        try markAsFailed(mutation.key)
      }
      // At the hub, the entity still belongs to its previous type. On this device it belongs to another type and may be
      // deleted together with that type. The feed will not send the entity again, so a snapshot is needed.
      if mutation.operation == .update, mutation.entityType.isChildOfEventType,
        try Coalescing.references(in: mutation.payload).contains(where: { $0.entityType == .eventType })
      {
        try store.setSyncCursor(nil)
      }
    }
  }
}
