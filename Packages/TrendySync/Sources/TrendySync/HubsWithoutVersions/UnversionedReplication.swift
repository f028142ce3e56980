import TrendyModels
import TrendyProtocols

/// Replication without versions: the store has only visible rows, and tombstones protect local deletions.
///
/// Used with a hub without versions, and before the first snapshot of a hub with versions.
struct UnversionedReplication: Replication {
  let store: any DataStoreProtocol
  let clock: any TimeSource
  let random: RandomSource
}

// MARK: Edits

extension UnversionedReplication {
  func mark(_ mutation: inout PendingMutation, at stamp: Int64, _: SyncMetadata) throws {
    mutation.marks = [FieldVersion.others: FieldVersion(version: 0, stamp: stamp)]
    // Without a base, the hub would treat the delete as if its author had seen every change.
    if mutation.operation == .delete { mutation.base = try store.syncCursor() ?? 0 }
  }

  func making(of _: EntityKey) -> CreateDisposition { .first }

  func showCreated<Entity: StoredEntity>(_ entity: Entity) throws {
    try entity.writePending(in: store)
  }

  func remove<Entity: StoredEntity>(_: Entity.Type, id: String, isCancelled: Bool) throws {
    if !isCancelled { try store.insertTombstone(Tombstone(entityType: Entity.entityType, entityId: id)) }
    if Entity.entityType == .eventType {
      // The hub decides which children are deleted with the type, because a child may have been moved to another type
      // beforehand. A tombstone of version 0 lets every later entry pass, so a surviving child reappears if its parent
      // is visible.
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

  private func take<Child: StoredEntity>(_ child: Child) throws {
    try store.insertTombstone(Tombstone(entityType: Child.entityType, entityId: child.id, version: 0))
    try Child.delete(id: child.id, in: store)
  }

  /// Requests a snapshot, because the row is the only local copy and the feed will not send the entity again.
  func refreshVisibleState(_: EntityKey) throws {
    if try store.syncCursor() != nil { try store.setSyncCursor(nil) }
  }

  /// Always `false`, because a hub without versions does not report which entities it has.
  func isLocalOnly(_: EntityKey) -> Bool { false }

  /// A deletion can be undone only while the create is pending. Otherwise the hub has the only copy of the entity.
  func canRestore(_ key: EntityKey) throws -> Bool {
    try replica.overlay(of: key).contains { $0.operation == .create }
  }
}

// MARK: Responses

extension UnversionedReplication {
  var needsSnapshot: Bool { get throws { try store.syncCursor() ?? 0 == 0 } }

  func take(_ page: ChangeFeedResponse, of pull: Pull, _: RequestStart, _: SyncMetadata) throws {
    // A store that has synced without versions receives versions only with a snapshot.
    if page.position != nil { throw SyncFailure.expired("this device needs a snapshot first") }
    var feed = try UnversionedFeedApplier(store: store)
    try feed.apply(page.changes)
    try feed.liftGuards(at: page.nextCursor, acknowledged: page.hasMore ? [] : pull.acknowledged)
    try store.setSyncCursor(page.nextCursor)
  }

  func lay(_ lists: Snapshot, of _: SnapshotPart, _: RequestStart, _ knowledge: SyncMetadata) throws -> Int {
    let count = try UnversionedSnapshotApplier(lists, store: store).apply()
    if try store.syncMemory()?.snapshot != nil { try store.setSyncMemory(knowledge) }
    return count
  }

  func settle(
    _ mutations: [PendingMutation], _ answer: PushBatchResult, _ asking: RequestStart, _ knowledge: SyncMetadata
  ) throws -> Int {
    try learn(from: answer, asking, knowledge)
    if answer.position != nil { try keepUntilSnapshot(mutations, answer) }
    return try UnversionedOutcomeApplier(store: store, clock: clock).settle(mutations, answer.outcomes)
  }

  func setAside(_ mutation: PendingMutation, _ problem: ProblemDetails) throws {
    _ = try UnversionedOutcomeApplier(store: store, clock: clock).settle([mutation], [.refused(problem)])
  }

  /// Without versions the hub's entities are unknown, so nothing is queued.
  func requeueMissing(from _: HubListing, _: SyncMetadata) -> Int { 0 }

  /// Stores the mutations that a hub with versions has accepted before this store received versions.
  private func keepUntilSnapshot(_ mutations: [PendingMutation], _ answer: PushBatchResult) throws {
    try VersionedOutcomeApplier(store: store, clock: clock).journalLost(of: mutations, answer)
    // Keep the accepted mutations, because the replica does not exist yet. If the hub loses these mutations before the
    // first snapshot, they can be sent again.
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
