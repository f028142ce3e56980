import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyTrips

/// `trendy trip rm`
struct TripRemoveCommand: Command {
  static let spec = CommandSpec(
    "trip rm", .oneOrMore("id", .trip, "the id"), summary: "Delete trips, here and on every device.", group: .drive,
    examples: ["trip rm @1"])

  private let ids: [String]

  init(_ session: Session) { ids = session.arguments.positionals }

  func act(_ session: Session) throws -> TripList {
    let container = try session.openStore()
    let lookup = Lookup(store: container.makeStore())
    let events = try ids.map { try lookup.trip($0).event }
    try container.record.perform(
      "delete \(events.count == 1 ? "trip \(ShortID.of(events[0].id))" : "\(events.count) trips")", [],
      before: events.map { .event($0) })
    return TripList(events: events)
  }

  func show(_ answer: TripList, _ session: Session) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendy.deleted/1", [("deleted", .array(answer.events.map { .string($0.id) }))])
    }
    for event in answer.events { session.console.done("Deleted: \(TripText(event, session: session).line)") }
    return .done
  }
}
