import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels

/// `trendy place rm`
struct PlaceRemoveCommand: Command {
  static let spec = CommandSpec(
    "place rm", .oneOrMore("name", .place, "name"), summary: "Delete places; recorded visits stay.",
    group: .define, examples: ["place rm \"old gym\""])

  private let names: [String]

  init(_ session: Session) { names = session.arguments.positionals }

  func act(_ session: Session) throws -> [Geofence] {
    let container = try session.openStore()
    let lookup = Lookup(store: container.makeStore())
    let places = try names.map { try lookup.place($0) }
    let words = places.map(\.name).joined(separator: " ")
    try container.record.perform("place rm \(words)", [], before: places.map { .place($0) })
    return places
  }

  func show(_ answer: [Geofence], _ session: Session) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendy.deleted/1", [("deleted", .array(answer.map { .string($0.id) }))])
    }
    for place in answer { session.console.done(PlaceText.line(place).led(by: "Deleted:")) }
    return .done
  }
}
