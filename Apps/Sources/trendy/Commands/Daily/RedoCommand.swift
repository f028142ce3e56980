import AppContainer
import CommandSupport
import TrendyAgent

struct RedoCommand: Command {
  static let spec = CommandSpec(
    "redo", .optional("n", .number),
    summary: "Redo the last undone action, or the last n.", group: .daily,
    examples: ["redo", "redo 3"])

  private let count: Int

  init(_ session: Session) throws { count = try UndoMoves.count(session) }

  func act(_ session: Session) throws -> UndoMoves {
    let container = try session.openStore()
    return try UndoMoves(count) { try container.record.redo() }
  }

  func show(_ answer: UndoMoves, _ session: Session) -> ExitCode {
    answer.show("redone", "Redone", session)
    return .done
  }
}
