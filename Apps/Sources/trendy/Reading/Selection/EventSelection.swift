import CommandSupport
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyPersistence
import TrendyProtocols

/// Which events are meant, as the options of `list`, `edit` and `rm` say it: those of which all is true.
struct EventSelection {
  static let options =
    [
      ofType("--type"), since("--since", "--from"),
      OptionSpec("--until", "--to", value: "time", kind: .time, help: "not after: a day is meant whole"),
      OptionSpec("--place", value: "name", kind: .place, help: "at a place with this in its name"),
    ] + shared
  /// Those of `edit`, whose `--type`, `--until` and `--place` say what an event is to become.
  static let editOptions = [ofType("--of"), since("--since")] + shared

  private static func ofType(_ name: String) -> OptionSpec {
    OptionSpec(name, value: "type", kind: .eventType, repetition: .allCount, help: "of this type only")
  }

  private static func since(_ names: String...) -> OptionSpec {
    OptionSpec(names, value: "time", kind: .time, help: "not before: mon, 7d, 2026-11-01; or a range: mon..wed")
  }

  private static let shared = [
    OptionSpec("--source", value: "source", kind: .oneOf(sources), help: sources.joined(separator: ", ")),
    OptionSpec(
      "--where", value: "condition", kind: .property, repetition: .allCount,
      help: "size=large, 'count>2', 'duration<45m'"),
    OptionSpec("--grep", value: "text", kind: .text, help: "with this text in note, title, place or a property"),
  ]

  private static let sources = EventSourceType.allCases.map(\.rawValue)

  /// Whether anything is said, so that not all events are meant.
  let isNarrow: Bool
  /// Empty for all.
  private let typeNames: [String]
  private let conditions: [PropertyCondition]
  private let query: EventQuery

  /// - Parameters:
  ///   - session: whose arguments are read.
  ///   - options: of its command.
  ///   - isOfAllTime: whether `--since` and `--until` say something else.
  ///   - range: that is meant where the command has more options for it.
  ///   - types: that are named beside the options.
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
        "The value '\(word)' is invalid for '--source'", hint: "\(sources.joined(separator: ", ")).")
    }
    return source
  }

  /// Whether all events of the types that are meant are, so that none has to be looked at.
  var isOfWholeTypes: Bool { conditions.isEmpty && query == EventQuery() }

  /// Whether types are named.
  var namesTypes: Bool { !typeNames.isEmpty }

  /// Whether properties are asked for.
  var hasConditions: Bool { !conditions.isEmpty }

  /// What `--since` and `--until` say.
  var range: Range<Date>? { query.range }

  /// The types that the options name, of all that there are; all where none is named.
  /// - Throws: ``CommandError`` for a type that is not known.
  func chosen(of types: [EventType], in store: any DataStoreProtocol) throws -> [EventType] {
    let lookup = Lookup(store: store)
    let named = try typeIDs(in: lookup)
    return named.isEmpty ? types : types.filter { named.contains($0.id) }
  }

  /// Ids of all types of the names.
  private func typeIDs(in lookup: Lookup) throws -> Set<String> {
    Set(try typeNames.flatMap { try lookup.eventTypes($0) { "trendy type add \($0)" }.map(\.id) })
  }

  /// The same with what it names looked up.
  /// - Parameters:
  ///   - type: the id of the one type that is meant; `nil` where the options say which.
  ///   - span: the moments by which events belong to the days that are meant; `nil` for those that the options say.
  ///   - known: the properties of all types, where they were read before.
  /// - Throws: ``CommandError`` for a type or a property that is not known.
  func search(
    in store: any DataStoreProtocol, _ session: Session, ofType type: String? = nil, during span: Range<Date>? = nil,
    among known: [PropertyDefinition]? = nil
  ) throws -> EventSearch {
    let lookup = Lookup(store: store)
    let types = try type.map { [$0] } ?? typeIDs(in: lookup)
    let definitions = conditions.isEmpty ? [] : try known ?? store.fetchAllPropertyDefinitions()
    for condition in conditions { try condition.check(among: definitions, session) }
    var query = query
    if types.count == 1 { query.eventTypeId = types.first }
    let (range, local) = (span ?? query.range, session.local)
    query.range = range.map { local.timestamps(ofDays: $0) }
    return EventSearch(query: query, types: types, conditions: conditions, range: range, local: local)
  }
}

/// Looks for the events of an ``EventSelection``.
struct EventSearch {
  /// Events that are made at a time, so that a long list needs no more memory than a short one.
  private static let pageSize = 1000

  fileprivate let query: EventQuery
  /// Empty for all.
  fileprivate let types: Set<String>
  fileprivate let conditions: [PropertyCondition]
  /// Of the moments by which events belong to days; the query's is wider.
  fileprivate let range: Range<Date>?
  fileprivate let local: LocalTime

  /// Gives the events to `body`, a page at a time, the newest first, until it has seen enough.
  /// - Parameters:
  ///   - store: where they lie.
  ///   - cursor: only those behind it.
  ///   - first: how many are wanted, as far as is known; no more are read at first.
  ///   - body: tells whether more are wanted.
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

  /// All of them, the newest first.
  func events(in store: LocalStore) throws -> [Event] {
    var found: [Event] = []
    try forEachPage(in: store) { page in
      found += page
      return true
    }
    return found
  }

  /// Adds all of them to a history. Where nothing but their time is asked no event is made: each is read where it lies.
  func add(to history: inout TypeHistory.Collector, from store: LocalStore) throws {
    guard query == EventQuery(range: query.range, eventTypeId: query.eventTypeId), conditions.isEmpty else {
      return try forEachPage(in: store) { page in
        for event in page { history.add(event) }
        return true
      }
    }
    try store.eventRows(in: query.range, ofType: query.eventTypeId).forEach { row in
      if row.isAllDay || !row.wasRecorded(in: local) {
        let event = try row.event()
        if meetsTheRest(event) { history.add(event) }
      } else if range?.contains(row.timestamp) != false {
        history.add(at: row.timestamp, isOfPosition: row.sourceType.isOfPosition)
      }
    }
  }

  /// Of events that no store gives by query, such as those that were deleted.
  func events(among events: [Event]) -> [Event] {
    events.filter { event in
      meetsTheRest(event)
        && (query.eventTypeId == nil || query.eventTypeId == event.eventTypeId)
        && (query.sourceType == nil || query.sourceType == event.sourceType)
        && (query.place.map { event.locationName?.lowercased().contains($0.lowercased()) == true } ?? true)
        && (query.text.map { event.holds($0.lowercased()) } ?? true)
    }
  }

  /// What a store's query does not ask.
  private func meetsTheRest(_ event: Event) -> Bool {
    (types.count < 2 || types.contains(event.eventTypeId)) && range?.contains(local.moment(of: event)) != false
      && conditions.allSatisfy { $0.holds(of: event, in: local) }
  }
}

extension Event {
  /// - Parameter text: in small letters.
  fileprivate func holds(_ text: String) -> Bool {
    let fields = [notes, originalTitle, locationName] + properties.values.map(\.stringValue)
    return fields.contains { $0?.lowercased().contains(text) ?? false }
  }
}
