import AppContainer
import CommandSupport
import TrendyAgent

/// `trendy undo`
struct UndoCommand: Command {
  static let spec = CommandSpec(
    "undo", .optional("n", .number),
    summary: "Take back what was last done to trips, vehicles and rules; or the last n things.", group: .daily,
    examples: ["undo", "undo 3"])

  struct Answer {
    /// What was taken back, in words.
    var labels: [String] = []
    /// Why it ended before all was.
    var ending: UndoError?
  }

  private let count: Int

  init(_ session: Session) throws {
    let word = session.arguments.positionals.first ?? "1"
    guard let count = Int(word), (1...50).contains(count) else {
      throw session.usageError("'\(word)' is no number of things", hint: "1 to 50.")
    }
    self.count = count
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    var answer = Answer()
    for _ in 0..<count {
      do {
        answer.labels.append(try container.record.undo().label)
      } catch let error as UndoError {
        if answer.labels.isEmpty { throw Self.failure(error) }
        answer.ending = error
        break
      }
    }
    return answer
  }

  private static func failure(_ error: UndoError) -> CommandError {
    switch error {
    case .nothing: CommandError("There is nothing to take back", exit: .no)
    case .unreadable:
      CommandError(
        error.description,
        hint: "What was recorded is whole. With that file removed, what is done from now on can be taken back.",
        exit: .badData)
    default: CommandError(error.description, hint: "trendy trip list shows them as they are.", exit: .refused)
    }
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    if let ending = answer.ending { session.console.talk(ending.description) }
    if session.console.isJSON {
      session.console.document("trendy.undo/1", [("undone", .array(answer.labels.map { .string($0) }))])
    }
    for label in answer.labels { session.console.done("Taken back: \(label)") }
    return .done
  }
}
