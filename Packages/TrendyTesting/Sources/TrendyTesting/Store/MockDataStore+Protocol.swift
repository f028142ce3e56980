public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

extension MockDataStore: DataStoreProtocol {
  // MARK: Upsert

  /// Throws ``throwOnUpsert`` if set, or else calls the store.
  @discardableResult
  public func upsertEvent(id: String, configure: (inout Event) throws -> Void) throws -> Event {
    upsertEventCalls.append(call(id))
    try throwIfSet(throwOnUpsert)
    let event = try unit.upsertEvent(id: id) { event in
      try configure(&event)
      if event.eventTypeId.isEmpty { event.eventTypeId = MockRows.defaultTypeId }
    }
    if event.eventTypeId == MockRows.defaultTypeId {
      try makeEventType(id: event.eventTypeId, name: "MockDefault", colorHex: "#888888")
    }
    return event
  }

  /// Throws ``throwOnUpsert`` if set, or else calls the store.
  @discardableResult
  public func upsertEventType(id: String, configure: (inout EventType) throws -> Void) throws -> EventType {
    upsertEventTypeCalls.append(call(id))
    try throwIfSet(throwOnUpsert)
    return try unit.upsertEventType(id: id, configure: configure)
  }

  /// Throws ``throwOnUpsert`` if set, or else calls the store.
  @discardableResult
  public func upsertGeofence(id: String, configure: (inout Geofence) throws -> Void) throws -> Geofence {
    upsertGeofenceCalls.append(call(id))
    try throwIfSet(throwOnUpsert)
    return try unit.upsertGeofence(id: id, configure: configure)
  }

  /// Throws ``throwOnUpsert`` if set, or else calls the store.
  @discardableResult
  public func upsertPropertyDefinition(
    id: String, eventTypeId: String, configure: (inout PropertyDefinition) throws -> Void
  ) throws -> PropertyDefinition {
    upsertPropertyDefinitionCalls.append(call(id))
    try throwIfSet(throwOnUpsert)
    let definition = try unit.upsertPropertyDefinition(id: id, eventTypeId: eventTypeId, configure: configure)
    try makeEventType(id: definition.eventTypeId, name: "Placeholder", colorHex: "#000000")
    return definition
  }

  /// Creates a missing type within the caller's unsaved changes.
  private func makeEventType(id: String, name: String, colorHex: String) throws {
    guard try unit.findEventType(id: id) == nil else { return }
    try unit.upsertEventType(id: id) { type in
      type.name = name
      type.colorHex = colorHex
      type.iconName = "circle"
    }
  }

  // MARK: Delete

  /// Throws ``throwOnDelete`` if set, or else calls the store.
  public func deleteEvent(id: String) throws {
    deleteEventCalls.append(call(id))
    try throwIfSet(throwOnDelete)
    try unit.deleteEvent(id: id)
  }

  /// Throws ``throwOnDelete`` if set, or else calls the store.
  public func deleteEventType(id: String) throws {
    deleteEventTypeCalls.append(call(id))
    try throwIfSet(throwOnDelete)
    try unit.deleteEventType(id: id)
  }

  /// Throws ``throwOnDelete`` if set, or else calls the store.
  public func deleteGeofence(id: String) throws {
    deleteGeofenceCalls.append(call(id))
    try throwIfSet(throwOnDelete)
    try unit.deleteGeofence(id: id)
  }

  /// Throws ``throwOnDelete`` if set, or else calls the store.
  public func deletePropertyDefinition(id: String) throws {
    deletePropertyDefinitionCalls.append(call(id))
    try throwIfSet(throwOnDelete)
    try unit.deletePropertyDefinition(id: id)
  }

  /// Throws ``throwOnDelete`` if set, or else calls the store.
  public func deleteAllEvents() throws {
    deleteAllEventsCalls += 1
    try throwIfSet(throwOnDelete)
    try unit.deleteAllEvents()
  }

  /// Throws ``throwOnDelete`` if set, or else calls the store.
  public func deleteAllEventTypes() throws {
    deleteAllEventTypesCalls += 1
    try throwIfSet(throwOnDelete)
    try unit.deleteAllEventTypes()
  }

  /// Throws ``throwOnDelete`` if set, or else calls the store.
  public func deleteAllGeofences() throws {
    deleteAllGeofencesCalls += 1
    try throwIfSet(throwOnDelete)
    try unit.deleteAllGeofences()
  }

