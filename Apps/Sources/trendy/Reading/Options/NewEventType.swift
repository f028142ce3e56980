import CommandSupport
import TrendyModels

/// An event type to create.
struct NewEventType {
  var name: String
  /// `#RRGGBB`; `nil` for grey.
  var color: String? = nil
  /// `nil` for a bullet.
  var icon: String? = nil
  var goal: Goal? = nil

  /// Checks name and colour.
  /// - Throws: ``CommandError`` with exit 64 for an invalid name or colour.
  func check(_ session: Session) throws(CommandError) {
    guard session.isName(name), !name.hasPrefix("@"), !name.contains("=") else {
      throw session.usageError(
        "Invalid type name '\(name)'", hint: "\(Session.nameRule), no '=' and no '@' at the start.")
    }
    _ = try session.colour(color)
  }

  /// Checks the values and returns the type, which is not saved yet.
  func made(id: String, _ session: Session) throws(CommandError) -> EventType {
    try check(session)
    return EventType(
      id: id, name: name, colorHex: color?.uppercased() ?? "#888888", iconName: icon ?? "•", goal: goal)
  }
}
