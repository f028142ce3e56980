import AgentLink
import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyAgent
import TrendyTrips

/// `trendy trip recompute`
struct TripRecomputeCommand: Command {
  static let spec = CommandSpec(
    "trip recompute",
    summary: "Find trips and visits again in the fixes that were kept; what you changed or deleted stays yours.",
    group: .drive, examples: ["trip recompute", "trip recompute --since mon"],
    options: [OptionSpec("--since", value: "time", kind: .time, help: "only in fixes from then on")])

  private let since: Date?

  init(_ session: Session) throws { since = try session.date(option: "--since", .since) }

  func act(_ session: Session) throws -> TrackReader.Changes {
    let container = try session.openStore()
    guard container.record.hasTracks else {
      throw CommandError("No fixes are kept here", hint: "Add some: trendy track add FILE", exit: .notFound)
    }
    let changes = try container.record.makeTrackIntake().readAgain(since: since)
    if !changes.isEmpty { container.agent.send() }
    return changes
  }

  func show(_ answer: TrackReader.Changes, _ session: Session) -> ExitCode {
    let text = TrackChangesText(changes: answer)
    if session.console.isJSON { session.console.document("trendy.recompute/1", text.members) }
    session.console.done(answer.isEmpty ? "The same as before: nothing was changed." : text.words)
    return .done
  }
}
