public import TrendyModels

/// Sample event types with fixed values.
public enum EventTypeFixture: Sendable {
  /// Creates an event type.
  public static func makeEventType(
    id: String = "type-1", name: String = "Workout", colorHex: String = "#FF5733", iconName: String = "figure.run",
    syncStatus: SyncStatus = .pending
  ) -> EventType {
    EventType(id: id, name: name, colorHex: colorHex, iconName: iconName, syncStatus: syncStatus)
  }

  /// Creates three types that differ in every field.
  public static func makeCommonEventTypes() -> [EventType] {
    [
      makeEventType(),
      makeEventType(id: "type-2", name: "Coffee", colorHex: "#6F4E37", iconName: "cup.and.saucer"),
      makeEventType(id: "type-3", name: "Headache", colorHex: "#3366CC", iconName: "bolt"),
    ]
  }
}
