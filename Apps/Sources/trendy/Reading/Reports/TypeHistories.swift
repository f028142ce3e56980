import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTrips

/// Histories of event types for commands that analyse the record, limited to the events that the options select.
struct TypeHistories {
  /// Options of a command whose argument names the event type.
  static let options = EventSelection.options.filter { $0.key != "--type" }
  /// Options of a command about several event types.
  static let optionsOfMany = EventSelection.options

  let store: LocalStore
  let local: LocalTime
  /// Last day of the analysis: the present day, or an earlier one given by `--until`.
  let today: CivilDate
  private let selection: EventSelection
  /// Property definitions of all types; empty without conditions on properties.
  private let definitions: [PropertyDefinition]
  private let session: Session

  /// Opens the store and reads the options.
  ///
  /// With `last`, the analysis ends on that day, and `--since` and `--until` are ignored.
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

  /// First day of the analysis; `nil` without `--since`.
  var firstDay: CivilDate? {
    selection.range.flatMap { $0.lowerBound == .distantPast ? nil : local.day(of: $0.lowerBound) }
  }

  /// Whether any option restricts the events.
  var isNarrow: Bool { selection.isNarrow }

  /// Whether the options name event types.
  var namesTypes: Bool { selection.namesTypes }

  /// Returns the selected events of a type, newest first.
  func events(of type: EventType) throws -> [Event] {
    try search(ofType: type).events(in: store)
  }

  /// Returns the events of a type in a range of days, newest first.
  func events(of type: EventType, in days: ClosedRange<CivilDate>) throws -> [Event] {
    try search(ofType: type, during: local.moments(of: days)).events(in: store)
  }

  /// Returns the start times of the events of all types in a range of days, keyed by type id.
  func moments(in days: ClosedRange<CivilDate>) throws -> [String: [TypeHistory.Moment]] {
    var moments: [String: [TypeHistory.Moment]] = [:]
    try LocalInsightSource(store: store, local: local).forEachMoment(in: days) { moments[$0, default: []].append($1) }
    return moments
  }

  private func search(ofType type: EventType?, during span: Range<Date>? = nil) throws -> EventSearch {
    try selection.search(in: store, session, ofType: type?.id, during: span, among: definitions)
  }

  /// Returns the present time of day on another day.
  func sameTime(on day: CivilDate) -> Date { local.sameTime(as: session.now, on: day) }

  /// Returns the number of events of a day after the present time of day, keyed by type id.
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

  /// Cached counts of whole types; `nil` if the options select only some of their events.
  private var source: LocalInsightSource? {
    guard selection.isOfWholeTypes else { return nil }
    return session.counts(of: store)
  }

  /// Deletes the cached counts, so that all events are counted again.
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

  /// Returns the histories of all selected types that have events, sorted by name.
  ///
  /// Odometer readings are marked with `isOfReadings`, unless the options name types or the odometer type has a goal.
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

  /// Returns the event types with their goals and skipped days.
  func settings() throws -> TypeSettings { try TypeSettings(StoreUserRecord(store)) }

  /// Returns the streak of a type in days, or in weeks for a goal of at least some amount per week.
  func streak(of type: EventType, _ history: TypeHistory, _ settings: TypeSettings) throws -> Streak {
    try settings.streak(of: type.id, history, firstWeekday: local.firstWeekday) {
      guard history.days.count > 0 else { return [:] }
      var amounts = GoalAmounts(settings, now: session.now, local: local)
      // As in the progress of a goal, later days of the current week count.
      let week = CalendarPeriod.week.days(around: history.today, firstWeekday: local.firstWeekday)
      for event in try events(of: type) { amounts.add(event, on: history.days.first...week.upperBound) }
      return amounts.byType[type.id] ?? [:]
    }
  }
}

extension LocalTime {
  /// Returns the year that both ends of a range are printed without: the current one, or 0 (none) if the range crosses a year boundary.
  func year(_ now: Date, spanning first: Date, _ last: Date) -> Int {
    let year = components(of: now).year
    return components(of: first).year == components(of: last).year ? year : 0
  }
}

extension CivilDate {
  /// Month of the date: `Nov 2026`.
  var monthWords: String { "\(LocalTime.months[month - 1]) \(year)" }

  /// Returns the date as `Fri 20 Nov`, with the year if it differs from that of `now`.
  func words(near now: CivilDate) -> String {
    year == now.year ? "\(LocalTime.weekdays[weekday]) \(day) \(LocalTime.months[month - 1])" : wordsWithYear
  }

  fileprivate var wordsWithYear: String { "\(LocalTime.weekdays[weekday]) \(day) \(monthWords)" }
}

extension ClosedRange<CivilDate> {
  /// `Mon 16 to Fri 20 Nov`, with the year where it is not that of `now`, and with both years where they differ.
  func words(near now: CivilDate) -> String {
    let (first, last) = (lowerBound, upperBound)
    guard first != last else { return first.words(near: now) }
    let isOneMonth = (first.year, first.month) == (last.year, last.month)
    if first.year != last.year { return "\(first.wordsWithYear) to \(last.wordsWithYear)" }
    let start = isOneMonth ? "\(LocalTime.weekdays[first.weekday]) \(first.day)" : first.words(near: last)
    return "\(start) to \(last.words(near: now))"
  }
}
