import CommandSupport
import TrendySync

struct SyncConflictsRetryCommand: Command {
  static let spec = CommandSpec(
    "sync conflicts retry", .any("id", .conflict),
    summary: "Resolve conflicts by saving the lost values again; deleted entries are restored.",
    group: .sync, examples: ["sync conflicts retry @1"], options: [ConflictDecision.all])

  private let decision: ConflictDecision

  init(_ session: Session) throws { decision = try ConflictDecision(on: session.arguments.positionals, session) }

  func act(_ session: Session) throws -> DecidedConflicts {
    try decision.carryOut("retry", in: session) { try $0.retryConflict(id: $1) }
  }

  func show(_ answer: DecidedConflicts, _ session: Session) -> ExitCode {
    answer.show("Saved again", session)
  }
}
