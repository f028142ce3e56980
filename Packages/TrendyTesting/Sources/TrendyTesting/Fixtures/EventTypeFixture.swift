public import TrendyModels

/// Event types as a person makes them, the same in every run.
public enum EventTypeFixture: Sendable {
  public static func makeEventType(
    id: String = "type-1", name: String = "Workout", colorHex: String = "#FF5733", iconName: String = "figure.run",
    syncStatus: SyncStatus = .pending
  ) -> EventType {
    EventType(id: id, name: name, colorHex: colorHex, iconName: iconName, syncStatus: syncStatus)
  }

  /// Three that differ in everything.
  public static func makeCommonEventTypes() -> [EventType] {
    [
      makeEventType(),
      makeEventType(id: "type-2", name: "Coffee", colorHex: "#6F4E37", iconName: "cup.and.saucer"),
      makeEventType(id: "type-3", name: "Headache", colorHex: "#3366CC", iconName: "bolt"),
    ]
  }
}
