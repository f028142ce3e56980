import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTrips

/// Daily histories of event types, restricted to the events that the command's options select.
struct TypeHistories {
  /// Options of a command that takes an event type as its argument.
  static let options = EventSelection.options.filter { $0.key != "--type" }
  /// Options of a command that covers several event types.
  static let optionsOfMany = EventSelection.options

  let store: LocalStore
  let local: LocalTime
  /// Last day of the analysis: today, or an earlier day given by `--until`.
  let today: CivilDate
  private let selection: EventSelection
  /// Property definitions of all types; empty unless there are conditions on properties.
  private let definitions: [PropertyDefinition]
  private let session: Session

  /// Opens the store and parses the options.
  /// - Parameters:
  ///   - session: command line with the options.
  ///   - last: last day of the analysis, which makes `--since` and `--until` be ignored; `nil` to apply them.
  init(_ session: Session, through last: CivilDate? = nil) throws {
    self.session = session
    store = try session.openStore().makeLocalStore()
    local = session.local
    selection = try EventSelection(session, options: session.command.options, isOfAllTime: last != nil)
    definitions = selection.hasConditions ? try store.fetchAllPropertyDefinitions() : []
    if session.arguments.has("--refresh") { try Self.forgetCounts() }
    let now = local.day(of: session.now)
    let until = selection.range.map { $0.upperBound } ?? .distantFuture
    today = last ?? (until >= session.now ? now : local.day(of: until.addingTimeInterval(-0.001)))
  }

  /// First day of the analysis, given by `--since`; `nil` without it.
  var firstDay: CivilDate? {
    selection.range.flatMap { $0.lowerBound == .distantPast ? nil : local.day(of: $0.lowerBound) }
  }

  /// Whether any option restricts the selected events.
  var isNarrow: Bool { selection.isNarrow }

  /// Whether options select event types by name.
  var namesTypes: Bool { selection.namesTypes }

  /// Returns the selected events of a type, newest first.
  func events(of type: EventType) throws -> [Event] {
    try search(ofType: type).events(in: store)
  }

  /// Returns the selected events of a type within a range of days, newest first.
  func events(of type: EventType, in days: ClosedRange<CivilDate>) throws -> [Event] {
    try search(ofType: type, during: local.moments(of: days)).events(in: store)
  }

  /// Returns the start times of all events within a range of days, keyed by event type id.
  func moments(in days: ClosedRange<CivilDate>) throws -> [String: [TypeHistory.Moment]] {
    var moments: [String: [TypeHistory.Moment]] = [:]
    try LocalInsightSource(store: store, local: local).forEachMoment(in: days) { moments[$0, default: []].append($1) }
    return moments
  }

  private func search(ofType type: EventType?, during span: Range<Date>? = nil) throws -> EventSearch {
    try selection.search(in: store, session, ofType: type?.id, during: span, among: definitions)
  }

  /// Returns the point in time on a day that has the current time of day.
  func sameTime(on day: CivilDate) -> Date { local.sameTime(as: session.now, on: day) }

  /// Returns the number of selected events on a day that started after the current time of day, keyed by event type id.
  func later(on day: CivilDate) throws -> [String: Int] {
    let end = local.start(of: day.advanced(by: 1))
    let start = min(sameTime(on: day), end)
    return try search(ofType: nil, during: start..<end).events(in: store)
      .filter { local.day(of: $0) == day }
      .reduce(into: [:]) { $0[$1.eventTypeId, default: 0] += 1 }
  }

  func eventType(_ name: String) throws -> EventType {
    try Lookup(store: store).eventType(name) { "trendy type add \($0)" }
  }

  func history(of type: EventType) throws -> TypeHistory {
    if let source { return try source.history(ofType: type.id, through: today) }
    let search = try search(ofType: type)
    var collector = TypeHistory.Collector(today: today, local: local)
    try search.add(to: &collector, from: store)
    return collector.history
  }

