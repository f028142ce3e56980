import CommandSupport
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyPersistence
import TrendyProtocols

/// Selection of events by command-line options. An event must meet all conditions.
struct EventSelection {
  static let options =
    [
      ofType("--type"), since("--since", "--from"),
      OptionSpec(
        "--until", "--to", value: "time", kind: .time, help: "only events until this time; a day counts in full"),
      OptionSpec("--place", value: "name", kind: .place, help: "only events at a place whose name contains this text"),
    ] + shared
  /// Options for `edit`, whose `--type`, `--until` and `--place` are new values, not conditions.
  static let editOptions = [ofType("--of"), since("--since")] + shared

  private static func ofType(_ name: String) -> OptionSpec {
    OptionSpec(name, value: "type", kind: .eventType, repetition: .allCount, help: "only events of this type")
  }

  private static func since(_ names: String...) -> OptionSpec {
    OptionSpec(
      names, value: "time", kind: .time, help: "only events since this time: mon, 7d, 2026-11-01; or a range: mon..wed")
  }

  private static let shared = [
    OptionSpec(
      "--source", value: "source", kind: .oneOf(sources),
      help: "only events with this source: " + sources.joined(separator: ", ")),
    OptionSpec(
      "--where", value: "condition", kind: .property, repetition: .allCount,
      help: "only events with a property value: size=large, 'count>2', 'duration<45m'"),
    OptionSpec(
      "--grep", value: "text", kind: .text, help: "only events with this text in note, title, place or properties"),
  ]

  private static let sources = EventSourceType.allCases.map(\.rawValue)

  /// Whether any option restricts the selection.
  let isNarrow: Bool
  /// Names of event types, or an empty array for all types.
  private let typeNames: [String]
  private let conditions: [PropertyCondition]
  private let query: EventQuery

  /// Parses the options. Type, place and property names are looked up later, by the search.
  ///
  /// With `isOfAllTime`, `--since` and `--until` are ignored, because the command reads them itself. `range` and
  /// `types` come from other options and arguments of the command.
  init(
    _ session: Session, options: [OptionSpec] = EventSelection.options, isOfAllTime: Bool = false,
    during range: Range<Date>? = nil, ofTypes types: [String] = []
  ) throws(CommandError) {
    let arguments = session.arguments
    isNarrow = options.contains { arguments.has($0.key) }
    typeNames = types + (options.first { $0.kind == .eventType }.map { arguments.all($0.key) } ?? [])
    var conditions: [PropertyCondition] = []
    for phrase in arguments.all("--where") { conditions.append(try PropertyCondition(phrase, session)) }
    self.conditions = conditions
    query = EventQuery(
      range: isOfAllTime ? nil : range != nil ? range : try session.range(), sourceType: try Self.source(session),
      place: options.contains { $0.key == "--place" } ? arguments.value("--place") : nil,
      text: arguments.value("--grep"))
  }

  private static func source(_ session: Session) throws(CommandError) -> EventSourceType? {
    guard let word = session.arguments.value("--source") else { return nil }
    guard let source = EventSourceType(rawValue: word.lowercased()) else {
      throw session.usageError(
        "The value '\(word)' is invalid for '--source'", hint: "Use one of \(sources.joined(separator: ", ")).")
    }
    return source
  }

  var namesSource: Bool { query.sourceType != nil }

  /// Whether all events of the selected types are selected, so that each type's cached counts can be used.
  var isOfWholeTypes: Bool { conditions.isEmpty && query == EventQuery() }

  /// Returns the ids of the types named by options, or `nil` if none is named.
  func typeIDs(in store: any DataStoreProtocol) throws -> Set<String>? {
    let lookup = Lookup(store: store)
    return typeNames.isEmpty
      ? nil : Set(try typeNames.flatMap { try lookup.eventTypes($0) { "trendy type add \($0)" }.map(\.id) })
  }

  /// Resolves names and returns the search. `includesExtending` also finds events that began before the range and
  /// extend into it.
  func search(
    in store: any DataStoreProtocol, _ session: Session, includesExtending: Bool = false
  ) throws -> EventSearch {
    let types = try typeIDs(in: store) ?? []
    try checkConditions(in: store, session)
    let range = query.range.map { EventRange($0, in: session.local, includesExtending: includesExtending) }
    return search(ofTypes: types, during: range?.timestamps, in: range, session.local)
  }

  func checkConditions(in store: any DataStoreProtocol, _ session: Session) throws {
    guard !conditions.isEmpty else { return }
    let definitions = try store.fetchAllPropertyDefinitions()
    for condition in conditions { try condition.check(among: definitions, session) }
  }

