import AgentLink
import TrendyAgent
import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols
import TrendySync

private let whenOptions = [
  OptionSpec("--at", "--from", value: "time", help: "when it happened (now)"),
  OptionSpec("--for", value: "duration", help: "how long it took: 1h30m"),
  OptionSpec("--to", "--until", value: "time", help: "when it ended"),
  OptionSpec("--note", "-n", value: "text", help: "a note"),
]

extension Command {
  static let today = Command(
    path: ["today"], arguments: "", summary: "What was recorded today.", group: .daily,
    examples: ["today", "today --json"]
  ) { session in
    guard DeviceRecord.exists(at: session.storeDirectory) else {
      session.console.text("Trendy records what happens in your life, on this machine.")
      session.console.text("Begin with:  trendy init")
      session.console.text("Then:        trendy log coffee")
      guard !session.console.isJSON else {
        throw CommandError.noStore(at: session.storeDirectory.path)
      }
      return .done
    }
    let start = session.local.startOfDay(session.now)
    let end = session.local.startOfDay(session.now, addingDays: 1)
    let store = try session.openStore().makeStore()
    let events = try store.events(in: start..<end, ofType: nil, limit: nil)
    let text = EventText(session: session, types: try store.fetchAllEventTypes())
    try show(events.reversed(), schema: "trendy.today/1", text: text, session: session) {
      session.console.text(session.local.day(session.now))
      if events.isEmpty { session.console.text("  nothing yet. trendy log TYPE records something.") }
      for event in events.reversed() { session.console.text(text.lineOfDay(event)) }
    }
    return .done
  }

