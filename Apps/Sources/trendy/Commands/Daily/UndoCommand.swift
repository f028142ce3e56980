import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels

/// `trendy undo`
struct UndoCommand: Command {
  static let spec = CommandSpec(
    "undo", .optional("n", .number),
    summary:
      "Take back what was last done, or the last n things: records, edits, deletions, imports, types, places, trips.",
    group: .daily, examples: ["undo", "undo 3", "undo --list"],
    options: [OptionSpec("--list", help: "show what can be taken back and done again; change nothing")])

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
    case .moved(let moves): moves.show("undone", "Taken back", session)
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
    if rows.isEmpty { session.console.text("Nothing was done yet that could be taken back.") }
  }
}

/// Some steps taken back, or done again.
struct UndoMoves {
  /// In the order in which they were moved.
  private(set) var steps: [UndoStep] = []
  /// Ids that are told of what was left.
  private static let namedMost = 3

  /// Why it ended before all were.
  private(set) var ending: UndoError?

  static func count(_ session: Session) throws(CommandError) -> Int {
    let word = session.arguments.positionals.first ?? "1"
    guard let count = Int(word), (1...50).contains(count) else {
      throw session.usageError("'\(word)' is no number of things", hint: "1 to 50.")
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
    case .nothing: CommandError("There is nothing to take back", exit: .no)
    case .nothingUndone: CommandError("There is nothing to do again", exit: .no)
    case .changedSince(_, let left):
      CommandError(
        "\(error.description.dropLast()): \(words(left)).", hint: "What was done before can be taken back: trendy undo",
        exit: .refused)
    case .inUse:
      CommandError(error.description, hint: "What was done before can be taken back: trendy undo", exit: .refused)
    }
  }

  /// `note of event 0199f3c2, place 0199f3d0`.
  private static func words(_ left: [UndoStep.Left]) -> String {
    let words = left.prefix(namedMost).map { left in
      let fields = left.fields.map { name in
        (name.hasPrefix("properties.") ? String(name.dropFirst(11)) : name).replacing("_", with: " ")
      }
      return (fields.isEmpty ? "" : "\(fields.joined(separator: ", ")) of ")
        + "\(left.kind.words) \(ShortID.of(left.id))\(left.isTypeDeleted ? ", whose type is deleted" : "")"
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
        step.wasSoAlready ? "Nothing was left to change: \(step.label)" : "\(words): \(step.label)")
      if step.importID != nil { session.console.talk("Redo does not bring it again: the file does.") }
      guard !step.left.isEmpty else { continue }
      session.console.talk("Changed again since, and left: \(step.left.count) (\(Self.words(step.left)))")
    }
  }
}
