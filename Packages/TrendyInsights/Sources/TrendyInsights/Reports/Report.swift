import TrendyFoundation
public import TrendyModels

/// Result of a ``ReportQuery``: event types with their histories. Other results are computed from these on request.
public struct Report: Sendable {
  /// One event type.
  public struct Row: Sendable {
    public let type: EventType
    /// Events selected by the query, up to its last day.
    public let history: TypeHistory
    /// Days when no events are expected.
    public let skips: DaySet
    /// Progress of the goal; `nil` without a goal, or if the query does not ask for it.
    public let progress: GoalProgress?
    /// Values of the measured property or time; `nil` if the query counts events.
    public let values: PropertyHistory?
    private let weeklyStreak: Streak?

    /// Creates a row.
    /// - Parameters:
    ///   - type: event type.
    ///   - history: events selected by the query, up to its last day.
    ///   - skips: days on which no events are expected.
    ///   - progress: progress of the goal.
    ///   - weeklyStreak: streak in weeks; `nil` for a streak in days.
    ///   - values: values of the measured property or time.
    public init(
      _ type: EventType, _ history: TypeHistory, skips: DaySet = [], progress: GoalProgress? = nil,
      weeklyStreak: Streak? = nil, values: PropertyHistory? = nil
    ) {
      (self.type, self.history, self.skips, self.progress) = (type, history, skips, progress)
      (self.weeklyStreak, self.values) = (weeklyStreak, values)
    }

    /// Streak in days, or in weeks for a weekly minimum goal if the query asks for it.
    public var streak: Streak { weeklyStreak ?? history.streak(skips: skips) }

    /// Whether streaks and gaps are meaningful.
    public var isHabit: Bool { history.isHabit(hasGoal: type.goal != nil) }
  }

  public let query: ReportQuery
  /// Types selected by the query, sorted by name.
  public let allRows: [Row]
  /// Types that have events, sorted by name.
  public let rows: [Row]
  /// Number of events, by type, that happened on the last day of the previous period, later in the day than now.
  public let later: [String: Int]

  /// Reads a report.
  public init(_ query: ReportQuery, from record: some UserRecord) throws {
    let (local, today) = (query.local, query.today)
    let settings = try TypeSettings(record)
    let types = settings.sortedTypes.filter { query.types?.contains($0.id) != false }
    let ids = Set(types.map(\.id))
    let histories = try record.histories(ofTypes: ids, in: query.counted, through: today, local: local)
    let progress = query.details.contains(.goals) ? try Self.progress(query, settings, record) : [:]
    let streaks =
      query.details.contains(.weeklyStreaks) ? try Self.weeklyStreaks(query, settings, ids, histories, record) : [:]
    allRows = try types.map { type in
      var history = histories[type.id] ?? TypeHistory([], today: today, local: local)
      history.isOfReadings = type.id == query.readings && query.types == nil && type.goal == nil
      return Row(
        type, history, skips: settings.skips(of: type.id), progress: progress[type.id],
        weeklyStreak: streaks[type.id], values: try Self.values(query, type, history, record))
    }
    self.query = query
    rows = allRows.filter { $0.history.events > 0 }
    later = try Self.later(query, ids, record)
  }

  /// History of all types together.
  public var together: TypeHistory { TypeHistory(together: rows.map(\.history), today: query.today) }

  /// A past day is reported as of its end.
  private static func progress(
    _ query: ReportQuery, _ settings: TypeSettings, _ record: some UserRecord
  ) throws -> [String: GoalProgress] {
    let end = query.local.start(of: query.today.advanced(by: 1)).addingTimeInterval(-0.001)
    return try GoalAmounts.progress(in: record, settings, now: query.isOver ? end : query.now, local: query.local)
  }

  private static func weeklyStreaks(
    _ query: ReportQuery, _ settings: TypeSettings, _ types: Set<String>, _ histories: [String: TypeHistory],
    _ record: some UserRecord
  ) throws -> [String: Streak] {
    let (local, selected) = (query.local, query.selected)
    let weekly = types.filter { settings.goal(of: $0)?.asksForEveryWeek == true }
    var amounts = GoalAmounts(settings, now: query.now, local: local)
    if let first = weekly.compactMap({ histories[$0]?.days.first }).min() {
      // Later days of the current week count too, as in goal progress.
      let days = first...CalendarPeriod.week.days(around: query.today, firstWeekday: local.firstWeekday).upperBound
      try record.forEachEvent(ofTypes: weekly, in: local.timestamps(of: days)) { event in
        if selected?.contains(event) != false { amounts.add(event, on: days) }
      }
    }
    return weekly.reduce(into: [:]) { streaks, type in
      let history = histories[type] ?? TypeHistory([], today: query.today, local: local)
      streaks[type] = settings.streak(of: type, history, firstWeekday: local.firstWeekday) {
        amounts.byType[type] ?? [:]
      }
    }
  }

