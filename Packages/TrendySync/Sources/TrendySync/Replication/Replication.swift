import TrendyModels
import TrendyProtocols

/// How a store follows its hub: what an edit writes beside its mutation, and what becomes of each answer.
///
/// ``VersionedReplication`` is for a hub that gives everything a version: what it gave is held, and rows follow from that.
/// ``PlainReplication`` is for one that does not: rows are all that is known, and tombstones keep out what was deleted here.
/// ``ReplicationChoice`` says which it is. Everything happens in a unit of work that others made; nothing here saves.
protocol Replication {
  var store: any DataStoreProtocol { get }
  var clock: any TimeSource { get }
  var chance: RandomSource { get }

  // MARK: An edit

  /// Says what the author of a mutation knew of what it changes: its marks, its base, and the incarnation that it means.
  func mark(_ mutation: inout PendingMutation, at stamp: Int64, _ knowledge: SyncMemory) throws

  /// What a create is of an entity that has no row.
  func making(of key: EntityKey) throws -> Making

  /// Shows an entity for which a ready create or restore was queued.
  func showMade<Entity: StoredEntity>(_ entity: Entity) throws

  /// Takes an entity away whose delete was queued.
  /// - Parameter isCancelled: whether its create was never sent, so that neither is told.
  func remove<Entity: StoredEntity>(_ type: Entity.Type, id: String, isCancelled: Bool) throws

  /// Shows what the hub has of an entity under what waits: a row may still say what was taken out of the queue.
  func showAgain(_ key: EntityKey) throws

  /// Whether only its row is left of an entity: no hub has told of it, and nothing of it waits or was accepted.
  func isNowhereElse(_ key: EntityKey) throws -> Bool

  /// Whether a deletion made here can be taken back.
  func canComeBack(_ key: EntityKey) throws -> Bool

  // MARK: An answer

  /// Whether there is nothing yet from which the feed could be followed.
  var needsSnapshot: Bool { get throws }

  /// Takes in a page of the feed, with its cursor.
  func take(_ page: ChangeFeedResponse, of pull: Pull, _ asking: Asking, _ knowledge: SyncMemory) throws

  /// What a snapshot consists of.
  associatedtype SnapshotContent

  /// Lays a snapshot, or a part of one.
  /// - Parameter knowledge: with the progress of the parts before; without one for a snapshot that begins.
  /// - Returns: how many entities it brought.
  func lay(
    _ content: SnapshotContent, of part: SnapshotPart, _ asking: Asking, _ knowledge: SyncMemory
  ) throws -> Int

  /// Takes in what the hub said of pushed mutations.
  /// - Returns: how many are settled: no longer in the queue.
  func settle(
    _ mutations: [PendingMutation], _ answer: PushAnswer, _ asking: Asking, _ knowledge: SyncMemory
  ) throws -> Int

  /// Takes in that the hub does not even look at a mutation.
  func setAside(_ mutation: PendingMutation, _ problem: ProblemDetails) throws

  /// Queues what this store holds and the hub lacks, though neither was deleted.
  /// - Returns: how many changes were queued.
  func offerMissing(from listing: HubListing, _ knowledge: SyncMemory) throws -> Int
}

/// What a create is of an entity that has no row.
enum Making: Hashable {
  /// Nobody has told of it: the row is what is given.
  case first
  /// It is known, and hidden: what is shown follows from all that is known.
  case again
  /// It was deleted: an id never comes back by itself.
  case restore(incarnation: Int64)
}

/// How far a pull has come, over its pages.
struct Pull {
  var cursor: Int64
  /// Deletes that the hub had acknowledged, without a version, before this pull began: once it is complete they have passed.
  let acknowledged: Set<EntityKey>

  init(_ store: any DataStoreProtocol) throws {
    cursor = try store.syncCursor() ?? 0
    let waiting = Set(try store.fetchPendingMutations().filter { $0.operation == .delete }.map(\.key))
    acknowledged = Set(try store.fetchTombstones().filter { $0.version == nil }.map(\.key)).subtracting(waiting)
  }
}

/// Every entry of a hub, without its data.
struct HubListing {
  var entries: [EntityKey: ChangeEntry] = [:]
  var position: HubPosition?
}

extension Replication {
  var replica: Replica { Replica(store: store) }

  /// Takes in what the answer to a push says of the hub.
  func learn(from answer: PushAnswer, _ asking: Asking, _ knowledge: SyncMemory) throws {
    guard let position = answer.position else { return }
    var memory = knowledge
    try learn(position, asking, &memory)
    memory.take(position)
    for case .accepted(let version?) in answer.outcomes { memory.seen = max(memory.seen, version) }
    try store.setSyncMemory(memory)
  }

  /// Takes in the hub's time. Stamps of what was never sent come down to it: a clock that was once ahead must not win for ever.
  func learn(_ position: HubPosition, _ asking: Asking, _ memory: inout SyncMemory) throws {
    guard let hub = position.now, memory.learn(hub: hub, asking: asking, clock) else { return }
    for var mutation in try store.fetchPendingMutations() where mutation.wasNeverSent {
      if mutation.lowerStamps(to: memory.lastStamp) { try store.insertPendingMutation(mutation) }
    }
  }
}
