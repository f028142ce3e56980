public import TrendyFoundation
public import TrendyModels

/// Days on which no events of a type are expected; they neither break nor extend a streak.
public struct Skip: Hashable, Sendable, Identifiable {
  public let id: String
  /// Id of the event type whose events are not expected.
  public let eventTypeId: String
  /// From the start of the first day to the start of the day after the last.
  public var days: Range<Date>
  public var note: String?

  public init(id: String, eventTypeId: String, days: Range<Date>, note: String? = nil) {
    self.id = id
    self.eventTypeId = eventTypeId
    self.days = days
    self.note = note
  }

  /// Reads a record; `nil` for a record of another kind or without the required fields.
  public init?(_ record: SyncedRecord) {
    func date(_ name: String) -> Date? { record.fields[name]?.stringValue.flatMap { RFC3339.date(from: $0) } }
    guard record.kind == .skip, let type = record.fields["event_type_id"]?.stringValue, let from = date("from"),
      let to = date("to"), from < to
    else { return nil }
    self.init(id: record.id, eventTypeId: type, days: from..<to, note: record.fields["note"]?.stringValue)
  }

  /// Record with which the skip is stored and synced.
  public var record: SyncedRecord {
    var fields: [String: JSONValue] = [
      "event_type_id": .string(eventTypeId), "from": .string(RFC3339.string(from: days.lowerBound)),
      "to": .string(RFC3339.string(from: days.upperBound)),
    ]
    if let note { fields["note"] = .string(note) }
    return SyncedRecord(id: id, kind: .skip, fields: fields)
  }

  /// Returns the parts before and after the given days; `ids` contains two new ids for them.
  public func without(_ other: Range<Date>, ids: [String]) -> [Skip] {
    precondition(ids.count == 2, "two parts, \(ids.count) ids")
    return zip(
      ids, [days.clamped(to: .distantPast..<other.lowerBound), days.clamped(to: other.upperBound..<Date.distantFuture)]
    )
    .filter { !$0.1.isEmpty }
    .map { Skip(id: $0.0, eventTypeId: eventTypeId, days: $0.1, note: note) }
  }
}
