public import TrendyModels
import TrendyProtocols

// MARK: Records and sync state
extension MockDataStore {
  // MARK: Records

  /// Throws ``throwOnFind`` if set, or else calls the store.
  public func findRecord(kind: MutationEntityType, id: String) throws -> SyncedRecord? {
    try throwIfSet(throwOnFind)
    return try unit.findRecord(kind: kind, id: id)
  }

  /// Throws ``throwOnFetchAll`` if set, or else calls the store.
  public func fetchRecords(kind: MutationEntityType) throws -> [SyncedRecord] {
    try throwIfSet(throwOnFetchAll)
    return try unit.fetchRecords(kind: kind)
  }

  /// Throws ``throwOnUpsert`` if set, or else calls the store.
  public func upsertRecord(_ record: SyncedRecord) throws {
    try throwIfSet(throwOnUpsert)
    try unit.upsertRecord(record)
  }

  /// Throws ``throwOnDelete`` if set, or else calls the store.
  public func deleteRecord(kind: MutationEntityType, id: String) throws {
    try throwIfSet(throwOnDelete)
    try unit.deleteRecord(kind: kind, id: id)
  }

  // MARK: Queue

  /// Throws ``throwOnFetchAll`` if set, or else calls the store.
  public func firstPendingMutations(_ count: Int) throws -> [PendingMutation] {
    fetchPendingMutationsCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.firstPendingMutations(count)
  }

  /// Throws ``throwOnFetchAll`` if set, or else calls the store.
  public func lastPendingMutation() throws -> PendingMutation? {
    try throwIfSet(throwOnFetchAll)
    return try unit.lastPendingMutation()
  }

  /// Throws ``throwOnFetchAll`` if set, or else calls the store.
  public func pendingMutations(ofEntity entityId: String) throws -> [PendingMutation] {
    try throwIfSet(throwOnFetchAll)
    return try unit.pendingMutations(ofEntity: entityId)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func fetchAcceptedMutations() throws -> [PendingMutation] {
    try throwIfSet(throwOnSyncState)
    return try unit.fetchAcceptedMutations()
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func acceptedMutations(through version: Int64) throws -> [PendingMutation] {
    try throwIfSet(throwOnSyncState)
    return try unit.acceptedMutations(through: version)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func acceptedMutations(ofEntity entityId: String) throws -> [PendingMutation] {
    try throwIfSet(throwOnSyncState)
    return try unit.acceptedMutations(ofEntity: entityId)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func insertAcceptedMutation(_ mutation: PendingMutation) throws {
    try throwIfSet(throwOnSyncState)
    try unit.insertAcceptedMutation(mutation)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func deleteAcceptedMutation(_ mutation: PendingMutation) throws {
    try throwIfSet(throwOnSyncState)
    try unit.deleteAcceptedMutation(mutation)
  }

  // MARK: Sync state

  /// Throws ``throwOnFetchAll`` if set, or else calls the store.
  public func syncCounts() throws -> SyncCounts {
    try throwIfSet(throwOnFetchAll)
    return try unit.syncCounts()
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func heldEntry(kind: MutationEntityType, id: String) throws -> ChangeEntry? {
    try throwIfSet(throwOnSyncState)
    return try unit.heldEntry(kind: kind, id: id)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func fetchHeldEntries(kind: MutationEntityType) throws -> [ChangeEntry] {
    try throwIfSet(throwOnSyncState)
    return try unit.fetchHeldEntries(kind: kind)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func heldEntries(under parentId: String) throws -> [ChangeEntry] {
    try throwIfSet(throwOnSyncState)
    return try unit.heldEntries(under: parentId)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func insertHeldEntry(_ entry: ChangeEntry) throws {
    try throwIfSet(throwOnSyncState)
    try unit.insertHeldEntry(entry)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func deleteHeldEntry(kind: MutationEntityType, id: String) throws {
    try throwIfSet(throwOnSyncState)
    try unit.deleteHeldEntry(kind: kind, id: id)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func syncMemory() throws -> SyncMetadata? {
    try throwIfSet(throwOnSyncState)
    return try unit.syncMemory()
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func setSyncMemory(_ memory: SyncMetadata?) throws {
    try throwIfSet(throwOnSyncState)
    try unit.setSyncMemory(memory)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func parkedChange(entityType: String, entityId: String) throws -> ChangeEntry? {
    try throwIfSet(throwOnSyncState)
    return try unit.parkedChange(entityType: entityType, entityId: entityId)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func parkedChanges(about entityId: String) throws -> [ChangeEntry] {
    try throwIfSet(throwOnSyncState)
    return try unit.parkedChanges(about: entityId)
  }
}
