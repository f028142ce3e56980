import TrendyInsights
public import TrendyModels
public import TrendyProtocols

/// Event that was started and has no end yet.
///
/// A setting with the key `running` contains the id of the event, so every device can find running events without
/// reading all events. The setting is ignored if the event does not exist or has an end.
public struct RunningEvent: Hashable, Sendable {
  public let event: Event
  /// Setting that marks the event as running.
  public let mark: SyncedRecord

  /// Creates a running event. `markId` is a new id for the setting.
  public init(_ event: Event, markId: String) {
    self.event = event
    mark = SyncedRecord(
      id: markId, kind: .setting, fields: ["key": .string(RunningSetting.key), "value": .string(event.id)])
  }

  private init?(_ mark: SyncedRecord, in store: any DataStoreProtocol) throws {
    guard let id = RunningSetting.eventId(in: mark), let event = try store.findEvent(id: id), event.endDate == nil
    else { return nil }
    self.event = event
    self.mark = mark
  }

  /// Returns all running events, latest start first.
  public static func all(in store: any DataStoreProtocol) throws -> [RunningEvent] {
    try store.fetchRecords(kind: .setting).compactMap { try RunningEvent($0, in: store) }
      .sorted { ($0.event.timestamp, $0.event.id) > ($1.event.timestamp, $1.event.id) }
  }
}
