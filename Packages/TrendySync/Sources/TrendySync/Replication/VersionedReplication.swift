import TrendyModels
import TrendyProtocols

/// Replication with a hub that has versions. Rows are the replica with the overlay applied.
struct VersionedReplication: Replication {
  let store: any DataStoreProtocol
  let clock: any TimeSource
  let random: RandomSource

  /// `true` if the store has no cursor. A cursor of 0 counts: it comes from the snapshot of an empty hub.
  var needsSnapshot: Bool { get throws { try store.syncCursor() == nil } }

  func take(_ page: ChangeFeedResponse, of pull: Pull, _ asking: RequestStart, _ before: SyncMetadata) throws {
    let since = pull.cursor
    try page.check(since: since)
    var memory = before
    if let position = page.position {
      try learn(position, asking, &memory)
      memory.take(position)
    }
    // The cursor must be included, because it reveals that a hub was restored to an older state.
    memory.seen = max(memory.seen, page.nextCursor)
    for entry in page.changes { memory.passStamps(of: entry) }
    if !page.hasMore { memory.complete = page.nextCursor }
    if page.nextCursor != since || !page.changes.isEmpty {
      var feed = try VersionedFeedApplier(store: store)
      try feed.apply(page.changes, cursor: page.nextCursor)
      try store.setSyncCursor(page.nextCursor)
    }
    if memory.isWorthWriting(over: before) { try store.setSyncMemory(memory) }
  }

  func lay(
    _ entries: HubSnapshot, of part: SnapshotPart, _ asking: RequestStart, _ knowledge: SyncMetadata
  ) throws -> Int {
    try entries.check()
    var memory = knowledge
    try learn(entries.position, asking, &memory)
    let now = clock.now
    let count = try VersionedSnapshotApplier(
      snapshot: entries, spans: part.spans, next: part.next, store: store, now: now,
      random: random
    ).apply(&memory)
    try store.setSyncMemory(memory)
    if try store.syncIdentity() == nil {
      try store.setSyncIdentity(SyncIdentity(device: random.identifier(at: now)))
    }
    return count
  }

  func settle(
    _ mutations: [PendingMutation], _ answer: PushBatchResult, _ asking: RequestStart, _ knowledge: SyncMetadata
  ) throws -> Int {
    try answer.check()
    try learn(from: answer, asking, knowledge)
    return try VersionedOutcomeApplier(store: store, clock: clock).settle(mutations, answer)
  }

  func setAside(_ mutation: PendingMutation, _ problem: ProblemDetails) throws {
    _ = try VersionedOutcomeApplier(store: store, clock: clock)
      .settle([mutation], PushBatchResult(outcomes: [.refused(problem)]))
  }

  func requeueMissing(from listing: HubListing, _ knowledge: SyncMetadata) throws -> Int {
    var memory = knowledge
    let entries = listing.entries
    // If the histories differ, the next round detects this and queues all re-offers itself.
    guard let position = listing.position,
      memory.epochs.lastCommonVersion(endingAt: memory.seen, with: position.epochs, endingAt: position.head)
        >= memory.seen
    else { return 0 }
    var losses: [Reoffer.Loss] = []
    let stamp = memory.nextStamp(clock)
    for kind in MutationEntityType.parentsFirst {
      for held in try store.fetchHeldEntries(kind: kind) where held.id <= position.head {
        let atHub = entries[EntityKey(kind, held.entityId)]
        // A compacted tombstone is absent from the listing, although the hub still keeps its id.
        guard (atHub?.id ?? 0) < held.id, !held.isDelete || atHub?.isDelete == false else { continue }
        losses.append(Reoffer.Loss(entry: try replica.complete(held), atHub: atHub, common: atHub?.id ?? 0))
      }
      func addStrays<Entity: StoredEntity>(_ type: Entity.Type) throws {
        for row in try store.strays(among: Entity.fetchAll(in: store)) where entries[EntityKey(kind, row.id)] == nil {
          let entry = ChangeEntry(
            id: position.head, entityType: kind.rawValue, operation: MutationOperation.create.rawValue,
            entityId: row.id, data: try ChangeEntryData(row.createRequest),
            marks: [FieldVersion.others: FieldVersion(version: position.head, stamp: stamp)])
          losses.append(Reoffer.Loss(entry: entry, atHub: nil, common: 0))
        }
      }
      try addStrays(kind.stored)
    }
    let accepted = try store.fetchAcceptedMutations().filter {
      ($0.acceptedVersion ?? 0) <= position.head && $0.operation != .delete && entries[$0.key] == nil
    }
    if losses.isEmpty, accepted.isEmpty { return 0 }
    try store.setSyncMemory(memory)
    for mutation in accepted { try store.deleteAcceptedMutation(mutation) }
    return try reoffer.queue(losses, accepted, above: position.head)
  }

  private var reoffer: Reoffer {
    Reoffer(store: store, now: clock.now, random: random)
  }
}

extension SyncMetadata {
  /// Whether the metadata differs by more than a small clock drift.
  func isWorthWriting(over other: SyncMetadata) -> Bool {
    var same = self
    if abs(clockOffset - other.clockOffset) < Self.smallDrift, clockAnchor?.boot == other.clockAnchor?.boot {
      same.clockOffset = other.clockOffset
      same.clockAnchor = other.clockAnchor
    }
    return same != other
  }
}

extension ChangeFeedResponse {
  /// Rejects a page that contains an entry outside its range. An entry stored at a version that the hub never assigned
  /// would block later entries.
  fileprivate func check(since cursor: Int64) throws(SyncFailure) {
    guard let stray = changes.first(where: { $0.id <= cursor || $0.id > nextCursor }) else { return }
    throw .unusable(
      "a feed page from \(cursor) to \(nextCursor) contains version \(stray.id) of "
        + "\(stray.entityType.prefix(40)) \(stray.entityId.prefix(60))")
  }
}

extension HubSnapshot {
  /// Rejects a snapshot with an entry above its head. The entry would block later entries until the next snapshot.
  fileprivate func check() throws(SyncFailure) {
    guard let stray = entries.first(where: { $0.id > position.head }) else { return }
    throw .unusable(
      "a snapshot at version \(position.head) contains version \(stray.id) of "
        + "\(stray.entityType.prefix(40)) \(stray.entityId.prefix(60))")
  }
}

extension PushBatchResult {
  /// Rejects an outcome above the head. The mutation would stay in the overlay forever and hide later changes.
  fileprivate func check() throws(SyncFailure) {
    guard let head = position?.head else { return }
    for outcome in outcomes {
      switch outcome {
      case .accepted(let version?) where version > head, .merged(let version?) where version > head:
        throw .unusable("it accepted a change as version \(version), but is at version \(head)")
      default: continue
      }
    }
  }
}
