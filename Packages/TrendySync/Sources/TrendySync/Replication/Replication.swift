import TrendyModels
import TrendyProtocols

/// Strategy by which a store follows its hub: what an edit writes in addition to its mutation, and how responses are
/// applied.
///
/// ``VersionedReplication`` is for a hub with versions: the replica stores what the hub sent, and rows are derived from
/// it. ``UnversionedReplication`` is for a hub without versions: only rows exist, and tombstones protect local
/// deletions. ``ReplicationChoice`` selects the strategy. All methods work in the caller's unit of work and do not
/// save.
protocol Replication {
  var store: any DataStoreProtocol { get }
  var clock: any TimeSource { get }
  var random: RandomSource { get }

  // MARK: Edits

  /// Sets the bases, field versions and incarnation of a new mutation. `stamp` is the hub time of the edit in
  /// milliseconds since 1970.
  func mark(_ mutation: inout PendingMutation, at stamp: Int64, _ knowledge: SyncMetadata) throws

  /// Returns how to handle a create for an entity without a row.
  func making(of key: EntityKey) throws -> CreateDisposition

  /// Makes an entity visible after its create or restore has been queued.
  func showCreated<Entity: StoredEntity>(_ entity: Entity) throws

  /// Removes an entity after its delete has been queued. `isCancelled` means that the create was never sent, so create
  /// and delete have cancelled each other out.
  func remove<Entity: StoredEntity>(_ type: Entity.Type, id: String, isCancelled: Bool) throws

  func refreshVisibleState(_ key: EntityKey) throws

  /// Whether an entity exists only as a row, without an entry from the hub and without pending or accepted mutations.
  func isLocalOnly(_ key: EntityKey) throws -> Bool

  /// Whether a deletion made on this device can be undone.
  func canRestore(_ key: EntityKey) throws -> Bool

  // MARK: Responses

  /// Whether the store needs a snapshot before it can follow the feed.
  var needsSnapshot: Bool { get throws }

  func take(_ page: ChangeFeedResponse, of pull: Pull, _ asking: RequestStart, _ knowledge: SyncMetadata) throws

  associatedtype SnapshotContent

  /// Applies a snapshot or a snapshot part and returns the number of its entities. If `knowledge` contains no progress
  /// of earlier parts, a new snapshot begins.
  func lay(
    _ content: SnapshotContent, of part: SnapshotPart, _ asking: RequestStart, _ knowledge: SyncMetadata
  ) throws -> Int

  /// Applies the outcomes of pushed mutations and returns the number of mutations that left the queue.
  func settle(
    _ mutations: [PendingMutation], _ answer: PushBatchResult, _ asking: RequestStart, _ knowledge: SyncMetadata
  ) throws -> Int

  /// Moves a mutation to the conflict journal because the hub rejects its request as a whole.
  func setAside(_ mutation: PendingMutation, _ problem: ProblemDetails) throws

  /// Queues entities that this store has and the hub lacks, although neither side has deleted them. Returns the number
  /// of queued mutations.
  func requeueMissing(from listing: HubListing, _ knowledge: SyncMetadata) throws -> Int
}

/// How to handle a create for an entity without a row.
enum CreateDisposition: Hashable {
  /// The entity is new. The row contains the values of the create.
  case first
  /// The entity exists but is not visible. The row is computed from the replica and the overlay.
  case again
  /// The entity was deleted. Only a restore to this incarnation makes it visible again.
  case restore(incarnation: Int64)
}

/// Progress of a pull across several pages.
struct Pull {
  var cursor: Int64
  /// Deletes that the hub acknowledged without a version before this pull. Once the pull is complete, the feed has
  /// included all of them.
  let acknowledged: Set<EntityKey>

  init(_ store: any DataStoreProtocol) throws {
    cursor = try store.syncCursor() ?? 0
    let waiting = Set(try store.fetchPendingMutations().filter { $0.operation == .delete }.map(\.key))
    acknowledged = Set(try store.fetchTombstones().filter { $0.version == nil }.map(\.key)).subtracting(waiting)
  }
}

/// All of a hub's entries, without their data.
struct HubListing {
  var entries: [EntityKey: ChangeEntry] = [:]
  var position: HubPosition?
}

extension Replication {
  var replica: Replica { Replica(store: store) }

  func learn(from answer: PushBatchResult, _ asking: RequestStart, _ knowledge: SyncMetadata) throws {
    guard let position = answer.position else { return }
    var memory = knowledge
    try learn(position, asking, &memory)
    memory.take(position)
    for case .accepted(let version?) in answer.outcomes { memory.seen = max(memory.seen, version) }
    try store.setSyncMemory(memory)
  }

  /// Updates the clock offset from the hub time in a response.
  ///
  /// Stamps of unsent mutations above the hub's time are lowered. Otherwise edits from a device whose clock was once
  /// ahead would win forever.
  func learn(_ position: HubPosition, _ asking: RequestStart, _ memory: inout SyncMetadata) throws {
    guard let hub = position.now, memory.learn(hub: hub, asking: asking, clock) else { return }
    for var mutation in try store.fetchPendingMutations() where mutation.wasNeverSent {
      if mutation.lowerStamps(to: memory.lastStamp) { try store.insertPendingMutation(mutation) }
    }
  }
}
