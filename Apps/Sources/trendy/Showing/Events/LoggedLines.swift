import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

/// Input of `trendy log -`: each line is an event in the syntax of `trendy log` or as NDJSON.
///
/// Valid lines are recorded in a single save, and invalid lines are reported as errors.
struct LoggedLines {
  private struct Failure {
    /// Line number, from 1.
    var line: Int
    var error: CommandError
  }

  private var events: [(line: Int, event: Event)] = []
  /// Event types and properties to be created.
  private var definitions: [AnyEntity] = []
  private var failures: [Failure] = []
  private let text: EventText

  init(_ bytes: [UInt8], in container: AppContainer, _ session: Session) throws {
    let store = container.makeStore()
    var known = try Vocabulary(store)
    var ids: Set<String> = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      do throws(CommandError) {
        guard let text = try Self.text(of: line) else { continue }
        let meaning = try Self.meaning(of: text, among: known, session) { container.makeID() }
        try Self.checkAbbreviation(of: meaning, in: container, session)
        guard try !Self.isHeld(meaning.event.id, in: store), ids.insert(meaning.event.id).inserted else {
          throw CommandError("An event with the id '\(ShortID.of(meaning.event.id))' already exists", exit: .badData)
        }
        if meaning.makesType { known.add(meaning.type) }
        known.add(meaning.newProperties)
        definitions += meaning.changes.dropLast()
        events.append((index + 1, meaning.event))
      } catch {
        failures.append(Failure(line: index + 1, error: error))
      }
    }
    if !events.isEmpty {
      try container.record.perform(
        "log \(Quantity(events.count, "event"))", definitions + events.map { .event($0.event) },
        isDivisible: definitions.isEmpty)
    }
    text = EventText(session: session, types: known.types)
  }

  /// Returns a line without surrounding whitespace, or `nil` if it is empty or a comment.
  private static func text(of line: ArraySlice<UInt8>) throws(CommandError) -> String? {
    guard var text = String(validating: line, as: UTF8.self).map({ Substring($0) }) else {
      throw CommandError("Not UTF-8 text", exit: .badData)
    }
    while text.last?.isWhitespace == true { text.removeLast() }
    while text.first?.isWhitespace == true { text.removeFirst() }
    return text.isEmpty || text.hasPrefix("#") ? nil : String(text)
  }

  private static func meaning(
    of line: String, among known: Vocabulary, _ session: Session, makeID: () -> String
  ) throws(CommandError) -> EventPhrase.Meaning {
    if line.hasPrefix("{") {
      let (event, type) = try EventDocument(line).event(among: known, session, makeID: makeID)
      return EventPhrase.Meaning(event: event, type: type, makesType: false)
    }
    guard var words = ShellWords.split(line) else {
      throw CommandError("Missing closing quote", exit: .badData)
    }
    // Lines may start with `log` or `trendy log`.
    if words.starts(with: ["trendy", "log"]) {
      words.removeFirst(2)
    } else if words.first == "log" {
      words.removeFirst()
    }
    let session = try session.reading(words, options: LogCommand.spec.options)
    guard let first = session.arguments.positionals.first, first != "-" else {
      throw CommandError("Missing event type", exit: .badData)
    }
    guard session.arguments.value(OptionSpec.note.key) != "-" else {
      throw CommandError(
        "'log -' cannot read a note from standard input", hint: "Put the text of the note on the line of the event.",
        exit: .badData)
    }
    return try EventPhrase(session).meaning(among: known, session, makeID: makeID)
  }

  private static func checkAbbreviation(
    of meaning: EventPhrase.Meaning, in container: AppContainer, _ session: Session
  ) throws(CommandError) {
    do {
      try meaning.confirmAbbreviation(in: container, session, isAsking: false)
    } catch {
      throw CommandError(describing: error)
    }
  }

  private static func isHeld(_ id: String, in store: any DataStoreProtocol) throws(CommandError) -> Bool {
    do {
      return try store.findEvent(id: id) != nil
    } catch {
      throw CommandError(describing: error)
    }
  }

  func show(_ session: Session) -> ExitCode {
    switch session.console.format {
    case .json:
      session.console.document(
        "trendy.logged/1", [("events", .array(events.map { json($0) })), ("errors", .array(failures.map(Self.json)))])
    case .ndjson: session.console.gathering { console in for event in events { console.data("\(json(event))") } }
    case .plain:
      session.console.gathering { console in for (line, event) in events { console.row(["\(line)", event.id]) } }
    case .text:
      session.console.gathering { console in
        for ((_, event), id) in zip(events, ShortID.of(events.map(\.event.id))) {
          console.done(text.line(event, id: id))
        }
      }
    }
    if session.console.format != .json { for failure in failures { report(failure, session) } }
    guard failures.isEmpty else {
      session.console.done("Recorded \(events.count) of \(Quantity(events.count + failures.count, "line")).")
      return .badData
    }
    if events.count > 1 {
      session.console.done("Recorded \(Quantity(events.count, "entry", "entries")). Undo with: trendy undo")
    }
    return .done
  }

  private func report(_ failure: Failure, _ session: Session) {
    var error = failure.error
    error.message = "Line \(failure.line): \(error.message)"
    // The usage line of `trendy log` would distract from the invalid input.
    error.usage = nil
    _ = session.console.report(error)
  }

  private func json(_ event: (line: Int, event: Event)) -> JSONText {
    .object([("line", .number(event.line)), ("id", .string(event.event.id))])
  }

  private static func json(_ failure: Failure) -> JSONText {
    .object([
      ("line", .number(failure.line)), ("message", .string(failure.error.message)),
      ("hint", .string(failure.error.hint)),
    ])
  }
}