  /// Throws ``throwOnDelete`` if set, or else calls the store.
  public func deleteAllPropertyDefinitions() throws {
    deleteAllPropertyDefinitionsCalls += 1
    try throwIfSet(throwOnDelete)
    try unit.deleteAllPropertyDefinitions()
  }

  // MARK: Find

  /// Throws ``throwOnFind`` if set, or else calls the store.
  public func findEvent(id: String) throws -> Event? {
    findEventCalls.append(call(id))
    try throwIfSet(throwOnFind)
    return try unit.findEvent(id: id)
  }

  /// Throws ``throwOnFind`` if set, or else calls the store.
  public func findEventType(id: String) throws -> EventType? {
    findEventTypeCalls.append(call(id))
    try throwIfSet(throwOnFind)
    return try unit.findEventType(id: id)
  }

  /// Throws ``throwOnFind`` if set, or else calls the store.
  public func findGeofence(id: String) throws -> Geofence? {
    findGeofenceCalls.append(call(id))
    try throwIfSet(throwOnFind)
    return try unit.findGeofence(id: id)
  }

  /// Throws ``throwOnFind`` if set, or else calls the store.
  public func findPropertyDefinition(id: String) throws -> PropertyDefinition? {
    findPropertyDefinitionCalls.append(call(id))
    try throwIfSet(throwOnFind)
    return try unit.findPropertyDefinition(id: id)
  }

  /// Throws ``throwOnFetchAll`` if set, or else calls the store.
  public func fetchAllEvents() throws -> [Event] {
    fetchAllEventsCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.fetchAllEvents()
  }

  /// Throws ``throwOnFetchAll`` if set, or else calls the store.
  public func fetchAllEventTypes() throws -> [EventType] {
    fetchAllEventTypesCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.fetchAllEventTypes()
  }

  /// Throws ``throwOnFetchAll`` if set, or else calls the store.
  public func fetchAllGeofences() throws -> [Geofence] {
    fetchAllGeofencesCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.fetchAllGeofences()
  }

  /// Throws ``throwOnFetchAll`` if set, or else calls the store.
  public func fetchAllPropertyDefinitions() throws -> [PropertyDefinition] {
    fetchAllPropertyDefinitionsCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.fetchAllPropertyDefinitions()
  }

  /// Throws ``throwOnFetchAll`` if set, or else calls the store.
  public func events(in range: Range<Date>?, ofType eventTypeId: String?, limit: Int?) throws -> [Event] {
    queryEventsCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.events(in: range, ofType: eventTypeId, limit: limit)
  }

  /// Throws ``throwOnFetchAll`` if set, or else calls the store.
  public func events(
    of days: ClosedRange<CivilDate>, ofType eventTypeId: String?, in local: LocalTime
  ) throws -> [Event] {
    queryEventsCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.events(of: days, ofType: eventTypeId, in: local)
  }

  /// Throws ``throwOnFetchAll`` if set, or else calls the store.
  public func eventCountsByDay(in range: Range<Date>?, ofType eventTypeId: String?, timeZone: TimeZone) throws
    -> [Date: Int]
  {
    queryEventsCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.eventCountsByDay(in: range, ofType: eventTypeId, timeZone: timeZone)
  }

  // MARK: Queue

  /// Throws ``throwOnFetchAll`` if set, or else calls the store.
  public func fetchPendingMutations() throws -> [PendingMutation] {
    fetchPendingMutationsCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.fetchPendingMutations()
  }

  /// Throws ``throwOnFind`` if set, or else calls the store.
  public func hasPendingMutation(
    entityId: String, entityType: MutationEntityType, operation: MutationOperation
  ) throws -> Bool {
    hasPendingMutationCalls.append(
      HasPendingMutationCall(
        entityId: entityId, entityType: entityType, operation: operation, timestamp: clock.now))
    try throwIfSet(throwOnFind)
    return try unit.hasPendingMutation(entityId: entityId, entityType: entityType, operation: operation)
  }

  /// Throws ``throwOnInsertMutation`` if set, or else calls the store.
  public func insertPendingMutation(_ mutation: PendingMutation) throws {
    insertMutationCalls.append(InsertMutationCall(mutation: mutation, timestamp: clock.now))
    try throwIfSet(throwOnInsertMutation)
    try unit.insertPendingMutation(mutation)
  }

