import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Applies a hub's snapshot part by part and leaves the queue unchanged. Does not save: the caller saves each part
/// together with the progress, and the last part together with the cursor.
///
/// A part is applied to the replica like a feed page, so between two parts the store is as consistent as between two
/// pages. Entities that the hub no longer has are removed with the last part.
///
/// If a restored hub has lost data that this store has seen, the store re-offers the data. The loss can be determined
/// only from all of the hub's entries, so the snapshot is then loaded as a whole.
struct VersionedSnapshotApplier {
  let snapshot: HubSnapshot
  /// Version ranges that the part covers completely, or `nil` if it covers all versions.
  var spans: [SnapshotSpan]?
  /// Name of the next part, or `nil` if this is the last part.
  var next: String?
  let store: any DataStoreProtocol
  let now: Date
  let random: RandomSource

  /// Starts a snapshot, or applies the next part of the snapshot whose progress is in `memory`, and updates the
  /// progress.
  /// - Returns: Number of entities in the part.
  func apply(_ memory: inout SyncMetadata) throws -> Int {
    let position = snapshot.position
    let isBeginning = memory.snapshot == nil
    let common = memory.commonVersion(with: position)
    let isReset = isBeginning && common < memory.seen
    // A snapshot of the same history that is older than the replica is ignored.
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
      ?? SyncMetadata.SnapshotProgress(
        cursor: position.head, epochs: position.epochs, next: "", unnamed: strays())
    // After a reset, spans do not cover replica entries above the hub's head, so all entries are compared.
    try compare(&progress, spans: isReset ? nil : spans)
    var feed = try VersionedFeedApplier(store: store, isAnew: true)
    // A hub need not send parents first, so the entries are sorted.
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
      try Reoffer(store: store, now: now, random: random).queue(
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

extension SyncMetadata {
  /// Returns the last version shared by the histories of this store and its hub. If it is lower than ``seen``, the hub
  /// has lost data.
  func commonVersion(with position: HubPosition) -> Int64 {
    if epochs.isEmpty { return position.head }
    return epochs.lastCommonVersion(endingAt: seen, with: position.epochs, endingAt: position.head)
  }
}

// MARK: Entities that the hub no longer has

extension VersionedSnapshotApplier {
  /// Returns the rows without a live entry in the replica. These rows are removed at the end, unless a part contains
  /// them.
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

  /// Notes the replica's entities that are within the part's ranges but not in the part. Either they were changed later
  /// and follow in another part, or the hub has deleted them.
  private func compare(_ progress: inout SyncMetadata.SnapshotProgress, spans: [SnapshotSpan]?) throws {
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
    // A parked entry in these ranges is either sent again or no longer exists at the hub.
    guard try store.syncCounts().parked > 0 else { return }
    for entry in try store.fetchParkedChanges() {
      guard let kind = entry.key?.entityType, isGone(entry.entityType, entry.entityId) else { continue }
      let covering = spans?.filter { $0.kind == kind.rawValue } ?? [.all(kind)]
      if covering.contains(where: { $0.contains(entry.id) }) { try store.deleteParkedChange(entry) }
    }
  }

  /// Removes the entities that no part contained, and sets the cursor. `common` is the last version that the histories
  /// of store and hub share.
  /// - Returns: Accepted mutations that the snapshot includes.
  private func finish(_ progress: SyncMetadata.SnapshotProgress, upTo common: Int64) throws -> [PendingMutation] {
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
    // The tombstone of a type may have been parked because of children that have now been removed.
    if try store.syncCounts().parked > 0 {
      var feed = try VersionedFeedApplier(store: store, isAnew: true)
      try feed.retryAll()
      try feed.apply([], cursor: progress.cursor)
    }
    // The snapshot covers every deletion that the hub knows. A local tombstone for a natural id is kept unless the
    // entity is live, so that an import does not recreate the entity.
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

// MARK: Lost data

extension VersionedSnapshotApplier {
  /// Returns the store's entries above `version`, including parked entries, with their data.
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

  /// Sets aside parked entries that cannot be re-offered because their kind is unknown or a member is invalid.
  ///
  /// The entries stay in the store until a later program version can read them. No entry in the hub's new epoch can
  /// replace them, because they are stored under a reserved kind name.
  private func setAsideUnknown(above version: Int64) throws {
    for parked in try store.fetchParkedChanges() where parked.id > version && parked.offeredKey == nil && !parked.isLost
    {
      try store.deleteParkedChange(parked)
      try store.insertParkedChange(parked.lost)
    }
  }
}

extension ChangeEntry {
  var key: EntityKey? { MutationEntityType(rawValue: entityType).map { EntityKey($0, entityId) } }

  /// Key of an entity that can be re-offered, or `nil` if its kind is unknown or a member is invalid.
  var offeredKey: EntityKey? { fault == nil ? key : nil }

  var rank: Int { SyncedKind.named(entityType)?.rank ?? .max }

  private static let lostPrefix = "lost:"

  /// Whether a restored hub lost the entry and this device could not re-offer it.
  var isLost: Bool { entityType.hasPrefix(Self.lostPrefix) }

  var lost: ChangeEntry {
    var entry = self
    entry.entityType = Self.lostPrefix + entityType
    return entry
  }
}
