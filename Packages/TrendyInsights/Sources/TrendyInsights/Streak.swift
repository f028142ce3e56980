#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
public import TrendyModels

/// Days in a row on which something was done. Days that were excused neither break nor add.
public struct Streak: Hashable, Sendable, Codable {
  /// Up to today, or to yesterday where today has none yet; 0 where neither has one.
  public let current: Int
  /// Over all time.
  public let longest: Int
  /// When the longest ended; of several, the last. `nil` where there is none.
  public let longestEnd: CivilDate?

  /// - Parameters:
  ///   - days: those on which it was done, in any order; days after `today` do not count.
  ///   - skips: those that are excused; one on which it was done all the same adds.
  ///   - today: the person's present day.
  public init(days: some Sequence<CivilDate>, skips: Set<CivilDate> = [], today: CivilDate) {
    var done = days.filter { $0 <= today }
    // Those of a history are in order.
    if zip(done, done.dropFirst()).contains(where: { $0 >= $1 }) { done = Set(done).sorted() }
    var (run, longest, longestEnd): (Int, Int, CivilDate?) = (0, 0, nil)
    var before: CivilDate?
    for day in done {
      let isNext = before.map { Self.isExcused(from: $0, to: day, skips) } ?? false
      run = isNext ? run + 1 : 1
      if run >= longest { (longest, longestEnd) = (run, day) }
      before = day
    }
    self.longest = longest
    self.longestEnd = longestEnd
    // Today is not over: without an event it breaks no streak.
    let isAlive = before.map { $0 == today || Self.isExcused(from: $0, to: today, skips) } ?? false
    current = isAlive ? run : 0
  }

  /// Whether every day between two was excused.
  private static func isExcused(from day: CivilDate, to next: CivilDate, _ skips: Set<CivilDate>) -> Bool {
    var day = day.advanced(by: 1)
    while day < next {
      guard skips.contains(day) else { return false }
      day = day.advanced(by: 1)
    }
    return true
  }
}

/// How firm a habit is: it grows with each day on which enough was done, and one missed day costs little.
public struct HabitScore: Hashable, Sendable, Codable {
  /// 0 to 1, a day each.
  public let values: [Double]

  /// `s' = s·m + v(1 - m)` from 0, with `m = 0.5^(√f / 13)` (that of Loop Habit Tracker).
  /// - Parameters:
  ///   - days: how much was done each day.
  ///   - target: how much is enough for a day, above 0.
  ///   - frequency: how often in a day it is to be done: 1 daily, 3/7 thrice a week. Above 0.
  public init(days: some Sequence<Double>, target: Double, frequency: Double) {
    precondition(target > 0 && frequency > 0, "a target and a frequency above 0")
    // What is left of a score after a day on which nothing was done.
    let memory = pow(0.5, frequency.squareRoot() / 13)
    var score = 0.0
    values = days.map { day in
      score = score * memory + max(0, min(1, day / target)) * (1 - memory)
      return score
    }
  }

  /// Today's.
  public var current: Double { values.last ?? 0 }
}

extension HabitScore {
  /// The score of a goal: each day counts by the part of the goal that is done. A week's goal is held against the last seven days,
  /// and a limit counts in full up to it, then falls to nothing at twice as much (both as Loop Habit Tracker has it).
  /// - Parameters:
  ///   - goal: what the person set out to do.
  ///   - amounts: what each day added, from the first event to today.
  ///   - skips: excused days: the score stays as it was.
  public init(of goal: Goal, amounts: DailySeries, skips: Set<CivilDate> = []) {
    let length = goal.period.length
    var sum = 0.0
    var shares: [Double] = []
    for (place, amount) in amounts.values.enumerated() {
      sum += amount - (place >= length ? amounts.values[place - length] : 0)
      let day = amounts.first.advanced(by: place)
      if skips.contains(day) { continue }
      shares.append(GoalProgress(goal: goal, days: day...day, amount: max(0, sum), excusedDays: 0).share)
    }
    // How often in a day: three runs a week are 3/7, an hour a week 1/7, and nothing is asked for more than daily.
    let times = goal.measure == .count && goal.bound == .atLeast ? Double(goal.amount) : 1
    self.init(days: shares, target: 1, frequency: goal.period == .week ? min(1, times / 7) : 1)
  }
}
