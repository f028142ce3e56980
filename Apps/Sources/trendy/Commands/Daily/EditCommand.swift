import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTrips

struct EditCommand: Command {
  static let spec = CommandSpec(
    "edit", .any("id", .event), .any("key=value", .property),
    summary: "Change events; omitted fields stay unchanged.", group: .daily,
    examples: [
      "edit @1 --at 8:30", "edit @1 count=3 -n \"with milk\"", "edit @1 --clear note",
      "edit --of coffee --since mon size=large --dry-run",
    ],
    options: WhenOptions.all + WhereOptions.all + [
      OptionSpec.note,
      OptionSpec("--type", value: "type", kind: .eventType, help: "new event type"),
      OptionSpec(
        "--clear", value: "field", kind: .propertyKey, repetition: .allCount,
        help: "remove a value: note, end, place, all-day, or a property key"),
      OptionSpec("--all-day", help: "make it an all-day event"),
    ] + EventSelection.editOptions + [OptionSpec.dryRun, OptionSpec.yes], columns: .eventColumns)

  /// Options that change events, rather than select them.
  private static let changing = spec.options.filter { option in
    !(EventSelection.editOptions + [OptionSpec.dryRun, OptionSpec.yes]).contains(option)
  }

  private let events: EventChoice
  private let values: [String]
  private let when: WhenOptions
  private let place: WhereOptions
  private let note: String?
  private let typeName: String?
  private let cleared: [String]
  private let isAllDay: Bool

  init(_ session: Session) throws {
    let words = session.arguments.positionals
    let ids = words.prefix { !$0.contains("=") }
    values = Array(words[ids.endIndex...])
    events = try EventChoice(
      Array(ids), EventSelection(session, options: EventSelection.editOptions), session)
    when = try WhenOptions(session)
    place = try WhereOptions(session)
    note = try session.note()
    typeName = session.arguments.value("--type")
    cleared = session.arguments.all("--clear")
    isAllDay = session.arguments.has("--all-day")
  }

  struct Answer {
    let list: EventList
    /// Whether the changes were saved, which `--dry-run` prevents.
    let isDone: Bool
    /// Whether any event differs from its stored version.
    var isChanged = true
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let store = container.makeLocalStore()
    let known = try Vocabulary(store)
    let old = try events.events(in: store, session)
    let vehicles = old.contains { $0.sourceType == .trip } ? try store.vehicles() : []
    let edited = try old.map { try self.edited($0, among: known, vehicles, session) }
    let changes = zip(old, edited).filter { $0 != $1 }
    guard !changes.isEmpty else {
      if values.isEmpty { try session.reportNothingChanged(of: Self.changing) } else { session.reportNothingChanged() }
      return Answer(list: try EventList(old.count == 1 ? old : [], in: store), isDone: true, isChanged: false)
    }
    let list = try EventList(changes.map(\.1), in: store)
    if session.arguments.has(OptionSpec.dryRun.key) { return Answer(list: list, isDone: false) }
    try events.confirm("Apply these changes to \(Quantity(changes.count, "event"))?", of: list, session)
    let label =
      changes.count == 1
      ? session.undoLabel("edit", list.text(session).typeName(changes[0].0), changes[0].0)
      : "edit \(changes.count) events"
    try container.record.perform(
      label, changes.map { .event($0.1) }, before: changes.map { .event($0.0) },
      isDivisible: true)
    return Answer(list: try EventList(changes.map(\.1), in: container.makeStore()), isDone: true)
  }

  private func edited(
    _ old: Event, among known: Vocabulary, _ vehicles: [Vehicle], _ session: Session
  ) throws(CommandError) -> Event {
    var event = old
    if let typeName {
      event.eventTypeId = try Lookup.eventType(typeName, among: known.types) { "trendy type add \($0)" }.id
    }
    let span = try when.span(editing: event, session)
    if let start = span.start { event.move(to: start) }
    if let end = span.end { event.endDate = end }
    if isAllDay, !event.isAllDay { event.makeAllDay(in: session.local) }
    if let note { event.notes = note.asNote }
    for field in cleared { try clear(field, of: &event, session) }
    try place.apply(to: &event, among: known.places)
    let definitions = known.definitions(ofType: event.eventTypeId)
    try Property.say(values, of: &event, definitions, session)
    event.fillLength(from: definitions, before: old)
    if var trip = TripEvent(event), let before = TripEvent(old) {
      let edited = Set(event.properties.keys).union(old.properties.keys)
        .filter { event.properties[$0] != old.properties[$0] }
      trip.update(after: before, vehicles: vehicles, keeping: edited)
      event = trip.event
    }
    return event
  }

  private func clear(_ field: String, of event: inout Event, _ session: Session) throws(CommandError) {
    switch field {
    case "note", "notes": event.notes = nil
    case "end", "end_date": event.endDate = nil
    case "all-day": event.isAllDay = false
    case "place":
      (event.locationLatitude, event.locationLongitude) = (nil, nil)
      (event.locationName, event.geofenceId) = (nil, nil)
    case let key where event.properties[key] != nil: event.properties[key] = nil
    default:
      throw session.usageError(
        "Cannot clear '\(field)'", hint: "Use note, end, place, all-day, or a property that the event has.")
    }
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    if answer.isDone, answer.list.events.count == 1 {
      defer { if answer.isChanged { session.reportUndo() } }
      return OneEvent(answer.list).show(session)
    }
    answer.list.show(schema: "trendy.events/1", session) { console, text in
      for event in answer.list.events {
        if answer.isDone {
          console.done(text.line(event))
        } else {
          console.text(text.line(event).led(by: "Would change to:"))
        }
      }
      let count = Quantity(answer.list.events.count, "event")
      if answer.isDone, !answer.list.events.isEmpty { console.done("Changed \(count). Undo with: trendy undo") }
    }
    return .done
  }
}
