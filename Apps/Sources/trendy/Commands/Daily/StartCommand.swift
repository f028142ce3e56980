import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// `trendy start`
struct StartCommand: Command {
  static let spec = CommandSpec(
    "start", .one("type", .eventType, "the type of event"), .optional("value", .number), .any("key=value", .property),
    summary: "Begin something whose end is not known yet.", group: .daily,
    examples: ["start headache", "start reading --at -10m -n Middlemarch", "start run --place home --create"],
    options: [
      OptionSpec("--at", "--from", value: "time", kind: .time, help: "when it began: 8:30, -20m, 'yesterday 9pm'")
    ] + EventPhrase.options, columns: .eventColumns)

  private let phrase: EventPhrase

  init(_ session: Session) throws {
    phrase = try EventPhrase(session)
    if let start = try session.date(option: "--at"), start > session.now {
      throw session.usageError("What is started has begun", hint: "Later: trendy log TYPE --at TIME")
    }
  }

  func act(_ session: Session) throws -> LoggedEvent {
    let container = try session.openStore()
    let store = container.makeStore()
    let meaning = try phrase.meaning(among: Vocabulary(store), session) { container.makeID() }
    let (event, type) = (meaning.event, meaning.type)
    if let running = try RunningEvent.all(in: store).first(where: { $0.event.eventTypeId == type.id })?.event {
      let since = session.local.dayAndTime(running.timestamp, year: session.local.components(of: session.now).year)
      throw CommandError(
        "\(type.name) runs since \(since).", hint: "trendy stop \(ShellWords.quoted(type.name))", exit: .refused)
    }
    let started = RunningEvent(event, markId: container.makeID())
    try container.record.perform(
      "start \(type.name) \(ShortID.of(event.id))",
      (meaning.makesType ? [.eventType(type)] : []) + [.event(event), .record(started.mark)])
    return try LoggedEvent(event, of: type, in: container.makeLocalStore(), session)
  }

  func show(_ answer: LoggedEvent, _ session: Session) -> ExitCode { answer.show(session) }
}
