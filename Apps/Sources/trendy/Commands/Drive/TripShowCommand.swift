import AppContainer
import CommandSupport
import TrendyModels

struct TripShowCommand: Command {
  static let spec = CommandSpec(
    "trip show", .optional("id", .trip), summary: "Show a trip in full, or follow the running trip.", group: .drive,
    examples: ["trip show @1", "trip show --live"],
    options: [OptionSpec("--live", help: "follow the running trip until interrupted")],
    columns: .tripColumns)

  /// Id of the trip to show, or `nil` to follow the running trip.
  private let id: String?

  init(_ session: Session) throws {
    id = session.arguments.positionals.first
    let isLive = session.arguments.has("--live")
    if isLive, let id { throw session.usageError("Unexpected argument '\(id)'") }
    guard isLive || id != nil else {
      throw session.usageError("Missing id", hint: "Specify the id of a trip, or use --live for the running trip.")
    }
  }

  /// Returns the trip, or `nil` to follow the running trip.
  func act(_ session: Session) throws -> OneTrip? {
    guard let id else { return nil }
    let store = try session.openStore().makeStore()
    return try OneTrip(Lookup(store: store).trip(id), in: store)
  }

  func show(_ answer: OneTrip?, _ session: Session) throws -> ExitCode {
    guard let answer else { return try LiveView(session: session).run() }
    return answer.show(session, isDetailed: true)
  }
}
