public import TrendyModels
import TrendyProtocols

/// What is passed on to the store: records, and what sync keeps.
extension MockDataStore {
  // MARK: Records

  public func findRecord(kind: MutationEntityType, id: String) throws -> SyncedRecord? {
    try throwIfSet(throwOnFind)
    return try unit.findRecord(kind: kind, id: id)
  }

  public func fetchRecords(kind: MutationEntityType) throws -> [SyncedRecord] {
    try throwIfSet(throwOnFetchAll)
    return try unit.fetchRecords(kind: kind)
  }

  public func upsertRecord(_ record: SyncedRecord) throws {
    try throwIfSet(throwOnUpsert)
    try unit.upsertRecord(record)
  }

  public func deleteRecord(kind: MutationEntityType, id: String) throws {
    try throwIfSet(throwOnDelete)
    try unit.deleteRecord(kind: kind, id: id)
  }

  // MARK: Queue

  public func firstPendingMutations(_ count: Int) throws -> [PendingMutation] {
    fetchPendingMutationsCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.firstPendingMutations(count)
  }

  public func lastPendingMutation() throws -> PendingMutation? {
    try throwIfSet(throwOnFetchAll)
    return try unit.lastPendingMutation()
  }

  public func pendingMutations(ofEntity entityId: String) throws -> [PendingMutation] {
    try throwIfSet(throwOnFetchAll)
    return try unit.pendingMutations(ofEntity: entityId)
  }

  public func fetchAcceptedMutations() throws -> [PendingMutation] {
    try throwIfSet(throwOnSyncState)
    return try unit.fetchAcceptedMutations()
  }

  public func acceptedMutations(through version: Int64) throws -> [PendingMutation] {
    try throwIfSet(throwOnSyncState)
    return try unit.acceptedMutations(through: version)
  }

  public func acceptedMutations(ofEntity entityId: String) throws -> [PendingMutation] {
    try throwIfSet(throwOnSyncState)
    return try unit.acceptedMutations(ofEntity: entityId)
  }

  public func insertAcceptedMutation(_ mutation: PendingMutation) throws {
    try throwIfSet(throwOnSyncState)
    try unit.insertAcceptedMutation(mutation)
  }

  public func deleteAcceptedMutation(_ mutation: PendingMutation) throws {
    try throwIfSet(throwOnSyncState)
    try unit.deleteAcceptedMutation(mutation)
  }

  // MARK: Sync state

  public func syncCounts() throws -> SyncCounts {
    try throwIfSet(throwOnFetchAll)
    return try unit.syncCounts()
  }

  public func heldEntry(kind: MutationEntityType, id: String) throws -> ChangeEntry? {
    try throwIfSet(throwOnSyncState)
    return try unit.heldEntry(kind: kind, id: id)
  }

  public func fetchHeldEntries(kind: MutationEntityType) throws -> [ChangeEntry] {
    try throwIfSet(throwOnSyncState)
    return try unit.fetchHeldEntries(kind: kind)
  }

  public func heldEntries(under parentId: String) throws -> [ChangeEntry] {
    try throwIfSet(throwOnSyncState)
    return try unit.heldEntries(under: parentId)
  }

  public func insertHeldEntry(_ entry: ChangeEntry) throws {
    try throwIfSet(throwOnSyncState)
    try unit.insertHeldEntry(entry)
  }

  public func deleteHeldEntry(kind: MutationEntityType, id: String) throws {
    try throwIfSet(throwOnSyncState)
    try unit.deleteHeldEntry(kind: kind, id: id)
  }

  public func syncMemory() throws -> SyncMemory? {
    try throwIfSet(throwOnSyncState)
    return try unit.syncMemory()
  }

  public func setSyncMemory(_ memory: SyncMemory?) throws {
    try throwIfSet(throwOnSyncState)
    try unit.setSyncMemory(memory)
  }

  public func parkedChange(entityType: String, entityId: String) throws -> ChangeEntry? {
    try throwIfSet(throwOnSyncState)
    return try unit.parkedChange(entityType: entityType, entityId: entityId)
  }

  public func parkedChanges(about entityId: String) throws -> [ChangeEntry] {
    try throwIfSet(throwOnSyncState)
    return try unit.parkedChanges(about: entityId)
  }
}
