import AppContainer
import CommandSupport
import TrendyAgent
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols
import TrendySync

/// `trendy log`
struct LogCommand: Command {
  static let spec = CommandSpec(
    "log", .one("type", .eventType, "the type of event"), .optional("value", .number), .any("key=value", .property),
    summary: "Record something that happened.", group: .daily,
    examples: ["log coffee", "log coffee 2 size=large --at 8:30 -n oat", "log run --for 32m --create"],
    options: WhenOptions.all + [
      OptionSpec.note,
      OptionSpec("--all-day", help: "the whole day"),
      OptionSpec("--create", help: "make the type if there is none of that name"),
    ])

  private let typeName: String
  private let values: ArraySlice<String>
  private let span: (start: Date, end: Date?)
  private let note: String?
  private let isAllDay: Bool
  private let makesType: Bool

  init(_ session: Session) throws {
    typeName = session.arguments.positionals[0]
    values = session.arguments.positionals.dropFirst()
    span = try WhenOptions(session).span(session)
    note = try session.note()
    isAllDay = session.arguments.has("--all-day")
    makesType = session.arguments.has("--create")
  }

  struct Answer {
    var event: OneEvent
    /// `nil` where nobody reads it.
    var standing: Standing?
  }

  /// How the type stands with this event.
  struct Standing {
    /// Events of the type today.
    var today: Int
    /// Days in a row with one, up to today or yesterday.
    var streak: Int
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let store = container.makeStore()
    let (type, isNew) = try eventType(in: container, session)
    let definitions = try store.definitions(of: type)
    var event = Event(
      id: container.makeID(), eventTypeId: type.id, timestamp: span.start, endDate: span.end, isAllDay: isAllDay,
      notes: note, timeZone: session.local.zoneName)
    if isAllDay { event.timestamp = session.local.startOfDay(event.timestamp) }
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
    // Only now is all of it known to be right: the type comes with its first event, or not at all.
    try container.record.perform(
      "log \(type.name) \(ShortID.of(event.id))", (isNew ? [.eventType(type)] : []) + [.event(event)])
    let known = container.makeStore()
    return Answer(
      event: try OneEvent(known.findEvent(id: event.id) ?? event, in: known),
      standing: session.console.tellsWhatWasDone ? try Self.standing(of: type, in: known, session) : nil)
  }

  private func eventType(in container: AppContainer, _ session: Session) throws -> (EventType, isNew: Bool) {
    let store = container.makeStore()
    let isThere = try store.fetchAllEventTypes().contains { $0.name.lowercased() == typeName.lowercased() }
    if makesType, !isThere {
      return (try NewEventType(name: typeName).made(id: container.makeID(), session), true)
    }
    return (try Lookup(store: store).eventType(typeName) { "trendy log \($0) --create" }, false)
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

  private static func standing(
    of type: EventType, in store: any DataStoreProtocol, _ session: Session
  ) throws -> Standing {
    func events(daysAgo days: Int, limit: Int? = nil) throws -> Int {
      let (start, end) = (-days, 1 - days)
      let local = session.local
      let day = local.startOfDay(session.now, addingDays: start)..<local.startOfDay(session.now, addingDays: end)
      return try store.events(in: day, ofType: type.id, limit: limit).count
    }
    // Today is not over: without an event it breaks no streak.
    let today = try events(daysAgo: 0)
    var past = 0
    while try events(daysAgo: past + 1, limit: 1) > 0 { past += 1 }
    return Standing(today: today, streak: past + (today > 0 ? 1 : 0))
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    let exit = answer.event.show(session)
    guard let standing = answer.standing else { return exit }
    let words = [
      standing.today > 1 ? "today \(standing.today)" : nil,
      standing.streak > 1 ? "\(standing.streak) days in a row" : nil, "undo: trendy undo",
    ]
    let line = words.compactMap(\.self).joined(separator: " · ")
    session.console.done(StyledText([StyledText.Part(""), StyledText.Part(line, .dim)]))
    return exit
  }
}