  private static func values(
    _ query: ReportQuery, _ type: EventType, _ history: TypeHistory, _ record: some UserRecord
  ) throws -> PropertyHistory? {
    if query.measure == .time {
      return PropertyHistory(try TimeLedger(query, [type], from: record), today: query.today)
    }
    guard case .property(let definition, _) = query.measure else { return nil }
    var events: [Event] = []
    if history.events > 0 {
      let (range, selected) = (query.local.timestamps(of: history.days.first...query.today), query.selected)
      try record.forEachEvent(ofTypes: [type.id], in: range) { event in
        if selected?.contains(event) != false { events.append(event) }
      }
    }
    return PropertyHistory(
      events, key: definition.key, type: definition.propertyType, today: query.today, local: query.local)
  }

  private static func later(
    _ query: ReportQuery, _ types: Set<String>, _ record: some UserRecord
  ) throws -> [String: Int] {
    guard let span = query.comparison, span.endsAtPresentTime else { return [:] }
    let (local, day) = (query.local, span.daysBefore.upperBound)
    let end = local.start(of: day.advanced(by: 1))
    let range = EventRange(min(local.sameTime(as: query.now, on: day), end)..<end, in: local)
    var later: [String: Int] = [:]
    try record.forEachEvent(ofTypes: types, in: range.timestamps) { event in
      if range.contains(event), local.day(of: event) == day { later[event.eventTypeId, default: 0] += 1 }
    }
    return later
  }
}

// MARK: Series

extension Report {
  /// Values of a type per step.
  public struct Series: Hashable, Sendable {
    public let steps: AmountSeries
    /// Mean of the 14 days up to each day; empty for weeks and months.
    public let movingMean: [Double?]
    /// Trend of the values; `nil` if none can be computed.
    public let statement: InsightStatement?
  }

  /// Returns the values of a type, using the step and the measure of the query.
  ///
  /// The first step is moved back to the start of its week or month, but not before the first event.
  public func series(of row: Row) -> Series {
    let (step, weekday, window) = (query.step, query.local.firstWeekday, TypeHistory.trendDays)
    let days = days(of: row)
    guard let (name, summary, _) = query.measure.amount, let values = row.values else {
      let statement: InsightStatement? =
        switch row.history.trend {
        case .found(let trend): .trend(trend, type: row.type.name)
        case .needsDays(let days): .needsDays(days, what: row.type.name)
        case .needsEvents, .nothing: nil
        }
      return Series(
        steps: row.history.series(by: step, over: days, firstWeekday: weekday),
        movingMean: step == .day ? row.history.movingMean(ofDays: window, over: days) : [], statement: statement)
    }
    let what = "\(name) of \(row.type.name)"
    let statement: InsightStatement? =
      switch values.trend(summary) {
      case .found(let trend): .amount(trend, summary, what: what)
      case .needsDays(let days): .needsDays(days, what: what)
      case .needsEvents, .nothing: nil
      }
    return Series(
      steps: values.series(summary, by: step, over: days, firstWeekday: weekday),
      movingMean: step == .day ? values.movingMean(summary, ofDays: window, over: days) : [], statement: statement)
  }

  private func days(of row: Row) -> ClosedRange<CivilDate> {
    let today = query.today
    // An event that began before the range has time in it.
    let firstTime = query.measure == .time ? row.values?.entries.first?.day : nil
    guard let first = [row.history.events > 0 ? row.history.days.first : nil, firstTime].compactMap(\.self).min() else {
      return today...today
    }
    let start = query.weeks.map { query.days(ofWeeks: $0).lowerBound } ?? first
    let whole = query.step.days(around: start, firstWeekday: query.local.firstWeekday).lowerBound
    return min(max(whole, first), today)...today
  }
}

// MARK: Digest

extension Report {
  /// Returns the digest for the last day or its week. The query must ask for goal progress, and for a weekly digest
  /// also for a comparison.
  public func digest(_ period: CalendarPeriod) -> Digest {
    let (local, today) = (query.local, query.today)
    let minute = query.isOver ? 1439 : local.components(of: query.now).hour * 60
    guard period == .week else {
      return Digest.day(of: rows, today: today, minute: minute, isOver: query.isOver)
    }
    let relations = CorrelationSearch(among: histories).strongest
    return Digest.week(
      of: rows, today: today, minute: minute, firstWeekday: local.firstWeekday, relations: relations, later: later)
  }

  /// Histories of the types by id.
  public var histories: [String: TypeHistory] {
    Dictionary(uniqueKeysWithValues: rows.map { ($0.type.id, $0.history) })
  }
}
