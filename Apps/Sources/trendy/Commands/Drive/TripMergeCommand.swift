import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyTrips

struct TripMergeCommand: Command {
  static let spec = CommandSpec(
    "trip merge", .one("id", .trip, "ids of two or more trips"), .oneOrMore("id", .trip, "ids of two or more trips"),
    summary: "Merge consecutive trips into one.", group: .drive, examples: ["trip merge @2 @1"],
    columns: .tripColumns)

  private let ids: [String]

  init(_ session: Session) { ids = session.arguments.positionals }

  func act(_ session: Session) throws -> OneTrip {
    let container = try session.openStore()
    let lookup = Lookup(store: container.makeStore())
    let trips = try ids.map { try lookup.trip($0) }.sorted { $0.start < $1.start }
    guard Set(trips.map(\.event.id)).count == trips.count else {
      throw session.usageError("A trip cannot be merged with itself")
    }
    var whole = trips[0]
    do throws(TripEvent.EditError) {
      for trip in trips.dropFirst() { whole = try whole.merged(with: trip) }
    } catch {
      throw session.usageError(error)
    }
    try container.record.perform(
      session.undoLabel("merge \(trips.count) trips into", "trip", whole.event), [.event(whole.event)],
      before: trips.map { .event($0.event) })
    return try OneTrip(whole, in: lookup.store)
  }

  func show(_ answer: OneTrip, _ session: Session) -> ExitCode { answer.show(session) }
}
