import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

struct StopCommand: Command {
  static let spec = CommandSpec(
    "stop", .optional("type", .eventType), .any("key=value", .property),
    summary: "Stop a running event.", group: .daily,
    examples: ["stop", "stop headache --at 16:30", "stop run distance=5.1 -n rain"],
    options: [
      OptionSpec("--at", "--to", value: "time", kind: .time, help: "end time: 8:30, -20m"), OptionSpec.note,
      OptionSpec("--all", help: "stop all running events"),
    ], columns: .eventColumns)

  /// Event type or event id that selects a running event; `nil` for the only one.
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
    let meant = try self.meant(among: RunningEvent.all(in: store), in: store)
    // Trips must be ended with `trendy trip end`, because reports need the distance that it records.
    let tripType = BuiltInType.trip.present(among: try store.fetchAllEventTypes())?.id
    guard !meant.contains(where: { $0.event.eventTypeId == tripType }) else {
      throw session.usageError(
        "'stop' cannot end a trip",
        hint: "Run 'trendy trip end 12km' with the distance of the trip, or 'trendy trip cancel'.")
    }
    let stopped = try meant.map { try self.stopped($0.event, in: store, session) }
    let name = try store.findEventType(id: stopped[0].eventTypeId)?.name ?? "event"
    try container.record.perform(
      "stop \(stopped.count == 1 ? name : "\(stopped.count) events")", stopped.map { .event($0) },
      before: meant.flatMap { [.event($0.event), .record($0.mark)] })
    return try EventList(stopped, in: container.makeStore())
  }

  private func meant(among running: [RunningEvent], in store: any DataStoreProtocol) throws -> [RunningEvent] {
    guard !running.isEmpty else {
      throw CommandError("No event is running", hint: "Start one: trendy start TYPE", exit: .notFound)
    }
    if isAll { return running }
    func name(_ event: Event) throws -> String { try store.findEventType(id: event.eventTypeId)?.name ?? event.id }
    guard let wanted = self.name else {
      guard running.count == 1 else {
        let names = try running.map { "trendy stop \(ShellWords.quoted(try name($0.event)))" }
        throw CommandError(
          "\(running.count) events are running",
          hint: "Choose one: \(names.joined(separator: ", ")). To stop all: trendy stop --all", exit: .usage)
      }
      return running
    }
    if let found = running.first(where: { $0.event.id.hasPrefix(wanted.lowercased()) && wanted.count >= 4 }) {
      return [found]
    }
    let types = try Lookup(store: store).eventTypes(wanted) { "trendy start \($0) --create" }
    let found = running.filter { running in types.contains { $0.id == running.event.eventTypeId } }
    guard !found.isEmpty else {
      let names = try running.map { try name($0.event) }.joined(separator: ", ")
      throw CommandError("'\(types[0].name)' is not running", hint: "Running: \(names).", exit: .notFound)
    }
    guard found.count == 1 else {
      let ids = ShortID.of(found.map(\.event.id)).map { "trendy stop \($0)" }
      throw CommandError(
        "\(found.count) events of '\(types[0].name)' are running", hint: "Choose one: \(ids.joined(separator: ", "))",
        exit: .usage)
    }
    return found
  }

  private func stopped(_ event: Event, in store: any DataStoreProtocol, _ session: Session) throws -> Event {
    var event = event
    let end = try end.map { try session.date($0, .end(of: event.timestamp)) } ?? session.now
    guard end >= event.timestamp else {
      let begin = session.local.dayAndTime(event.timestamp, year: session.local.components(of: session.now).year)
      throw session.usageError(
        "The end is before the start, \(begin)",
        hint: "To correct the start: trendy edit \(ShortID.of(event.id)) --at TIME")
    }
    if end > session.now.addingTimeInterval(60) {
      throw session.usageError(
        "The end '\(self.end?.text ?? "")' is in the future", hint: "Run 'trendy stop' when the event ends.")
    }
    event.endDate = end
    if let note { event.notes = note.asNote }
    let definitions = try store.definitions(ofType: event.eventTypeId)
    try Property.say(values, of: &event, definitions, session)
    event.fillLength(from: definitions)
    return event
  }

  func show(_ answer: EventList, _ session: Session) -> ExitCode {
    answer.show(schema: "trendy.events/1", session) { console, text in
      for event in answer.events { console.done(text.line(event)) }
    }
    session.reportUndo()
    return .done
  }
}
