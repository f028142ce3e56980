import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols

struct SplitCommand: Command {
  static let spec = CommandSpec(
    "split", .optional("type or id", .event),
    summary: "Split an event in two, by default the running one now.", group: .daily,
    examples: ["split", "split work --at -10m", "split @1 --at 9:10"],
    options: [OptionSpec("--at", value: "time", kind: .time, help: "time between start and end: 8:30, -20m")],
    columns: .eventColumns)

  private let name: String?
  private let time: TimePhrase?

  init(_ session: Session) throws {
    name = session.arguments.positionals.first
    time = try session.phrase(option: "--at")
  }

  func act(_ session: Session) throws -> EventList {
    let container = try session.openStore()
    let store = container.makeStore()
    let (event, running) = try chosen(in: store, session)
    guard event.sourceType != .trip else {
      throw session.usageError("'split' cannot split a trip", hint: "Run 'trendy trip split ID TIME'.")
    }
    guard running != nil || event.endDate != nil, !event.isAllDay else {
      throw session.usageError("The event has no duration", hint: "Only an event with an end can be split.")
    }
    guard running != nil || time != nil else {
      throw session.usageError("Missing time", hint: "Add --at TIME, a time between start and end.")
    }
    let date = try time.map { try session.date($0, .end(of: event.timestamp)) } ?? session.now
    guard date > event.timestamp, date < event.endDate ?? session.now.addingTimeInterval(0.001) else {
      throw session.usageError("The time is not between the start and the end of the event")
    }
    let definitions = try store.definitions(ofType: event.eventTypeId)
    var (first, second) = (
      event, event.continued(id: container.makeID(), at: date, until: event.endDate, in: event.timeZone)
    )
    first.endDate = date
    first.fillLength(from: definitions, before: event)
    second.fillLength(from: definitions)
    let mark = running.map { _ in RunningEvent(second, markId: container.makeID()).mark }
    let type = try store.findEventType(id: event.eventTypeId)?.name ?? "event"
    try container.record.perform(
      session.undoLabel("split", type, event),
      [.event(first), .event(second)] + [mark].compactMap { $0.map { .record($0) } },
      before: [.event(event)] + [running?.mark].compactMap { $0.map { .record($0) } })
    return try EventList([first, second], in: container.makeStore())
  }

  /// Returns the event, and its mark if it is running. A running event is also found by its type.
  private func chosen(
    in store: any DataStoreProtocol, _ session: Session
  ) throws -> (event: Event, running: RunningEvent?) {
    func running(_ name: String?) throws -> (Event, RunningEvent?) {
      let running = try RunningChoice(name: name, session: session).event(in: store)
      return (running.event, running)
    }
    do { return try running(name) } catch let error as CommandError where error.exit == .notFound || error.exit == .no {
      // Without a running event of a type with this name, the name is an id.
      guard let name, name.contains(where: { $0 == "@" || $0.isNumber }) else { throw error }
      let event = try Lookup(store: store).event(name)
      let isRunning = try RunningEvent.all(in: store).contains { $0.event.id == event.id }
      return isRunning ? try running(event.id) : (event, nil)
    }
  }

  func show(_ answer: EventList, _ session: Session) -> ExitCode { answer.showTimers(session) }
}