  /// Cached daily counts; `nil` if the options select only some of the events of a type.
  private var source: LocalInsightSource? {
    guard selection.isOfWholeTypes else { return nil }
    return session.counts(of: store)
  }

  /// Deletes the cached daily counts, so that they are computed again from all events.
  /// - Throws: ``CommandError`` if the cache folder cannot be deleted.
  private static func forgetCounts() throws {
    let cache = Session.countsFolder
    guard FileManager.default.fileExists(atPath: cache.path) else { return }
    do {
      try FileManager.default.removeItem(at: cache)
    } catch {
      throw CommandError(
        cannot: "delete the cached counts in", cache.path, error, hint: "Delete that folder yourself.")
    }
  }

  /// Returns the histories of the selected event types that have events, sorted by name.
  ///
  /// The odometer type is marked with `isOfReadings` unless it has a goal or options select types by name.
  func all() throws -> [(type: EventType, history: TypeHistory)] {
    let known = try store.fetchAllEventTypes()
    let readings = selection.namesTypes ? nil : BuiltInType.odometer.present(among: known)
    let types = try selection.chosen(of: known, in: store)
      .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    let histories = try source?.histories(through: today)
    return try types.compactMap { type in
      guard var history = try histories.map({ $0[type.id] }) ?? self.history(of: type), history.events > 0 else {
        return nil
      }
      history.isOfReadings = type.id == readings?.id && type.goal == nil
      return (type, history)
    }
  }

  /// Returns the goals and skipped days of all event types.
  func settings() throws -> TypeSettings { try TypeSettings(StoreUserRecord(store)) }

  /// Returns the streak of an event type, in weeks if it has a weekly minimum goal and otherwise in days.
  func streak(of type: EventType, _ history: TypeHistory, _ settings: TypeSettings) throws -> Streak {
    try settings.streak(of: type.id, history, firstWeekday: local.firstWeekday) {
      guard history.days.count > 0 else { return [:] }
      var amounts = GoalAmounts(settings, now: session.now, local: local)
      // Events later in the current week count, as they do for the progress of a goal.
      let week = CalendarPeriod.week.days(around: history.today, firstWeekday: local.firstWeekday)
      for event in try events(of: type) { amounts.add(event, on: history.days.first...week.upperBound) }
      return amounts.byType[type.id] ?? [:]
    }
  }
}

extension LocalTime {
  /// Returns the year to omit when printing a range of dates, which is the current year, or 0 for none if the range
  /// spans two years.
  func year(_ now: Date, spanning first: Date, _ last: Date) -> Int {
    let year = components(of: now).year
    return components(of: first).year == components(of: last).year ? year : 0
  }
}

extension CivilDate {
  /// Month and year of the date, such as `Nov 2026`.
  var monthWords: String { "\(LocalTime.months[month - 1]) \(year)" }

  /// Returns the date as `Fri 20 Nov`, with the year if it is not the year of `now`.
  func words(near now: CivilDate) -> String {
    year == now.year ? "\(LocalTime.weekdays[weekday]) \(day) \(LocalTime.months[month - 1])" : wordsWithYear
  }

  fileprivate var wordsWithYear: String { "\(LocalTime.weekdays[weekday]) \(day) \(monthWords)" }
}

extension ClosedRange<CivilDate> {
  /// Returns the range as `Mon 16 to Fri 20 Nov`, with years where they differ from each other or from the year of
  /// `now`.
  func words(near now: CivilDate) -> String {
    let (first, last) = (lowerBound, upperBound)
    guard first != last else { return first.words(near: now) }
    let isOneMonth = (first.year, first.month) == (last.year, last.month)
    if first.year != last.year { return "\(first.wordsWithYear) to \(last.wordsWithYear)" }
    let start = isOneMonth ? "\(LocalTime.weekdays[first.weekday]) \(first.day)" : first.words(near: last)
    return "\(start) to \(last.words(near: now))"
  }
}
