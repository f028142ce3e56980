import AppContainer
import CommandSupport
import TrendyModels
import TrendySync

/// A type of event to make, as a person describes it.
struct NewEventType {
  var name: String
  /// `#RRGGBB`; grey where `nil`.
  var color: String? = nil
  /// A bullet where `nil`.
  var icon: String? = nil

  /// - Throws: ``CommandError`` with exit 64 for a name or a colour that a type cannot have.
  func check(_ session: Session) throws(CommandError) {
    guard session.isName(name), !name.hasPrefix("@"), !name.contains("=") else {
      throw session.usageError(
        "'\(name)' cannot be the name of a type", hint: "One line of 1 to 128 bytes, no '=', no '@' first.")
    }
    _ = try session.colour(color)
  }

  /// Checks it and records it.
  func record(in container: AppContainer, _ session: Session) throws -> EventType {
    try check(session)
    let type = EventType(
      id: container.makeID(), name: name, colorHex: color?.uppercased() ?? "#888888", iconName: icon ?? "•")
    try container.recorder.record(type)
    return type
  }
}
