import AppContainer
import CommandSupport
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTrips

/// Data for a report on a period: entries by type, insights, trips and visits.
struct LookBack {
  /// Data on an event type with events in the period or the previous one.
  struct Entry {
    let type: EventType
    /// History up to the last day of the period, including earlier days.
    let whole: TypeHistory
    /// History restricted to the period.
    let history: TypeHistory
    let grid: WeekGrid
    let change: PeriodChange
    /// Records within the period; `nil` if the type has no events in it.
    let records: PersonalRecords?
    /// Streak as of the last day.
    let streak: Streak
    let skips: DaySet
    let amounts: [Amount]
  }

  /// Summary of the values of a number or duration property.
  struct Amount {
    let label: String
    let isLength: Bool
    let distribution: Distribution
    let most: PropertyHistory.Entry
  }

  struct Driving {
    let now: Mileage
    let before: Mileage
    let months: [(days: ClosedRange<CivilDate>, mileage: Mileage)]
    /// Distances per vehicle, sorted by name.
    let vehicles: [VehicleMileage]
    let longest: TripEvent?
    /// Destinations with the distances of the trips that ended there, most frequent first.
    let destinations: [(name: String, mileage: Mileage)]
  }

  /// A place with the number and total duration of visits in the period.
  struct Stay {
    let place: Geofence
    var visits = 0
    var seconds = 0.0
  }

  let span: ReportSpan
  let days: ClosedRange<CivilDate>
  let isPresent: Bool
  /// Data on each event type, starting with the type that has most events.
  let entries: [Entry]
  /// History of all types together up to the last day of the period, including earlier days.
  let everything: TypeHistory
  /// History of all types together, restricted to the period.
  let together: TypeHistory
  let grid: WeekGrid
  let total: PeriodChange
  let best: PersonalRecords?
  let relations: [CorrelationFinding]
  /// Number of days to wait until the history is long enough for correlations; 0 if it is.
  let missingDays: Int
  let driving: Driving?
  /// Visited places, starting with the place visited most often.
  let stays: [Stay]

  /// Number of events in each month, compared with the same month of the previous year.
  let months: [Month]

  /// Event types with events in the period.
  var present: [Entry] { entries.filter { $0.history.events > 0 } }

  /// Event types for which streaks are meaningful.
  var habits: [Entry] { present.filter { $0.whole.isHabit(hasGoal: $0.type.goal != nil) } }

