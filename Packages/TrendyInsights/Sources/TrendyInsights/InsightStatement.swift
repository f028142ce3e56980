public import TrendyModels

/// Finding with the names to which it refers. An ``InsightNarrator`` turns it into a sentence.
public enum InsightStatement: Hashable, Sendable, Codable {
  /// More or fewer events of a type than in the previous two weeks.
  case trend(Trend, type: String)
  /// Correlation between two types, given by name.
  case relation(CorrelationFinding, first: String, second: String)
  /// Time since the last event of a type.
  case gap(Gap, type: String)
  /// Names of types with more or fewer events than in the previous period, and of types without events before. The
  /// largest changes come first.
  case changes(more: [String], less: [String], new: [String])
  /// Total number of events in a week, month or year, compared with the previous period.
  case total(PeriodChange, CalendarPeriod)
  /// Month and day with the most events in a year, formatted for display.
  case best(month: String, events: Int, day: String, eventsOfDay: Int)
  /// Trend of a property. `what` names the property, as in `km of run`.
  case amount(AmountTrend, AmountSummary, what: String)
  /// Maximum of a series and its usual value, formatted for display.
  case peak(value: String, when: String, usual: String, what: String)
  /// Number of days until `what` can be analysed.
  case needsDays(Int, what: String)
  /// Days with events and events still needed for a digest.
  case needsMore(days: Int, events: Int)
  /// Total number of events on a day and the typical number. `usual` is `nil` while the typical number is unknown.
  case dayTotal(events: Int, DigestDay, usual: UsualDay?)
  /// Most frequent types, in descending order.
  case counts([TypeCount])
  /// Count of a type far above or below its usual range.
  case unusual(TypeCount, DigestDay, usual: UsualDay)
  /// Weekday with the most events in a week, where 0 is Sunday.
  case weekdayPeak(Int, events: Int)
  /// Unmet goal or exceeded limit.
  case goal(GoalProgress, type: String)
  /// Current streak in days, with or without an event today.
  case streak(days: Int, hasToday: Bool, type: String)

  /// Stable machine-readable name of the case: `trend`, `needs_days`.
  public var topic: String {
    switch self {
    case .trend: "trend"
    case .relation: "relation"
    case .gap: "gap"
    case .changes: "changes"
    case .total: "total"
    case .best: "best"
    case .amount: "amount"
    case .peak: "peak"
    case .needsDays: "needs_days"
    case .needsMore: "needs_more"
    case .dayTotal: "day_total"
    case .counts: "counts"
    case .unusual: "unusual"
    case .weekdayPeak: "weekday_peak"
    case .goal: "goal"
    case .streak: "streak"
    }
  }
}

extension InsightStatement {
  /// Returns a statement about the types that changed most between two periods, with at most `most` names for each
  /// direction.
  public static func changes(_ changes: [(name: String, change: PeriodChange)], most: Int = 3) -> InsightStatement {
    let sorted = changes.sorted { left, right in
      let (one, other) = (abs(left.change.now - left.change.before), abs(right.change.now - right.change.before))
      return one == other ? left.name < right.name : one > other
    }
    func names(_ direction: Trend.Direction) -> [String] {
      Array(sorted.lazy.filter { $0.change.direction == direction }.map(\.name).prefix(most))
    }
    return .changes(more: names(.up), less: names(.down), new: names(.new))
  }
}

/// Day to which a sentence in a ``Digest`` refers.
public enum DigestDay: String, Hashable, Sendable, Codable {
  case today, yesterday
  /// A past day.
  case thatDay = "that day"
}

/// Name of a type with its number of events.
public struct TypeCount: Hashable, Sendable, Codable {
  public let name: String
  public let count: Int

  public init(name: String, count: Int) {
    self.name = name
    self.count = count
  }
}
