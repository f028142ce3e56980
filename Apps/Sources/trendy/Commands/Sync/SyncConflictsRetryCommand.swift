import CommandSupport
import TrendySync

/// `trendy sync conflicts retry`
struct SyncConflictsRetryCommand: Command {
  static let spec = CommandSpec(
    "sync conflicts retry", .any("id", .conflict),
    summary: "Write the kept value again; what was deleted is restored for it.",
    group: .sync, examples: ["sync conflicts retry @1"], options: [ConflictDecision.all])

  private let decision: ConflictDecision

  init(_ session: Session) throws { decision = try ConflictDecision(on: session.arguments.positionals, session) }

  func act(_ session: Session) throws -> DecidedConflicts {
    try decision.carryOut("retry", in: session) { try $0.retryConflict(id: $1) }
  }

  func show(_ answer: DecidedConflicts, _ session: Session) -> ExitCode {
    answer.show("Written again, as an edit made now", session)
  }
}