  /// Reads and analyses the data for a report.
  /// - Throws: ``CommandError`` with exit 66 if a type given by an option does not exist.
  init(_ span: ReportSpan, _ session: Session) throws {
    let (local, today) = (session.local, session.local.day(of: session.now))
    let histories = try TypeHistories(session, through: span.last ?? today)
    let all = try histories.all()
    let last = histories.today
    // Without a start, the report covers all days since the first event.
    let first = span.first ?? all.map(\.history.days.first).min() ?? last
    let days = min(first, last)...last
    let (before, later) = try Self.before(days, span, histories, session)
    let moments = try histories.moments(in: days)
    let settings = try histories.settings()
    let definitions = try histories.store.fetchAllPropertyDefinitions()
    func change(_ history: TypeHistory, later: Int) -> PeriodChange {
      history.change(over: days, against: before, later: later)
    }
    let entries = try all.map { type, whole in
      let own = moments[type.id] ?? []
      let history = TypeHistory(moments: own, today: last)
      return Entry(
        type: type, whole: whole, history: history, grid: WeekGrid(moments: own),
        change: change(whole, later: later[type.id] ?? 0),
        records: whole.records(firstWeekday: local.firstWeekday, skips: settings.skips(of: type.id), over: days).value,
        streak: whole.streak(skips: settings.skips(of: type.id)), skips: settings.skips(of: type.id),
        amounts: history.isOfPosition || own.isEmpty
          ? [] : try Self.amounts(of: type, definitions, in: days, histories))
    }
    everything = TypeHistory(together: all.map(\.history), today: last)
    self.span = span
    self.days = days
    isPresent = last == today
    self.entries = entries.filter { !$0.change.isEmpty && !$0.whole.isOfReadings }
      .sorted { left, right in
        (right.change.now, right.change.before, left.type.name, left.type.id)
          < (left.change.now, left.change.before, right.type.name, right.type.id)
      }
    let chosen = all.flatMap { moments[$0.type.id] ?? [] }
    together = TypeHistory(moments: chosen, today: last)
    grid = WeekGrid(moments: chosen)
    total = change(everything, later: all.reduce(0) { $0 + (later[$1.type.id] ?? 0) })
    best = everything.records(firstWeekday: local.firstWeekday, over: days).value
    let series = everything.days
    months = days.split(by: .month, firstWeekday: local.firstWeekday).map { month in
      let first = CivilDate(year: month.lowerBound.year - 1, month: month.lowerBound.month, day: 1)
      let earlier = CalendarPeriod.month.days(around: first, firstWeekday: local.firstWeekday)
      let isKnown = span.isYear && series.count > 0 && series.first <= earlier.lowerBound
      return Month(days: month, now: series.over(month).total, before: isKnown ? series.over(earlier).total : nil)
    }
    let search = CorrelationSearch(
      among: Dictionary(uniqueKeysWithValues: all.map { ($0.type.id, $0.history) }), span: days.count)
    (relations, missingDays) = (search.strongest, search.daysUntilFirst)
    let types = session.arguments.has("--type") ? Set(all.map(\.type.id)) : nil
    driving = try Self.driving(days, before, until: later.isEmpty ? nil : histories, types, session)
    stays = try Self.stays(days, types, histories)
  }

  /// Returns the previous period. For a year that is not over, also returns the number of events of each type that
  /// occurred later on its last day than the current time of day, which are not compared.
  private static func before(
    _ days: ClosedRange<CivilDate>, _ span: ReportSpan, _ histories: TypeHistories, _ session: Session
  ) throws -> (ClosedRange<CivilDate>, [String: Int]) {
    guard span.isYear else {
      return (days.lowerBound.advanced(by: -days.count)...days.lowerBound.advanced(by: -1), [:])
    }
    let before = CalendarPeriod.year.before(days, firstWeekday: session.local.firstWeekday)
    let isPart = days.upperBound == session.local.day(of: session.now) && days.upperBound.day == before.upperBound.day
    return (before, isPart ? try histories.later(on: before.upperBound) : [:])
  }

  private static func amounts(
    of type: EventType, _ definitions: [PropertyDefinition], in days: ClosedRange<CivilDate>, _ histories: TypeHistories
  ) throws -> [Amount] {
    let wanted = definitions.filter { $0.eventTypeId == type.id && [.number, .duration].contains($0.propertyType) }
      .inOrder
    guard !wanted.isEmpty else { return [] }
    let events = try histories.events(of: type, in: days)
    return wanted.compactMap { definition in
      let history = PropertyHistory(
        events, key: definition.key, type: definition.propertyType, today: days.upperBound, local: histories.local)
      guard let distribution = history.distribution, let most = history.most else { return nil }
      return Amount(
        label: definition.label.isEmpty ? definition.key : definition.label,
        isLength: definition.propertyType == .duration, distribution: distribution, most: most)
    }
  }

