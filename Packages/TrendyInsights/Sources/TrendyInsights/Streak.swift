#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
public import TrendyModels

/// Consecutive days with an event, or consecutive weeks in which a goal was met.
///
/// Skipped days and weeks neither break nor extend a streak.
public struct Streak: Hashable, Sendable, Codable {
  /// Unit of the streak.
  public let period: Goal.Period
  /// Streak up to the current day or week, or up to the previous one if the current one can still extend the streak, or
  /// 0.
  public let current: Int
  /// Longest streak of all time.
  public let longest: Int
  /// Last day of the longest streak (the most recent one in a tie), or `nil` if there are no events. For weeks, the
  /// last day of the last week, or today in the current week.
  public let longestEnd: CivilDate?

  /// Counts consecutive days with events. Days after `today` are ignored. Skipped days with an event count.
  public init(days: some Sequence<CivilDate>, skips: DaySet = [], today: CivilDate) {
    var done = days.filter { $0 <= today }
    // Sort only if necessary, because the days of a history are already sorted.
    if zip(done, done.dropFirst()).contains(where: { $0 >= $1 }) { done = Set(done).sorted() }
    var (run, longest, longestEnd): (Int, Int, CivilDate?) = (0, 0, nil)
    var before: CivilDate?
    for day in done {
      let isNext = before.map { Self.isExcused(from: $0, to: day, skips) } ?? false
      run = isNext ? run + 1 : 1
      if run >= longest { (longest, longestEnd) = (run, day) }
      before = day
    }
    period = .day
    self.longest = longest
    self.longestEnd = longestEnd
    // Keep the streak alive, because an event can still be recorded today.
    let isAlive = before.map { $0 == today || Self.isExcused(from: $0, to: today, skips) } ?? false
    current = isAlive ? run : 0
  }

  /// Whether no day since the given day was missed, so that the current streak may have begun earlier.
  static func isUnbroken(
    _ days: [CivilDate], skips: DaySet, from first: CivilDate, today: CivilDate
  ) -> Bool {
    // Include the day before the range to represent a streak that reaches back to it, and today because an event can
    // still be recorded.
    let done = [first.advanced(by: -1)] + days.filter { first <= $0 && $0 < today } + [today]
    return zip(done, done.dropFirst()).allSatisfy { isExcused(from: $0, to: $1, skips) }
  }

  /// Counts the consecutive weeks in which a weekly minimum goal was met, from the week of `first` or of the first day
  /// with an amount. Days after the current week are ignored. A `firstWeekday` of 0 means Sunday.
  public init(
    weeksOf goal: Goal, amounts: [CivilDate: Double], skips: DaySet = [], from first: CivilDate? = nil,
    today: CivilDate, firstWeekday: Int
  ) {
    let walk = Self.walk(goal, amounts, skips, from: first, today: today, firstWeekday: firstWeekday)
    (period, current, longest, longestEnd) = (.week, walk.current, walk.longest, walk.longestEnd)
  }

  /// Whether no week since the given day was missed, so that the current streak may have begun earlier.
  static func isUnbroken(
    _ goal: Goal, amounts: [CivilDate: Double], skips: DaySet, from first: CivilDate, today: CivilDate,
    firstWeekday: Int
  ) -> Bool {
    !walk(goal, amounts, skips, from: first, today: today, firstWeekday: firstWeekday).isBroken
  }

  private static func walk(
    _ goal: Goal, _ amounts: [CivilDate: Double], _ skips: DaySet, from first: CivilDate?, today: CivilDate,
    firstWeekday: Int
  ) -> (current: Int, longest: Int, longestEnd: CivilDate?, isBroken: Bool) {
    var (run, longest, longestEnd, isBroken): (Int, Int, CivilDate?, Bool) = (0, 0, nil, false)
    guard var day = first ?? amounts.keys.min() else { return (0, 0, nil, false) }
    while day <= today {
      let progress = goal.progress(on: day, firstWeekday: firstWeekday, amounts: amounts, skips: skips)
      let end = progress.days.upperBound
      // Fully skipped weeks do not count, and the goal of the current week can still be met.
      if progress.isMet, !progress.isExcused {
        run += 1
        if run >= longest { (longest, longestEnd) = (run, min(end, today)) }
      } else if !progress.isExcused, end < today {
        (run, isBroken) = (0, true)
      }
      day = end.advanced(by: 1)
    }
    return (run, longest, longestEnd, isBroken)
  }

  /// Whether every day between two days was skipped.
  private static func isExcused(from day: CivilDate, to next: CivilDate, _ skips: DaySet) -> Bool {
    day.distance(to: next) <= 1 || skips.covers(day.advanced(by: 1)...next.advanced(by: -1))
  }
}

/// Strength of a habit: grows with each day the target is met, and declines slowly when days are missed.
public struct HabitScore: Hashable, Sendable, Codable {
  /// Score per day, 0 to 1.
  public let values: [Double]

  /// Computes `s' = s·m + v(1 - m)` from 0 with `m = 0.5^(√f / 13)`, as Loop Habit Tracker does.
  /// - Parameters:
  ///   - days: amount per day.
  ///   - target: amount that counts as a full day, above 0.
  ///   - frequency: required days per day: 1 for daily, 3/7 for three times a week. Above 0.
  public init(days: some Sequence<Double>, target: Double, frequency: Double) {
    precondition(target > 0 && frequency > 0, "a target and a frequency above 0")
    // A day without any amount multiplies the score by this factor.
    let memory = pow(0.5, frequency.squareRoot() / 13)
    var score = 0.0
    values = days.map { day in
      score = score * memory + max(0, min(1, day / target)) * (1 - memory)
      return score
    }
  }

  /// Today's score.
  public var current: Double { values.last ?? 0 }
}

extension HabitScore {
  /// Computes the score of a goal. Each day contributes the share of the goal that was achieved.
  ///
  /// Weekly goals use the last seven days. A limit contributes fully while it is kept, and its share falls linearly to
  /// 0 at twice the limit. Both rules follow Loop Habit Tracker. `amounts` ranges from the first event to today.
  /// Skipped days leave the score unchanged.
  public init(of goal: Goal, amounts: DailySeries, skips: DaySet = []) {
    let length = goal.period.length
    var sum = 0.0
    var shares: [Double] = []
    for (index, amount) in amounts.values.enumerated() {
      sum += amount - (index >= length ? amounts.values[index - length] : 0)
      let day = amounts.first.advanced(by: index)
      if skips.contains(day) { continue }
      shares.append(GoalProgress(goal: goal, days: day...day, amount: max(0, sum), excusedDays: 0).share)
    }
    // Expected share of days, at most 1: 3/7 for three runs a week, 1/7 for an hour a week.
    let times = goal.measure == .count && goal.bound == .atLeast ? Double(goal.amount) : 1
    self.init(days: shares, target: 1, frequency: goal.period == .week ? min(1, times / 7) : 1)
  }
}
