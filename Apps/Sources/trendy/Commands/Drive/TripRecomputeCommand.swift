import AgentLink
import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyTrips

struct TripRecomputeCommand: Command {
  static let spec = CommandSpec(
    "trip recompute",
    summary: "Detect trips and visits in recorded positions again; your edits are kept.",
    group: .drive, examples: ["trip recompute", "trip recompute --since mon"],
    options: [OptionSpec("--since", value: "time", kind: .time, help: "only in positions since this time")])

  private let since: Date?

  init(_ session: Session) throws { since = try session.date(option: "--since", .since) }

  func act(_ session: Session) throws -> DetectionRunner.Changes {
    let container = try session.openStore()
    guard container.record.hasTracks else {
      throw CommandError("No recorded positions", hint: "Add some: trendy track add FILE", exit: .notFound)
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
      try Interruption.check(hint: "Trips found so far are saved. To find the rest: trendy trip recompute")
    }
    if !changes.isEmpty { container.agent.send() }
    return changes
  }

  func show(_ answer: DetectionRunner.Changes, _ session: Session) -> ExitCode {
    let text = TrackChangesText(changes: answer)
    if session.console.isJSON { session.console.document("trendy.recompute/1", text.members) }
    session.console.done(answer.isEmpty ? "No changes: the same trips and visits were detected." : text.words)
    return .done
  }
}
