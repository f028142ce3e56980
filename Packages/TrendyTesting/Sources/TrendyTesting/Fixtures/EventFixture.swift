public import TrendyFoundation
public import TrendyModels

/// Sample events with fixed values.
public enum EventFixture: Sendable {
  /// Creates an event.
  public static func makeEvent(
    id: String = "evt-1", eventTypeId: String = "type-1", timestamp: Date = DeterministicDate.jan1_2024,
    notes: String? = "Test event", sourceType: EventSourceType = .manual, isAllDay: Bool = false,
    syncStatus: SyncStatus = .pending
  ) -> Event {
    Event(
      id: id, eventTypeId: eventTypeId, timestamp: timestamp, isAllDay: isAllDay, notes: notes, sourceType: sourceType,
      syncStatus: syncStatus)
  }

  /// Creates an event with property values.
  public static func makeEventWithProperties(
    id: String = "evt-1", eventTypeId: String = "type-1",
    properties: [String: PropertyValue] = ["key": PropertyValueFixture.makeTextProperty()]
  ) -> Event {
    Event(id: id, eventTypeId: eventTypeId, timestamp: DeterministicDate.jan1_2024, properties: properties)
  }
}
