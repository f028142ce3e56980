public import TrendyModels

/// Something that can be said of a record: findings, and the names of what they are about. The words are an ``InsightNarrator``'s.
public enum InsightStatement: Hashable, Sendable, Codable {
  case trend(Trend, type: String)
  case relation(CorrelationFinding, first: String, second: String)
  case gap(Gap, type: String)
  /// Names of types that there is more of than in the week, month or year before, less of, and that were not there before; those that
  /// changed most first.
  case changes(more: [String], less: [String], new: [String])
  /// How much there was of everything in a week, month or year, against the one before.
  case total(PeriodChange, CalendarPeriod)
  /// The month and the day of a year that had most, as they are to be read.
  case best(month: String, events: Int, day: String, eventsOfDay: Int)
  /// What a property comes to lately; `what` is `km of run`.
  case amount(AmountTrend, AmountSummary, what: String)
  /// The day, week or month of a series with most, and what is usual, as they are to be read.
  case peak(value: String, when: String, usual: String, what: String)
  /// So many more days until something can be said of `what`.
  case needsDays(Int, what: String)
  /// So many more days with an event, and so many more events, until there is a digest.
  case needsMore(days: Int, events: Int)
  /// How much there was of everything on a day, against what days usually have; `nil` where that is not known yet.
  case dayTotal(events: Int, DigestDay, usual: UsualDay?)
  /// What there was most of, that first.
  case counts([TypeCount])
  /// Far more, or far less, than usual.
  case unusual(TypeCount, DigestDay, usual: UsualDay)
  /// The weekday of a week that had most; 0 is Sunday.
  case weekdayPeak(Int, events: Int)
  /// A goal that is not met, or a limit that is passed.
  case goal(GoalProgress, type: String)
  /// Days in a row, today among them or not.
  case streak(days: Int, hasToday: Bool, type: String)

  /// What it is about, in a word for programs: `trend`, `needs_days`.
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
  /// What changed from one week, month or year to the next.
  /// - Parameters:
  ///   - changes: of types, by their names, in any order.
  ///   - most: so many names at most of each kind.
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

/// The day that a sentence of a ``Digest`` is about.
public enum DigestDay: String, Hashable, Sendable, Codable {
  case today, yesterday
  /// One that is over.
  case thatDay = "that day"
}

/// A type's name, and how often it was.
public struct TypeCount: Hashable, Sendable, Codable {
  public let name: String
  public let count: Int

  public init(name: String, count: Int) {
    self.name = name
    self.count = count
  }
}
