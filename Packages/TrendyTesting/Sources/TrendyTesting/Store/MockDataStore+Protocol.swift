public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

extension MockDataStore: DataStoreProtocol {
  // MARK: Upsert

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

  @discardableResult
  public func upsertEventType(id: String, configure: (inout EventType) throws -> Void) throws -> EventType {
    upsertEventTypeCalls.append(call(id))
    try throwIfSet(throwOnUpsert)
    return try unit.upsertEventType(id: id, configure: configure)
  }

  @discardableResult
  public func upsertGeofence(id: String, configure: (inout Geofence) throws -> Void) throws -> Geofence {
    upsertGeofenceCalls.append(call(id))
    try throwIfSet(throwOnUpsert)
    return try unit.upsertGeofence(id: id, configure: configure)
  }

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

  /// Makes a type that is not there, as part of the caller's unsaved work.
  private func makeEventType(id: String, name: String, colorHex: String) throws {
    guard try unit.findEventType(id: id) == nil else { return }
    try unit.upsertEventType(id: id) { type in
      type.name = name
      type.colorHex = colorHex
      type.iconName = "circle"
    }
  }

  // MARK: Delete

  public func deleteEvent(id: String) throws {
    deleteEventCalls.append(call(id))
    try throwIfSet(throwOnDelete)
    try unit.deleteEvent(id: id)
  }

  public func deleteEventType(id: String) throws {
    deleteEventTypeCalls.append(call(id))
    try throwIfSet(throwOnDelete)
    try unit.deleteEventType(id: id)
  }

  public func deleteGeofence(id: String) throws {
    deleteGeofenceCalls.append(call(id))
    try throwIfSet(throwOnDelete)
    try unit.deleteGeofence(id: id)
  }

  public func deletePropertyDefinition(id: String) throws {
    deletePropertyDefinitionCalls.append(call(id))
    try throwIfSet(throwOnDelete)
    try unit.deletePropertyDefinition(id: id)
  }

  public func deleteAllEvents() throws {
    deleteAllEventsCalls += 1
    try throwIfSet(throwOnDelete)
    try unit.deleteAllEvents()
  }

  public func deleteAllEventTypes() throws {
    deleteAllEventTypesCalls += 1
    try throwIfSet(throwOnDelete)
    try unit.deleteAllEventTypes()
  }

  public func deleteAllGeofences() throws {
    deleteAllGeofencesCalls += 1
    try throwIfSet(throwOnDelete)
    try unit.deleteAllGeofences()
  }

  public func deleteAllPropertyDefinitions() throws {
    deleteAllPropertyDefinitionsCalls += 1
    try throwIfSet(throwOnDelete)
    try unit.deleteAllPropertyDefinitions()
  }

  // MARK: Find

  public func findEvent(id: String) throws -> Event? {
    findEventCalls.append(call(id))
    try throwIfSet(throwOnFind)
    return try unit.findEvent(id: id)
  }

  public func findEventType(id: String) throws -> EventType? {
    findEventTypeCalls.append(call(id))
    try throwIfSet(throwOnFind)
    return try unit.findEventType(id: id)
  }

  public func findGeofence(id: String) throws -> Geofence? {
    findGeofenceCalls.append(call(id))
    try throwIfSet(throwOnFind)
    return try unit.findGeofence(id: id)
  }

  public func findPropertyDefinition(id: String) throws -> PropertyDefinition? {
    findPropertyDefinitionCalls.append(call(id))
    try throwIfSet(throwOnFind)
    return try unit.findPropertyDefinition(id: id)
  }

  public func fetchAllEvents() throws -> [Event] {
    fetchAllEventsCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.fetchAllEvents()
  }

  public func fetchAllEventTypes() throws -> [EventType] {
    fetchAllEventTypesCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.fetchAllEventTypes()
  }

  public func fetchAllGeofences() throws -> [Geofence] {
    fetchAllGeofencesCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.fetchAllGeofences()
  }

  public func fetchAllPropertyDefinitions() throws -> [PropertyDefinition] {
    fetchAllPropertyDefinitionsCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.fetchAllPropertyDefinitions()
  }

  public func events(in range: Range<Date>?, ofType eventTypeId: String?, limit: Int?) throws -> [Event] {
    queryEventsCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.events(in: range, ofType: eventTypeId, limit: limit)
  }

  public func events(
    of days: ClosedRange<CivilDate>, ofType eventTypeId: String?, in local: LocalTime
  ) throws -> [Event] {
    queryEventsCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.events(of: days, ofType: eventTypeId, in: local)
  }

  public func eventCountsByDay(in range: Range<Date>?, ofType eventTypeId: String?, timeZone: TimeZone) throws
    -> [Date: Int]
  {
    queryEventsCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.eventCountsByDay(in: range, ofType: eventTypeId, timeZone: timeZone)
  }

