import TrendyModels
import TrendyProtocols

/// Replication by versions: what the hub gave is held, and a row is that under the entity's mutations.
struct VersionedReplication: Replication {
  let store: any DataStoreProtocol
  let clock: any TimeSource
  let chance: RandomSource

  /// The snapshot of a hub that has nothing yet ends at 0.
  var needsSnapshot: Bool { get throws { try store.syncCursor() == nil } }

  func take(_ page: ChangeFeedResponse, of pull: Pull, _ asking: Asking, _ before: SyncMemory) throws {
    let since = pull.cursor
    try page.check(since: since)
    var memory = before
    if let position = page.position {
      try learn(position, asking, &memory)
      memory.take(position)
    }
    // A hub that was set back below it is found out by what was seen.
    memory.seen = max(memory.seen, page.nextCursor)
    for entry in page.changes { memory.passStamps(of: entry) }
    if !page.hasMore { memory.complete = page.nextCursor }
    if page.nextCursor != since || !page.changes.isEmpty {
      var feed = try VersionedFeed(store: store)
      try feed.apply(page.changes, cursor: page.nextCursor)
      try store.setSyncCursor(page.nextCursor)
    }
    if memory.isWorthWriting(over: before) { try store.setSyncMemory(memory) }
  }

  func lay(
    _ entries: HubSnapshot, of part: SnapshotPart, _ asking: Asking, _ knowledge: SyncMemory
  ) throws -> Int {
    try entries.check()
    var memory = knowledge
    try learn(entries.position, asking, &memory)
    let now = clock.now
    let count = try VersionedSnapshot(
      snapshot: entries, spans: part.spans, next: part.next, store: store, now: now,
      chance: chance
    ).apply(&memory)
    try store.setSyncMemory(memory)
    if try store.syncIdentity() == nil {
      try store.setSyncIdentity(SyncIdentity(device: chance.identifier(at: now)))
    }
    return count
  }

  func settle(
    _ mutations: [PendingMutation], _ answer: PushAnswer, _ asking: Asking, _ knowledge: SyncMemory
  ) throws -> Int {
    try answer.check()
    try learn(from: answer, asking, knowledge)
    return try VersionedSettlement(store: store, clock: clock).settle(mutations, answer)
  }

  func setAside(_ mutation: PendingMutation, _ problem: ProblemDetails) throws {
    _ = try VersionedSettlement(store: store, clock: clock)
      .settle([mutation], PushAnswer(outcomes: [.refused(problem)]))
  }

  func offerMissing(from listing: HubListing, _ knowledge: SyncMemory) throws -> Int {
    var memory = knowledge
    let entries = listing.entries
    // A hub that knows another history is found out by the next round, which offers everything that it needs.
    guard let position = listing.position,
      memory.epochs.lastCommonVersion(endingAt: memory.seen, with: position.epochs, endingAt: position.head)
        >= memory.seen
    else { return 0 }
    var losses: [Reoffer.Loss] = []
    let stamp = memory.nextStamp(clock)
    for kind in MutationEntityType.parentsFirst {
      for held in try store.fetchHeldEntries(kind: kind) where held.id <= position.head {
        let atHub = entries[EntityKey(kind, held.entityId)]
        // Of a deletion that the hub no longer tells of, the id is kept there.
        guard (atHub?.id ?? 0) < held.id, !held.isDelete || atHub?.isDelete == false else { continue }
        losses.append(Reoffer.Loss(entry: try replica.complete(held), atHub: atHub, common: atHub?.id ?? 0))
      }
      func addStrays<Entity: StoredEntity>(_ type: Entity.Type) throws {
        for row in try store.strays(among: Entity.fetchAll(in: store)) where entries[EntityKey(kind, row.id)] == nil {
          let entry = ChangeEntry(
            id: position.head, entityType: kind.rawValue, operation: MutationOperation.create.rawValue,
            entityId: row.id, data: try ChangeEntryData(row.createRequest),
            marks: [FieldMark.others: FieldMark(version: position.head, stamp: stamp)])
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
    Reoffer(store: store, now: clock.now, chance: chance)
  }
}

extension SyncMemory {
  /// Whether it says more than that the clocks drift.
  func isWorthWriting(over other: SyncMemory) -> Bool {
    var same = self
    if abs(clockOffset - other.clockOffset) < Self.smallDrift, clockAnchor?.boot == other.clockAnchor?.boot {
      same.clockOffset = other.clockOffset
      same.clockAnchor = other.clockAnchor
    }
    return same != other
  }
}

extension ChangeFeedResponse {
  /// Refuses a page with an entry that does not lie in it: held at a version that the hub never gave, it would keep out what comes.
  /// - Throws: `SyncFailure.unusable`.
  fileprivate func check(since cursor: Int64) throws(SyncFailure) {
    guard let stray = changes.first(where: { $0.id <= cursor || $0.id > nextCursor }) else { return }
    throw .unusable(
      "a page of changes from \(cursor) to \(nextCursor) has one of version \(stray.id), "
        + "the \(stray.entityType.prefix(40)) \(stray.entityId.prefix(60))")
  }
}

extension HubSnapshot {
  /// Refuses one with an entry above all that the hub has: it would keep out what comes until the next snapshot.
  /// - Throws: `SyncFailure.unusable`.
  fileprivate func check() throws(SyncFailure) {
    guard let stray = entries.first(where: { $0.id > position.head }) else { return }
    throw .unusable(
      "a snapshot of a hub that stands at \(position.head) has one of version \(stray.id), "
        + "the \(stray.entityType.prefix(40)) \(stray.entityId.prefix(60))")
  }
}

extension PushAnswer {
  /// Refuses an outcome above all that the hub has: the change would wait for ever to come back, and be shown over all others.
  /// - Throws: `SyncFailure.unusable`.
  fileprivate func check() throws(SyncFailure) {
    guard let head = position?.head else { return }
    for outcome in outcomes {
      switch outcome {
      case .accepted(let version?) where version > head, .merged(let version?) where version > head:
        throw .unusable("it took a change as version \(version), and stands at \(head)")
      default: continue
      }
    }
  }
}
