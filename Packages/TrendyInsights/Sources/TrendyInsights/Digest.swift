public import TrendyModels

/// A day or a week in a few statements, the most wanted first. An ``InsightNarrator`` puts them into words.
public struct Digest: Hashable, Sendable, Codable {
  /// Days with an event that it takes.
  public static let leastDays = 7
  /// Events that it takes.
  public static let leastEvents = 10

  /// A type, as a digest looks at it.
  public struct Subject: Hashable, Sendable {
    public let id: String
    public let name: String
    public let history: TypeHistory
    /// Excused days.
    public let skips: Set<CivilDate>
    /// How far its goal is met in the present day or week; `nil` without a goal.
    public let progress: GoalProgress?

    /// Whether a pause in it is told.
    fileprivate var isHabit: Bool { history.isHabit(hasGoal: progress != nil) }

    public init(
      id: String, name: String, history: TypeHistory, skips: Set<CivilDate> = [], progress: GoalProgress? = nil
    ) {
      self.id = id
      self.name = name
      self.history = history
      self.skips = skips
      self.progress = progress
    }
  }

  /// Of a day one, which is today also where it tells of yesterday; of a week those that are told.
  public let days: ClosedRange<CivilDate>
  /// The part of the day in which it is told.
  public let part: DayPart
  /// Everything together, on which it rests; `nil` where there is no event.
  public let basis: Evidence?
  /// Days with an event that are still missing; 0 where there are enough.
  public let missingDays: Int
  /// Events that are still missing; 0 where there are enough.
  public let missingEvents: Int
  /// What can be said; where something is missing that alone.
  public let statements: [InsightStatement]

  private init(
    _ days: ClosedRange<CivilDate>, _ part: DayPart, of together: TypeHistory, _ statements: () -> [InsightStatement]
  ) {
    self.days = days
    self.part = part
    basis = together.basis
    missingDays = max(0, Self.leastDays - together.activeDays.count)
    missingEvents = max(0, Self.leastEvents - together.events)
    self.statements =
      missingDays + missingEvents > 0 ? [.needsMore(days: missingDays, events: missingEvents)] : statements()
  }

  /// The statements in words, each a sentence with its full stop.
  public func sentences(by narrator: some InsightNarrator) -> [String] {
    statements.map { statement in
      let words = narrator.sentence(statement)
      return words.hasSuffix(".") ? words : words + "."
    }
  }
}

// MARK: A day

extension Digest {
  /// Today; in the morning yesterday comes first.
  /// - Parameters:
  ///   - subjects: the types that have events, in any order.
  ///   - today: the person's present day, or one that is over.
  ///   - minute: of the clock now, after midnight.
  ///   - isOver: whether the day is told as one that nothing is added to.
  public static func day(of subjects: [Subject], today: CivilDate, minute: Int, isOver: Bool = false) -> Digest {
    let together = TypeHistory(together: subjects.map(\.history), today: today)
    let part = DayPart(minute: minute)
    return Digest(today...today, part, of: together) {
      if isOver {
        return tell(.thatDay, subjects, together) + open(subjects, today, isOver: true) + gaps(subjects)
      }
      let told: DigestDay = part == .morning ? .yesterday : .today
      var statements = tell(told, subjects, together)
      if told == .yesterday { statements += tell(.today, subjects, together) }
      return statements + open(subjects, today) + gaps(subjects)
    }
  }

  /// How much there was of everything and of what most, and what was out of the usual.
  private static func tell(_ told: DigestDay, _ subjects: [Subject], _ together: TypeHistory) -> [InsightStatement] {
    let day = told == .yesterday ? together.today.advanced(by: -1) : together.today
    let events = Int(together.days[day])
    let total = InsightStatement.dayTotal(events: events, told, usual: usual(together, before: day))
    // Of a day that has just begun nothing is to be said.
    if events == 0 { return told == .today && together.days[day.advanced(by: -1)] == 0 ? [] : [total] }
    let counts = subjects.filter { !$0.history.isOfReadings }
      .map { TypeCount(name: $0.name, count: Int($0.history.days[day])) }
      .filter { $0.count > 0 }.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    let unusual = subjects.filter { !$0.history.isOfReadings }.compactMap { subject -> InsightStatement? in
      let count = Int(subject.history.days[day])
      guard let usual = usual(subject.history, before: day), isUnusual(count, usual, told) else { return nil }
      return .unusual(TypeCount(name: subject.name, count: count), told, usual: usual)
    }
    return [total] + (counts.isEmpty ? [] : [.counts(Array(counts.prefix(5)))]) + unusual.prefix(3)
  }