  /// Returns the trips in the period, compared with the previous period; `nil` if there are none.
  /// - Parameters:
  ///   - days: days of the period.
  ///   - before: days of the previous period.
  ///   - histories: determines the time of day after which trips on the last day of `before` are excluded; `nil` to
  ///     include all.
  ///   - types: ids of the selected event types; `nil` for all.
  ///   - session: source of the store and calendar.
  private static func driving(
    _ days: ClosedRange<CivilDate>, _ before: ClosedRange<CivilDate>, until histories: TypeHistories?,
    _ types: Set<String>?, _ session: Session
  ) throws -> Driving? {
    let store = try session.openStore().makeStore()
    func trips(_ days: ClosedRange<CivilDate>, until last: Date? = nil) throws -> [TripEvent] {
      let range = session.local.moments(of: days)
      let end = max(range.lowerBound, min(range.upperBound, last ?? range.upperBound))
      return try store.countedTrips(in: range.lowerBound..<end)
        .filter { types?.contains($0.event.eventTypeId) != false }
    }
    let now = try trips(days)
    guard !now.isEmpty else { return nil }
    let log = try MileageLog(store: store)
    let months = days.split(by: .month, firstWeekday: session.local.firstWeekday)
    let byMonth = Dictionary(grouping: now) { trip in
      months.firstIndex { $0.contains(session.local.day(of: trip.event)) } ?? 0
    }
    return Driving(
      now: Mileage(of: now),
      before: Mileage(of: try trips(before, until: histories?.sameTime(on: before.upperBound))),
      months: months.indices.map { (months[$0], Mileage(of: byMonth[$0] ?? [])) }, vehicles: log.byVehicle(now),
      longest: now.max { ($0.distance, $1.start) < ($1.distance, $0.start) }, destinations: log.byDestination(now))
  }

  private static func stays(
    _ days: ClosedRange<CivilDate>, _ types: Set<String>?, _ histories: TypeHistories
  ) throws -> [Stay] {
    let places = Dictionary(
      try histories.store.fetchAllGeofences().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var stays: [String: Stay] = [:]
    var next: EventCursor?
    let query = EventQuery(range: histories.local.moments(of: days), sourceType: .geofence)
    repeat {
      let page = try histories.store.events(matching: query, after: next, limit: 1000)
      for event in page.events where types?.contains(event.eventTypeId) != false {
        guard let id = event.geofenceId, let place = places[id] else { continue }
        stays[id, default: Stay(place: place)].visits += 1
        if let end = event.endDate { stays[id]?.seconds += max(0, end.timeIntervalSince(event.timestamp)) }
      }
      next = page.next
    } while next != nil
    return stays.values.sorted { ($1.visits, $0.place.name, $0.place.id) < ($0.visits, $1.place.name, $1.place.id) }
  }
}

/// Period that a report covers.
struct ReportSpan {
  /// First day; `nil` for the day of the first event.
  let first: CivilDate?
  /// Last day; `nil` for today.
  let last: CivilDate?
  /// Year of the report; `nil` if the period is given by `--since` or `--until`.
  let year: Int?

  var isYear: Bool { year != nil }

  static let options = [
    OptionSpec("--year", value: "year", kind: .text, help: "year of the report (default: this year)"),
    OptionSpec(
      "--since", "--from", value: "time", kind: .time, help: "only entries since this date: 2026-06-01; or a range"),
    OptionSpec(
      "--until", "--to", value: "time", kind: .time, help: "only entries until this date, inclusive"),
  ]

  init(_ session: Session) throws(CommandError) {
    let today = session.local.day(of: session.now)
    if let range = try session.range() {
      guard !session.arguments.has("--year") else {
        throw session.usageError("--year cannot be combined with --since or --until", hint: "Use one or the other.")
      }
      year = nil
      first = range.lowerBound == .distantPast ? nil : session.local.day(of: range.lowerBound)
      last = min(
        today,
        range.upperBound == .distantFuture ? today : session.local.day(of: range.upperBound.addingTimeInterval(-0.001)))
      if let first, first > today { throw session.usageError("\(first) is in the future") }
      return
    }
    let text = session.arguments.value("--year")
    guard let number = text == nil ? today.year : text.flatMap({ Int($0) }), (1...9998).contains(number) else {
      throw session.usageError("Invalid year '\(text ?? "")'", hint: "Use four digits, for example 2026.")
    }
    guard number <= today.year else { throw session.usageError("The year \(number) is in the future") }
    year = number
    first = CivilDate(year: number, month: 1, day: 1)
    last = min(today, CivilDate(year: number, month: 12, day: 31))
  }
}
