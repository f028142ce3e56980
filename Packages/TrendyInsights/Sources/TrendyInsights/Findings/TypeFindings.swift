public import TrendyModels

/// Whether there is more of something lately.
public struct Trend: Hashable, Sendable, Codable {
  public enum Direction: String, Hashable, Sendable, Codable, CaseIterable {
    case up, down, steady
    /// Nothing was there before.
    case new
  }

  /// Of the last 14 days, today among them.
  public let recent: Double
  /// Of the 14 days before.
  public let before: Double

  public init(recent: Double, before: Double) {
    self.recent = recent
    self.before = before
  }

  /// - Parameter span: days on each side.
  static func of(_ days: DailySeries, span: Int) -> Trend {
    let end = days.last
    let middle = end.advanced(by: -span)
    return Trend(
      recent: days.over(middle.advanced(by: 1)...end).total,
      before: days.over(middle.advanced(by: 1 - span)...middle).total)
  }

  /// 0.24 for 24 % more; `nil` where nothing was there before.
  public var change: Double? { before > 0 ? (recent - before) / before : nil }

  /// Up or down from a change of 20 % on.
  public var direction: Direction {
    guard let change else { return recent > 0 ? .new : .steady }
    return change >= 0.2 ? .up : change <= -0.2 ? .down : .steady
  }
}

/// On which weekdays, or in which hours, something happens.
public struct Habit: Hashable, Sendable, Codable {
  public let pattern: CyclePattern
  public let confidence: Confidence
}

/// How long ago something was, against how long it usually takes.
public struct Gap: Hashable, Sendable, Codable {
  /// Since the last day that has an event; 0 for today.
  public let days: Int
  /// Days from one to the next, the middle one of all.
  public let usual: Double

  public init(days: Int, usual: Double) {
    self.days = days
    self.usual = usual
  }

  /// Longer than usual, by half and by two days at least.
  public var isLong: Bool { Double(days) >= max(usual * 1.5, usual + 2) }
}

extension TypeHistory {
  /// Days that are compared with as many before.
  public static let trendDays = 14

  /// Events a day, from the first day to today, both counted; 0 where there is none.
  public var averagePerDay: Double { days.count == 0 ? 0 : days.total / Double(days.count) }

  public var trend: Finding<Trend> {
    let missing = 2 * Self.trendDays - days.count
    return missing > 0 ? .needsDays(missing) : .found(Trend.of(days, span: Self.trendDays))
  }

  /// By weekday; 0 is Sunday.
  public var weekdayHabit: Finding<Habit> { Self.habit(weekdays) }

  /// By hour of the day.
  public var hourHabit: Finding<Habit> { Self.habit(hours) }

  /// It takes 7 events and a consistency above 0.3; high above 0.6 of more than 30, medium above 0.4 of more than 7.
  fileprivate static func habit(_ counts: [Int]) -> Finding<Habit> {
    let events = counts.reduce(0, +)
    guard events >= 7 else { return .needsEvents(7 - events) }
    guard let pattern = CyclePattern(counts: counts), pattern.consistency > 0.3 else { return .nothing }
    let confidence: Confidence =
      pattern.consistency > 0.6 && events > 30 ? .high : pattern.consistency > 0.4 && events > 7 ? .medium : .low
    return .found(Habit(pattern: pattern, confidence: confidence))
  }

  /// It takes two days that have an event.
  public var gap: Finding<Gap> {
    let active = activeDays
    guard let last = active.last, active.count >= 2 else { return .needsDays(2 - active.count) }
    let gaps = zip(active, active.dropFirst()).map { Double($0.distance(to: $1)) }.sorted()
    return .found(Gap(days: last.distance(to: today), usual: Distribution.quantile(0.5, of: gaps)))
  }

  /// - Parameter skips: excused days.
  public func streak(skips: Set<CivilDate> = []) -> Streak { Streak(days: activeDays, skips: skips, today: today) }

  /// Events of each of the last weeks, seven days each, the last of them up to today; from the first that has a day of the history.
  /// - Parameter most: so many weeks at most.
  public func weeks(_ most: Int) -> [Double] {
    let count = min(most, (days.count + 6) / 7)
    guard count > 0 else { return [] }
    return days.over(today.advanced(by: 1 - 7 * count)...today).sums(ofDays: 7)
  }
}

extension DailySeries {
  /// The weekdays on which most of it lies; 0 is Sunday. A day counts by how much it has.
  public var weekdayHabit: Finding<Habit> {
    var counts = [Int](repeating: 0, count: 7)
    for (place, value) in values.enumerated() { counts[first.advanced(by: place).weekday] += Int(value) }
    return TypeHistory.habit(counts)
  }
}
