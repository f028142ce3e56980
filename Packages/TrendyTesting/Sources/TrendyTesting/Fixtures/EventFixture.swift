public import TrendyFoundation
public import TrendyModels

/// Events as a person records them, the same in every run.
public enum EventFixture: Sendable {
  public static func makeEvent(
    id: String = "evt-1", eventTypeId: String = "type-1", timestamp: Date = DeterministicDate.jan1_2024,
    notes: String? = "Test event", sourceType: EventSourceType = .manual, isAllDay: Bool = false,
    syncStatus: SyncStatus = .pending
  ) -> Event {
    Event(
      id: id, eventTypeId: eventTypeId, timestamp: timestamp, isAllDay: isAllDay, notes: notes, sourceType: sourceType,
      syncStatus: syncStatus)
  }

  public static func makeEventWithProperties(
    id: String = "evt-1", eventTypeId: String = "type-1",
    properties: [String: PropertyValue] = ["key": PropertyValueFixture.makeTextProperty()]
  ) -> Event {
    Event(id: id, eventTypeId: eventTypeId, timestamp: DeterministicDate.jan1_2024, properties: properties)
  }
}
