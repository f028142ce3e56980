import CommandSupport
import TrendyModels

/// A type of event to make, as a person describes it.
struct NewEventType {
  var name: String
  /// `#RRGGBB`; grey where `nil`.
  var color: String? = nil
  /// A bullet where `nil`.
  var icon: String? = nil
  var goal: Goal? = nil

  /// - Throws: ``CommandError`` with exit 64 for a name or a colour that a type cannot have.
  func check(_ session: Session) throws(CommandError) {
    guard session.isName(name), !name.hasPrefix("@"), !name.contains("=") else {
      throw session.usageError(
        "'\(name)' cannot be the name of a type", hint: "One line of 1 to 128 bytes, no '=', no '@' first.")
    }
    _ = try session.colour(color)
  }

  /// Checks it and gives the type, which is not recorded yet.
  func made(id: String, _ session: Session) throws(CommandError) -> EventType {
    try check(session)
    return EventType(
      id: id, name: name, colorHex: color?.uppercased() ?? "#888888", iconName: icon ?? "•", goal: goal)
  }
}
