public import TrendyModels

/// What sync knows of the hub: cursor, identity, entries as the hub sent them, tombstones, conflicts and parked changes.
public protocol SyncStateStore: AnyObject {
  /// Counted without reading.
  func syncCounts() throws -> SyncCounts

  /// What the hub gave of an entity. Its data is there of a tombstone, and of what lives as long as the entity's row says something
  /// else; otherwise the row is the data.
  func heldEntry(kind: MutationEntityType, id: String) throws -> ChangeEntry?
  /// In no order that means anything.
  func fetchHeldEntries(kind: MutationEntityType) throws -> [ChangeEntry]
  /// As above, those above one version and up to another. The default reads all.
  func heldEntries(kind: MutationEntityType, after version: Int64, through last: Int64) throws -> [ChangeEntry]
  /// Those of living entities that hang on this one, by their own data.
  func heldEntries(under parentId: String) throws -> [ChangeEntry]
  /// One for each entity of a known kind; a second replaces the first.
  func insertHeldEntry(_ entry: ChangeEntry) throws
  func deleteHeldEntry(kind: MutationEntityType, id: String) throws

  /// Up to here everything is durable on this device; `nil` before the first bootstrap.
  func syncCursor() throws -> Int64?
  /// Sets where the device stands in the feed; `nil` makes the next round begin with a snapshot.
  func setSyncCursor(_ cursor: Int64?) throws

  /// Who this store is to the hub; `nil` before the first push.
  func syncIdentity() throws -> SyncIdentity?
  func setSyncIdentity(_ identity: SyncIdentity?) throws

  /// What the store knows of its hub; `nil` before the first answer and the first edit.
  func syncMemory() throws -> SyncMemory?
  func setSyncMemory(_ memory: SyncMemory?) throws

  /// What was deleted here and the feed has not passed, of imports for good; by kind, then id.
  func fetchTombstones() throws -> [Tombstone]
  /// The tombstone of one entity. The default looks through all; a store that finds it by its name is quicker where there are many.
  func findTombstone(entityType: MutationEntityType, entityId: String) throws -> Tombstone?
  /// One for each entity; a second replaces the first.
  func insertTombstone(_ tombstone: Tombstone) throws
  /// Forgets that the entity was deleted, if that was noted.
  func deleteTombstone(_ tombstone: Tombstone) throws

  /// In the order they were recorded.
  func fetchConflicts() throws -> [Conflict]
  /// A conflict of the same id is replaced.
  func insertConflict(_ conflict: Conflict) throws
  /// Takes the conflict of this id out of the journal, if it is there.
  func deleteConflict(_ conflict: Conflict) throws

  /// Entries of the feed that cannot be applied yet, raw, by their version.
  func fetchParkedChanges() throws -> [ChangeEntry]
  /// One for each entity; a second replaces the first.
  func insertParkedChange(_ change: ChangeEntry) throws
  /// Forgets what is parked of the entity, if anything is.
  func deleteParkedChange(_ change: ChangeEntry) throws
  /// What is parked of one entity.
  func parkedChange(entityType: String, entityId: String) throws -> ChangeEntry?
  /// Those that the coming or going of an entity may let in: what lives and hangs on it, and its own deletion.
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
