import CommandSupport
import TrendyModels

/// Attributes of an event type to be created.
struct NewEventType {
  var name: String
  /// Colour as `#RRGGBB`; `nil` for grey.
  var color: String? = nil
  /// Icon; `nil` for a bullet.
  var icon: String? = nil
  var goal: Goal? = nil

  /// Validates the name and the colour.
  /// - Throws: ``CommandError`` with exit 64 if either is invalid.
  func check(_ session: Session) throws(CommandError) {
    guard session.isName(name), !name.hasPrefix("@"), !name.contains("=") else {
      throw session.usageError(
        "Invalid type name '\(name)'", hint: "\(Session.nameRule). It must not contain '=' or begin with '@'.")
    }
    _ = try session.colour(color)
  }

  /// Validates the attributes and returns the event type, which is not saved.
  func made(id: String, _ session: Session) throws(CommandError) -> EventType {
    try check(session)
    return EventType(
      id: id, name: name, colorHex: color?.uppercased() ?? "#888888", iconName: icon ?? "•", goal: goal)
  }
}
