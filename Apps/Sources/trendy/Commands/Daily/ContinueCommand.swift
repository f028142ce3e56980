import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTrips

struct ContinueCommand: Command {
  static let spec = CommandSpec(
    "continue", .optional("id", .event),
    summary: "Start an event like an earlier one, by default the last one with a duration.", group: .daily,
    examples: ["continue", "continue @2 --at -5m"],
    options: [OptionSpec("--at", value: "time", kind: .time, help: "start time: 8:30, -20m")], columns: .eventColumns)

  private let id: String?
  private let start: Date

  init(_ session: Session) throws {
    id = session.arguments.positionals.first
    start = try session.date(option: "--at") ?? session.now
    if start > session.now { throw session.usageError("The start time is in the future") }
  }

  func act(_ session: Session) throws -> LoggedEvent {
    let container = try session.openStore()
    let store = container.makeLocalStore()
    let earlier = if let id { try Lookup(store: store).event(id) } else { try Self.last(in: store, session) }
    guard let type = try store.findEventType(id: earlier.eventTypeId) else {
      throw CommandError("The event type of this event has been deleted", exit: .notFound)
    }
    guard BuiltInType.trip.present(among: try store.fetchAllEventTypes())?.id != type.id else {
      throw session.usageError("'continue' cannot start a trip", hint: "Run 'trendy trip start'.")
    }
    try session.checkIsNotRunning(type, in: store)
    let event = earlier.continued(id: container.makeID(), at: start, in: session.local.zoneName)
    let started = RunningEvent(event, markId: container.makeID())
    try container.record.perform(
      session.undoLabel("continue", type.name, event), [.event(event), .record(started.mark)])
    return try LoggedEvent(event, of: type, in: container.makeLocalStore(), session)
  }

  /// Returns the last of the most recent events that has a duration.
  private static func last(in store: LocalStore, _ session: Session) throws -> Event {
    let page = try store.events(
      matching: EventQuery(range: .distantPast..<session.now), after: nil, limit: 1000)
    let last = page.events.first { event in
      !event.sourceType.isOfPosition && !event.isAllDay && event.endDate.map { $0 > event.timestamp } == true
    }
    guard let last else {
      throw CommandError(
        "No recent event has a duration", hint: "Name one: trendy continue ID, or trendy start TYPE", exit: .notFound)
    }
    return last
  }

  func show(_ answer: LoggedEvent, _ session: Session) -> ExitCode { answer.show(session) }
}
