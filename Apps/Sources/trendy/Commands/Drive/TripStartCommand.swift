import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyTrips

struct TripStartCommand: Command {
  static let spec = CommandSpec(
    "trip start", summary: "Start a trip that no device records.", group: .drive,
    examples: ["trip start", "trip start --at -5m --vehicle Van --category business"],
    options: [
      OptionSpec("--at", "--from", value: "time", kind: .time, help: "start time: 8:30, -20m"),
      OptionSpec("--start", value: "place", kind: .place, help: "start: a place or lat,lon"),
    ] + TripDetails.all, columns: .eventColumns)

  private let start: Date
  private let place: String?
  private let details: TripDetails

  init(_ session: Session) throws {
    start = try session.date(option: "--at") ?? session.now
    guard start <= session.now else {
      throw session.usageError(
        "The start time is in the future", hint: "To add the trip later: trendy trip add DISTANCE --from TIME --to TIME"
      )
    }
    place = session.arguments.value("--start")
    details = try TripDetails(session)
  }

  func act(_ session: Session) throws -> OneEvent {
    let container = try session.openStore()
    let store = container.makeStore()
    if let running = try RunningTrip(in: store) {
      let since = session.local.dayAndTime(running.trip.start, year: session.local.components(of: session.now).year)
      throw CommandError(
        "A trip has been running since \(since)", hint: "Run 'trendy trip end 12km' or 'trendy trip cancel' first.",
        exit: .refused)
    }
    let route = try place.map { [try Coordinate(phrase: $0) ?? Lookup(store: store).place($0).coordinate] } ?? []
    var trip = TripEvent(
      id: container.makeID(), eventTypeId: try container.record.type(.trip).id, start: start, end: start,
      distanceMeters: 0, route: route, timeZone: session.local.zoneName)
    try details.apply(to: &trip, in: store)
    let running = RunningTrip(trip, markId: container.makeID()).running
    try container.record.perform(
      session.undoLabel("start", "trip", running.event), [.event(running.event), .record(running.mark)])
    return try OneEvent(running.event, in: container.makeStore())
  }

  func show(_ answer: OneEvent, _ session: Session) -> ExitCode { answer.show(session) }
}
