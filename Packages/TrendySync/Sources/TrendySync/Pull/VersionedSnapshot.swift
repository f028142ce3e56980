import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Lays a hub's snapshot into a unit of work, part by part, the queue over it unchanged. It does not save: how far it has come goes
/// into the same save as the part, and the cursor into that of the last.
///
/// A part is laid like a page of the feed, over what is held, so that between two parts nothing is shown or said to the hub that
/// could not be between two pages. What the hub no longer has goes with the last part.
///
/// Where the hub was restored from a backup and lost what this store has seen, what it lost is offered again. That is known only
/// against all that the hub has: such a snapshot comes whole.
struct VersionedSnapshot {
  let snapshot: HubSnapshot
  /// What it names all entries of; `nil` for everything.
  var spans: [SnapshotSpan]?
  /// Asks for the part after this; `nil` at the last.
  var next: String?
  let store: any DataStoreProtocol
  let now: Date
  /// For a new identity, and for mutations that offer again.
  let chance: RandomSource

  /// Begins a snapshot, or lays the next part of the one in the memory.
  /// - Returns: how many entities it brought.
  func apply(_ memory: inout SyncMemory) throws -> Int {
    let position = snapshot.position
    let isBeginning = memory.snapshot == nil
    let common = memory.commonVersion(with: position)
    let isReset = isBeginning && common < memory.seen
    // One that is older than what is here, of the same history, says nothing.
    if isBeginning, !isReset, memory.generation > 0, position.head < (try store.syncCursor() ?? 0) { return 0 }

    let lost = isReset && memory.generation > 0 ? try entries(above: common) : []
    if isReset { try setAsideUnknown(above: common) }
    let lostAccepted = isReset ? try store.fetchAcceptedMutations() : []
    if isReset {
      memory.seen = position.head
      for mutation in lostAccepted { try store.deleteAcceptedMutation(mutation) }
    }
    if isBeginning { memory.generation += 1 }
    memory.take(position)
    for entry in snapshot.entries { memory.passStamps(of: entry) }
    var progress =
      try memory.snapshot
      ?? SyncMemory.SnapshotProgress(
        cursor: position.head, epochs: position.epochs, next: "", unnamed: strays())
    // What was written above all that the hub has now lies in no span.
    try compare(&progress, spans: isReset ? nil : spans)
    var feed = try VersionedFeed(store: store, isAnew: true)
    // In the order in which the hub gives them, what others refer to comes first; sorted, as not every hub must.
    try feed.apply(snapshot.entries.sorted { $0.rank < $1.rank }, cursor: progress.cursor)
    if let next {
      progress.next = next
      memory.snapshot = progress
      return snapshot.entries.count
    }
    let accepted = try finish(progress, upTo: isReset ? common : progress.cursor)
    memory.snapshot = nil
    memory.complete = progress.cursor
    if isReset {
      try Reoffer(store: store, now: now, chance: chance).queue(
        lost.map { Reoffer.Loss(entry: $0, atHub: try Replica(store: store).held($0), common: common) },
        lostAccepted.filter { ($0.acceptedVersion ?? 0) > common }, above: common)
    }
    let overlaid =
      try store.fetchPendingMutations().map(\.key) + store.fetchAcceptedMutations().map(\.key)
      + (accepted + lostAccepted).map(\.key)
    let replica = Replica(store: store)
    for key in overlaid.inShowingOrder { try replica.show(key) }
    return snapshot.entries.count
  }
}

extension SyncMemory {
  /// The last version that this store and its hub have in common; below ``seen`` the hub lost something.
  func commonVersion(with position: HubPosition) -> Int64 {
    if epochs.isEmpty { return position.head }
    return epochs.lastCommonVersion(endingAt: seen, with: position.epochs, endingAt: position.head)
  }
}

// MARK: What the hub no longer has

extension VersionedSnapshot {
  /// The rows of which nothing living is held, to begin with: the hub may name them.
  private func strays() throws -> [String: Set<String>] {
    var strays: [String: Set<String>] = [:]
    for kind in MutationEntityType.parentsFirst {
      func find<Entity: StoredEntity>(_ type: Entity.Type) throws {
        try Entity.forEach(in: store) { row in
          guard try store.heldEntry(kind: kind, id: row.id)?.isDelete ?? true else { return }
          strays[kind.rawValue, default: []].insert(row.id)
        }
      }
      try find(kind.stored)
    }
    return strays
  }

