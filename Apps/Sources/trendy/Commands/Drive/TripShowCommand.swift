import AppContainer
import CommandSupport
import TrendyModels

/// `trendy trip show`
struct TripShowCommand: Command {
  static let spec = CommandSpec(
    "trip show", .optional("id", .trip), summary: "One trip, whole; or the one that goes on.", group: .drive,
    examples: ["trip show @1", "trip show --live"],
    options: [OptionSpec("--live", help: "the trip that goes on, until interrupted: a line that follows it")],
    columns: .tripColumns)

  /// `nil` for the trip that goes on.
  private let id: String?

  init(_ session: Session) throws {
    id = session.arguments.positionals.first
    let isLive = session.arguments.has("--live")
    if isLive, let id { throw session.usageError("Unexpected '\(id)'") }
    guard isLive || id != nil else { throw session.usageError("Missing the id") }
  }

  /// `nil` for the trip that goes on: showing it is following it.
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