  /// Returns the search for events of some types, or of all types if `types` is empty, regardless of the options for
  /// types and time.
  ///
  /// `timestamps` is the range of the events' timestamps. `range` is the exact range, or `nil` if `timestamps` is
  /// exact.
  func search(
    ofTypes types: Set<String>, during timestamps: Range<Date>?, in range: EventRange?, _ local: LocalTime
  ) -> EventSearch {
    var query = query
    if types.count == 1 { query.eventTypeId = types.first }
    query.range = timestamps
    return EventSearch(query: query, types: types, conditions: conditions, range: range, local: local)
  }
}

/// Search for the events selected by an ``EventSelection``.
struct EventSearch {
  /// Maximum number of events in memory while a long list is read.
  private static let pageSize = 1000

  fileprivate let query: EventQuery
  /// Ids of event types, or an empty set for all types.
  fileprivate let types: Set<String>
  fileprivate let conditions: [PropertyCondition]
  /// Selected time range. The range in ``query`` is wider, because all-day events and events from other time zones need
  /// an exact check.
  let range: EventRange?
  fileprivate let local: LocalTime

  /// Passes pages of events to `body`, newest first, until `body` returns `false`.
  ///
  /// Starts after `cursor` or, if it is `nil`, with the newest event. `first` is the number of events that the caller
  /// expects to need, and limits the size of the first page.
  func forEachPage(
    in store: LocalStore, after cursor: EventCursor? = nil, first: Int = pageSize, _ body: ([Event]) throws -> Bool
  ) throws {
    var next = cursor
    var size = min(max(first, 1), Self.pageSize)
    repeat {
      let page = try store.events(matching: query, after: next, limit: size)
      guard try body(page.events.filter(meetsTheRest)) else { return }
      next = page.next
      size = Self.pageSize
    } while next != nil
  }

  /// Returns all matching events, newest first.
  func events(in store: LocalStore) throws -> [Event] {
    var found: [Event] = []
    try forEachPage(in: store) { page in
      found += page
      return true
    }
    return found
  }

  /// Returns the matching events' history for each type. Events are not decoded if only their times matter.
  func histories(through today: CivilDate, from store: LocalStore) throws -> [String: TypeHistory] {
    var collectors: [String: TypeHistory.Collector] = [:]
    let empty = TypeHistory.Collector(today: today, local: local)
    func add(_ event: Event) { collectors[event.eventTypeId, default: empty].add(event) }
    if query == EventQuery(range: query.range, eventTypeId: query.eventTypeId), conditions.isEmpty {
      try store.eventRows(in: query.range, ofType: query.eventTypeId).forEach { row in
        if row.isAllDay || !row.wasRecorded(in: local) {
          let event = try row.event()
          if meetsTheRest(event) { add(event) }
        } else if range?.contains(row.timestamp) != false {
          let type = row.eventTypeId
          guard types.count < 2 || types.contains(type) else { return }
          collectors[type, default: empty].add(at: row.timestamp, isOfPosition: row.sourceType.isOfPosition)
        }
      }
    } else {
      try forEachPage(in: store) { page in
        for event in page { add(event) }
        return true
      }
    }
    return collectors.mapValues(\.history).filter { $0.value.events > 0 }
  }

  /// Returns the matching events among the given ones. Used for events that are not in the store, such as deleted ones.
  func events(among events: [Event]) -> [Event] {
    events.filter { event in
      meetsTheRest(event)
        && (query.eventTypeId == nil || query.eventTypeId == event.eventTypeId)
        && (query.sourceType == nil || query.sourceType == event.sourceType)
        && (query.place.map { event.locationName?.lowercased().contains($0.lowercased()) == true } ?? true)
        && (query.text.map { event.holds($0.lowercased()) } ?? true)
    }
  }

  /// Whether an event meets the conditions that the store's query does not cover.
  private func meetsTheRest(_ event: Event) -> Bool {
    (types.count < 2 || types.contains(event.eventTypeId)) && range?.contains(event) != false
      && conditions.allSatisfy { $0.holds(of: event, in: local) }
  }
}

extension Event {
  /// Whether the event's note, title, place or a property contains the given lowercase text.
  fileprivate func holds(_ text: String) -> Bool {
    let fields = [notes, originalTitle, locationName] + properties.values.map(\.stringValue)
    return fields.contains { $0?.lowercased().contains(text) ?? false }
  }
}
