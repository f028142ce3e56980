public import TrendyFoundation
public import TrendyModels

/// Entities of a user's record, as the user sees them.
public protocol EntityStore: AnyObject {
  // MARK: Upsert

  /// Changes the event, or makes one: pending, at the reference date, of the type "", for `configure` to fill in.
  @discardableResult
  func upsertEvent(id: String, configure: (inout Event) throws -> Void) throws -> Event
  /// Puts a whole event in place of the one of its id, if there is one. The default is the upsert above; a store that need not
  /// make an event of what is there is quicker at many.
  func upsertEvent(_ event: Event) throws
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

  // MARK: Sync status

  /// Says of the event, if it is there, that the hub has what it says.
  func markEventSynced(id: String) throws
  /// Says of the event type, if it is there, that the hub has what it says.
  func markEventTypeSynced(id: String) throws
  /// Says of the geofence, if it is there, that the hub has what it says.
  func markGeofenceSynced(id: String) throws
  /// Says of the definition, if it is there, that the hub has what it says.
  func markPropertyDefinitionSynced(id: String) throws
}

extension EntityStore {
  public func upsertEvent(_ event: Event) throws { try upsertEvent(id: event.id) { $0 = event } }

  public func lookAhead(events identifiers: [CompactIdentifier]) throws {}

  public func holdsEvent(id: String) throws -> Bool { try findEvent(id: id) != nil }

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
}
