public import TrendyFoundation
public import TrendyModels

/// A unit of work on a person's record: made and used inside one isolation, not `Sendable`; its factory is.
///
/// Changes are seen by their own unit at once and by others after ``save()``, which is all or nothing and durable when it
/// returns. A unit takes the write lock at its first write and reads again what it read before, so that read-change-write
/// is one step across processes. What sync knows (cursor, tombstones, queue, journal) lives in the same unit.
///
/// Every operation but ``rollback()`` throws. A store that does not open throws its error from every operation.
/// Deleting or marking what is not there is no error. A `configure` closure that throws leaves the row as it was.
public protocol DataStoreProtocol: AnyObject {
  // MARK: Upsert

  /// Changes the event, or makes one: pending, at the reference date, of the type "", for `configure` to fill in.
  @discardableResult
  func upsertEvent(id: String, configure: (inout Event) throws -> Void) throws -> Event
  /// Puts a whole event in place of the one of its id, if there is one. The default is the upsert above; a store that need not
  /// make an event of what is there is quicker at many.
  func upsertEvent(_ event: Event) throws
  /// Says of each identifier whether nothing is kept of an event of it: no row, nothing that waits or was accepted, nothing held and
  /// no tombstone. Of one that comes twice the second is not new. May be `false` for one that is new: of the default it always is.
  func areNew(events identifiers: [CompactIdentifier]) throws -> [Bool]
  /// Inserts an event that ``areNew(events:)`` called new, in this unit, and the mutation that makes it. The default is the upsert and
  /// the insertion; a store that need not look for what they would replace is quicker at many.
  func insertNew(_ event: Event, with mutation: PendingMutation) throws
  /// Says that these events will be read, changed or deleted in this unit, so that what is kept of them can be looked for once for all.
  /// The default does nothing.
  func lookAhead(events identifiers: [CompactIdentifier]) throws
  /// Changes the event type, or makes one: pending, with empty texts.
  @discardableResult
  func upsertEventType(id: String, configure: (inout EventType) throws -> Void) throws -> EventType
  /// Changes the geofence, or makes one: pending, named "", at 0, 0, 100 m around, active and silent.
  @discardableResult
  func upsertGeofence(id: String, configure: (inout Geofence) throws -> Void) throws -> Geofence
  /// Changes the definition, or makes one: pending, of the event type given, a text with empty key and label. An existing
  /// one keeps its event type unless `configure` changes it.
  @discardableResult
  func upsertPropertyDefinition(
    id: String, eventTypeId: String, configure: (inout PropertyDefinition) throws -> Void
  ) throws -> PropertyDefinition

  // MARK: Delete

  /// Deletes the event, if it is there.
  func deleteEvent(id: String) throws
  /// Deletes the event type, if it is there, with its events and property definitions.
  func deleteEventType(id: String) throws
  /// Deletes the geofence, if it is there.
  func deleteGeofence(id: String) throws
  /// Deletes the definition, if it is there; values of events under its key stay.
  func deletePropertyDefinition(id: String) throws

  /// Deletes every event.
  func deleteAllEvents() throws
  /// Deletes every event type, and with them all events and property definitions.
  func deleteAllEventTypes() throws
  /// Deletes every geofence.
  func deleteAllGeofences() throws
  /// Deletes every property definition.
  func deleteAllPropertyDefinitions() throws

  // MARK: Find

  /// The event of this identifier, unsaved changes included; `nil` where there is none.
  func findEvent(id: String) throws -> Event?
  /// Whether there is an event of this identifier. The default finds it; a store that need not make an event of what it has is quicker
  /// at many.
  func holdsEvent(id: String) throws -> Bool
  /// The event type of this identifier, unsaved changes included; `nil` where there is none.
  func findEventType(id: String) throws -> EventType?
  /// The geofence of this identifier, unsaved changes included; `nil` where there is none.
  func findGeofence(id: String) throws -> Geofence?
  /// The definition of this identifier, unsaved changes included; `nil` where there is none.
  func findPropertyDefinition(id: String) throws -> PropertyDefinition?

