public import TrendyFoundation
public import TrendyModels

/// Entities in a user's record, as the user sees them.
public protocol EntityStore: AnyObject {
  // MARK: Upsert

  /// Changes or creates an event. A new event is pending, starts at the reference date and has an empty event type id.
  @discardableResult
  func upsertEvent(id: String, configure: (inout Event) throws -> Void) throws -> Event
  /// Inserts the event, or replaces the event with the same id.
  func upsertEvent(_ event: Event) throws
  /// Announces that the unit will read, change or delete these events, so that the store can prefetch them in one pass.
  /// The default implementation does nothing.
  func lookAhead(events identifiers: [CompactIdentifier]) throws
  /// Changes or creates an event type. A new type is pending, and its strings are empty.
  @discardableResult
  func upsertEventType(id: String, configure: (inout EventType) throws -> Void) throws -> EventType
  /// Changes or creates a geofence. A new geofence is pending, active, without notifications, with an empty name, at
  /// latitude 0 and longitude 0 with a radius of 100 m.
  @discardableResult
  func upsertGeofence(id: String, configure: (inout Geofence) throws -> Void) throws -> Geofence
  /// Changes or creates a definition. A new definition is pending, belongs to the given event type and has type `.text`
  /// with an empty key and label. An existing definition keeps its event type unless `configure` changes it.
  @discardableResult
  func upsertPropertyDefinition(
    id: String, eventTypeId: String, configure: (inout PropertyDefinition) throws -> Void
  ) throws -> PropertyDefinition

  // MARK: Delete

  /// Deletes the event if it exists.
  func deleteEvent(id: String) throws
  /// Deletes the event type if it exists, together with its events and property definitions.
  func deleteEventType(id: String) throws
  /// Deletes the geofence if it exists.
  func deleteGeofence(id: String) throws
  /// Deletes the definition if it exists. Events keep their values of this property.
  func deletePropertyDefinition(id: String) throws

  /// Deletes every event.
  func deleteAllEvents() throws
  /// Deletes every event type, together with all events and property definitions.
  func deleteAllEventTypes() throws
  /// Deletes every geofence.
  func deleteAllGeofences() throws
  /// Deletes every property definition.
  func deleteAllPropertyDefinitions() throws

  // MARK: Find

  /// Returns the event with this id, including unsaved changes, or `nil`.
  func findEvent(id: String) throws -> Event?
  /// Returns whether an event with this id exists.
  func holdsEvent(id: String) throws -> Bool
  /// Returns the event type with this id, including unsaved changes, or `nil`.
  func findEventType(id: String) throws -> EventType?
  /// Returns the geofence with this id, including unsaved changes, or `nil`.
  func findGeofence(id: String) throws -> Geofence?
  /// Returns the definition with this id, including unsaved changes, or `nil`.
  func findPropertyDefinition(id: String) throws -> PropertyDefinition?

  /// Returns all events, newest first, then in descending order of id.
  func fetchAllEvents() throws -> [Event]
  /// Returns all event types, ordered by name, then id.
  func fetchAllEventTypes() throws -> [EventType]
  /// Returns all geofences, ordered by name, then id.
  func fetchAllGeofences() throws -> [Geofence]
  /// Returns all property definitions, ordered by event type, display order, then id.
  func fetchAllPropertyDefinitions() throws -> [PropertyDefinition]

  /// Returns at most `limit` events in a time range, newest first. A `nil` argument does not restrict the result.
  func events(in range: Range<Date>?, ofType eventTypeId: String?, limit: Int?) throws -> [Event]
  /// Returns the events on a range of days, newest first. An event's day is determined in the time zone where it was
  /// recorded.
  ///
  /// A `nil` type selects all types. The default implementation filters the events in the time range that can contain
  /// these days.
  func events(of days: ClosedRange<CivilDate>, ofType eventTypeId: String?, in local: LocalTime) throws -> [Event]
  /// Returns the events from these sources in a time range (`nil` for all time), newest first. The default
  /// implementation filters all events in the range.
  func events(in range: Range<Date>?, from sources: Set<EventSourceType>) throws -> [Event]
  /// Returns up to `limit` events whose ids begin with `text`, ignoring case, in unspecified order.
  func events(idBeginning text: String, limit: Int) throws -> [Event]
  /// Returns the `count` most recently recorded events from these sources, most recent first.
  ///
  /// Events saved on this device are in the order of the ``noteSaved(events:at:)`` calls, regardless of the device's
  /// clock. Events from other devices are ordered by the time in their UUIDv7, or by their start if they have an id of
  /// another kind. Events imported on another device come last. The default implementation scans all events and orders
  /// them by UUIDv7 or start.
  func lastRecordedEvents(_ count: Int, from sources: Set<EventSourceType>) throws -> [Event]
  /// Records that this unit saves these new events, in this order, after all events already in the store. An event that
  /// was recorded before keeps its position. The default implementation does nothing.
  func noteSaved(events ids: [String], at date: Date) throws

  /// Returns the number of events on each day in `timeZone`, keyed by the first instant of the day. Days without events
  /// are absent.
  func eventCountsByDay(in range: Range<Date>?, ofType eventTypeId: String?, timeZone: TimeZone) throws -> [Date: Int]

  // MARK: Records of kinds without a Swift type

  /// Returns the record of this kind and id, or `nil`.
  func findRecord(kind: MutationEntityType, id: String) throws -> SyncedRecord?
  /// Returns all records of a kind, ordered by id.
  func fetchRecords(kind: MutationEntityType) throws -> [SyncedRecord]
  /// Inserts a record, replacing any record with the same kind and id.
  func upsertRecord(_ record: SyncedRecord) throws
  /// Deletes the record if it exists.
  func deleteRecord(kind: MutationEntityType, id: String) throws

  // MARK: Sync status

  /// Marks an event, if it exists, as synced: the hub has the same values.
  func markEventSynced(id: String) throws
  /// Marks an event type, if it exists, as synced: the hub has the same values.
  func markEventTypeSynced(id: String) throws
  /// Marks a geofence, if it exists, as synced: the hub has the same values.
  func markGeofenceSynced(id: String) throws
  /// Marks a definition, if it exists, as synced: the hub has the same values.
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
