import CommandSupport
import TrendySync

struct SyncConflictsDropCommand: Command {
  static let spec = CommandSpec(
    "sync conflicts drop", .any("id", .conflict), summary: "Resolve conflicts by keeping the current values.",
    group: .sync, examples: ["sync conflicts drop @1"], options: [ConflictDecision.all])

  private let decision: ConflictDecision

  init(_ session: Session) throws { decision = try ConflictDecision(on: session.arguments.positionals, session) }

  func act(_ session: Session) throws -> DecidedConflicts {
    try decision.carryOut("drop", in: session) { try $0.dropConflict(id: $1) }
  }

  func show(_ answer: DecidedConflicts, _ session: Session) -> ExitCode {
    answer.show("Kept the current value", session)
  }
}
