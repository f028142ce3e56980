public import TrendyModels
public import TrendyProtocols

/// Checksums of a replica, for comparison with the hub's checksums at the same version.
public struct SyncDigest: Hashable, Sendable {
  /// Version up to which the store contains the feed.
  public var cursor: Int64
  /// Checksums of the live entities of each kind. Parked entries are included, but unknown kinds are not.
  public var kinds: [String: KindSum] = [:]
  /// Number of entities in the replica whose row is missing, although they were not deleted. Not included in ``kinds``.
  public var missing = 0
  /// Number of rows that neither the replica nor a pending mutation accounts for.
  public var strays = 0
  /// Number of visible rows, by kind.
  public var visible: [String: Int] = [:]
  /// Number of visible rows whose create the hub refused.
  public var refused = 0
  /// Number of pending, accepted and parked items. While there are any, the visible rows may differ from the hub's.
  public var unsettled = 0

  /// Returns the names of the kinds whose checksums differ from the hub's.
  public func differences(from hub: [String: KindSum]) -> [String] {
    MutationEntityType.allCases.map(\.rawValue).filter { (kinds[$0] ?? KindSum()) != (hub[$0] ?? KindSum()) }.sorted()
  }
}

extension DataStoreProtocol {
  /// Computes the digest. Returns `nil` for a store that has not received versions yet.
  public func syncDigest() throws -> SyncDigest? {
    guard let memory = try syncMemory(), memory.holdsVersions else { return nil }
    var digest = SyncDigest(cursor: try syncCursor() ?? 0)
    var parked: [EntityKey: Int64] = [:]
    for entry in try fetchParkedChanges() {
      guard let key = entry.key else { continue }
      parked[key] = entry.id
      if !entry.isDelete { digest.add(entry) }
    }
    for kind in MutationEntityType.parentsFirst {
      func takeIn<Entity: StoredEntity>(_ type: Entity.Type) throws {
        for held in try fetchHeldEntries(kind: kind) where !held.isDelete {
          if let newer = parked[EntityKey(kind, held.entityId)], newer > held.id { continue }
          // If the replica entry has no data, the row contains the hub's data.
          if try held.data == nil && Entity.find(id: held.entityId, in: self) == nil {
            digest.missing += 1
          } else {
            digest.add(held)
          }
        }
        let rows = try Entity.fetchAll(in: self)
        digest.strays += try strays(among: rows).count
        digest.visible[kind.rawValue] = rows.count
        digest.refused += try rows.count {
          try $0.syncStatus == .failed && heldEntry(kind: kind, id: $0.id) == nil
        }
      }
      try takeIn(kind.stored)
    }
    let counts = try syncCounts()
    digest.unsettled = counts.pending + counts.accepted + counts.parked
    return digest
  }

  func strays<Entity: StoredEntity>(among rows: [Entity]) throws -> [Entity] {
    let replica = Replica(store: self)
    return try rows.filter { row in
      let key = EntityKey(Entity.entityType, row.id)
      // A row whose create was refused is marked as failed and stays visible.
      guard row.syncStatus != .failed, try replica.held(key)?.isDelete ?? true else { return false }
      return try replica.overlay(of: key).isEmpty
        && parkedChange(entityType: key.entityType.rawValue, entityId: row.id) == nil
    }
  }
}

extension SyncDigest {
  fileprivate mutating func add(_ entry: ChangeEntry) {
    kinds[entry.entityType, default: KindSum()].add(
      kind: entry.entityType, id: entry.entityId, version: entry.id, incarnation: entry.incarnation)
  }
}
