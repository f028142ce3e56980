import AppContainer
import CommandSupport

struct SyncConflictsShowCommand: Command {
  static let spec = CommandSpec(
    "sync conflicts show",
    .one("id", .conflict, "conflict id (trendy sync conflicts lists them)"),
    summary: "Show a conflict: both values, their authors and times.", group: .sync,
    examples: ["sync conflicts show @1"])

  private let id: String

  init(_ session: Session) { id = session.arguments.positionals[0] }

  func act(_ session: Session) throws -> NamedConflict {
    let container = try session.openStore()
    return try NamedConflict(try ConflictList(container.recorder).conflict(id), in: container.makeStore())
  }

  func show(_ answer: NamedConflict, _ session: Session) -> ExitCode {
    let text = ConflictText(session)
    if session.console.isJSON {
      session.console.document("trendy.conflict/1", [("conflict", text.json(answer.conflict))])
    }
    for line in text.detailLines(answer) { session.console.text(line) }
    return .done
  }
}
