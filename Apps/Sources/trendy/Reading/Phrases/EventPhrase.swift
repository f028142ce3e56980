import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels

/// Event in the syntax of `trendy log`, such as `coffee 2 size=large --at 8:30 -n oat`.
struct EventPhrase {
  /// Options for everything about an event except its times.
  static let options =
    WhereOptions.all + [
      OptionSpec.note,
      OptionSpec("--create", help: "create the event type and its properties if they do not exist"), .yes,
    ]
  static let allDay = OptionSpec("--all-day", help: "record an all-day event")

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
    /// Whether ``type`` must be created.
    var makesType: Bool
    var newProperties: [PropertyDefinition] = []
    /// Name typed by the user, if it is only a prefix of the type's name.
    var abbreviation: String?

    var changes: [AnyEntity] {
      (makesType ? [.eventType(type)] : []) + newProperties.map { .property($0) } + [.event(event)]
    }
  }

  /// Looks up the names and returns the event, with any type and properties to be created.
  func meaning(among known: Vocabulary, _ session: Session, makeID: () -> String) throws(CommandError) -> Meaning {
    let isNew = makesType && !known.types.contains { $0.name.lowercased() == typeName.lowercased() }
    let type =
      isNew
      ? try NewEventType(name: typeName).made(id: makeID(), session)
      : try namedType(among: known.types, session)
    let isAbbreviated = !isNew && Lookup.named(typeName, among: known.types, name: \.name).isEmpty
    let existing = known.definitions(of: type)
    let new = makesType ? try newProperties(of: type, besides: existing, session, makeID: makeID) : []
    let definitions = existing + new
    var event = Event(
      id: makeID(), eventTypeId: type.id, timestamp: span.start, endDate: span.end,
      notes: note?.asNote,
      timeZone: session.local.zoneName)
    if isAllDay { event.makeAllDay(in: session.local) }
    try place.apply(to: &event, among: known.places)
    try say(values, of: type, definitions, session, in: &event)
    event.fillLength(from: definitions)
    event.fillDefaults(from: definitions)
    return Meaning(
      event: event, type: type, makesType: isNew, newProperties: new, abbreviation: isAbbreviated ? typeName : nil)
  }

  /// Returns a definition for each `key=value` whose key is not yet a property of the type.
  private func newProperties(
    of type: EventType, besides existing: [PropertyDefinition], _ session: Session, makeID: () -> String
  ) throws(CommandError) -> [PropertyDefinition] {
    var new: [PropertyDefinition] = []
    for word in values {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !(existing + new).contains(where: { $0.key.lowercased() == parts[0].lowercased() }) else {
        continue
      }
      guard Property.isKey(parts[0], session) else {
        throw session.usageError("Invalid property key '\(parts[0])'", hint: "\(Session.nameRule).")
      }
      new.append(
        PropertyDefinition(
          id: makeID(), eventTypeId: type.id, key: parts[0], label: parts[0], propertyType: Property.kind(of: parts[1]),
          displayOrder: ((existing + new).map(\.displayOrder).max() ?? -1) + 1))
    }
    return new
  }

  private func namedType(among types: [EventType], _ session: Session) throws(CommandError) -> EventType {
    do {
      return try Lookup.eventType(typeName, among: types) { "trendy \(session.command.name) \($0) --create" }
    } catch {
      // In `start 20 min ago work`, the time precedes the type.
      guard typeName.first?.isNumber == true, !values.isEmpty else { throw error }
      throw CommandError(
        error.message, hint: "Put the event type first, and set the time with --at TIME.", exit: error.exit)
    }
  }

  /// Sets the event's properties. The first value may be a number or duration without a key. All other values have the
  /// form `key=value`.
  private func say(
    _ values: ArraySlice<String>, of type: EventType, _ definitions: [PropertyDefinition], _ session: Session,
    in event: inout Event
  ) throws(CommandError) {
    let name = ShellWords.quoted(type.name)
    func note(_ word: String) -> String { "To add a note: trendy \(session.command.name) \(name) -n '\(word)'" }
    func refusal(_ message: String, of word: String) -> CommandError {
      session.usageError(message, hint: meant(word, definitions, session) ?? note(word))
    }
    var words = values
    if let first = words.first, !first.contains("=") {
      words.removeFirst()
      // A value without a key belongs to the first number or duration property.
      guard
        let definition = definitions.first(where: { $0.propertyType == .number || $0.propertyType == .duration })
      else {
        let message = "'\(type.name)' has no number or duration property for the value '\(first)'"
        guard Double(first) == nil else {
          throw session.usageError(
            message, hint: "To add one: trendy type prop add \(name) KEY --kind number. \(note(first))")
        }
        throw refusal(message, of: first)
      }
      do {
        event.properties[definition.key] = try Property.value(first, of: definition, session: session)
      } catch {
        var hint = meant(first, definitions, session)
        if hint == nil, !first.contains(where: \.isNumber) {
          // The word may be for a text property, as in `log medication ibuprofen`.
          let text = definitions.first { $0.propertyType == .text && event.properties[$0.key] == nil }
          hint =
            text.map { "Did you mean \($0.key)=\(ShellWords.quoted(first))?" }
            ?? [error.hint, note(first)].compactMap(\.self).joined(separator: ". ")
        }
        guard let hint else { throw error }
        throw CommandError(error.message, hint: hint, usage: error.usage, exit: error.exit)
      }
    }
    for word in words {
      guard word.contains("=") else {
        let hint = bareLater(word, definitions, session, besides: event)
        throw hint.map { session.usageError("'\(word)' is not in the form KEY=VALUE", hint: $0) }
          ?? refusal("'\(word)' is not in the form KEY=VALUE", of: word)
      }
    }
    try Property.say(words, of: &event, definitions, session, besides: event.properties)
  }

  /// Returns a hint for a value without a key that does not directly follow the type.
  private func bareLater(
    _ word: String, _ definitions: [PropertyDefinition], _ session: Session, besides event: Event
  ) -> String? {
    let first = definitions.first { $0.propertyType == .number || $0.propertyType == .duration }
    guard let first, event.properties[first.key] == nil,
      (try? Property.value(word, of: first, session: session)) != nil
    else { return nil }
    return "Did you mean \(first.key)=\(word)?"
  }

  /// Returns a hint with the option, duration or time that the user probably meant by an unexpected word, or `nil`.
  private func meant(_ word: String, _ definitions: [PropertyDefinition], _ session: Session) -> String? {
    let offering = definitions.first { definition in
      definition.propertyType == .select && definition.options.contains { $0.lowercased() == word.lowercased() }
    }
    if let offering { return "Did you mean \(offering.key)=\(word)?" }
    // Do not suggest a duration for `8:30`, which is more likely a time of day.
    if Double(word) == nil, !word.contains(":"), DurationPhrase.seconds(word) != nil {
      return "Set the duration with --for \(word)"
    }
    // An unquoted time consists of several words.
    let words = values.drop { $0 != word }.prefix { !$0.contains("=") }
    for count in stride(from: words.count, to: 0, by: -1) {
      let text = words.prefix(count).joined(separator: " ")
      // Skip words that form neither a time nor a range.
      guard Double(text) == nil,
        (try? TimePhrase(text, now: session.now, in: session.local).resolved(.past)) != nil
          || (try? TimePhrase.range(text, now: session.now, in: session.local)) != nil
      else { continue }
      return "Set the time with --at \(count > 1 ? "'\(text)'" : text)"
    }
    return nil
  }
}

