import CommandSupport
import TrendySync

struct SyncConflictsKeepCommand: Command {
  static let spec = CommandSpec(
    "sync conflicts keep", .one("mine|theirs", .oneOf(["mine", "theirs"]), "mine or theirs"), .any("id", .conflict),
    summary: "Resolve conflicts by keeping the value of this device or the other value.", group: .sync,
    examples: ["sync conflicts keep mine @1", "sync conflicts keep theirs @1"],
    options: [OptionSpec("--all", help: "every conflict that involves this device")])

  private let side: String
  private let decision: ConflictDecision

  init(_ session: Session) throws {
    side = session.arguments.positionals[0]
    guard side == "mine" || side == "theirs" else {
      throw session.usageError("Missing mine or theirs", hint: "Specify mine or theirs, then an id or --all.")
    }
    decision = try ConflictDecision(on: session.arguments.positionals.dropFirst(), session)
  }

  func act(_ session: Session) throws -> DecidedConflicts {
    try decision.carryOut("keep \(side) in", in: session, among: { $0.mine != nil }) {
      try $0.resolveConflict(id: $1, keepingMine: side == "mine")
    }
  }

  func show(_ answer: DecidedConflicts, _ session: Session) -> ExitCode { answer.show("Kept \(side)", session) }
}
