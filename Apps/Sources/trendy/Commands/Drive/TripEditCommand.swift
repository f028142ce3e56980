import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyTrips

struct TripEditCommand: Command {
  static let spec = CommandSpec(
    "trip edit", .one("id", .trip, "id"), summary: "Change a trip; omitted fields stay unchanged.", group: .drive,
    examples: ["trip edit @1 --to 9:30", "trip edit @1 --category private"],
    options: WhenOptions.all + [
      OptionSpec("--distance", value: "length", kind: .text, help: "distance"),
      Field.option,
    ] + TripDetails.all, columns: .tripColumns)

  private enum Field: String, ClearableField {
    case note
    case vehicle
    case category

    init?(_ word: String) { self.init(rawValue: word == "notes" ? "note" : word) }
  }

  private let id: String
  private let when: WhenOptions
  /// New distance in metres.
  private let distance: Double?
  private let cleared: [Field]
  private let details: TripDetails

  init(_ session: Session) throws {
    id = session.arguments.positionals[0]
    when = try WhenOptions(session)
    distance = try session.metres(option: "--distance")
    cleared = try Field.named(session)
    details = try TripDetails(session)
  }

  func act(_ session: Session) throws -> OneTrip {
    let container = try session.openStore()
    let store = container.makeStore()
    let old = try Lookup(store: store).trip(id)
    var trip = old
    let span = try when.span(editing: trip.event, session)
    if let start = span.start { trip.event.timestamp = start }
    if let end = span.end { trip.event.endDate = end }
    guard trip.end > trip.start else { throw session.usageError("The end must be after the start") }
    if let distance { trip.distance = distance }
    for field in cleared { clear(field, of: &trip) }
    try details.apply(to: &trip, in: store)
    guard trip != old else {
      try session.reportNothingChanged(of: Self.spec.options)
      return try OneTrip(trip, in: store)
    }
    trip.measure()
    try container.record.perform(
      session.undoLabel("edit", "trip", old.event), [.event(trip.event)], before: [.event(old.event)])
    return try OneTrip(trip, in: store)
  }

  private func clear(_ field: Field, of trip: inout TripEvent) {
    switch field {
    case .note: trip.event.notes = nil
    case .vehicle: trip.set(nil)
    case .category: for key in ["category", "rule", "business_distance"] { trip.event.properties[key] = nil }
    }
  }

  func show(_ answer: OneTrip, _ session: Session) -> ExitCode { answer.show(session) }
}
