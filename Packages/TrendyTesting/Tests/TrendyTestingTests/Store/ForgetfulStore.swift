import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Store that discards everything, to check that the contract detects it.
final class ForgetfulStore: DataStoreProtocol {
  func upsertEvent(id: String, configure: (inout Event) throws -> Void) throws -> Event {
    var event = Event(id: id, eventTypeId: "", timestamp: Date(timeIntervalSinceReferenceDate: 0))
    try? configure(&event)
    return event
  }

  func upsertEventType(id: String, configure: (inout EventType) throws -> Void) throws -> EventType {
    var type = EventType(id: id, name: "", colorHex: "", iconName: "")
    try configure(&type)
    return type
  }

  func upsertGeofence(id: String, configure: (inout Geofence) throws -> Void) throws -> Geofence {
    var geofence = Geofence(id: id, name: "", latitude: 0, longitude: 0)
    try configure(&geofence)
    return geofence
  }

  func upsertPropertyDefinition(
    id: String, eventTypeId: String, configure: (inout PropertyDefinition) throws -> Void
  ) throws -> PropertyDefinition {
    var definition = PropertyDefinition(id: id, eventTypeId: eventTypeId, key: "", label: "", propertyType: .text)
    try configure(&definition)
    return definition
  }

  func deleteEvent(id: String) {}
  func deleteEventType(id: String) {}
  func deleteGeofence(id: String) {}
  func deletePropertyDefinition(id: String) {}
  func deleteAllEvents() {}
  func deleteAllEventTypes() {}
  func deleteAllGeofences() {}
  func deleteAllPropertyDefinitions() {}
  func findEvent(id: String) -> Event? { nil }
  func findEventType(id: String) -> EventType? { nil }
  func findGeofence(id: String) -> Geofence? { nil }
  func findPropertyDefinition(id: String) -> PropertyDefinition? { nil }
  func fetchAllEvents() -> [Event] { [] }
  func fetchAllEventTypes() -> [EventType] { [] }
  func fetchAllGeofences() -> [Geofence] { [] }
  func fetchAllPropertyDefinitions() -> [PropertyDefinition] { [] }
  func events(in range: Range<Date>?, ofType eventTypeId: String?, limit: Int?) -> [Event] { [] }
  func eventCountsByDay(in range: Range<Date>?, ofType eventTypeId: String?, timeZone: TimeZone) -> [Date: Int] { [:] }
  func fetchPendingMutations() -> [PendingMutation] { [] }
  func hasPendingMutation(entityId: String, entityType: MutationEntityType, operation: MutationOperation) -> Bool {
    false
  }
  func insertPendingMutation(_ mutation: PendingMutation) {}
  func deletePendingMutation(_ mutation: PendingMutation) {}
  func markEventSynced(id: String) {}
  func markEventTypeSynced(id: String) {}
  func markGeofenceSynced(id: String) {}
  func markPropertyDefinitionSynced(id: String) {}
  func syncCursor() -> Int64? { nil }
  func setSyncCursor(_ cursor: Int64?) {}
  func syncIdentity() -> SyncIdentity? { nil }
  func setSyncIdentity(_ identity: SyncIdentity?) {}
  func fetchTombstones() -> [Tombstone] { [] }
  func insertTombstone(_ tombstone: Tombstone) {}
  func deleteTombstone(_ tombstone: Tombstone) {}
  func fetchConflicts() -> [Conflict] { [] }
  func insertConflict(_ conflict: Conflict) {}
  func deleteConflict(_ conflict: Conflict) {}
  func fetchParkedChanges() -> [ChangeEntry] { [] }
  func insertParkedChange(_ change: ChangeEntry) {}
  func deleteParkedChange(_ change: ChangeEntry) {}
  func findRecord(kind: MutationEntityType, id: String) -> SyncedRecord? { nil }
  func fetchRecords(kind: MutationEntityType) -> [SyncedRecord] { [] }
  func upsertRecord(_ record: SyncedRecord) {}
  func deleteRecord(kind: MutationEntityType, id: String) {}
  func firstPendingMutations(_ count: Int) -> [PendingMutation] { [] }
  func lastPendingMutation() -> PendingMutation? { nil }
  func pendingMutations(ofEntity entityId: String) -> [PendingMutation] { [] }
  func fetchAcceptedMutations() -> [PendingMutation] { [] }
  func acceptedMutations(through version: Int64) -> [PendingMutation] { [] }
  func acceptedMutations(ofEntity entityId: String) -> [PendingMutation] { [] }
  func insertAcceptedMutation(_ mutation: PendingMutation) {}
  func deleteAcceptedMutation(_ mutation: PendingMutation) {}
  func syncCounts() -> SyncCounts { SyncCounts() }
  func heldEntry(kind: MutationEntityType, id: String) -> ChangeEntry? { nil }
  func fetchHeldEntries(kind: MutationEntityType) -> [ChangeEntry] { [] }
  func heldEntries(under parentId: String) -> [ChangeEntry] { [] }
  func insertHeldEntry(_ entry: ChangeEntry) {}
  func deleteHeldEntry(kind: MutationEntityType, id: String) {}
  func syncMemory() -> SyncMetadata? { nil }
  func setSyncMemory(_ memory: SyncMetadata?) {}
  func parkedChange(entityType: String, entityId: String) -> ChangeEntry? { nil }
  func parkedChanges(about entityId: String) -> [ChangeEntry] { [] }
  func beginWriting() {}
  func save() {}
  func rollback() {}
}
