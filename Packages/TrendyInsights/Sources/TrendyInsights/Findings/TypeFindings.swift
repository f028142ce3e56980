public import TrendyModels

/// Number of events in the last 14 days compared with the previous 14 days.
public struct Trend: Hashable, Sendable, Codable {
  /// Direction of a change.
  public enum Direction: String, Hashable, Sendable, Codable, CaseIterable {
    case up, down, steady
    /// The earlier period has no events.
    case new
  }

  /// Events in the last 14 days, including today.
  public let recent: Double
  /// Events in the previous 14 days.
  public let before: Double

  public init(recent: Double, before: Double) {
    self.recent = recent
    self.before = before
  }

  /// Compares the last `span` days of a series with the previous `span` days.
  static func of(_ days: DailySeries, span: Int) -> Trend {
    let end = days.last
    let middle = end.advanced(by: -span)
    return Trend(
      recent: days.over(middle.advanced(by: 1)...end).total,
      before: days.over(middle.advanced(by: 1 - span)...middle).total)
  }

  /// Relative change, such as 0.24 for 24 % more, or `nil` if the earlier period has no events.
  public var change: Double? { before > 0 ? (recent - before) / before : nil }

  /// Direction of the change: up or down if it is at least 20 %, otherwise steady, or new if the earlier period has no
  /// events.
  public var direction: Direction {
    guard let change else { return recent > 0 ? .new : .steady }
    return change >= 0.2 ? .up : change <= -0.2 ? .down : .steady
  }
}

/// Preference for certain weekdays or hours.
public struct Habit: Hashable, Sendable, Codable {
  /// Distribution over the weekdays or hours.
  public let pattern: CyclePattern
  /// Confidence based on the consistency and the number of events.
  public let confidence: Confidence
}

/// Time since the last event compared with the usual interval.
public struct Gap: Hashable, Sendable, Codable {
  /// Days since the last day with events, or 0 for today.
  public let days: Int
  /// Median interval between days with events, in days.
  public let usual: Double

  public init(days: Int, usual: Double) {
    self.days = days
    self.usual = usual
  }

  /// Whether the gap exceeds the usual interval by at least half and at least two days.
  public var isLong: Bool { Double(days) >= max(usual * 1.5, usual + 2) }
}

extension TypeHistory {
  /// Length in days of the ranges that a trend compares.
  public static let trendDays = 14

  /// Events per day from the first event to today, or 0 if there are no events.
  public var averagePerDay: Double { days.count == 0 ? 0 : days.total / Double(days.count) }

  /// Trend of the last 14 days. Requires a history of 28 days.
  public var trend: Finding<Trend> {
    let missing = 2 * Self.trendDays - days.count
    return missing > 0 ? .needsDays(missing) : .found(Trend.of(days, span: Self.trendDays))
  }

  /// Preference for weekdays. Index 0 is Sunday.
  public var weekdayHabit: Finding<Habit> { days.weekdayHabit }

  /// Preference for hours of the day.
  public var hourHabit: Finding<Habit> { Self.habit(hours) }

  /// Finds a preference for part of a cycle. Requires at least 7 events and a consistency above 0.3.
  ///
  /// Confidence is high for a consistency above 0.6 with more than 30 events, and medium above 0.4 with more than 7
  /// events.
  fileprivate static func habit(_ counts: [Int]) -> Finding<Habit> {
    let events = counts.reduce(0, +)
    guard events >= 7 else { return .needsEvents(7 - events) }
    guard let pattern = CyclePattern(counts: counts), pattern.consistency > 0.3 else { return .nothing }
    let confidence: Confidence =
      pattern.consistency > 0.6 && events > 30 ? .high : pattern.consistency > 0.4 && events > 7 ? .medium : .low
    return .found(Habit(pattern: pattern, confidence: confidence))
  }

  /// Time since the last event. Requires two days with events.
  public var gap: Finding<Gap> {
    let active = activeDays
    guard let last = active.last, active.count >= 2 else { return .needsDays(2 - active.count) }
    let gaps = zip(active, active.dropFirst()).map { Double($0.distance(to: $1)) }.sorted()
    return .found(Gap(days: last.distance(to: today), usual: Distribution.quantile(0.5, of: gaps)))
  }

  /// Computes the streak. No events are expected on the days in `skips`.
  public func streak(skips: DaySet = []) -> Streak { Streak(days: activeDays, skips: skips, today: today) }

  /// Returns the number of events in each of the last weeks, in blocks of seven days up to today. No block is entirely
  /// before the first event.
  /// - Parameter most: maximum number of weeks.
  public func weeks(_ most: Int) -> [Double] {
    let count = min(most, (days.count + 6) / 7)
    guard count > 0 else { return [] }
    return days.over(today.advanced(by: 1 - 7 * count)...today).sums(ofDays: 7)
  }
}

extension DailySeries {
  /// Preference for weekdays, weighted by the daily values. Index 0 is Sunday.
  public var weekdayHabit: Finding<Habit> { TypeHistory.habit(weekdays) }

  /// Sums per weekday. Index 0 is Sunday.
  var weekdays: [Int] {
    values.indices.reduce(into: [Int](repeating: 0, count: 7)) {
      $0[first.advanced(by: $1).weekday] += Int(values[$1])
    }
  }
}
