public import TrendyModels

/// Summary of a day or a week as statements, most relevant first. An ``InsightNarrator`` turns them into sentences.
public struct Digest: Hashable, Sendable, Codable {
  /// Minimum number of days with events for a digest.
  public static let minDays = 7
  /// Minimum number of events for a digest.
  public static let minEvents = 10

  /// Days that the digest covers. A daily digest covers only today, even if it also mentions yesterday.
  public let days: ClosedRange<CivilDate>
  /// Part of the day at which the digest was created.
  public let part: DayPart
  /// Evidence of all types combined, or `nil` if there are no events.
  public let basis: Evidence?
  /// Days with events still needed for a digest, or 0 if there are enough.
  public let missingDays: Int
  /// Events still needed for a digest, or 0 if there are enough.
  public let missingEvents: Int
  /// Statements of the digest. If events or days are missing, the only statement is `needsMore`.
  public let statements: [InsightStatement]

  private init(
    _ days: ClosedRange<CivilDate>, _ part: DayPart, of together: TypeHistory, _ statements: () -> [InsightStatement]
  ) {
    self.days = days
    self.part = part
    basis = together.basis
    missingDays = max(0, Self.minDays - together.activeDays.count)
    missingEvents = max(0, Self.minEvents - together.events)
    self.statements =
      missingDays + missingEvents > 0 ? [.needsMore(days: missingDays, events: missingEvents)] : statements()
  }

  /// Returns the statements as sentences, each with a final full stop.
  public func sentences(by narrator: some InsightNarrator) -> [String] {
    statements.map { statement in
      let words = narrator.sentence(statement)
      return words.hasSuffix(".") ? words : words + "."
    }
  }
}

// MARK: A day

extension Digest {
  /// Creates the digest for `today`, which is a past day if `isOver` is `true`. In the morning, the digest begins with
  /// yesterday. `minute` is the current local time in minutes after midnight.
  public static func day(of rows: [Report.Row], today: CivilDate, minute: Int, isOver: Bool = false) -> Digest {
    let together = TypeHistory(together: rows.map(\.history), today: today)
    let part = DayPart(minute: minute)
    return Digest(today...today, part, of: together) {
      if isOver {
        return tell(.thatDay, rows, together) + open(rows, today, isOver: true) + gaps(rows)
      }
      let told: DigestDay = part == .morning ? .yesterday : .today
      var statements = tell(told, rows, together)
      if told == .yesterday { statements += tell(.today, rows, together) }
      return statements + open(rows, today) + gaps(rows)
    }
  }

  /// Returns statements about the total of a day, its most frequent types and unusual counts.
  private static func tell(_ told: DigestDay, _ rows: [Report.Row], _ together: TypeHistory) -> [InsightStatement] {
    let day = told == .yesterday ? together.today.advanced(by: -1) : together.today
    let events = Int(together.days[day])
    let total = InsightStatement.dayTotal(events: events, told, usual: usual(together, before: day))
    // If yesterday had no events either, the total of today is omitted.
    if events == 0 { return told == .today && together.days[day.advanced(by: -1)] == 0 ? [] : [total] }
    let counts = rows.filter { !$0.history.isOfReadings }
      .map { TypeCount(name: $0.type.name, count: Int($0.history.days[day])) }
      .filter { $0.count > 0 }.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    let unusual = rows.filter { !$0.history.isOfReadings }.compactMap { row -> InsightStatement? in
      let count = Int(row.history.days[day])
      guard let usual = usual(row.history, before: day), isUnusual(count, usual, told) else { return nil }
      return .unusual(TypeCount(name: row.type.name, count: count), told, usual: usual)
    }
    return [total] + (counts.isEmpty ? [] : [.counts(Array(counts.prefix(5)))]) + unusual.prefix(3)
  }

  /// Returns the typical day like ``TypeHistory/usualDay``, but from the days before `day`.
  private static func usual(_ history: TypeHistory, before day: CivilDate) -> UsualDay? {
    guard history.days.count > 0, history.days.first < day else { return nil }
    return UsualDay.of(history.days.over(history.days.first...day.advanced(by: -1))).value
  }