  /// Every event: by time, the newest first; equal times by id, the highest first.
  func fetchAllEvents() throws -> [Event]
  /// Every event type, by name, then id.
  func fetchAllEventTypes() throws -> [EventType]
  /// Every geofence, by name, then id.
  func fetchAllGeofences() throws -> [Geofence]
  /// Every property definition, by event type, display order, then id.
  func fetchAllPropertyDefinitions() throws -> [PropertyDefinition]

  /// The events of a span of time, or of all time, of one type or of all; the newest first, at most `limit`.
  func events(in range: Range<Date>?, ofType eventTypeId: String?, limit: Int?) throws -> [Event]
  /// The events of some of the person's days, each of the day that it was where it was recorded, of one type or of all; the newest
  /// first. The default makes all events whose timestamps come near.
  func events(of days: ClosedRange<CivilDate>, ofType eventTypeId: String?, in local: LocalTime) throws -> [Event]
  /// The events of these sources in a span of time, or of all time; the newest first. The default looks at all events of the span.
  func events(in range: Range<Date>?, from sources: Set<EventSourceType>) throws -> [Event]
  /// Events whose id begins with a text, whatever its case, in no order; at most `limit` of them. The default looks at all events.
  func events(idBeginning text: String, limit: Int) throws -> [Event]
  /// The `count` events of these sources that were recorded last, the last first.
  ///
  /// Events that this device saved are in the order of ``noteSaved(events:at:)``, whatever its clock says. Among them an event of another
  /// device has the place that the time in its UUIDv7 gives, or its start if it has another id; one that another device imported comes
  /// last. The default looks at all events and knows no order of saves.
  func lastRecordedEvents(_ count: Int, from sources: Set<EventSourceType>) throws -> [Event]
  /// Records that this unit saves these new events, in this order, after all events that are in the store. An event that was noted before
  /// keeps its place. The default does nothing.
  func noteSaved(events ids: [String], at date: Date) throws

  /// How many events each day of `timeZone` has, by the day's first moment; days without one are left out.
  func eventCountsByDay(in range: Range<Date>?, ofType eventTypeId: String?, timeZone: TimeZone) throws -> [Date: Int]

  // MARK: Records, the kinds without a Swift type of their own

  func findRecord(kind: MutationEntityType, id: String) throws -> SyncedRecord?
  /// By id.
  func fetchRecords(kind: MutationEntityType) throws -> [SyncedRecord]
  /// A record of the same kind and id is replaced.
  func upsertRecord(_ record: SyncedRecord) throws
  func deleteRecord(kind: MutationEntityType, id: String) throws

  // MARK: Queue

  /// In the order of their times; equal times in the order they were inserted.
  func fetchPendingMutations() throws -> [PendingMutation]
  /// Whether a mutation of this entity and operation waits.
  func hasPendingMutation(entityId: String, entityType: MutationEntityType, operation: MutationOperation) throws -> Bool
  /// A mutation of the same id is replaced and keeps its place.
  func insertPendingMutation(_ mutation: PendingMutation) throws
  /// Inserts a mutation whose id was made just now, and is none that the queue has had. The default is the insertion above.
  func appendPendingMutation(_ mutation: PendingMutation) throws
  /// Takes the mutation of this id out of the queue, if it is there.
  func deletePendingMutation(_ mutation: PendingMutation) throws
  /// The first of the queue, in its order; reads no more than these.
  func firstPendingMutations(_ count: Int) throws -> [PendingMutation]
  /// The last of the queue, without reading the others.
  func lastPendingMutation() throws -> PendingMutation?
  /// Those of every entity with this identifier, in the order of the queue, without reading the others.
  func pendingMutations(ofEntity entityId: String) throws -> [PendingMutation]

  /// Mutations that the hub accepted and whose entities have not come back, in the order of their versions.
  func fetchAcceptedMutations() throws -> [PendingMutation]
  /// As above, those accepted up to a version.
  func acceptedMutations(through version: Int64) throws -> [PendingMutation]
  /// As above, those of every entity with this identifier.
  func acceptedMutations(ofEntity entityId: String) throws -> [PendingMutation]
  /// A mutation of the same id is replaced.
  func insertAcceptedMutation(_ mutation: PendingMutation) throws
  func deleteAcceptedMutation(_ mutation: PendingMutation) throws

