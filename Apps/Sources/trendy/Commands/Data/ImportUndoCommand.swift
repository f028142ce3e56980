import AppContainer
import CommandSupport
import TrendyAgent

/// `trendy import undo`
struct ImportUndoCommand: Command {
  static let spec = CommandSpec(
    "import undo", .one("id", .text, "the id"),
    summary: "Take a whole import back; what was edited since stays, and is named.", group: .data,
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
      throw CommandError("There is no import '\(prefix)'", hint: "trendy import list shows them.", exit: .notFound)
    }
    guard found.count == 1 else {
      throw CommandError("'\(prefix)' is the beginning of several imports", hint: "Give more of the id.", exit: .usage)
    }
    guard entry.undone == nil else {
      throw CommandError("That import was taken back already", hint: "trendy import list shows them.", exit: .no)
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
    session.console.done("\(Quantity(answer.undo.removed, "record")) of \(answer.entry.source) taken back")
    for left in answer.undo.left.prefix(20) {
      session.console.done("Stays, as it was changed or is used since: \(left.id)")
    }
    if answer.undo.left.count > 20 { session.console.done("and \(answer.undo.left.count - 20) more") }
    return .done
  }
}
