import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols

struct StartCommand: Command {
  static let spec = CommandSpec(
    "start", .one("type", .eventType, "event type"), .optional("value", .number), .any("key=value", .property),
    summary: "Start an event and leave it running until 'trendy stop'.", group: .daily,
    examples: ["start headache", "start reading --at -10m -n Middlemarch", "start run --place home --create"],
    options: [
      OptionSpec("--at", "--from", value: "time", kind: .time, help: "start time: 8:30, -20m, 'yesterday 9pm'")
    ] + EventPhrase.options, columns: .eventColumns)

  private let phrase: EventPhrase

  init(_ session: Session) throws {
    phrase = try EventPhrase(session)
    if let start = try session.date(option: "--at"), start > session.now {
      throw session.usageError(
        "The start time is in the future", hint: "To record a future event: trendy log TYPE --at TIME")
    }
  }

  func act(_ session: Session) throws -> LoggedEvent {
    let container = try session.openStore()
    let store = container.makeStore()
    let meaning = try phrase.meaning(among: Vocabulary(store), session) { container.makeID() }
    let (event, type) = (meaning.event, meaning.type)
    try meaning.confirmAbbreviation(in: container, session)
    try session.checkIsNotRunning(type, in: store)
    let started = RunningEvent(event, markId: container.makeID())
    try container.record.perform(
      session.undoLabel("start", type.name, event), meaning.changes + [.record(started.mark)])
    try meaning.rememberAbbreviation(in: container)
    return try LoggedEvent(event, of: type, in: container.makeLocalStore(), session)
  }

  func show(_ answer: LoggedEvent, _ session: Session) -> ExitCode { answer.show(session) }
}