  /// Notes what is held at a version of which the part names all there is, and is not named: it was written again, and comes later,
  /// or it is gone.
  private func compare(_ progress: inout SyncMemory.SnapshotProgress, spans: [SnapshotSpan]?) throws {
    var named: [String: Set<String>] = [:]
    for entry in snapshot.entries { named[entry.entityType, default: []].insert(entry.entityId) }
    for (kind, ids) in named { progress.unnamed[kind]?.subtract(ids) }
    func isGone(_ kind: String, _ id: String) -> Bool { !(named[kind]?.contains(id) ?? false) }
    for kind in MutationEntityType.parentsFirst {
      for span in spans?.filter({ $0.kind == kind.rawValue }) ?? [.all(kind)] {
        for held in try store.heldEntries(kind: kind, after: span.after, through: span.through)
        where isGone(held.entityType, held.entityId) {
          progress.unnamed[kind.rawValue, default: []].insert(held.entityId)
        }
      }
    }
    // What is parked comes again, or is gone as well.
    guard try store.syncCounts().parked > 0 else { return }
    for entry in try store.fetchParkedChanges() {
      guard let kind = entry.key?.entityType, isGone(entry.entityType, entry.entityId) else { continue }
      let covering = spans?.filter { $0.kind == kind.rawValue } ?? [.all(kind)]
      if covering.contains(where: { $0.contains(entry.id) }) { try store.deleteParkedChange(entry) }
    }
  }

  /// Takes away what no part named, and moves the cursor.
  /// - Returns: what the hub had accepted and the snapshot has.
  private func finish(_ progress: SyncMemory.SnapshotProgress, upTo common: Int64) throws -> [PendingMutation] {
    let replica = Replica(store: store)
    for kind in MutationEntityType.parentsFirst.reversed() {
      for id in (progress.unnamed[kind.rawValue] ?? []).sorted() {
        let key = EntityKey(kind, id)
        if let held = try replica.held(key) {
          if held.id <= common { try replica.noteForgottenDeletion(of: key, version: held.id) }
          try store.deleteHeldEntry(kind: kind, id: id)
        }
        try replica.show(key)
      }
    }
    // A type's deletion may have waited for children that are gone.
    if try store.syncCounts().parked > 0 {
      var feed = try VersionedFeed(store: store, isAnew: true)
      try feed.retryAll()
      try feed.apply([], cursor: progress.cursor)
    }
    // The snapshot answers every deletion that the hub has heard of. What an import could make again stays noted as deleted unless
    // it lives.
    for tombstone in try store.fetchTombstones() {
      let isLiving = try replica.held(tombstone.key).map { !$0.isDelete } ?? false
      if isLiving || !NaturalIdentifier.isNatural(tombstone.entityId) { try store.deleteTombstone(tombstone) }
    }
    let accepted = try store.acceptedMutations(through: progress.cursor)
    for mutation in accepted { try store.deleteAcceptedMutation(mutation) }
    try store.setSyncCursor(progress.cursor)
    return accepted
  }
}

extension SnapshotSpan {
  fileprivate static func all(_ kind: MutationEntityType) -> SnapshotSpan {
    SnapshotSpan(kind: kind.rawValue, after: .min, through: .max)
  }
}

// MARK: A hub that lost something

extension VersionedSnapshot {
  /// What this store has that was written above a version, each with its data.
  private func entries(above version: Int64) throws -> [ChangeEntry] {
    let replica = Replica(store: store)
    var lost: [EntityKey: ChangeEntry] = [:]
    for kind in MutationEntityType.parentsFirst {
      for held in try store.heldEntries(kind: kind, after: version, through: .max) {
        lost[EntityKey(kind, held.entityId)] = try replica.complete(held)
      }
    }
    for parked in try store.fetchParkedChanges() where parked.id > version {
      if let key = parked.offeredKey { lost[key] = parked }
    }
    return Array(lost.values)
  }

  /// Of a kind that this version does not know, or with members that cannot be, nothing can be offered. It waits for a version that
  /// can read it, under a name that keeps the entries of the hub's new life from taking its place.
  private func setAsideUnknown(above version: Int64) throws {
    for parked in try store.fetchParkedChanges() where parked.id > version && parked.offeredKey == nil && !parked.isLost
    {
      try store.deleteParkedChange(parked)
      try store.insertParkedChange(parked.lost)
    }
  }
}

extension ChangeEntry {
  /// `nil` for a kind that this version does not know.
  var key: EntityKey? { MutationEntityType(rawValue: entityType).map { EntityKey($0, entityId) } }

  /// `nil` for what cannot be offered to a hub: of a kind that this version does not know, or with a member that cannot be read.
  var offeredKey: EntityKey? { fault == nil ? key : nil }

  var rank: Int { SyncedKind.named(entityType)?.rank ?? .max }

  private static let lostPrefix = "lost:"

  /// Whether a hub that was restored lost it, while this device could not offer it.
  var isLost: Bool { entityType.hasPrefix(Self.lostPrefix) }

  var lost: ChangeEntry {
    var entry = self
    entry.entityType = Self.lostPrefix + entityType
    return entry
  }
}
