import AppContainer
import CommandSupport
import TrendySync

struct SyncConflictsCommand: Command {
  static let spec = CommandSpec(
    "sync conflicts", summary: "List sync conflicts with both values.", group: .sync,
    examples: ["sync conflicts"], columns: ["id", "kind", "entity id", "fields", "reason"])

  init(_ session: Session) {}

  func act(_ session: Session) throws -> [NamedConflict] {
    let container = try session.openStore()
    let open = try ConflictList(container.recorder)
    let store = container.makeStore()
    return try open.conflicts.map { try NamedConflict($0, in: store) }
  }

  func show(_ answer: [NamedConflict], _ session: Session) -> ExitCode {
    let (console, text) = (session.console, ConflictText(session))
    switch console.format {
    case .json:
      console.document("trendy.conflicts/1", [("conflicts", .array(answer.map { text.json($0.conflict) }))])
    case .ndjson: for named in answer { console.data("\(text.json(named.conflict))") }
    case .plain: for named in answer { console.row(text.plain(named.conflict)) }
    case .text:
      if answer.isEmpty { console.text("No conflicts.") }
      for line in answer.flatMap({ text.lines($0) }) { console.text(line) }
      if let first = answer.first?.conflict.id { showDecisions(ShortID.of(first), console) }
    }
    return .done
  }

  private func showDecisions(_ id: String, _ console: Console) {
    console.text("")
    console.text("Details:                 trendy sync conflicts show \(id)")
    console.text("Keep the current value:  trendy sync conflicts drop \(id)")
    console.text("Use the other value:     trendy sync conflicts retry \(id)")
    console.text("Resolve all conflicts:   trendy sync conflicts keep mine --all   (or theirs)")
  }
}