  // MARK: Queue

  public func fetchPendingMutations() throws -> [PendingMutation] {
    fetchPendingMutationsCalls += 1
    try throwIfSet(throwOnFetchAll)
    return try unit.fetchPendingMutations()
  }

  public func hasPendingMutation(
    entityId: String, entityType: MutationEntityType, operation: MutationOperation
  ) throws -> Bool {
    hasPendingMutationCalls.append(
      HasPendingMutationCall(
        entityId: entityId, entityType: entityType, operation: operation, timestamp: clock.now))
    try throwIfSet(throwOnFind)
    return try unit.hasPendingMutation(entityId: entityId, entityType: entityType, operation: operation)
  }

  public func insertPendingMutation(_ mutation: PendingMutation) throws {
    insertMutationCalls.append(InsertMutationCall(mutation: mutation, timestamp: clock.now))
    try throwIfSet(throwOnInsertMutation)
    try unit.insertPendingMutation(mutation)
  }

  public func deletePendingMutation(_ mutation: PendingMutation) throws {
    deleteMutationCalls.append(call(mutation.id))
    try throwIfSet(throwOnDelete)
    try unit.deletePendingMutation(mutation)
  }

  // MARK: Sync state

  public func markEventSynced(id: String) throws {
    markEventSyncedCalls.append(call(id))
    try throwIfSet(throwOnMarkSynced)
    try unit.markEventSynced(id: id)
  }

  public func markEventTypeSynced(id: String) throws {
    markEventTypeSyncedCalls.append(call(id))
    try throwIfSet(throwOnMarkSynced)
    try unit.markEventTypeSynced(id: id)
  }

  public func markGeofenceSynced(id: String) throws {
    markGeofenceSyncedCalls.append(call(id))
    try throwIfSet(throwOnMarkSynced)
    try unit.markGeofenceSynced(id: id)
  }

  public func markPropertyDefinitionSynced(id: String) throws {
    markPropertyDefinitionSyncedCalls.append(call(id))
    try throwIfSet(throwOnMarkSynced)
    try unit.markPropertyDefinitionSynced(id: id)
  }

  public func syncCursor() throws -> Int64? {
    try throwIfSet(throwOnSyncState)
    return try unit.syncCursor()
  }

  public func setSyncCursor(_ cursor: Int64?) throws {
    try throwIfSet(throwOnSyncState)
    try unit.setSyncCursor(cursor)
  }

  public func syncIdentity() throws -> SyncIdentity? {
    try throwIfSet(throwOnSyncState)
    return try unit.syncIdentity()
  }

  public func setSyncIdentity(_ identity: SyncIdentity?) throws {
    try throwIfSet(throwOnSyncState)
    try unit.setSyncIdentity(identity)
  }

  public func fetchTombstones() throws -> [Tombstone] {
    try throwIfSet(throwOnSyncState)
    return try unit.fetchTombstones()
  }

  public func findTombstone(entityType: MutationEntityType, entityId: String) throws -> Tombstone? {
    try throwIfSet(throwOnSyncState)
    return try unit.findTombstone(entityType: entityType, entityId: entityId)
  }

  public func insertTombstone(_ tombstone: Tombstone) throws {
    try throwIfSet(throwOnSyncState)
    try unit.insertTombstone(tombstone)
  }

  public func deleteTombstone(_ tombstone: Tombstone) throws {
    try throwIfSet(throwOnSyncState)
    try unit.deleteTombstone(tombstone)
  }

  public func fetchConflicts() throws -> [Conflict] {
    try throwIfSet(throwOnSyncState)
    return try unit.fetchConflicts()
  }

  public func insertConflict(_ conflict: Conflict) throws {
    try throwIfSet(throwOnSyncState)
    try unit.insertConflict(conflict)
  }

  public func deleteConflict(_ conflict: Conflict) throws {
    try throwIfSet(throwOnSyncState)
    try unit.deleteConflict(conflict)
  }

  public func fetchParkedChanges() throws -> [ChangeEntry] {
    try throwIfSet(throwOnSyncState)
    return try unit.fetchParkedChanges()
  }

  public func insertParkedChange(_ change: ChangeEntry) throws {
    try throwIfSet(throwOnSyncState)
    try unit.insertParkedChange(change)
  }

  public func deleteParkedChange(_ change: ChangeEntry) throws {
    try throwIfSet(throwOnSyncState)
    try unit.deleteParkedChange(change)
  }

  // MARK: The unit

  public func save() throws {
    saveCalls += 1
    try throwIfSet(throwOnSave)
    try unit.save()
  }

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

/// What the mock calls the rows it makes up.
enum MockRows {
  static let defaultTypeId = "mock-default"
}
