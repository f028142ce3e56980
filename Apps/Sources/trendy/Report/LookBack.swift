import AppContainer
import CommandSupport
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTrips

/// What a report tells of some days: findings of TrendyInsights, and what was driven and where a person was.
struct LookBack {
  /// A type that has something in the days, or in those before.
  struct Entry {
    let type: EventType
    /// Everything up to the last day.
    let whole: TypeHistory
    /// The days of the report alone.
    let history: TypeHistory
    let grid: WeekGrid
    let change: PeriodChange
    /// `nil` where the days have no event of it.
    let records: PersonalRecords?
    /// As it stands on the last day.
    let streak: Streak
    let skips: Set<CivilDate>
    let amounts: [Amount]
  }

  /// What a number or a duration of a type comes to.
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
    /// By name.
    let vehicles: [VehicleMileage]
    let longest: TripEvent?
    /// Where trips ended, the most frequent first.
    let destinations: [(name: String, mileage: Mileage)]
  }

  /// A place, and the visits that began in the days.
  struct Stay {
    let place: Geofence
    var visits = 0
    var seconds = 0.0
  }

  let span: ReportSpan
  let days: ClosedRange<CivilDate>
  let isPresent: Bool
  /// Those that are known, with most events first.
  let entries: [Entry]
  /// All types together, up to the last day.
  let everything: TypeHistory
  /// The same of the days of the report alone.
  let together: TypeHistory
  let grid: WeekGrid
  let total: PeriodChange
  let best: PersonalRecords?
  let relations: [CorrelationFinding]
  /// Days until relations can be looked for; 0 where they could.
  let missingDays: Int
  let driving: Driving?
  /// Those with most visits first.
  let stays: [Stay]

  /// Of the days, each with what the year before had in it.
  let months: [Month]

  /// Types with an event in the days.
  var present: [Entry] { entries.filter { $0.history.events > 0 } }

  /// The entries of types whose days in a row are told.
  var habits: [Entry] { present.filter { $0.whole.isHabit(hasGoal: $0.type.goal != nil) } }

  /// - Throws: ``CommandError`` with exit 66 for a type that is not known.
  init(_ span: ReportSpan, _ session: Session) throws {
    let (local, today) = (session.local, session.local.day(of: session.now))
    let histories = try TypeHistories(session, through: span.last ?? today)
    let all = try histories.all()
    let last = histories.today
    // All that there is, where nothing says since when.
    let first = span.first ?? all.map(\.history.days.first).min() ?? last
    let days = min(first, last)...last
    let (before, later) = try Self.before(days, span, histories, session)
    let moments = try histories.moments(in: days)
    let skips = try histories.skips()
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
        records: whole.records(firstWeekday: local.firstWeekday, skips: skips[type.id] ?? [], over: days).value,
        streak: whole.streak(skips: skips[type.id] ?? []), skips: skips[type.id] ?? [],
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

  /// What the days are held against, and events of each type there that were later in the day than it is now.
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
      .sorted { ($0.displayOrder, $0.key) < ($1.displayOrder, $1.key) }
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

  /// - Parameters:
  ///   - histories: where the last day is not over, so that trips of the days before that began later do not count.
  ///   - types: the ids of those that are asked for; `nil` for all.
  private static func driving(
    _ days: ClosedRange<CivilDate>, _ before: ClosedRange<CivilDate>, until histories: TypeHistories?,
    _ types: Set<String>?, _ session: Session
  ) throws -> Driving? {
    let store = try session.openStore().makeStore()
    func trips(_ days: ClosedRange<CivilDate>, until last: Date? = nil) throws -> [TripEvent] {
      let range = session.local.moments(of: days)
      let end = max(range.lowerBound, min(range.upperBound, last ?? range.upperBound))
      return try store.trips(in: range.lowerBound..<end).filter { types?.contains($0.event.eventTypeId) != false }
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

/// The days that a report is asked of.
struct ReportSpan {
  /// `nil` for the first that has an event.
  let first: CivilDate?
  /// `nil` for the last that there is: today.
  let last: CivilDate?
  /// Of the whole picture, where the year is not over; else `nil`.
  let year: Int?

  var isYear: Bool { year != nil }

  static let options = [
    OptionSpec("--year", value: "year", kind: .text, help: "of this year (the present one)"),
    OptionSpec("--since", "--from", value: "time", kind: .time, help: "not before: 2026-06-01; or a range"),
    OptionSpec("--until", "--to", value: "time", kind: .time, help: "not after: a day is meant whole"),
  ]

  init(_ session: Session) throws(CommandError) {
    let today = session.local.day(of: session.now)
    if let range = try session.range() {
      guard !session.arguments.has("--year") else {
        throw session.usageError("--year says already which days", hint: "Leave out --year, or --since and --until.")
      }
      year = nil
      first = range.lowerBound == .distantPast ? nil : session.local.day(of: range.lowerBound)
      last = min(
        today,
        range.upperBound == .distantFuture ? today : session.local.day(of: range.upperBound.addingTimeInterval(-0.001)))
      if let first, first > today { throw session.usageError("\(first) is still to come") }
      return
    }
    let text = session.arguments.value("--year")
    guard let number = text == nil ? today.year : text.flatMap({ Int($0) }), (1...9998).contains(number) else {
      throw session.usageError("'\(text ?? "")' is no year", hint: "Years look like 2026.")
    }
    guard number <= today.year else { throw session.usageError("\(number) is still to come") }
    year = number
    first = CivilDate(year: number, month: 1, day: 1)
    last = min(today, CivilDate(year: number, month: 12, day: 31))
  }
}

extension LocalTime {
  /// From the first moment of the first day to that of the day after the last.
  func moments(of days: ClosedRange<CivilDate>) -> Range<Date> {
    let start = startOfDay(datedAs: midnight(of: days.lowerBound))
    return start..<max(start, startOfDay(datedAs: midnight(of: days.upperBound.advanced(by: 1))))
  }
}
