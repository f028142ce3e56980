import TrendyModels
import TrendyProtocols

/// Journal of mutations that the hub did not accept. They are moved out of the queue together with their data. Does not
/// save.
struct ConflictJournal {
  let store: any DataStoreProtocol
  let clock: any TimeSource

  /// Moves a mutation from the queue to the journal. The caller must update the visible state.
  func move(_ mutation: PendingMutation, reason: String) throws {
    try store.insertConflict(
      Conflict(
        id: mutation.id, entityType: mutation.entityType, entityId: mutation.entityId, operation: mutation.operation,
        payload: mutation.payload, reason: reason, recordedAt: clock.now))
    try store.deletePendingMutation(mutation)
  }

  /// Marks an entity's row as failed, because the hub never had the entity. It exists only on this device and stays
  /// visible until the user decides what to do with it.
  func markAsFailed(_ key: EntityKey) throws {
    func mark<Entity: StoredEntity>(_ type: Entity.Type) throws {
      guard var row = try Entity.find(id: key.entityId, in: store) else { return }
      row.syncStatus = .failed
      try Entity.write(row, in: store)
    }
    try mark(key.entityType.stored)
  }

  /// Moves the whole queue to the journal.
  /// - Parameters:
  ///   - reason: Explanation for the user.
  ///   - markEntitiesFailed: Whether to mark the rows of the entities as failed.
  ///   - random: Source of a new device identity.
  ///   - replications: Selects the replication that recomputes the visible state.
  /// - Returns: Number of moved mutations.
  func clearQueue(
    reason: String, markEntitiesFailed: Bool, random: RandomSource, _ replications: ReplicationChoice
  ) throws -> Int {
    try store.beginWriting()
    let queue = try store.fetchPendingMutations()
    for mutation in queue { try setAside(mutation, reason: reason, markFailed: markEntitiesFailed) }
    // An entity exists at the hub despite its pending delete, and does not exist there despite its pending restore.
    let memory = try store.syncMemory() ?? SyncMetadata()
    let replication = replications.forStore(memory)
    for key in queue.filter({ [.delete, .restore].contains($0.operation) }).map(\.key).inShowingOrder {
      try replication.refreshVisibleState(key)
    }
    // Removing sent mutations would leave gaps in the sequence numbers that the hub receives. With versions, the store
    // needs a new identity immediately: without one it could not report the versions that it has seen, and would not
    // notice a restored hub.
    if queue.contains(where: { $0.sequence != nil }) {
      if memory.holdsVersions {
        try NewIdentity(store: store, random: random, now: clock.now).take()
      } else {
        try store.setSyncIdentity(nil)
      }
    }
    return queue.count
  }

  /// Moves a mutation to the journal in a store without versions. Because there is no replica, the row is either marked
  /// as failed or corrected by the next snapshot.
  func setAside(_ mutation: PendingMutation, reason: String, markFailed: Bool) throws {
    let replica = Replica(store: store)
    try move(mutation, reason: reason)
    if mutation.operation == .delete {
      // The entity still exists at the hub. Its row has been deleted here and the feed will not send it again, so a
      // snapshot is needed.
      if let tombstone = try store.tombstone(of: mutation.key) { try store.deleteTombstone(tombstone) }
      try store.setSyncCursor(nil)
    } else {
      if try replica.overlay(of: mutation.key).contains(where: { $0.operation == .create }) {
        // The visible state is derived from the create, which is still pending.
        try replica.show(mutation.key)
      } else if markFailed {
        try markAsFailed(mutation.key)
      }
      // At the hub the entity still belongs to its previous type. On this device it belongs to a type that may be
      // deleted together with the row. The feed will not send the entity again, so a snapshot is needed.
      if mutation.operation == .update, mutation.entityType.isChildOfEventType,
        try Coalescing.references(in: mutation.payload).contains(where: { $0.entityType == .eventType })
      {
        try store.setSyncCursor(nil)
      }
    }
  }
}
