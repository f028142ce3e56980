import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Applies the outcomes of pushed mutations. Does not save.
struct VersionedOutcomeApplier {
  private let store: any DataStoreProtocol
  private let clock: any TimeSource
  private let cursor: Int64
  /// Version up to which the replica was last complete; see ``SyncMetadata``.
  private let complete: Int64

  init(store: any DataStoreProtocol, clock: any TimeSource) throws {
    self.store = store
    self.clock = clock
    cursor = try store.syncCursor() ?? 0
    complete = try store.syncMemory()?.complete ?? 0
  }

  /// Applies the outcomes of a batch and returns the number of mutations that left the queue.
  func settle(_ mutations: [PendingMutation], _ answer: PushBatchResult) throws -> Int {
    let replica = Replica(store: store)
    var touched: [EntityKey] = []
    var settled = 0
    for (place, (mutation, outcome)) in zip(mutations, answer.outcomes).enumerated() {
      switch outcome {
      case .accepted(let version), .merged(let version):
        if let lost = answer.lost[place] { try journal(lost, of: mutation) }
        try store.deletePendingMutation(mutation)
        var accepted = mutation
        accepted.acceptedVersion = version ?? answer.position?.head
        if try replica.comesBack(mutation.key, version: accepted.acceptedVersion, complete: complete) {
          try store.insertAcceptedMutation(accepted)
        } else if mutation.operation == .delete {
          try replica.noteForgottenDeletion(of: mutation.key, version: accepted.acceptedVersion)
        }
        touched.append(mutation.key)
        settled += 1
      case .refused(let problem):
        touched.append(mutation.key)
        settled += try refuse(mutation, problem, &touched)
      case .tryLater:
        break
      }
    }
    touched += try replica.sweep(cursor: cursor)
    for key in touched.inShowingOrder { try replica.show(key) }
    return settled
  }

  /// Stores the user's lost values in the journal without applying outcomes. Used before the first snapshot.
  func journalLost(of mutations: [PendingMutation], _ answer: PushBatchResult) throws {
    for (place, mutation) in mutations.enumerated() {
      if let lost = answer.lost[place] { try journal(lost, of: mutation) }
    }
  }
}

extension VersionedOutcomeApplier {
  private func journal(_ lost: [String], of mutation: PendingMutation) throws {
    let members = try WireJSON.decode([String: JSONValue].self, from: mutation.payload)
    let nested = SyncedKind.named(mutation.entityType.rawValue)?.nestedMember
    var kept: [String: JSONValue] = [:]
    for name in lost {
      if let value = members[name] {
        kept[name] = value
      } else if let nested, name.hasPrefix("\(nested)."), let values = members[nested]?.objectValue {
        let key = String(name.dropFirst(nested.count + 1))
        var object = kept[nested]?.objectValue ?? [:]
        object[key] = values[key] ?? .null
        kept[nested] = .object(object)
      }
    }
    guard !kept.isEmpty else { return }
    try store.insertConflict(
      Conflict(
        id: mutation.id, entityType: mutation.entityType, entityId: mutation.entityId, operation: .update,
        payload: try WireJSON.encode(kept),
        reason: "Another device changed \(lost.sorted().joined(separator: ", ")) later",
        recordedAt: clock.now))
  }

  /// Moves a refused mutation to the journal. If the mutation is a create or restore, the hub does not have the entity,
  /// so the pending mutations of the entity and its children are moved as well.
  /// - Parameter touched: Receives the entities whose visible state must be recomputed.
  /// - Returns: Number of mutations that left the queue.
  private func refuse(_ mutation: PendingMutation, _ problem: ProblemDetails, _ touched: inout [EntityKey]) throws
    -> Int
  {
    let isDeleted = problem.type == ProblemDetails.entityDeleted
    try setAside(mutation, reason: problem.description, isDeleted: isDeleted)
    if isDeleted, mutation.operation == .create {
      try Replica(store: store).noteForgottenDeletion(of: mutation.key, version: nil)
    }
    guard mutation.operation == .create || mutation.operation == .restore else { return 1 }
    var settled = 1
    var dead: Set = [mutation.key]
    let reason = "Depends on a rejected \(mutation.entityType.words): \(problem)"
    // Only an event type has children. For any other entity, its own mutations suffice.
    let others =
      mutation.entityType == .eventType
      ? try store.fetchPendingMutations() : try Replica(store: store).waiting(of: mutation.key)
    for other in others where other.sequence == nil && other.operation != .delete {
      let isMadeBeneath =
        try other.operation != .update && Coalescing.references(in: other.payload).contains { dead.contains($0) }
        && other.entityType.isChildOfEventType
      guard dead.contains(other.key) || isMadeBeneath else { continue }
      dead.insert(other.key)
      touched.append(other.key)
      try setAside(other, reason: reason, isDeleted: isDeleted && other.key == mutation.key)
      settled += 1
    }
    return settled
  }

  /// Moves a mutation to the journal. If the mutation is a create, its row is marked as failed and stays visible until
  /// the user resolves the conflict, unless another device deleted the entity.
  private func setAside(_ mutation: PendingMutation, reason: String, isDeleted: Bool) throws {
    let journal = ConflictJournal(store: store, clock: clock)
    try journal.move(mutation, reason: reason)
    if mutation.operation == .create, !isDeleted { try journal.markAsFailed(mutation.key) }
  }
}

/// Replaces the store's device identity. Sent mutations lose their sequence numbers and keep their ids and content.
struct NewIdentity {
  let store: any DataStoreProtocol
  let random: RandomSource
  let now: Date

  @discardableResult
  func take() throws -> String {
    let device = random.identity(after: try store.syncIdentity()?.device, at: now)
    try store.setSyncIdentity(SyncIdentity(device: device))
    for var mutation in try store.fetchPendingMutations() where mutation.sequence != nil {
      mutation.sequence = nil
      try store.insertPendingMutation(mutation)
    }
    return device
  }
}
