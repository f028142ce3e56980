import AppContainer
import CommandSupport
import TrendyAgent

struct ImportUndoCommand: Command {
  static let spec = CommandSpec(
    "import undo", .one("id", .text, "the id"),
    summary: "Undo a whole import; entries edited since then are kept and listed.", group: .data,
    examples: ["import undo 0199f3c2"])

  private let prefix: String

  init(_ session: Session) { prefix = session.arguments.positionals[0].lowercased() }

  struct Answer {
    let entry: ImportEntry
    let undo: ImportUndo
  }

  func act(_ session: Session) throws -> Answer {
    let record = try session.openStore().record
    let found = try record.imports().filter { $0.id.hasPrefix(prefix) }
    guard let entry = found.first else {
      throw CommandError("Import '\(prefix)' not found", hint: "List imports: trendy import list", exit: .notFound)
    }
    guard found.count == 1 else {
      throw CommandError(
        "Several imports have ids that begin with '\(prefix)'", hint: "Enter more characters of the id.", exit: .usage)
    }
    guard entry.undone == nil else {
      throw CommandError("This import has already been undone", hint: "List imports: trendy import list", exit: .no)
    }
    return Answer(entry: entry, undo: try record.undoImport(entry))
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    if session.console.isJSON {
      session.console.document(
        "trendy.import-undo/1",
        [
          ("id", .string(answer.entry.id)), ("removed", .number(answer.undo.removed)),
          ("left", .array(answer.undo.left.map { .string($0.id) })),
        ])
      return .done
    }
    session.console.done("Undone: \(Quantity(answer.undo.removed, "record")) of \(answer.entry.source)")
    for left in answer.undo.left.prefix(20) {
      session.console.done("Kept because it has been edited or used since: \(left.id)")
    }
    if answer.undo.left.count > 20 { session.console.done("and \(answer.undo.left.count - 20) more") }
    return .done
  }
}
