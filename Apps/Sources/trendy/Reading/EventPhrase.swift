import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels

/// An event in the words of `log`: `coffee 2 size=large --at 8:30 -n oat`.
struct EventPhrase {
  /// What may be said of an event beside when it was.
  static let options =
    WhereOptions.all + [
      OptionSpec.note,
      OptionSpec("--create", help: "make the type if there is none of that name"),
    ]
  static let allDay = OptionSpec("--all-day", help: "the whole day")

  private let typeName: String
  private let values: ArraySlice<String>
  private let span: (start: Date, end: Date?)
  private let place: WhereOptions
  private let note: String?
  private let isAllDay: Bool
  private let makesType: Bool

  init(_ session: Session) throws(CommandError) {
    typeName = session.arguments.positionals[0]
    values = session.arguments.positionals.dropFirst()
    span = try WhenOptions(session).span(session)
    place = try WhereOptions(session)
    note = try session.note()
    isAllDay = session.arguments.has(Self.allDay.key)
    makesType = session.arguments.has("--create")
  }

  struct Meaning {
    var event: Event
    var type: EventType
    /// Whether the type is to be made.
    var makesType: Bool
  }

  /// - Parameter makeID: gives a new id.
  /// - Throws: ``CommandError`` for what the words name and nobody knows.
  func meaning(among known: Vocabulary, _ session: Session, makeID: () -> String) throws(CommandError) -> Meaning {
    let isNew = makesType && !known.types.contains { $0.name.lowercased() == typeName.lowercased() }
    let type =
      isNew
      ? try NewEventType(name: typeName).made(id: makeID(), session)
      : try Lookup.eventType(typeName, among: known.types) { "trendy \(session.command.name) \($0) --create" }
    let definitions = known.definitions(of: type)
    var event = Event(
      id: makeID(), eventTypeId: type.id, timestamp: span.start, endDate: span.end, isAllDay: isAllDay, notes: note,
      timeZone: session.local.zoneName)
    if isAllDay {
      // Midnight of the first date, and of the last where there are several.
      let first = session.local.midnight(session.local.startOfDay(event.timestamp))
      let last = event.endDate.map { session.local.midnight(session.local.startOfDay($0)) }
      (event.timestamp, event.endDate) = (first, last == first ? nil : last)
    }
    try place.apply(to: &event, among: known.places)
    var words = values
    if let first = words.first, !first.contains("=") {
      words.removeFirst()
      let definition = try amount(first, of: type, definitions, session)
      event.properties[definition.key] = try Property.value(first, of: definition, session: session)
    }
    for word in words {
      let (key, value) = try Property.parse(word, definitions: definitions, session: session)
      event.properties[key] = value
    }
    event.fillLength(from: definitions)
    event.fillDefaults(from: definitions)
    return Meaning(event: event, type: type, makesType: isNew)
  }

  /// What a bare number is: the first number or duration of the type.
  private func amount(
    _ word: String, of type: EventType, _ definitions: [PropertyDefinition], _ session: Session
  ) throws(CommandError) -> PropertyDefinition {
    if let amount = definitions.first(where: { $0.propertyType == .number || $0.propertyType == .duration }) {
      return amount
    }
    throw session.usageError(
      "'\(type.name)' has no number or duration that '\(word)' could be",
      hint: "A note: trendy log \(type.name) -n '\(word)'")
  }
}
