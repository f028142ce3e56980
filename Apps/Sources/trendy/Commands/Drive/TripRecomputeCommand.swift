import AgentLink
import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
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
    let progress = ProgressLine(session.console)
    defer { progress.end() }
    var isBegun = false
    Interruption.wait()
    let changes = try container.record.makeTrackIntake().readAgain(since: since) { read in
      let day = 86_400.0
      if !isBegun { progress.begin(of: Int64((read.total / day).rounded(.up)), in: .things("days")) }
      isBegun = true
      progress.reach(Int64(read.done / day))
      try Interruption.check(hint: "What was found so far stays. To find the rest: trendy trip recompute")
    }
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