extension EventPhrase.Meaning {
  /// Asks whether a prefix of a type's name means that type, unless the user has already confirmed it.
  ///
  /// `isAsking` is `false` if the user cannot be asked: for `log -`, standard input contains the events.
  /// - Throws: ``CommandError`` with exit 66 if the user cannot be asked, or exit 130 if the user declines.
  func confirmAbbreviation(in container: AppContainer, _ session: Session, isAsking: Bool = true) throws {
    guard let abbreviation, try container.record.type(abbreviatedBy: abbreviation) != type.id else { return }
    let line = "trendy \(session.command.name)"
    let refusal = CommandError(
      "'\(abbreviation)' is only the beginning of '\(type.name)'",
      hint:
        "Use the whole name: \(line) \(ShellWords.quoted(type.name)). For a new type: \(line) \(ShellWords.quoted(abbreviation)) --create",
      exit: .notFound)
    guard isAsking else { throw refusal }
    try session.confirm("Record '\(abbreviation)' as '\(type.name)'?", otherwise: refusal)
  }

  /// Saves a confirmed prefix of a type's name. Called once the event has been saved.
  func rememberAbbreviation(in container: AppContainer) throws {
    guard let abbreviation, try container.record.type(abbreviatedBy: abbreviation) != type.id else { return }
    try container.record.remember(abbreviation, asTypeWithID: type.id)
  }
}

extension Event {
  /// Turns the event into an all-day event, from midnight of its first date to midnight of its last date, if that is a
  /// different date.
  mutating func makeAllDay(in local: LocalTime) {
    let first = local.midnight(local.startOfDay(timestamp))
    let last = endDate.map { local.midnight(local.startOfDay($0)) }
    (isAllDay, timestamp, endDate) = (true, first, last == first ? nil : last)
  }
}
