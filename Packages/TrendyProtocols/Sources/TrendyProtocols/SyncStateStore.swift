public import TrendyModels

/// Sync state of a device: cursor, identity, replica entries, tombstones, conflicts and parked changes.
public protocol SyncStateStore: AnyObject {
  /// Returns the sizes of the queue, overlay and journal without reading their rows.
  func syncCounts() throws -> SyncCounts

  /// Returns the replica entry of an entity, or `nil`.
  ///
  /// The entry of a tombstone includes its data. The entry of a live entity includes data only if it differs from the
  /// visible row.
  func heldEntry(kind: MutationEntityType, id: String) throws -> ChangeEntry?
  /// Returns all replica entries of a kind in unspecified order.
  func fetchHeldEntries(kind: MutationEntityType) throws -> [ChangeEntry]
  /// Returns the replica entries with `version` < version ≤ `last`, in unspecified order. The default implementation
  /// filters all entries of the kind.
  func heldEntries(kind: MutationEntityType, after version: Int64, through last: Int64) throws -> [ChangeEntry]
  /// Returns the replica entries of live entities whose own data refers to this parent.
  func heldEntries(under parentId: String) throws -> [ChangeEntry]
  /// Inserts the replica entry of an entity of a known kind, replacing any previous entry.
  func insertHeldEntry(_ entry: ChangeEntry) throws
  /// Deletes the replica entry of an entity, if there is one.
  func deleteHeldEntry(kind: MutationEntityType, id: String) throws

  /// Returns the version up to which all feed entries are durable on this device, or `nil` if the next round needs a
  /// snapshot.
  func syncCursor() throws -> Int64?
  /// Sets the cursor. After `nil`, the next round begins with a snapshot.
  func setSyncCursor(_ cursor: Int64?) throws

  /// Returns the device identity that this store pushes with, or `nil` before the first push.
  func syncIdentity() throws -> SyncIdentity?
  /// Sets the device identity.
  func setSyncIdentity(_ identity: SyncIdentity?) throws

  /// Returns the store's metadata about its hub, or `nil` until the first response or edit.
  func syncMemory() throws -> SyncMetadata?
  /// Sets the metadata about the hub.
  func setSyncMemory(_ memory: SyncMetadata?) throws

  /// Returns the tombstones of entities deleted on this device, ordered by kind, then id. A tombstone is removed when
  /// the feed has passed its version, except that tombstones of imported entities are permanent.
  func fetchTombstones() throws -> [Tombstone]
  /// Returns the tombstone of an entity, or `nil`.
  func findTombstone(entityType: MutationEntityType, entityId: String) throws -> Tombstone?
  /// Inserts the tombstone of an entity, replacing any previous tombstone.
  func insertTombstone(_ tombstone: Tombstone) throws
  /// Removes the tombstone of an entity, if there is one.
  func deleteTombstone(_ tombstone: Tombstone) throws

  /// Returns the conflicts in the order they were recorded.
  func fetchConflicts() throws -> [Conflict]
  /// Inserts a conflict, replacing any conflict with the same id.
  func insertConflict(_ conflict: Conflict) throws
  /// Removes the conflict with this id from the journal, if it exists.
  func deleteConflict(_ conflict: Conflict) throws

  /// Returns the feed entries that cannot be applied yet, unchanged and ordered by version.
  func fetchParkedChanges() throws -> [ChangeEntry]
  /// Parks the entry of an entity, replacing any previously parked entry.
  func insertParkedChange(_ change: ChangeEntry) throws
  /// Removes the parked entry of an entity, if there is one.
  func deleteParkedChange(_ change: ChangeEntry) throws
  /// Returns the parked entry of an entity, or `nil`.
  func parkedChange(entityType: String, entityId: String) throws -> ChangeEntry?
  /// Returns the parked entries that can become applicable when this entity appears or is deleted: its live children
  /// and its own tombstone.
  func parkedChanges(about entityId: String) throws -> [ChangeEntry]
}

extension SyncStateStore {
  public func findTombstone(entityType: MutationEntityType, entityId: String) throws -> Tombstone? {
    try fetchTombstones().first { $0.entityType == entityType && $0.entityId == entityId }
  }

  public func heldEntries(
    kind: MutationEntityType, after version: Int64, through last: Int64
  ) throws -> [ChangeEntry] {
    try fetchHeldEntries(kind: kind).filter { $0.id > version && $0.id <= last }
  }
}