  /// Whether a count is outside Tukey's fences (1977), 1.5 interquartile ranges beyond the quartiles, and at least two
  /// events beyond the quartile. Days that have not ended cannot have too few events.
  static func isUnusual(_ count: Int, _ usual: UsualDay, _ told: DigestDay) -> Bool {
    // Skip types without events on most days, because every event would be unusual.
    guard usual.upper > 0 else { return false }
    let reach = 1.5 * (usual.upper - usual.lower)
    let count = Double(count)
    if count > usual.upper + reach { return count >= usual.upper + 2 }
    return told != .today && count < usual.lower - reach && count <= usual.lower - 2
  }

  /// Returns statements about unmet goals, exceeded limits, and current streaks of daily goals. For a past day, daily
  /// goals are omitted.
  private static func open(_ rows: [Report.Row], _ today: CivilDate, isOver: Bool = false) -> [InsightStatement] {
    let goals = rows.compactMap { row -> InsightStatement? in
      guard let progress = row.progress, !progress.isMet, !progress.isExcused else { return nil }
      return isOver && progress.goal.period == .day ? nil : .goal(progress, type: row.type.name)
    }
    let streaks = rows.compactMap { row -> (Int, InsightStatement)? in
      guard let goal = row.progress?.goal, goal.asksForEveryDay else { return nil }
      let days = row.history.streak(skips: row.skips).current
      let hasToday = row.history.days[today] > 0
      guard days >= 2, hasToday || !isOver else { return nil }
      return (days, .streak(days: days, hasToday: hasToday, type: row.type.name))
    }
    return goals + streaks.sorted { $0.0 > $1.0 }.prefix(3).map(\.1)
  }

  /// Returns statements about at most two types that have not been recorded for an unusually long time: the types with
  /// the longest gaps relative to their usual intervals.
  private static func gaps(_ rows: [Report.Row]) -> [InsightStatement] {
    let long = rows.filter(\.isHabit).compactMap { row in
      row.history.gap.value.flatMap { $0.isLong ? (name: row.type.name, gap: $0) : nil }
    }
    return long.sorted { Double($0.gap.days) / $0.gap.usual > Double($1.gap.days) / $1.gap.usual }.prefix(2)
      .map { .gap($0.gap, type: $0.name) }
  }
}

// MARK: A week

extension Digest {
  /// Creates the digest for the current week. On the first day of the week, the digest covers the previous week
  /// instead.
  ///
  /// `minute` is the current local time in minutes after midnight, and `relations` contains the correlations between
  /// the types, strongest first. `later` counts events, by type id, that happened a week ago today but later in the day
  /// than now. These events are excluded from the comparison. A `firstWeekday` of 0 means Sunday.
  public static func week(
    of rows: [Report.Row], today: CivilDate, minute: Int, firstWeekday: Int, relations: [CorrelationFinding],
    later: [String: Int] = [:]
  ) -> Digest {
    let together = TypeHistory(together: rows.map(\.history), today: today)
    let present = CalendarPeriod.week.days(around: today, firstWeekday: firstWeekday).lowerBound...today
    let days =
      present.count > 1
      ? present : CalendarPeriod.week.days(around: today.advanced(by: -1), firstWeekday: firstWeekday)
    return Digest(days, DayPart(minute: minute), of: together) {
      func change(_ history: TypeHistory, _ later: Int) -> PeriodChange {
        history.change(.week, over: days, firstWeekday: firstWeekday, later: days == present ? later : 0)
      }
      var statements = [InsightStatement.total(change(together, later.values.reduce(0, +)), .week)]
      let changes = rows.filter { !$0.history.isOfReadings }
        .map { (name: $0.type.name, change: change($0.history, later[$0.type.id] ?? 0)) }
        .filter { !$0.change.isEmpty }
      if !changes.isEmpty { statements.append(.changes(changes)) }
      let week = together.days.over(days)
      if let most = week.values.max(), most > 0, week.values.count(where: { $0 == most }) == 1,
        let index = week.values.firstIndex(of: most)
      {
        statements.append(.weekdayPeak(week.first.advanced(by: index).weekday, events: Int(most)))
      }
      // Goal progress is known only for the current week.
      if days == present { statements += open(rows.filter { $0.progress?.goal.period == .week }, today) }
      let names = Dictionary(rows.map { ($0.type.id, $0.type.name) }, uniquingKeysWith: { $1 })
      if let relation = relations.first(where: { $0.confidence != .low }), let first = names[relation.first],
        let second = names[relation.second]
      {
        statements.append(.relation(relation, first: first, second: second))
      }
      return statements + gaps(rows)
    }
  }
}
