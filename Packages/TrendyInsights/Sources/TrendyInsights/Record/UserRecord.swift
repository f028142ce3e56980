public import TrendyFoundation
public import TrendyModels

/// Read access to one user's record, for rules that a device and a hub share.
///
/// Implementations contain no rules: they only read a device's store or a hub's storage.
public protocol UserRecord {
  /// Returns all event types, in any order.
  func eventTypes() throws -> [EventType]

  /// Returns the properties of all event types, in any order.
  func propertyDefinitions() throws -> [PropertyDefinition]

  /// Returns the records of a kind, such as settings or skips, in any order.
  func records(of kind: MutationEntityType) throws -> [SyncedRecord]

  /// Returns an event with the fields that ``forEachEvent(ofTypes:in:_:)`` lists, or `nil` if the event does not exist.
  func event(id: String) throws -> Event?

  /// Calls `body` with each event of the given types whose timestamp is in a range, in any order.
  ///
  /// An event has at least the fields on which days and goals depend: id, type, timestamp, end, whether it is an
  /// all-day event, time zone, source, and number and duration properties.
  func forEachEvent(ofTypes types: Set<String>, in range: Range<Date>, _ body: (Event) throws -> Void) throws

  /// Calls `body` at least with those events that can have a duration: events with an end, the events in `running`, and
  /// events of the types in `measured`. Otherwise the same as ``forEachEvent(ofTypes:in:_:)``.
  func forEachTimedEvent(
    ofTypes types: Set<String>, measured: Set<String>, running: Set<String>, in range: Range<Date>,
    _ body: (Event) throws -> Void
  ) throws

  /// Returns the histories of the given types up to `today`, by type. Types without events are omitted. Without a
  /// `range`, all events up to `today` count.
  func histories(
    ofTypes types: Set<String>, in range: EventRange?, through today: CivilDate, local: LocalTime
  ) throws -> [String: TypeHistory]
}

extension UserRecord {
  /// Calls `body` with all events.
  public func forEachTimedEvent(
    ofTypes types: Set<String>, measured _: Set<String>, running _: Set<String>, in range: Range<Date>,
    _ body: (Event) throws -> Void
  ) throws {
    try forEachEvent(ofTypes: types, in: range, body)
  }

  /// Counts the events one by one.
  public func histories(
    ofTypes types: Set<String>, in range: EventRange?, through today: CivilDate, local: LocalTime
  ) throws -> [String: TypeHistory] {
    var collectors: [String: TypeHistory.Collector] = [:]
    let all = Date.distantPast..<local.timestamps(of: today...today).upperBound
    try forEachEvent(ofTypes: types, in: range?.timestamps ?? all) { event in
      guard range?.contains(event) != false else { return }
      collectors[event.eventTypeId, default: TypeHistory.Collector(today: today, local: local)].add(event)
    }
    return collectors.mapValues(\.history).filter { $0.value.events > 0 }
  }
}
