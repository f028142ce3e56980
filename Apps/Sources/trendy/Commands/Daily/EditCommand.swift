import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendySync

/// `trendy edit`
struct EditCommand: Command {
  static let spec = CommandSpec(
    "edit", .one("id", .event, "the id"), .any("key=value", .property),
    summary: "Change an event; only what is named changes.", group: .daily,
    examples: ["edit @1 --at 8:30", "edit @1 count=3 -n \"with milk\"", "edit @1 --clear note"],
    options: WhenOptions.all + [
      OptionSpec.note,
      OptionSpec("--type", value: "type", kind: .eventType, help: "another type"),
      OptionSpec(
        "--clear", value: "field", kind: .propertyKey, repetition: .allCount,
        help: "note, end, or the key of a property"),
    ])

  private let id: String
  private let values: ArraySlice<String>
  private let when: WhenOptions
  private let note: String?
  private let typeName: String?
  private let cleared: [String]

  init(_ session: Session) throws {
    id = session.arguments.positionals[0]
    values = session.arguments.positionals.dropFirst()
    when = try WhenOptions(session)
    note = try session.note()
    typeName = session.arguments.value("--type")
    cleared = session.arguments.all("--clear")
  }

  func act(_ session: Session) throws -> OneEvent {
    let container = try session.openStore()
    let store = container.makeStore()
    let old = try Lookup(store: store).event(id)
    let edited = try edited(old, in: store, session)
    guard edited != old else { throw session.usageError("Nothing to change was named") }
    try container.record.perform("edit \(ShortID.of(old.id))", [.event(edited)], before: [.event(old)])
    return try OneEvent(edited, in: container.makeStore())
  }

  private func edited(_ old: Event, in store: any DataStoreProtocol, _ session: Session) throws -> Event {
    var event = old
    if let typeName {
      event.eventTypeId = try Lookup(store: store).eventType(typeName) { "trendy type add \($0)" }.id
    }
    let span = try when.span(editing: event.timestamp, session)
    if let start = span.start { event.move(to: start) }
    if let end = span.end { event.endDate = end }
    if let note { event.notes = note }
    for field in cleared { try clear(field, of: &event, session) }
    let definitions = try store.definitions(ofType: event.eventTypeId)
    for word in values {
      let (key, value) = try Property.parse(word, definitions: definitions, session: session)
      event.properties[key] = value
    }
    event.fillLength(from: definitions, before: old)
    return event
  }

  private func clear(_ field: String, of event: inout Event, _ session: Session) throws(CommandError) {
    switch field {
    case "note", "notes": event.notes = nil
    case "end", "end_date": event.endDate = nil
    case let key where event.properties[key] != nil: event.properties[key] = nil
    default:
      throw session.usageError("There is no '\(field)' to clear", hint: "note, end, or a property that it has.")
    }
  }

  func show(_ answer: OneEvent, _ session: Session) -> ExitCode { answer.show(session) }
}