  // MARK: Sync state

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

  /// Says of the event, if it is there, that the hub has what it says.
  func markEventSynced(id: String) throws
  /// Says of the event type, if it is there, that the hub has what it says.
  func markEventTypeSynced(id: String) throws
  /// Says of the geofence, if it is there, that the hub has what it says.
  func markGeofenceSynced(id: String) throws
  /// Says of the definition, if it is there, that the hub has what it says.
  func markPropertyDefinitionSynced(id: String) throws

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

  // MARK: The unit

  /// Makes every change of this unit durable and seen by others, or none. One that throws leaves the unit as it was: save
  /// again, or roll back.
  func save() throws

  /// Forgets every change since the last save, and lets go of the write lock.
  func rollback()
}

/// Makes units of work on one store.
public protocol DataStoreFactory: Sendable {
  /// A new unit, for the isolation that calls. It cannot fail: a store that does not open throws from every operation.
  func makeDataStore() -> any DataStoreProtocol
  /// Puts in order what many saves left, between two units of work: at most a step of some tens of milliseconds. The default does
  /// nothing.
  func tidyUp() throws
  /// Takes the right to sync the store, over all processes. It goes with the value, and with whoever holds that: no lock is left
  /// behind by a program that ended. The default, for a store that one engine alone uses, always gives it.
  /// - Returns: `nil` while another holds it.
  func lockForSync() throws -> (any Sendable)?
}

extension DataStoreFactory {
  public func tidyUp() throws {}
  public func lockForSync() throws -> (any Sendable)? { () }
}

extension DataStoreProtocol {
  public func upsertEvent(_ event: Event) throws { try upsertEvent(id: event.id) { $0 = event } }

  public func areNew(events identifiers: [CompactIdentifier]) throws -> [Bool] {
    [Bool](repeating: false, count: identifiers.count)
  }

  public func lookAhead(events identifiers: [CompactIdentifier]) throws {}

  public func holdsEvent(id: String) throws -> Bool { try findEvent(id: id) != nil }

  public func appendPendingMutation(_ mutation: PendingMutation) throws { try insertPendingMutation(mutation) }

  public func insertNew(_ event: Event, with mutation: PendingMutation) throws {
    try upsertEvent(event)
    try insertPendingMutation(mutation)
  }

  public func findTombstone(entityType: MutationEntityType, entityId: String) throws -> Tombstone? {
    try fetchTombstones().first { $0.entityType == entityType && $0.entityId == entityId }
  }

  public func events(idBeginning text: String, limit: Int) throws -> [Event] {
    let wanted = text.lowercased()
    return Array(try fetchAllEvents().lazy.filter { $0.id.lowercased().hasPrefix(wanted) }.prefix(limit))
  }

  public func events(
    of days: ClosedRange<CivilDate>, ofType eventTypeId: String?, in local: LocalTime
  ) throws -> [Event] {
    try events(in: local.timestamps(of: days), ofType: eventTypeId, limit: nil)
      .filter { days.contains(local.day(of: $0)) }
  }

  public func events(in range: Range<Date>?, from sources: Set<EventSourceType>) throws -> [Event] {
    try events(in: range, ofType: nil, limit: nil).filter { sources.contains($0.sourceType) }
  }

  public func noteSaved(events ids: [String], at date: Date) throws {}

  public func lastRecordedEvents(_ count: Int, from sources: Set<EventSourceType>) throws -> [Event] {
    let events = try fetchAllEvents().filter { sources.contains($0.sourceType) }
      .map { (recorded: UUIDv7($0.id)?.date ?? $0.timestamp, event: $0) }
    return events.sorted { ($0.recorded, $0.event.id) > ($1.recorded, $1.event.id) }.prefix(count).map(\.event)
  }

  public func heldEntries(
    kind: MutationEntityType, after version: Int64, through last: Int64
  ) throws -> [ChangeEntry] {
    try fetchHeldEntries(kind: kind).filter { $0.id > version && $0.id <= last }
  }
}
