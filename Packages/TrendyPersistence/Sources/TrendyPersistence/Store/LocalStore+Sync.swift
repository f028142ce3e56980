import TrendyFoundation
public import TrendyModels
import TrendyProtocols

extension LocalStore {
  // MARK: Queue

  public func fetchPendingMutations() throws -> [PendingMutation] {
    try fetchAll(QueuedMutation.self).inQueueOrder.map(\.mutation)
  }

  public func hasPendingMutation(
    entityId: String, entityType: MutationEntityType, operation: MutationOperation
  ) throws -> Bool {
    try refresh()
    for record in try scan(RowKind.mutation, group: RowOrder.group(entityId)) {
      let mutation = try decode(QueuedMutation.self, record).mutation
      if mutation.entityId == entityId && mutation.entityType == entityType && mutation.operation == operation {
        return true
      }
    }
    return false
  }

  public func insertPendingMutation(_ mutation: PendingMutation) throws {
    let place = try findForChange(QueuedMutation.self, mutation.id)?.place ?? nextPlace()
    try put(QueuedMutation(mutation: mutation, place: place))
  }

  public func deletePendingMutation(_ mutation: PendingMutation) throws { try remove(RowKind.mutation, mutation.id) }

  // MARK: Sync state

  public func syncCursor() throws -> Int64? { try find(StoredSetting.self, StoredSetting.cursor)?.number }

  public func setSyncCursor(_ cursor: Int64?) throws {
    guard let cursor else { return try remove(RowKind.setting, StoredSetting.cursor) }
    try put(StoredSetting(name: StoredSetting.cursor, number: cursor))
  }

  public func syncIdentity() throws -> SyncIdentity? {
    guard let setting = try find(StoredSetting.self, StoredSetting.identity), let device = setting.text else {
      return nil
    }
    return SyncIdentity(device: device, lastSequence: setting.number.bounded)
  }

  public func setSyncIdentity(_ identity: SyncIdentity?) throws {
    guard let identity else { return try remove(RowKind.setting, StoredSetting.identity) }
    try put(StoredSetting(name: StoredSetting.identity, number: identity.lastSequence, text: identity.device))
  }

  public func fetchTombstones() throws -> [Tombstone] {
    try fetchAll(Tombstone.self).sorted {
      ($0.entityType.rawValue, $0.entityId) < ($1.entityType.rawValue, $1.entityId)
    }
  }

  public func findTombstone(entityType: MutationEntityType, entityId: String) throws -> Tombstone? {
    // Return early if there are no tombstones, which is usual. A search by hash would read several keys.
    try refresh()
    guard try mayHold(RowKind.tombstone) else { return nil }
    return try find(Tombstone.self, Tombstone(entityType: entityType, entityId: entityId).rowIdentifier)
  }

  public func insertTombstone(_ tombstone: Tombstone) throws { try put(tombstone) }

  public func deleteTombstone(_ tombstone: Tombstone) throws {
    try remove(RowKind.tombstone, tombstone.rowIdentifier)
  }

  public func fetchConflicts() throws -> [Conflict] {
    let journal = try fetchAll(JournalledConflict.self).sorted {
      ($0.conflict.recordedAt, $0.place) < ($1.conflict.recordedAt, $1.place)
    }
    return journal.map(\.conflict)
  }

  public func insertConflict(_ conflict: Conflict) throws {
    let place = try findForChange(JournalledConflict.self, conflict.id)?.place ?? nextPlace()
    try put(JournalledConflict(conflict: conflict, place: place))
  }

  public func deleteConflict(_ conflict: Conflict) throws { try remove(RowKind.conflict, conflict.id) }

  public func fetchParkedChanges() throws -> [ChangeEntry] {
    // Order entities with the same version by identifier. Versions are equal only after a hub has been restored.
    try fetchAll(ChangeEntry.self).sorted { ($0.id, $0.rowIdentifier) < ($1.id, $1.rowIdentifier) }
  }

  public func insertParkedChange(_ change: ChangeEntry) throws { try put(change) }

  public func deleteParkedChange(_ change: ChangeEntry) throws {
    try remove(RowKind.parkedChange, change.rowIdentifier)
  }
}
