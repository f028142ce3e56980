import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyTrips

struct TripAddCommand: Command {
  static let spec = CommandSpec(
    "trip add", .one("length", .text, "distance"), summary: "Add a trip that no device recorded.", group: .drive,
    examples: ["trip add 18.3km --from 8:08 --for 35m", "trip add 12km --from -3h --for 20m --category business"],
    options: WhenOptions.all + [
      OptionSpec("--start", value: "place", kind: .place, help: "start: a place or lat,lon"),
      OptionSpec("--end", value: "place", kind: .place, help: "end: a place or lat,lon"),
    ] + TripDetails.all, columns: .tripColumns)

  /// Distance in metres.
  private let distance: Double
  private let start: Date
  private let end: Date
  /// Values of `--start` and `--end`, in that order.
  private let places: [String]
  private let details: TripDetails

  init(_ session: Session) throws {
    guard session.arguments.has("--at") || session.arguments.has("--to") else {
      throw session.usageError("Missing --from")
    }
    let span = try WhenOptions(session).span(session)
    guard let end = span.end, end > span.start else {
      throw session.usageError("The end is missing or not after the start", hint: "Add --to 9:30 or --for 25m.")
    }
    (start, self.end) = (span.start, end)
    distance = try session.metres(session.arguments.positionals[0], of: "the trip")
    if session.arguments.has("--end"), !session.arguments.has("--start") {
      // A route with one point has a start but no end.
      throw session.usageError(
        "--end requires --start", hint: "Add the start, for example --start home or --start 52.37,4.89.")
    }
    places = ["--start", "--end"].compactMap { session.arguments.value($0) }
    details = try TripDetails(session)
  }

  func act(_ session: Session) throws -> OneTrip {
    let container = try session.openStore()
    let store = container.makeStore()
    let lookup = Lookup(store: store)
    var trip = TripEvent(
      id: container.makeID(), eventTypeId: try container.record.type(.trip).id, start: start, end: end,
      distanceMeters: distance, route: try places.map { try Coordinate(phrase: $0) ?? lookup.place($0).coordinate },
      timeZone: session.local.zoneName)
    try details.apply(to: &trip, in: store)
    trip.event = try container.record.completed(trip.event)
    try container.record.perform(session.undoLabel("add", "trip", trip.event), [.event(trip.event)])
    return try OneTrip(trip, in: store)
  }

  func show(_ answer: OneTrip, _ session: Session) -> ExitCode { answer.show(session) }
}
