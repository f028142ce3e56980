import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels

struct UndoCommand: Command {
  static let spec = CommandSpec(
    "undo", .optional("n", .number),
    summary: "Undo the last action, or the last n: entries, edits, deletions, imports, types, places, trips.",
    group: .daily, examples: ["undo", "undo 3", "undo --list"],
    options: [OptionSpec("--list", help: "list the actions that can be undone and redone")])

  enum Answer {
    case moved(UndoMoves)
    case list(UndoHistory)
  }

  private let count: Int
  private let onlyLists: Bool

  init(_ session: Session) throws {
    count = try UndoMoves.count(session)
    onlyLists = session.arguments.has("--list")
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    if onlyLists {
      return .list(try container.record.undoHistory())
    }
    return .moved(try UndoMoves(count) { try container.record.undo() })
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    switch answer {
    case .moved(let moves): moves.show("undone", "Undone", session)
    case .list(let history): show(history, session)
    }
    return .done
  }

  private func show(_ history: UndoHistory, _ session: Session) {
    func json(_ step: UndoStep) -> JSONText {
      .object([("label", .string(step.label)), ("at", .string(session.local.rfc3339(step.date)))])
    }
    if session.console.isJSON {
      session.console.document(
        "trendy.undo_list/1",
        [
          ("done", .array(history.done.reversed().map(json))), ("undone", .array(history.undone.reversed().map(json))),
        ])
    }
    let year = session.local.components(of: session.now).year
    let rows = history.undone.map { ("redo", $0) } + history.done.reversed().map { ("undo", $0) }
    for (word, step) in rows {
      if session.console.format == .plain {
        session.console.row([word, session.local.rfc3339(step.date), step.label])
      }
      session.console.text(
        StyledText([
          StyledText.Part(word), StyledText.Part(session.local.dayAndTime(step.date, year: year), rank: .id),
          StyledText.Part(step.label),
        ]))
    }
    if rows.isEmpty { session.console.text("Nothing to undo or redo.") }
  }
}

/// Result of undoing or redoing several steps.
struct UndoMoves {
  /// Steps undone or redone, in the order of execution.
  private(set) var steps: [UndoStep] = []
  /// Maximum number of skipped changes to list.
  private static let namedMost = 3

  /// Error that stopped the command after some of the requested steps, or `nil` if all succeeded.
  private(set) var ending: UndoError?

  static func count(_ session: Session) throws(CommandError) -> Int {
    let word = session.arguments.positionals.first ?? "1"
    guard let count = Int(word), (1...50).contains(count) else {
      throw session.usageError("Invalid number of actions '\(word)'", hint: "Use a number from 1 to 50.")
    }
    return count
  }

  init(_ count: Int, _ move: () throws -> UndoStep) throws {
    for _ in 0..<count {
      do {
        steps.append(try move())
      } catch let error as UndoError {
        if steps.isEmpty { throw Self.failure(error) }
        ending = error
        break
      }
    }
  }

  static func failure(_ error: UndoError) -> CommandError {
    switch error {
    case .nothing: CommandError("Nothing to undo", exit: .no)
    case .nothingUndone: CommandError("Nothing to redo", exit: .no)
    case .changedSince(_, let left):
      CommandError(
        "\(error.description.dropLast()): \(words(left)).", hint: "To undo earlier actions: trendy undo",
        exit: .refused)
    case .inUse:
      CommandError(error.description, hint: "To undo earlier actions: trendy undo", exit: .refused)
    }
  }

  /// Formats the changes that were not undone, as `note of event 0199f3c2, place 0199f3d0`.
  private static func words(_ left: [UndoStep.Left]) -> String {
    let words = left.prefix(namedMost).map { left in
      let fields = left.fields.map { name in
        (name.hasPrefix("properties.") ? String(name.dropFirst(11)) : name).replacing("_", with: " ")
      }
      return (fields.isEmpty ? "" : "\(fields.joined(separator: ", ")) of ")
        + "\(left.kind.words) \(ShortID.of(left.id))\(left.isTypeDeleted ? " of a deleted type" : "")"
    }
    return words.joined(separator: "; ") + (left.count > namedMost ? "; …" : "")
  }

  func show(_ member: String, _ words: String, _ session: Session) {
    if let ending { session.console.talk(ending.description) }
    if session.console.isJSON {
      session.console.document(
        "trendy.\(member == "undone" ? "undo" : "redo")/1",
        [
          (member, .array(steps.map { .string($0.label) })),
          ("left", .array(steps.flatMap(\.left).map { .string($0.id) })),
        ])
    }
    for step in steps {
      session.console.done(
        step.wasSoAlready ? "Nothing to change: \(step.label)" : "\(words): \(step.label)")
      if step.importID != nil {
        session.console.talk("Redo cannot repeat an import. To repeat it, import the file again.")
      }
      guard !step.left.isEmpty else { continue }
      session.console.talk("Kept because they have been changed since: \(Self.words(step.left))")
    }
  }
}
