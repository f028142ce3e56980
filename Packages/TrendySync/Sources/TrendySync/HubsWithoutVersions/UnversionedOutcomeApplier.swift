import TrendyModels
import TrendyProtocols

/// Applies the outcomes of a push to a hub without versions. Does not save.
struct UnversionedOutcomeApplier {
  let store: any DataStoreProtocol
  let clock: any TimeSource

  /// Applies the outcomes of a batch and returns the number of mutations that left the queue.
  func settle(_ mutations: [PendingMutation], _ outcomes: [MutationOutcome]) throws -> Int {
    try store.beginWriting()
    let judged = zip(mutations, outcomes)
    // Mutations with their own outcome do not follow a refused create in the same batch into the journal.
    let answered = Set(judged.compactMap { $1.isTryLater ? nil : $0.id })
    let parked = try store.fetchParkedChanges()
    var refused = Set(try store.fetchConflicts().map { EntityKey($0.entityType, $0.entityId) })
    var settled = 0
    for (mutation, outcome) in judged {
      switch outcome {
      case .accepted(let said), .merged(let said):
        // Versions of writes start at 1. A client reports 0 if it does not know the version.
        let version = said.flatMap { $0 < 1 ? nil : $0 }
        try accept(mutation, version: version, isFailed: refused.contains(mutation.key))
        try unpark(parked, behind: mutation, version: version)
        settled += 1
      case .refused(let problem):
        settled += try refuse(mutation, problem, sparing: answered)
        refused.insert(mutation.key)
      case .tryLater:
        break
      }
    }
    return settled
  }
}

extension UnversionedOutcomeApplier {
  /// Removes an accepted mutation from the queue. `isFailed` means that another mutation of the entity was refused and
  /// is unresolved.
  private func accept(_ mutation: PendingMutation, version: Int64?, isFailed: Bool) throws {
    try store.deletePendingMutation(mutation)
    let isLast = try !store.hasPendingMutation(of: mutation.key)
    if mutation.operation == .delete {
      // Until the feed has passed the deletion, only the tombstone keeps out older entries. The tombstone must not keep
      // out an entity that has been recreated since.
      if isLast {
        try store.insertTombstone(
          Tombstone(entityType: mutation.entityType, entityId: mutation.entityId, version: version))
      }
    } else if isLast {
      if isFailed {
        try ConflictJournal(store: store, clock: clock).markAsFailed(mutation.key)
      } else {
        try markSynced(mutation.key)
      }
    }
  }

  /// Deletes parked entries that are older than an accepted mutation, because the feed will send the entity again.
  ///
  /// An entry above `version` is newer: the mutation was applied on an earlier attempt whose response was lost. If a
  /// create has no version, the entity already existed and the create changed nothing, so the entry stays.
  private func unpark(_ parked: [ChangeEntry], behind mutation: PendingMutation, version: Int64?) throws {
    for entry in parked where entry.key == mutation.key {
      if version == nil, mutation.operation != .update, mutation.operation != .delete, !entry.isDelete { continue }
      if entry.id <= version ?? .max { try store.deleteParkedChange(entry) }
    }
  }

  /// Moves a refused mutation to the journal. If the mutation is a create, the hub does not have the entity, so the
  /// unsent mutations of the entity and its children are moved as well, except those in `answered`, which have their
  /// own outcome.
  /// - Returns: Number of mutations that left the queue.
  private func refuse(_ mutation: PendingMutation, _ problem: ProblemDetails, sparing answered: Set<String>) throws
    -> Int
  {
    let isOfDeleted = mutation.operation == .create && problem.type == ProblemDetails.entityDeleted
    try ConflictJournal(store: store, clock: clock).setAside(
      mutation, reason: problem.description, markFailed: !isOfDeleted)
    guard mutation.operation == .create else { return 1 }
    var settled = 1
    let reason = "Depends on a rejected \(mutation.entityType.words): \(problem)"
    // Other devices may have imported the same data, so the hub must still receive the deletion of an imported entity.
    let isImport = try Coalescing.hasNaturalKey(mutation)
    for other in try store.fetchPendingMutations() where other.sequence == nil && !answered.contains(other.id) {
      if isImport, other.key == mutation.key, other.operation == .delete { continue }
      if try other.key == mutation.key || hangs(other, on: mutation.key) {
        try ConflictJournal(store: store, clock: clock).setAside(other, reason: reason, markFailed: true)
        settled += 1
      }
    }
    // Hide the entity, because another device deleted it. The entity's data is in the journal.
    if isOfDeleted, try !store.hasPendingMutation(of: mutation.key) {
      let replica = Replica(store: store)
      try replica.hide(mutation.key)
      try replica.noteForgottenDeletion(of: mutation.key, version: nil)
    }
    return settled
  }

  private func hangs(_ other: PendingMutation, on key: EntityKey) throws -> Bool {
    guard key.entityType == .eventType, other.entityType.isChildOfEventType else { return false }
    if try Coalescing.references(in: other.payload).contains(key) { return true }
    // An update does not contain the event type.
    func parent<Entity: StoredEntity>(_ type: Entity.Type) throws -> String? {
      try Entity.find(id: other.entityId, in: store)?.parentEventTypeId
    }
    return try other.operation != .create && parent(other.entityType.stored) == key.entityId
  }

  private func markSynced(_ key: EntityKey) throws {
    func mark<Entity: StoredEntity>(_ type: Entity.Type) throws { try Entity.markSynced(id: key.entityId, in: store) }
    try mark(key.entityType.stored)
  }
}

extension MutationOutcome {
  var isTryLater: Bool { if case .tryLater = self { true } else { false } }
}
