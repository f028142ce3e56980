import CommandSupport
import TrendyModels

struct NewEventType {
  var name: String
  /// Colour as `#RRGGBB`, or `nil` for grey.
  var color: String? = nil
  /// Icon, or `nil` for a bullet.
  var icon: String? = nil
  var goal: Goal? = nil

  func check(_ session: Session) throws(CommandError) {
    guard session.isName(name), !name.hasPrefix("@"), !name.contains("=") else {
      throw session.usageError(
        "Invalid type name '\(name)'", hint: "\(Session.nameRule). It must not contain '=' or begin with '@'.")
    }
    _ = try session.colour(color)
  }

  /// Validates the attributes and returns the event type, without saving it.
  func made(id: String, _ session: Session) throws(CommandError) -> EventType {
    try check(session)
    return EventType(
      id: id, name: name, colorHex: color?.uppercased() ?? "#888888", iconName: icon ?? "•", goal: goal)
  }
}
