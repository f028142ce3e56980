import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

struct PlaceRemoveCommand: Command {
  static let spec = CommandSpec(
    "place rm", .oneOrMore("name", .place, "name"), summary: "Delete places; recorded visits are kept.",
    group: .define, examples: ["place rm \"old gym\""])

  private let names: [String]

  init(_ session: Session) { names = session.arguments.positionals }

  struct Answer {
    var places: [Geofence]
    /// Number of events that refer to a deleted place and keep its name.
    var events: Int
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let lookup = Lookup(store: container.makeStore())
    let places = try names.map { try lookup.place($0) }
    let words = places.map(\.name).joined(separator: " ")
    try container.record.perform("place rm \(words)", [], before: places.map { .place($0) })
    let ids = Set(places.map(\.id))
    let events = try container.makeStore().fetchAllEvents().count { $0.geofenceId.map(ids.contains) ?? false }
    return Answer(places: places, events: events)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendy.deleted/1", [("deleted", .array(answer.places.map { .string($0.id) }))])
    }
    for place in answer.places { session.console.done(PlaceText.line(place).led(by: "Deleted:")) }
    session.reportUndo(["\(Quantity(answer.events, "event")) at this place \(answer.events == 1 ? "is" : "are") kept"])
    return .done
  }
}
