import CommandSupport
import TrendySync

/// `trendy sync conflicts drop`
struct SyncConflictsDropCommand: Command {
  static let spec = CommandSpec(
    "sync conflicts drop", .any("id", .conflict), summary: "Let the kept value go: what is shown stays.",
    group: .sync, examples: ["sync conflicts drop @1"], options: [ConflictDecision.all])

  private let decision: ConflictDecision

  init(_ session: Session) throws { decision = try ConflictDecision(on: session.arguments.positionals, session) }

  func act(_ session: Session) throws -> DecidedConflicts {
    try decision.carryOut("let go of", in: session) { try $0.dropConflict(id: $1) }
  }

  func show(_ answer: DecidedConflicts, _ session: Session) -> ExitCode {
    answer.show("Let go; what is shown stays", session)
  }
}