  static let eventCommands: [Command] = [
    Command(
      path: ["init"], arguments: "", summary: "Make the store, with five types to begin with.", group: .daily,
      examples: ["init", "init --store ~/trendy"]
    ) { session in
      let isNew = !DeviceRecord.exists(at: session.storeDirectory)
      let container = try AppContainer(storeDirectory: session.storeDirectory)
      let store = container.makeStore()
      var made: [String] = []
      if isNew {
        for (type, definitions) in StarterTypes.all where try store.findEventType(id: type.id) == nil {
          try container.recorder.record(type)
          for definition in definitions { try container.recorder.record(definition) }
          made.append(type.name)
        }
      }
      let names = try container.makeStore().fetchAllEventTypes().map(\.name)
      if session.console.isJSON {
        session.console.document(
          "trendy.init/1",
          [
            ("store", .string(session.storeDirectory.path)), ("created", .bool(isNew)),
            ("event_types", .array(names.map { .string($0) })),
          ])
        return .done
      }
      session.console.done(
        isNew
          ? "Store ready. No account; nothing leaves this machine."
          : "The store at \(session.storeDirectory.path) was there already.")
      session.console.done("Types: \((made.isEmpty ? names : made).joined(separator: ", "))")
      session.console.done("Next:  trendy log \(names.contains("coffee") ? "coffee" : names.first ?? "TYPE")")
      return .done
    },
    Command(
      path: ["log"], arguments: "<type> [<value>] [<key=value> ...]", summary: "Record something that happened.",
      group: .daily,
      examples: ["log coffee", "log coffee 2 size=large --at 8:30 -n oat", "log run --for 32m --create"],
      options: whenOptions + [
        OptionSpec("--all-day", help: "the whole day"),
        OptionSpec("--create", help: "make the type if there is none of that name"),
      ]
    ) { session in
      let words = session.arguments.positionals
      guard let typeName = words.first else { throw session.usageError("Missing the type of event") }
      let container = try session.openStore()
      let store = container.makeStore()
      let type: EventType
      if session.arguments.has("--create"),
        !(try store.fetchAllEventTypes().contains { $0.name.lowercased() == typeName.lowercased() })
      {
        type = try makeType(named: typeName, color: nil, icon: nil, container: container, session: session)
      } else {
        type = try Lookup(store: store).eventType(typeName) { "trendy log \($0) --create" }
      }
      let definitions = try store.fetchAllPropertyDefinitions().filter { $0.eventTypeId == type.id }
      var event = Event(
        id: container.makeID(), eventTypeId: type.id, timestamp: try session.date(option: "--at") ?? session.now,
        isAllDay: session.arguments.has("--all-day"), notes: session.arguments.value("--note"),
        timeZone: session.local.zoneName)
      if event.isAllDay { event.timestamp = session.local.startOfDay(event.timestamp) }
      event.endDate = try endDate(of: event.timestamp, session: session)
      for (place, word) in words.dropFirst().enumerated() {
        if place == 0, !word.contains("=") {
          guard
            let definition = definitions.first(where: { $0.propertyType == .number || $0.propertyType == .duration })
          else {
            throw session.usageError(
              "'\(type.name)' has no number or duration that '\(word)' could be",
              hint: "A note: trendy log \(type.name) -n '\(word)'")
          }
          event.properties[definition.key] = try Property.value(word, of: definition, session: session)
        } else {
          let (key, value) = try Property.parse(word, definitions: definitions, session: session)
          event.properties[key] = value
        }
      }
      try container.recorder.record(event, fillingDefaults: true)
      container.agent.send()
      return try showOne(container.makeStore().findEvent(id: event.id) ?? event, container: container, session: session)
    },
    Command.today,
    Command(
      path: ["list"], arguments: "", summary: "What was recorded, the newest first.", group: .daily,
      examples: ["list --type coffee --since mon", "list --limit 50 --ndjson"],
      options: [
        OptionSpec("--type", value: "type", help: "of one type only"),
        OptionSpec("--since", "--from", value: "time", help: "not before"),
        OptionSpec("--until", "--to", value: "time", help: "before"),
        OptionSpec("--grep", value: "text", help: "with this text in note, title, place or a property"),
        OptionSpec("--limit", value: "n", help: "at most so many (50; 0 for all)"),
        OptionSpec("--deleted", help: "instead what was deleted and can be brought back: trendy restore ID"),
        OptionSpec("--fail-empty", help: "status 1 when there is none"),
      ]
    ) { session in
      _ = try session.positionals(0...0, missing: "")
      let container = try session.openStore()
      let store = container.makeStore()
      let types = try store.fetchAllEventTypes()
      let type = try session.arguments.value("--type").map {
        try Lookup(store: store).eventType($0) { "trendy type add \($0)" }
      }
      let since = try session.date(option: "--since")
      let until = try session.date(option: "--until")
      if let since, let until, since > until { throw session.usageError("--since is after --until") }
      let range = since == nil && until == nil ? nil : (since ?? .distantPast)..<(until ?? .distantFuture)
      let limit = try session.wholeNumber(option: "--limit", in: 0...Int.max) ?? 50
      let grep = session.arguments.value("--grep")?.lowercased()
      var events: [Event]
      if session.arguments.has("--deleted") {
        events = try container.recorder.deleted(.event).compactMap(\.event).filter { event in
          (type == nil || event.eventTypeId == type?.id) && (range?.contains(event.timestamp) ?? true)
        }.sorted { ($0.timestamp, $0.id) > ($1.timestamp, $1.id) }
      } else {
        events = try store.events(in: range, ofType: type?.id, limit: grep == nil && limit > 0 ? limit : nil)
      }
      if let grep { events = events.filter { $0.holds(grep) } }
      if limit > 0 { events = Array(events.prefix(limit)) }
      let text = EventText(session: session, types: types)
      try show(events, schema: "trendy.events/1", text: text, session: session) {
        if events.isEmpty { session.console.text("Nothing found.") }
        var day = ""
        for event in events {
          let heading = session.local.day(event.timestamp, year: session.local.components(of: session.now).year)
          if heading != day { session.console.text(heading) }
          day = heading
          session.console.text(text.lineOfDay(event))
        }
      }
      return events.isEmpty && session.arguments.has("--fail-empty") ? .no : .done
    },
    Command(
      path: ["show"], arguments: "<id>", summary: "One event, whole.", group: .daily,
      examples: ["show @1", "show 0199f3c2 --json"]
    ) { session in
      let container = try session.openStore()
      let store = container.makeStore()
      let event = try Lookup(store: store).event(session.positionals(1...1, missing: "the id")[0])
      return try showOne(event, container: container, session: session, isDetailed: true)
    },
    Command(
      path: ["edit"], arguments: "<id> [<key=value> ...]", summary: "Change an event; only what is named changes.",
      group: .daily,
      examples: ["edit @1 --at 8:30", "edit @1 count=3 -n \"with milk\"", "edit @1 --clear note"],
      options: whenOptions + [
        OptionSpec("--type", value: "type", help: "another type"),
        OptionSpec("--clear", value: "field", help: "note, end, or the key of a property; may be given again"),
      ]
    ) { session in
      guard let name = session.arguments.positionals.first else { throw session.usageError("Missing the id") }
      let container = try session.openStore()
      let store = container.makeStore()
      let old = try Lookup(store: store).event(name)
      var edited = old
      if let type = session.arguments.value("--type") {
        edited.eventTypeId = try Lookup(store: store).eventType(type) { "trendy type add \($0)" }.id
      }
      let definitions = try store.fetchAllPropertyDefinitions().filter { $0.eventTypeId == edited.eventTypeId }
      if let date = try session.date(option: "--at") {
        // The end keeps its distance unless it is named.
        edited.move(to: date)
      }
      if let end = try endDate(of: edited.timestamp, session: session) { edited.endDate = end }
      if let note = session.arguments.value("--note") { edited.notes = note }
      for field in session.arguments.all("--clear") {
        switch field {
        case "note", "notes": edited.notes = nil
        case "end", "end_date": edited.endDate = nil
        case let key where edited.properties[key] != nil: edited.properties[key] = nil
        default:
          throw session.usageError("There is no '\(field)' to clear", hint: "note, end, or a property that it has.")
        }
      }
      for word in session.arguments.positionals.dropFirst() {
        let (key, value) = try Property.parse(word, definitions: definitions, session: session)
        edited.properties[key] = value
      }
      guard edited != old else { throw session.usageError("Nothing to change was named") }
      let result = edited
      try container.recorder.edit(eventId: old.id) { event in
        // Only what this command changed: the event may have gone on meanwhile in another process.
        if let change = result.updateRequest(from: old) { event.apply(change) }
      }
      container.agent.send()
      return try showOne(result, container: container, session: session)
    },
    Command(
      path: ["rm"], arguments: "<id> ...", summary: "Delete events, here and on every device.", group: .daily,
      examples: ["rm @1", "rm 0199f3c2 0199f3d0"]
    ) { session in
      guard !session.arguments.positionals.isEmpty else { throw session.usageError("Missing the id") }
      let container = try session.openStore()
      let lookup = Lookup(store: container.makeStore())
      let events = try session.arguments.positionals.map { try lookup.event($0) }
      let text = EventText(session: session, types: try lookup.store.fetchAllEventTypes())
      for event in events { try container.recorder.delete(eventId: event.id) }
      container.agent.send()
      if session.console.isJSON {
        session.console.document("trendy.deleted/1", [("deleted", .array(events.map { .string($0.id) }))])
      }
      for event in events { session.console.done("Deleted: \(text.line(event))") }
      return .done
    },
  ]

