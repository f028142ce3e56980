import CommandSupport
import TrendyModels

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

  /// Returns the icon and name, as in `☕ coffee`.
  static func heading(of type: EventType) -> String { "\(type.glyph ?? "•") \(type.name)" }

  /// Returns the goal, as in `goal 3/week`, or `nil` if the type has none.
  static func goal(of type: EventType) -> String? {
    if let goal = type.goal { return "goal \(goal)" }
    return type.createRequest.goal == nil ? nil : "goal from a newer version of trendy"
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
  /// Icon of one or two characters, or `nil` if the icon is a phone app's symbol name, such as `figure.run`.
  var glyph: String? {
    let icon = iconName.filter { !$0.isWhitespace }
    return (1...2).contains(icon.count) ? icon : nil
  }
}
