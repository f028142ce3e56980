public import TrendyModels
public import TrendyProtocols

/// An event that was started and not stopped: it has no end yet.
///
/// That it runs is told by a setting of the person's, `running`, whose value is the event's id: every device finds what runs without
/// looking at all events. A setting whose event is gone or has an end tells nothing.
public struct RunningEvent: Hashable, Sendable {
  static let key = "running"

  public let event: Event
  /// What tells that it runs.
  public let mark: SyncedRecord

  /// An event that begins to run; `markId` is the new id of what tells so.
  public init(_ event: Event, markId: String) {
    self.event = event
    mark = SyncedRecord(
      id: markId, kind: .setting, fields: ["key": .string(Self.key), "value": .string(event.id)])
  }

  private init?(_ mark: SyncedRecord, in store: any DataStoreProtocol) throws {
    guard mark.fields["key"]?.stringValue == Self.key, let id = mark.fields["value"]?.stringValue,
      let event = try store.findEvent(id: id), event.endDate == nil
    else { return nil }
    self.event = event
    self.mark = mark
  }

  /// The last started first.
  public static func all(in store: any DataStoreProtocol) throws -> [RunningEvent] {
    try store.fetchRecords(kind: .setting).compactMap { try RunningEvent($0, in: store) }
      .sorted { ($0.event.timestamp, $0.event.id) > ($1.event.timestamp, $1.event.id) }
  }
}
