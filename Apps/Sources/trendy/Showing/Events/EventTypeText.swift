import CommandSupport
import TrendyModels

/// Types of events and their properties, as scripts read them.
enum EventTypeText {
  static func json(_ type: EventType, _ definitions: [PropertyDefinition]) -> JSONText {
    .object([
      ("id", .string(type.id)), ("name", .string(type.name)), ("color", .string(type.colorHex)),
      ("icon", .string(type.iconName)), ("goal", type.createRequest.goal.map { .value($0) } ?? .null),
      ("properties", .array(definitions.map(json))),
      ("sync_status", .string(type.syncStatus.rawValue)),
    ])
  }

  static func plain(_ type: EventType) -> [String] {
    [type.id, type.name, type.colorHex, type.iconName, type.goal?.description ?? ""]
  }

  /// `☕ coffee`.
  static func heading(of type: EventType) -> String { "\(type.glyph ?? "•") \(type.name)" }

  /// `goal 3/week`; `nil` where there is none.
  static func goal(of type: EventType) -> String? {
    if let goal = type.goal { return "goal \(goal)" }
    return type.createRequest.goal == nil ? nil : "a goal that only a newer version can read"
  }

  static func json(_ definition: PropertyDefinition) -> JSONText {
    .object([
      ("id", .string(definition.id)), ("event_type_id", .string(definition.eventTypeId)),
      ("key", .string(definition.key)), ("label", .string(definition.label)),
      ("property_type", .string(definition.propertyType.rawValue)),
      ("options", .array(definition.options.map { .string($0) })),
      ("default_value", definition.defaultValue.map { .value($0) } ?? .null),
      ("display_order", .number(definition.displayOrder)),
    ])
  }
}

extension EventType {
  /// Its icon where that is a sign or two; `nil` where it is the name of one, as apps for phones have them (`figure.run`).
  var glyph: String? {
    let icon = iconName.filter { !$0.isWhitespace }
    return (1...2).contains(icon.count) ? icon : nil
  }
}
