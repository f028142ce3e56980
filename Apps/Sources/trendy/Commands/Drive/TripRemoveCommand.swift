import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyTrips

struct TripRemoveCommand: Command {
  static let spec = CommandSpec(
    "trip rm", .oneOrMore("id", .trip, "id"), summary: "Delete trips on all devices.", group: .drive,
    examples: ["trip rm @1"])

  private let ids: [String]

  init(_ session: Session) { ids = session.arguments.positionals }

  func act(_ session: Session) throws -> TripList {
    let container = try session.openStore()
    let lookup = Lookup(store: container.makeStore())
    let trips = try ids.map { try lookup.trip($0) }
    try container.record.perform(
      trips.count == 1 ? session.undoLabel("delete", "trip", trips[0].event) : "delete \(trips.count) trips", [],
      before: trips.map { .event($0.event) })
    return try TripList(trips, in: lookup.store)
  }

  func show(_ answer: TripList, _ session: Session) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendy.deleted/1", [("deleted", .array(answer.trips.map { .string($0.event.id) }))])
    }
    for trip in answer.texts(session) { session.console.done(trip.line.led(by: "Deleted:")) }
    session.reportUndo()
    return .done
  }
}
