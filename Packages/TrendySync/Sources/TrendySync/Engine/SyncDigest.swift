public import TrendyModels
public import TrendyProtocols

/// What a store holds of its hub as a whole, to be compared with what the hub says of itself at the same version.
public struct SyncDigest: Hashable, Sendable {
  /// Up to where the store has read.
  public var cursor: Int64
  /// Of the living, by the kind's name. What is parked counts: it is here, and waits for what it belongs to. Of kinds that this
  /// version does not know nothing can be said.
  public var kinds: [String: KindSum] = [:]
  /// Of them, those whose row is gone from this store though nobody deleted it. They are in no sum.
  public var missing = 0
  /// Rows that the hub never gave, and that no change which waits accounts for.
  public var strays = 0
  /// Number of visible rows, by kind.
  public var visible: [String: Int] = [:]
  /// Number of visible rows whose create the hub refused.
  public var refused = 0
  /// Pending changes, and entries that are accepted or parked: with them the store may show other rows than the hub has.
  public var unsettled = 0

  /// The kinds in which the hub says something else, by name.
  public func differences(from hub: [String: KindSum]) -> [String] {
    MutationEntityType.allCases.map(\.rawValue).filter { (kinds[$0] ?? KindSum()) != (hub[$0] ?? KindSum()) }.sorted()
  }
}

extension DataStoreProtocol {
  /// `nil` for a store that no hub has given versions yet.
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
          // Without data of its own, the row is what is held.
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
          try $0.syncStatus == .failed && heldEntry(kind: kind, id: $0.id)?.isDelete ?? true
        }
      }
      try takeIn(kind.stored)
    }
    let counts = try syncCounts()
    digest.unsettled = counts.pending + counts.accepted + counts.parked
    return digest
  }

  /// Rows that the hub never gave, or that are deleted there, and that no change of this device accounts for.
  func strays<Entity: StoredEntity>(among rows: [Entity]) throws -> [Entity] {
    let replica = Replica(store: self)
    return try rows.filter { row in
      let key = EntityKey(Entity.entityType, row.id)
      // A refused creation is marked so, and stays to be seen.
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
