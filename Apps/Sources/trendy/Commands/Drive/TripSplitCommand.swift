import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTrips

struct TripSplitCommand: Command {
  static let spec = CommandSpec(
    "trip split", .one("id", .trip, "id"), .one("time", .time, "time"),
    summary: "Split a trip in two at a given time.", group: .drive, examples: ["trip split @1 9:10"],
    columns: .tripColumns)

  private let id: String
  private let time: TimePhrase

  init(_ session: Session) throws {
    id = session.arguments.positionals[0]
    time = try TimePhrase(session.arguments.positionals[1], now: session.now, in: session.local)
  }

  func act(_ session: Session) throws -> TripList {
    let container = try session.openStore()
    let trip = try Lookup(store: container.makeStore()).trip(id)
    let fixes = try fixes(of: trip, in: session.storeDirectory)
    let date = try session.date(time, .end(of: trip.start))
    let parts: (TripEvent, TripEvent)
    do throws(TripEvent.EditError) {
      parts = try trip.split(at: date, id: container.makeID(), fixes: fixes)
    } catch {
      throw session.usageError(error)
    }
    try container.record.perform(
      session.undoLabel("split", "trip", trip.event), [.event(parts.0.event), .event(parts.1.event)],
      before: [.event(trip.event)])
    return try TripList([parts.0, parts.1], in: container.makeStore())
  }

  /// Returns the positions recorded during a trip, or none if several devices recorded it.
  private func fixes(of trip: TripEvent, in storeDirectory: URL) throws -> [Location] {
    let folder = storeDirectory.appending(path: "tracks")
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try TrackLog(directory: folder).fixesOfOneDevice(in: trip.start...max(trip.start, trip.end))
  }

  func show(_ answer: TripList, _ session: Session) -> ExitCode {
    answer.show(session) { session.console.done($0.line) }
    return .done
  }
}
