import TrendyModels
import TrendyProtocols

/// Carries out in a unit of work what a hub that gives no versions said of pushed mutations. It does not save.
struct PlainSettlement {
  let store: any DataStoreProtocol
  let clock: any TimeSource

  /// - Returns: how many are settled: no longer in the queue.
  func settle(_ mutations: [PendingMutation], _ outcomes: [MutationOutcome]) throws -> Int {
    try store.takeWriteLock()
    let judged = zip(mutations, outcomes)
    // Those of the batch that have an answer of their own are not taken along by another's refusal.
    let answered = Set(judged.compactMap { $1.isTryLater ? nil : $0.id })
    let parked = try store.fetchParkedChanges()
    var settled = 0
    for (mutation, outcome) in judged {
      switch outcome {
      case .accepted(let version), .merged(let version):
        try accept(mutation, version: version)
        try unpark(parked, behind: mutation, version: version)
        settled += 1
      case .refused(let problem):
        settled += try refuse(mutation, problem, sparing: answered)
      case .tryLater:
        break
      }
    }
    return settled
  }

  /// Moves the whole queue into the journal, with the person's data.
  /// - Parameter newDevice: the identity that the store goes on under, where the hub would miss what was sent.
  /// - Returns: how many.
  func clearQueue(reason: String, markEntitiesFailed: Bool, newDevice: String) throws -> Int {
    try store.takeWriteLock()
    let queue = try store.fetchPendingMutations()
    for mutation in queue { try setAside(mutation, reason: reason, markFailed: markEntitiesFailed) }
    // What a deletion took away is shown again: it lives at the hub.
    if try store.syncMemory()?.generation ?? 0 > 0 {
      let replica = Replica(store: store)
      for key in queue.filter({ $0.operation == .delete }).map(\.key).inShowingOrder { try replica.show(key) }
    }
    // The hub would miss the sequences that were given and never come. Without any identity this store would say nothing of what
    // it has seen, and not notice that the hub was restored.
    if queue.contains(where: { $0.sequence != nil }) {
      let hasSeen = try store.syncMemory()?.seen ?? 0 > 0
      if hasSeen { try NewIdentity(store: store, device: newDevice).take() } else { try store.setSyncIdentity(nil) }
    }
    return queue.count
  }
}

extension PlainSettlement {
  private func accept(_ mutation: PendingMutation, version: Int64?) throws {
    try store.deletePendingMutation(mutation)
    let isLast = try !store.hasPendingMutation(of: mutation.key)
    if mutation.operation == .delete {
      // From here to where the feed has passed the delete only this keeps older entries out. What was made again here since
      // is not to be kept out.
      if isLast {
        try store.insertTombstone(
          Tombstone(entityType: mutation.entityType, entityId: mutation.entityId, version: version))
      }
    } else if isLast {
      try markSynced(mutation.key)
    }
  }

  /// What the feed gave while the mutation waited is behind it now, and its own entry comes; unless the hub says that it stood there
  /// before: then the answer to an earlier try was lost, and what came since is the newer. Where it does not say, a create that met
  /// what lives has changed nothing.
  private func unpark(_ parked: [ChangeEntry], behind mutation: PendingMutation, version: Int64?) throws {
    for entry in parked where entry.key == mutation.key {
      if version == nil, mutation.operation != .update, mutation.operation != .delete, !entry.isDelete { continue }
      if entry.id <= version ?? .max { try store.deleteParkedChange(entry) }
    }
  }

  /// A refused create takes along what was not sent of the same entity and of what would hang on it: to the hub they do not exist.
  /// - Returns: how many left the queue.
  private func refuse(_ mutation: PendingMutation, _ problem: ProblemDetails, sparing answered: Set<String>) throws
    -> Int
  {
    try setAside(mutation, reason: problem.description, markFailed: true)
    guard mutation.operation == .create else { return 1 }
    var settled = 1
    let reason = "The \(mutation.entityType.words) that it belongs to was refused: \(problem)"
    // An import can be made again on any device: that it was deleted here must reach the hub all the same.
    let isImport = try Coalescing.hasNaturalKey(mutation)
    for other in try store.fetchPendingMutations() where other.sequence == nil && !answered.contains(other.id) {
      if isImport, other.key == mutation.key, other.operation == .delete { continue }
      if try other.key == mutation.key || hangs(other, on: mutation.key) {
        try setAside(other, reason: reason, markFailed: true)
        settled += 1
      }
    }
    return settled
  }

  private func hangs(_ other: PendingMutation, on key: EntityKey) throws -> Bool {
    guard key.entityType == .eventType, other.entityType.isChildOfEventType else { return false }
    if try Coalescing.references(in: other.payload).contains(key) { return true }
    // An edit does not say what it belongs to; the row does.
    func parent<Entity: StoredEntity>(_ type: Entity.Type) throws -> String? {
      try Entity.find(id: other.entityId, in: store)?.parentEventTypeId
    }
    return try other.operation != .create && parent(other.entityType.stored) == key.entityId
  }

  private func setAside(_ mutation: PendingMutation, reason: String, markFailed: Bool) throws {
    let replica = Replica(store: store)
    try store.insertConflict(
      Conflict(
        id: mutation.id, entityType: mutation.entityType, entityId: mutation.entityId, operation: mutation.operation,
        payload: mutation.payload, reason: reason, recordedAt: clock.now))
    try store.deletePendingMutation(mutation)
    if mutation.operation == .delete {
      // It lives on at the hub, so it must here. Its row is gone, and the feed will not tell of it again: a snapshot does.
      if let tombstone = try store.tombstone(of: mutation.key) { try store.deleteTombstone(tombstone) }
      try store.setSyncCursor(nil)
    } else {
      if try replica.overlay(of: mutation.key).contains(where: { $0.operation == .create }) {
        // What was made here and is still to be told says what is shown.
        try replica.show(mutation.key)
      } else if markFailed {
        try mark(mutation.key, .failed)
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

  private func markSynced(_ key: EntityKey) throws {
    func mark<Entity: StoredEntity>(_ type: Entity.Type) throws { try Entity.markSynced(id: key.entityId, in: store) }
    try mark(key.entityType.stored)
  }

  private func mark(_ key: EntityKey, _ status: SyncStatus) throws {
    func mark<Entity: StoredEntity>(_ type: Entity.Type) throws {
      guard var entity = try Entity.find(id: key.entityId, in: store) else { return }
      entity.syncStatus = status
      try Entity.write(entity, in: store)
    }
    try mark(key.entityType.stored)
  }
}

extension MutationOutcome {
  var isTryLater: Bool { if case .tryLater = self { true } else { false } }
}
