import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

struct StopCommand: Command {
  static let spec = CommandSpec(
    "stop", .optional("type", .eventType), .any("key=value", .property),
    summary: "Stop a running event.", group: .daily,
    examples: ["stop", "stop headache --at 16:30", "stop run distance=5.1 -n rain"],
    options: [
      OptionSpec("--at", "--to", value: "time", kind: .time, help: "end time: 8:30, -20m"), OptionSpec.note,
      OptionSpec("--all", help: "stop all running events"),
    ], columns: .eventColumns)

  /// Event type or event id that selects a running event, or `nil` for the only running event.
  private let name: String?
  private let values: [String]
  private let end: TimePhrase?
  private let note: String?
  private let isAll: Bool

  init(_ session: Session) throws {
    let words = session.arguments.positionals
    name = words.first.flatMap { $0.contains("=") ? nil : $0 }
    values = Array(words.dropFirst(name == nil ? 0 : 1))
    end = try session.phrase(option: "--at")
    note = try session.note()
    isAll = session.arguments.has("--all")
    if isAll, name != nil || !values.isEmpty || note != nil {
      throw session.usageError("--all can only be combined with --at")
    }
  }

  func act(_ session: Session) throws -> EventList {
    let container = try session.openStore()
    let store = container.makeStore()
    let choice = RunningChoice(name: name, session: session)
    let running = isAll ? try choice.all(in: store) : [try choice.event(in: store)]
    let stopped = try running.map { try self.stopped($0.event, in: store, session) }
    let name = try store.findEventType(id: stopped[0].eventTypeId)?.name ?? "event"
    try container.record.perform(
      "stop \(stopped.count == 1 ? name : "\(stopped.count) events")", stopped.map { .event($0) },
      before: running.flatMap { [.event($0.event), .record($0.mark)] })
    return try EventList(stopped, in: container.makeStore())
  }

  private func stopped(_ event: Event, in store: any DataStoreProtocol, _ session: Session) throws -> Event {
    var event = event
    if let note { event.notes = note.asNote }
    try Property.say(values, of: &event, store.definitions(ofType: event.eventTypeId), session)
    try session.end(&event, at: end.map { try session.date($0, .end(of: event.timestamp)) } ?? session.now, in: store)
    return event
  }

  func show(_ answer: EventList, _ session: Session) -> ExitCode { answer.showTimers(session) }
}
