import TrendyModels
import TrendyProtocols

/// The journal of what a person did and no hub took. It moves mutations out of the queue with their data, and does not save.
struct Journal {
  let store: any DataStoreProtocol
  let clock: any TimeSource

  /// Moves a mutation from the queue into the journal. What is shown does not follow.
  func move(_ mutation: PendingMutation, reason: String) throws {
    try store.insertConflict(
      Conflict(
        id: mutation.id, entityType: mutation.entityType, entityId: mutation.entityId, operation: mutation.operation,
        payload: mutation.payload, reason: reason, recordedAt: clock.now))
    try store.deletePendingMutation(mutation)
  }

  /// Marks what the hub never had: it is only here, and stays to be seen until the person decides.
  func markAsFailed(_ key: EntityKey) throws {
    func mark<Entity: StoredEntity>(_ type: Entity.Type) throws {
      guard var row = try Entity.find(id: key.entityId, in: store) else { return }
      row.syncStatus = .failed
      try Entity.write(row, in: store)
    }
    try mark(key.entityType.stored)
  }

  /// Moves the whole queue into the journal, with the person's data.
  /// - Returns: how many.
  func clearQueue(
    reason: String, markEntitiesFailed: Bool, chance: RandomSource, _ replications: ReplicationChoice
  ) throws -> Int {
    try store.beginWriting()
    let queue = try store.fetchPendingMutations()
    for mutation in queue { try setAside(mutation, reason: reason, markFailed: markEntitiesFailed) }
    // What a deletion took away is shown again: it lives at the hub.
    let memory = try store.syncMemory() ?? SyncMemory()
    let replication = replications.forStore(memory)
    for key in queue.filter({ $0.operation == .delete }).map(\.key).inShowingOrder { try replication.showAgain(key) }
    // The hub would miss the sequences that were given and never come. Without any identity this store would say nothing of what
    // it has seen, and not notice that the hub was restored.
    if queue.contains(where: { $0.sequence != nil }) {
      if memory.holdsVersions {
        try NewIdentity(store: store, chance: chance, now: clock.now).take()
      } else {
        try store.setSyncIdentity(nil)
      }
    }
    return queue.count
  }

  /// Sets a mutation aside where no copy of what the hub has may be held: its row is made right by a mark, or by a snapshot.
  func setAside(_ mutation: PendingMutation, reason: String, markFailed: Bool) throws {
    let replica = Replica(store: store)
    try move(mutation, reason: reason)
    if mutation.operation == .delete {
      // It lives on at the hub, so it must here. Its row is gone, and the feed will not tell of it again: a snapshot does.
      if let tombstone = try store.tombstone(of: mutation.key) { try store.deleteTombstone(tombstone) }
      try store.setSyncCursor(nil)
    } else {
      if try replica.overlay(of: mutation.key).contains(where: { $0.operation == .create }) {
        // What was made here and is still to be told says what is shown.
        try replica.show(mutation.key)
      } else if markFailed {
        try markAsFailed(mutation.key)
      }
      // At the hub it lies where it did; here its row lies under a type that may be gone, and would go with it. The feed will
      // not tell of it again: a snapshot does.
      if mutation.operation == .update, mutation.entityType.isChildOfEventType,
        try Coalescing.references(in: mutation.payload).contains(where: { $0.entityType == .eventType })
      {
        try store.setSyncCursor(nil)
      }
    }
  }
}