  /// What the days up to one usually had: as ``TypeHistory/usualDay``, without that day.
  private static func usual(_ history: TypeHistory, before day: CivilDate) -> UsualDay? {
    guard history.days.count > 0, history.days.first < day else { return nil }
    return UsualDay.of(history.days.over(history.days.first...day.advanced(by: -1))).value
  }

  /// Outside of the fences of Tukey (1977), one and a half times the middle half away from it, and by two at least. A day that is not
  /// over cannot have had too little.
  static func isUnusual(_ count: Int, _ usual: UsualDay, _ told: DigestDay) -> Bool {
    // Of something rare each time would be unusual.
    guard usual.upper > 0 else { return false }
    let reach = 1.5 * (usual.upper - usual.lower)
    let count = Double(count)
    if count > usual.upper + reach { return count >= usual.upper + 2 }
    return told != .today && count < usual.lower - reach && count <= usual.lower - 2
  }

  /// Goals that are not met yet, or passed, and streaks of daily goals that go on. Of a day that is over nothing is left to do.
  private static func open(_ subjects: [Subject], _ today: CivilDate, isOver: Bool = false) -> [InsightStatement] {
    let goals = subjects.compactMap { subject -> InsightStatement? in
      guard let progress = subject.progress, !progress.isMet, !progress.isExcused else { return nil }
      return isOver && progress.goal.period == .day ? nil : .goal(progress, type: subject.name)
    }
    let streaks = subjects.compactMap { subject -> (Int, InsightStatement)? in
      guard let goal = subject.progress?.goal, goal.asksForEveryDay else { return nil }
      let days = subject.history.streak(skips: subject.skips).current
      let hasToday = subject.history.days[today] > 0
      guard days >= 2, hasToday || !isOver else { return nil }
      return (days, .streak(days: days, hasToday: hasToday, type: subject.name))
    }
    return goals + streaks.sorted { $0.0 > $1.0 }.prefix(3).map(\.1)
  }

  /// What was not recorded for long; two at most, the longest against its own measure first.
  private static func gaps(_ subjects: [Subject]) -> [InsightStatement] {
    let long = subjects.filter(\.isHabit).compactMap { subject in
      subject.history.gap.value.flatMap { $0.isLong ? (name: subject.name, gap: $0) : nil }
    }
    return long.sorted { Double($0.gap.days) / $0.gap.usual > Double($1.gap.days) / $1.gap.usual }.prefix(2)
      .map { .gap($0.gap, type: $0.name) }
  }
}

// MARK: A week

extension Digest {
  /// The present week; on its first day the week before, which is whole.
  /// - Parameters:
  ///   - subjects: the types that have events, in any order.
  ///   - today: the person's present day.
  ///   - minute: of the clock now, after midnight.
  ///   - firstWeekday: with which weeks begin; 0 is Sunday.
  ///   - relations: of the types, the strongest first.
  ///   - later: of each type, by its id, the events of a week ago that were later in the day than it is now: they are not compared
  ///     with.
  public static func week(
    of subjects: [Subject], today: CivilDate, minute: Int, firstWeekday: Int, relations: [CorrelationFinding],
    later: [String: Int] = [:]
  ) -> Digest {
    let together = TypeHistory(together: subjects.map(\.history), today: today)
    let present = CalendarPeriod.week.days(around: today, firstWeekday: firstWeekday).lowerBound...today
    let days =
      present.count > 1
      ? present : CalendarPeriod.week.days(around: today.advanced(by: -1), firstWeekday: firstWeekday)
    return Digest(days, DayPart(minute: minute), of: together) {
      func change(_ history: TypeHistory, _ later: Int) -> PeriodChange {
        history.change(.week, over: days, firstWeekday: firstWeekday, later: days == present ? later : 0)
      }
      var statements = [InsightStatement.total(change(together, later.values.reduce(0, +)), .week)]
      let changes = subjects.filter { !$0.history.isOfReadings }
        .map { (name: $0.name, change: change($0.history, later[$0.id] ?? 0)) }
        .filter { !$0.change.isEmpty }
      if !changes.isEmpty { statements.append(.changes(changes)) }
      let week = together.days.over(days)
      if let most = week.values.max(), most > 0, week.values.count(where: { $0 == most }) == 1,
        let place = week.values.firstIndex(of: most)
      {
        statements.append(.weekdayPeak(week.first.advanced(by: place).weekday, events: Int(most)))
      }
      // The goals of a week that is over are not known any more.
      if days == present { statements += open(subjects.filter { $0.progress?.goal.period == .week }, today) }
      let names = Dictionary(subjects.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
      if let relation = relations.first(where: { $0.confidence != .low }), let first = names[relation.first],
        let second = names[relation.second]
      {
        statements.append(.relation(relation, first: first, second: second))
      }
      return statements + gaps(subjects)
    }
  }
}
