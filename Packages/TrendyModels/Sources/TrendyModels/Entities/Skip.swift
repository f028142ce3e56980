/// Dates on which no events of a type are expected. Skipped dates neither break nor extend a streak.
///
/// A skip stores dates, not timestamps, so that it excuses the same days in every time zone.
public struct Skip: Hashable, Sendable, Identifiable {
  public let id: String
  /// Id of the event type whose events are not expected.
  public let eventTypeId: String
  /// First and last skipped day.
  public var days: ClosedRange<CivilDate>
  public var note: String?

  public init(id: String, eventTypeId: String, days: ClosedRange<CivilDate>, note: String? = nil) {
    self.id = id
    self.eventTypeId = eventTypeId
    self.days = days
    self.note = note
  }

  /// Creates a skip from a synced record, or returns `nil` if the record is of another kind or a required field is
  /// missing or invalid.
  public init?(_ record: SyncedRecord) {
    func date(_ name: String) -> CivilDate? { record.fields[name]?.stringValue.flatMap { CivilDate($0) } }
    guard record.kind == .skip, let type = record.fields["event_type_id"]?.stringValue, let from = date("from"),
      let to = date("to"), from <= to
    else { return nil }
    self.init(id: record.id, eventTypeId: type, days: from...to, note: record.fields["note"]?.stringValue)
  }

  /// Returns the skipped days by event type. Ignores records of other kinds.
  public static func days(in records: some Sequence<SyncedRecord>) -> [String: DaySet] {
    Dictionary(grouping: records.compactMap(Skip.init), by: \.eventTypeId).mapValues { DaySet($0.map(\.days)) }
  }

  /// Synced record that represents the skip.
  public var record: SyncedRecord {
    var fields: [String: JSONValue] = [
      "event_type_id": .string(eventTypeId), "from": .string("\(days.lowerBound)"), "to": .string("\(days.upperBound)"),
    ]
    if let note { fields["note"] = .string(note) }
    return SyncedRecord(id: id, kind: .skip, fields: fields)
  }

  /// Returns this skip without the given days: none, one or two skips.
  ///
  /// - Parameters:
  ///   - other: days to remove.
  ///   - ids: two new ids, used for the remaining parts if any day is removed.
  public func without(_ other: ClosedRange<CivilDate>, ids: [String]) -> [Skip] {
    precondition(ids.count == 2, "a skip has two parts, but \(ids.count) ids")
    guard days.overlaps(other) else { return [self] }
    var parts: [ClosedRange<CivilDate>] = []
    if days.lowerBound < other.lowerBound { parts.append(days.lowerBound...other.lowerBound.advanced(by: -1)) }
    if days.upperBound > other.upperBound { parts.append(other.upperBound.advanced(by: 1)...days.upperBound) }
    return zip(ids, parts).map { Skip(id: $0, eventTypeId: eventTypeId, days: $1, note: note) }
  }
}
