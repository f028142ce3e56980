public import TrendyModels
import TrendyTrips

/// Event types that a new store contains.
///
/// The ids are natural keys, so if two devices create the types separately, sync merges them.
public enum StarterTypes: Sendable {
  /// Event types with their property definitions, in display order.
  public static let all: [(type: EventType, definitions: [PropertyDefinition])] = [
    make("mood", "#E0A030", "☺", [("score", "From 1 (bad) to 5 (good)", .number, ["1", "2", "3", "4", "5"])]),
    make("workout", "#D0503C", "⚑", [("duration", "Duration", .duration, [])]),
    make("medication", "#4A7FC1", "✚", [("dose", "Dose, in any unit", .number, [])]),
    make(
      "coffee", "#7B4F2E", "☕", [("count", "Cups", .number, []), ("size", "Cup size", .select, ["small", "large"])]),
    make("journal", "#5B8C5A", "✎", []),
  ]

  private static func make(
    _ name: String, _ color: String, _ icon: String, _ properties: [(String, String, PropertyType, [String])]
  ) -> (type: EventType, definitions: [PropertyDefinition]) {
    let id = NaturalKey.id(for: "event_type", name)
    return (
      EventType(id: id, name: name, colorHex: color, iconName: icon),
      properties.enumerated().map { order, property in
        PropertyDefinition(
          id: NaturalKey.id(for: "property_definition", name, property.0), eventTypeId: id, key: property.0,
          label: property.1, propertyType: property.2, options: property.3, displayOrder: order)
      }
    )
  }
}
