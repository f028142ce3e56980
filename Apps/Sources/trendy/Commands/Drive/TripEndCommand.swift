import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

struct TripEndCommand: Command {
  static let spec = CommandSpec(
    "trip end", .optional("length", .text),
    summary: "End the trip started by hand; without a distance, use the trip that a device detected.",
    group: .drive, examples: ["trip end 18.3km", "trip end 12km --at 9:40 --end office", "trip end"],
    options: [
      OptionSpec("--at", "--to", value: "time", kind: .time, help: "end time: 8:30, -20m"),
      OptionSpec("--end", value: "place", kind: .place, help: "end: a place or lat,lon"),
    ] + TripDetails.all, columns: .tripColumns)

  /// Distance in metres.
  private let distance: Double?
  private let end: TimePhrase?
  private let place: String?
  private let details: TripDetails

  init(_ session: Session) throws {
    distance = try session.arguments.positionals.first.map { try session.metres($0, of: "the trip") }
    end = try session.phrase(option: "--at")
    place = session.arguments.value("--end")
    details = try TripDetails(session)
    if distance == nil, place != nil { throw session.usageError("--end requires a distance") }
  }

  func act(_ session: Session) throws -> OneTrip {
    let container = try session.openStore()
    let store = container.makeStore()
    let running = try RunningTrip.present(in: store)
    let end = try end.map { try session.date($0, .end(of: running.trip.start)) } ?? session.now
    guard end > running.trip.start else { throw session.usageError("The end must be after the start") }
    guard end <= session.now.addingTimeInterval(60) else { throw session.usageError("The end is in the future") }
    let found = try running.found(until: end, in: store)
    guard let distance else { return try join(running, with: found, in: container, session) }
    if let found {
      throw CommandError(
        "A device has detected this trip: \(ShortID.of(found.event.id))",
        hint: "Run 'trendy trip end' without a distance to merge yours into it, or 'trendy trip cancel'.",
        exit: .refused)
    }
    var trip = running.trip
    trip.event.endDate = end
    trip.distance = distance
    if let place {
      guard let start = trip.startPlace else {
        throw session.usageError(
          "--end requires a start place", hint: "Specify it when the trip starts: trendy trip start --start home")
      }
      trip.route = [start, try Coordinate(phrase: place) ?? Lookup(store: store).place(place).coordinate]
    }
    trip.measure()
    try details.apply(to: &trip, in: store)
    trip.event = try container.record.completed(trip.event)
    try container.record.perform(
      session.undoLabel("end", "trip", trip.event), [.event(trip.event)],
      before: [.event(running.running.event), .record(running.running.mark)])
    return try OneTrip(trip, in: container.makeStore())
  }

  /// Adds the details of a trip started by hand to the detected trip, then discards the trip started by hand.
  private func join(_ running: RunningTrip, with found: TripEvent?, in container: AppContainer, _ session: Session)
    throws -> OneTrip
  {
    guard var trip = found else {
      throw CommandError(
        "Missing distance: no device recorded this trip",
        hint: "Specify the distance, for example: trendy trip end 18.3km", exit: .usage)
    }
    let (store, mine) = (container.makeStore(), running.trip)
    if let vehicle = try store.vehicles().first(where: { $0.id == mine.vehicleId }) { trip.set(vehicle) }
    if let category = mine.category {
      trip.classify(
        category, businessMeters: mine.event.properties[TripRecord.PropertyKey.businessDistance.rawValue]?.doubleValue)
    }
    if let note = mine.event.notes { trip.event.notes = note }
    try details.apply(to: &trip, in: store)
    try container.record.perform(
      session.undoLabel("end", "trip", trip.event), found == trip ? [] : [.event(trip.event)],
      before: [.event(running.running.event), .record(running.running.mark)]
        + (found == trip ? [] : found.map { [.event($0.event)] } ?? []))
    return try OneTrip(trip, in: container.makeStore())
  }

  func show(_ answer: OneTrip, _ session: Session) -> ExitCode { answer.show(session) }
}
