import CommandSupport
import TrendySync

struct SyncConflictsRestoreCommand: Command {
  static let spec = CommandSpec(
    "sync conflicts restore", .any("id", .conflict), summary: "Restore deleted entries with the values that were lost.",
    group: .sync, examples: ["sync conflicts restore @1"], options: [ConflictDecision.all])

  private let decision: ConflictDecision

  init(_ session: Session) throws { decision = try ConflictDecision(on: session.arguments.positionals, session) }

  func act(_ session: Session) throws -> DecidedConflicts {
    try decision.carryOut("restore for", in: session, among: { $0.present.isEmpty }) {
      try $0.restoreForConflict(id: $1)
    }
  }

  func show(_ answer: DecidedConflicts, _ session: Session) -> ExitCode { answer.show("Restored", session) }
}
