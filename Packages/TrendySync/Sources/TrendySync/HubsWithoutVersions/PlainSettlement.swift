import TrendyModels
import TrendyProtocols

/// Carries out in a unit of work what a hub that gives no versions said of pushed mutations. It does not save.
struct PlainSettlement {
  let store: any DataStoreProtocol
  let clock: any TimeSource

  /// - Returns: how many are settled: no longer in the queue.
  func settle(_ mutations: [PendingMutation], _ outcomes: [MutationOutcome]) throws -> Int {
    try store.beginWriting()
    let judged = zip(mutations, outcomes)
    // Those of the batch that have an answer of their own are not taken along by another's refusal.
    let answered = Set(judged.compactMap { $1.isTryLater ? nil : $0.id })
    let parked = try store.fetchParkedChanges()
    // What the hub refused of them is shown all the same, and stays to be seen.
    var refused = Set(try store.fetchConflicts().map { EntityKey($0.entityType, $0.entityId) })
    var settled = 0
    for (mutation, outcome) in judged {
      switch outcome {
      case .accepted(let said), .merged(let said):
        // No write has a version below 1: a client that says 0 does not know it.
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

extension PlainSettlement {
  /// - Parameter isFailed: whether something else of the entity was refused, and nobody has decided on that.
  private func accept(_ mutation: PendingMutation, version: Int64?, isFailed: Bool) throws {
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
      if isFailed {
        try Journal(store: store, clock: clock).markAsFailed(mutation.key)
      } else {
        try markSynced(mutation.key)
      }
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
    let isOfDeleted = mutation.operation == .create && problem.type == ProblemDetails.entityDeleted
    try Journal(store: store, clock: clock).setAside(mutation, reason: problem.description, markFailed: !isOfDeleted)
    guard mutation.operation == .create else { return 1 }
    var settled = 1
    let reason = "The \(mutation.entityType.words) that it belongs to was refused: \(problem)"
    // An import can be made again on any device: that it was deleted here must reach the hub all the same.
    let isImport = try Coalescing.hasNaturalKey(mutation)
    for other in try store.fetchPendingMutations() where other.sequence == nil && !answered.contains(other.id) {
      if isImport, other.key == mutation.key, other.operation == .delete { continue }
      if try other.key == mutation.key || hangs(other, on: mutation.key) {
        try Journal(store: store, clock: clock).setAside(other, reason: reason, markFailed: true)
        settled += 1
      }
    }
    // Somebody deleted it: the journal has the data, and nothing is shown.
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
    // An edit does not say what it belongs to; the row does.
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
