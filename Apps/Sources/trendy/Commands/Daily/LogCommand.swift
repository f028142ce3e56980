import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols

struct LogCommand: Command {
  static let spec = CommandSpec(
    "log", .one("type", .eventType, "event type"), .optional("value", .number), .any("key=value", .property),
    summary: "Record an event; with -, read events from standard input, one per line.", group: .daily,
    examples: [
      "log coffee", "log coffee 2 size=large --at 8:30 -n oat", "log run --for 32m --place home --create",
      "log -",
    ],
    options: WhenOptions.all + EventPhrase.options + [EventPhrase.allDay], columns: .eventColumns)

  private enum Input {
    case one(EventPhrase)
    /// Content of standard input, one event per line.
    case lines([UInt8])
  }

  private let input: Input

  init(_ session: Session) throws {
    guard session.arguments.positionals == ["-"] else {
      input = .one(try EventPhrase(session))
      return
    }
    guard !Self.spec.options.contains(where: { session.arguments.has($0.key) }) else {
      throw session.usageError(
        "'log -' takes no options", hint: "Put the options of each event on its own line of the input.")
    }
    input = .lines(try FileInput.bytes(of: "-"))
  }

  enum Answer {
    case one(LoggedEvent)
    case lines(LoggedLines)
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    switch input {
    case .one(let phrase): return .one(try Self.log(phrase, in: container, session))
    case .lines(let bytes): return .lines(try LoggedLines(bytes, in: container, session))
    }
  }

  private static func log(_ phrase: EventPhrase, in container: AppContainer, _ session: Session) throws -> LoggedEvent {
    let meaning = try phrase.meaning(among: Vocabulary(container.makeStore()), session) { container.makeID() }
    let (event, type) = (meaning.event, meaning.type)
    try meaning.confirmAbbreviation(in: container, session)
    // A new event type and its first event are a single undo step.
    try container.record.perform(session.undoLabel("log", type.name, event), meaning.changes)
    try meaning.rememberAbbreviation(in: container)
    return try LoggedEvent(event, of: type, in: container.makeLocalStore(), session)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    switch answer {
    case .one(let event): event.show(session)
    case .lines(let lines): lines.show(session)
    }
  }
}