  /// Throws ``throwOnDelete`` if set, or else calls the store.
  public func deletePendingMutation(_ mutation: PendingMutation) throws {
    deleteMutationCalls.append(call(mutation.id))
    try throwIfSet(throwOnDelete)
    try unit.deletePendingMutation(mutation)
  }

  // MARK: Sync state

  /// Throws ``throwOnMarkSynced`` if set, or else calls the store.
  public func markEventSynced(id: String) throws {
    markEventSyncedCalls.append(call(id))
    try throwIfSet(throwOnMarkSynced)
    try unit.markEventSynced(id: id)
  }

  /// Throws ``throwOnMarkSynced`` if set, or else calls the store.
  public func markEventTypeSynced(id: String) throws {
    markEventTypeSyncedCalls.append(call(id))
    try throwIfSet(throwOnMarkSynced)
    try unit.markEventTypeSynced(id: id)
  }

  /// Throws ``throwOnMarkSynced`` if set, or else calls the store.
  public func markGeofenceSynced(id: String) throws {
    markGeofenceSyncedCalls.append(call(id))
    try throwIfSet(throwOnMarkSynced)
    try unit.markGeofenceSynced(id: id)
  }

  /// Throws ``throwOnMarkSynced`` if set, or else calls the store.
  public func markPropertyDefinitionSynced(id: String) throws {
    markPropertyDefinitionSyncedCalls.append(call(id))
    try throwIfSet(throwOnMarkSynced)
    try unit.markPropertyDefinitionSynced(id: id)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func syncCursor() throws -> Int64? {
    try throwIfSet(throwOnSyncState)
    return try unit.syncCursor()
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func setSyncCursor(_ cursor: Int64?) throws {
    try throwIfSet(throwOnSyncState)
    try unit.setSyncCursor(cursor)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func syncIdentity() throws -> SyncIdentity? {
    try throwIfSet(throwOnSyncState)
    return try unit.syncIdentity()
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func setSyncIdentity(_ identity: SyncIdentity?) throws {
    try throwIfSet(throwOnSyncState)
    try unit.setSyncIdentity(identity)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func fetchTombstones() throws -> [Tombstone] {
    try throwIfSet(throwOnSyncState)
    return try unit.fetchTombstones()
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func findTombstone(entityType: MutationEntityType, entityId: String) throws -> Tombstone? {
    try throwIfSet(throwOnSyncState)
    return try unit.findTombstone(entityType: entityType, entityId: entityId)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func insertTombstone(_ tombstone: Tombstone) throws {
    try throwIfSet(throwOnSyncState)
    try unit.insertTombstone(tombstone)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func deleteTombstone(_ tombstone: Tombstone) throws {
    try throwIfSet(throwOnSyncState)
    try unit.deleteTombstone(tombstone)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func fetchConflicts() throws -> [Conflict] {
    try throwIfSet(throwOnSyncState)
    return try unit.fetchConflicts()
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func insertConflict(_ conflict: Conflict) throws {
    try throwIfSet(throwOnSyncState)
    try unit.insertConflict(conflict)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func deleteConflict(_ conflict: Conflict) throws {
    try throwIfSet(throwOnSyncState)
    try unit.deleteConflict(conflict)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func fetchParkedChanges() throws -> [ChangeEntry] {
    try throwIfSet(throwOnSyncState)
    return try unit.fetchParkedChanges()
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func insertParkedChange(_ change: ChangeEntry) throws {
    try throwIfSet(throwOnSyncState)
    try unit.insertParkedChange(change)
  }

  /// Throws ``throwOnSyncState`` if set, or else calls the store.
  public func deleteParkedChange(_ change: ChangeEntry) throws {
    try throwIfSet(throwOnSyncState)
    try unit.deleteParkedChange(change)
  }

  // MARK: Unit of work

  public func beginWriting() throws { try unit.beginWriting() }

  /// Throws ``throwOnSave`` if set, or else calls the store.
  public func save() throws {
    saveCalls += 1
    try throwIfSet(throwOnSave)
    try unit.save()
  }

  /// Discards the unsaved changes.
  public func rollback() {
    rollbackCalls += 1
    unit.rollback()
  }
}

extension MockDataStore {
  private func call(_ id: String) -> RowCall {
    RowCall(id: id, timestamp: clock.now)
  }

  func throwIfSet(_ error: (any Error)?) throws {
    if let error { throw error }
  }
}

/// Ids of rows that the mock creates implicitly.
enum MockRows {
  static let defaultTypeId = "mock-default"
}
