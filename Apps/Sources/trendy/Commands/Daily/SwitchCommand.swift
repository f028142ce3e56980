import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels

struct SwitchCommand: Command {
  static let spec = CommandSpec(
    "switch", .one("type", .eventType, "event type"), .optional("value", .number), .any("key=value", .property),
    summary: "Stop the running event and start another at the same time.", group: .daily,
    examples: ["switch call", "switch 'deep work' --at -10m -n review"],
    options: [OptionSpec("--at", value: "time", kind: .time, help: "time of the switch: 8:30, -20m")]
      + EventPhrase.options, columns: .eventColumns)

  private let phrase: EventPhrase

  init(_ session: Session) throws {
    phrase = try EventPhrase(session)
    if let time = try session.date(option: "--at"), time > session.now {
      throw session.usageError("The time of the switch is in the future")
    }
  }

  func act(_ session: Session) throws -> EventList {
    let container = try session.openStore()
    let store = container.makeStore()
    let running = try RunningChoice(name: nil, session: session).event(in: store)
    let meaning = try phrase.meaning(among: Vocabulary(store), session) { container.makeID() }
    try meaning.confirmAbbreviation(in: container, session)
    var stopped = running.event
    try session.end(&stopped, at: meaning.event.timestamp, in: store)
    let started = RunningEvent(meaning.event, markId: container.makeID())
    try container.record.perform(
      session.undoLabel("switch to", meaning.type.name, meaning.event),
      [.event(stopped)] + meaning.changes + [.record(started.mark)],
      before: [.event(running.event), .record(running.mark)])
    try meaning.rememberAbbreviation(in: container)
    return try EventList([stopped, meaning.event], in: container.makeStore())
  }

  func show(_ answer: EventList, _ session: Session) -> ExitCode { answer.showTimers(session) }
}

extension EventList {
  /// Prints the events that a command has started or stopped.
  func showTimers(_ session: Session) -> ExitCode {
    show(schema: "trendy.events/1", session) { console, text in
      for event in events { console.done(text.line(event)) }
    }
    session.reportUndo()
    return .done
  }
}