  private static func endDate(of start: Date, session: Session) throws(CommandError) -> Date? {
    if let text = session.arguments.value("--for") {
      guard let seconds = TimePhrase.seconds(text) else {
        throw session.usageError("'\(text)' is no duration", hint: "Durations look like 1h30m, 45m or 90s.")
      }
      let end = start.addingTimeInterval(seconds)
      guard TimePhrase.writable.contains(end) else { throw session.usageError("It would end after the year 9999") }
      return end
    }
    guard let end = try session.date(option: "--to") else { return nil }
    guard end >= start else { throw session.usageError("It would end before it begins") }
    return end
  }

  private static func showOne(
    _ event: Event, container: AppContainer, session: Session, isDetailed: Bool = false
  ) throws -> ExitCode {
    let text = EventText(session: session, types: try container.makeStore().fetchAllEventTypes())
    switch session.console.format {
    case .json, .ndjson:
      session.console.document("trendy.event/1", [("event", text.json(event))])
    case .plain: session.console.row(text.plain(event))
    case .text:
      guard isDetailed else {
        session.console.done(text.line(event))
        break
      }
      session.console.text(text.line(event))
      for line in text.detailLines(event) { session.console.text(line) }
    }
    return .done
  }

  /// A list in the format asked for; `words` writes the one for people.
  private static func show(
    _ events: some Sequence<Event>, schema: String, text: EventText, session: Session, words: () throws -> Void
  ) throws {
    switch session.console.format {
    case .json:
      session.console.document(schema, [("events", .array(events.map { text.json($0) }))])
    case .ndjson:
      for event in events { session.console.data("\(text.json(event))") }
    case .plain:
      for event in events { session.console.row(text.plain(event)) }
    case .text: try words()
    }
  }
}

extension Event {
  fileprivate func holds(_ text: String) -> Bool {
    let fields = [notes, originalTitle, locationName] + properties.values.map { Property.text($0) }
    return fields.contains { $0?.lowercased().contains(text) ?? false }
  }
}

extension EventText {
  fileprivate func detailLines(_ event: Event) -> [String] {
    var rows: [(String, String)] = [("id", event.id), ("when", local.rfc3339(event.timestamp))]
    if let end = event.endDate { rows.append(("until", local.rfc3339(end))) }
    if let zone = event.timeZone { rows.append(("recorded in", zone)) }
    if let latitude = event.locationLatitude, let longitude = event.locationLongitude {
      rows.append(("where", "\(latitude), \(longitude)"))
    }
    for (key, value) in event.properties.sorted(by: { $0.key < $1.key }) { rows.append((key, Property.text(value))) }
    rows.append(("source", event.createRequest.sourceType))
    rows.append(("sync", event.syncStatus.rawValue))
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { "  \($0)\(String(repeating: " ", count: width - $0.count))  \($1)" }
  }
}
