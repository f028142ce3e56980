import TrendyModels
import TrendyProtocols

/// Replication without versions: rows are what is shown and all that is known, what was deleted here is guarded by tombstones.
///
/// So it is with a hub that gives none, and until the first snapshot of one that does.
struct PlainReplication: Replication {
  let store: any DataStoreProtocol
  let clock: any TimeSource
  let chance: RandomSource
}

// MARK: An edit

extension PlainReplication {
  func mark(_ mutation: inout PendingMutation, at stamp: Int64, _: SyncMemory) throws {
    mutation.marks = [FieldMark.others: FieldMark(version: 0, stamp: stamp)]
    // A delete without a base would count as knowing everything.
    if mutation.operation == .delete { mutation.base = try store.syncCursor() ?? 0 }
  }

  func making(of _: EntityKey) -> Making { .first }

  func showMade<Entity: StoredEntity>(_ entity: Entity) throws {
    try entity.writePending(in: store)
  }

  func remove<Entity: StoredEntity>(_: Entity.Type, id: String, isCancelled: Bool) throws {
    // What the hub never heard of cannot come back from it.
    if !isCancelled { try store.insertTombstone(Tombstone(entityType: Entity.entityType, entityId: id)) }
    if Entity.entityType == .eventType {
      // Read before the cascade takes them. Who belongs to a type is decided at the hub, where one may have been moved out in time:
      // under version 0 any entry passes, and is shown if its parent is.
      for event in try store.events(in: nil, ofType: id, limit: nil) { try take(event) }
      for kind in MutationEntityType.parentsFirst where kind.isChildOfEventType && kind != .event {
        func takeAll<Child: StoredEntity>(_ type: Child.Type) throws {
          for child in try Child.fetchAll(in: store) where child.parentEventTypeId == id { try take(child) }
        }
        try takeAll(kind.stored)
      }
    }
    try Entity.delete(id: id, in: store)
  }

  /// Takes along what belongs to an event type that is deleted.
  private func take<Child: StoredEntity>(_ child: Child) throws {
    try store.insertTombstone(Tombstone(entityType: Child.entityType, entityId: child.id, version: 0))
    try Child.delete(id: child.id, in: store)
  }

  /// There is nothing but the row: a snapshot says what the hub has.
  func showAgain(_: EntityKey) throws {
    if try store.syncCursor() != nil { try store.setSyncCursor(nil) }
  }

  /// No hub says what it has.
  func isNowhereElse(_: EntityKey) -> Bool { false }

  /// Where neither a copy is held nor its making waits, what was deleted is nowhere: to take the deletion back would leave it at
  /// the hub alone.
  func canComeBack(_ key: EntityKey) throws -> Bool {
    try replica.overlay(of: key).contains { $0.operation == .create }
  }
}

// MARK: An answer

extension PlainReplication {
  /// Also at 0, where a store that takes no versions from its hub may begin.
  var needsSnapshot: Bool { get throws { try store.syncCursor() ?? 0 == 0 } }

  func take(_ page: ChangeFeedResponse, of pull: Pull, _: Asking, _: SyncMemory) throws {
    // Held versions come with a snapshot: a store that has synced without them takes one.
    if page.position != nil { throw SyncFailure.expired("this device has to take a snapshot once") }
    var feed = try PlainFeed(store: store)
    try feed.apply(page.changes)
    try feed.liftGuards(at: page.nextCursor, acknowledged: page.hasMore ? [] : pull.acknowledged)
    try store.setSyncCursor(page.nextCursor)
  }

  func lay(_ lists: Snapshot, of _: SnapshotPart, _: Asking, _ knowledge: SyncMemory) throws -> Int {
    let count = try PlainSnapshot(lists, store: store).apply()
    if try store.syncMemory()?.snapshot != nil { try store.setSyncMemory(knowledge) }
    return count
  }

  func settle(
    _ mutations: [PendingMutation], _ answer: PushAnswer, _ asking: Asking, _ knowledge: SyncMemory
  ) throws -> Int {
    try learn(from: answer, asking, knowledge)
    if answer.position != nil { try keepUntilSnapshot(mutations, answer) }
    return try PlainSettlement(store: store, clock: clock).settle(mutations, answer.outcomes)
  }

  func setAside(_ mutation: PendingMutation, _ problem: ProblemDetails) throws {
    _ = try PlainSettlement(store: store, clock: clock).settle([mutation], [.refused(problem)])
  }

  /// What a hub has is not known before it gives versions.
  func offerMissing(from _: HubListing, _: SyncMemory) -> Int { 0 }

  /// Keeps what a hub with versions took before it gave any to this store.
  private func keepUntilSnapshot(_ mutations: [PendingMutation], _ answer: PushAnswer) throws {
    try VersionedSettlement(store: store, clock: clock).journalLost(of: mutations, answer)
    // Nothing is held yet to lay them over; should the hub lose them before it gives a snapshot, they are here to be sent anew.
    for (mutation, outcome) in zip(mutations, answer.outcomes) {
      if let version = outcome.acceptedVersion {
        var accepted = mutation
        accepted.acceptedVersion = version
        try store.insertAcceptedMutation(accepted)
      }
    }
  }
}

extension MutationOutcome {
  fileprivate var acceptedVersion: Int64? {
    switch self {
    case .accepted(let version), .merged(let version): version
    case .refused, .tryLater: nil
    }
  }
}
