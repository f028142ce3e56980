public import TrendyFoundation

/// How far a goal is met in one of its periods.
public struct GoalProgress: Hashable, Sendable, Codable {
  public let goal: Goal
  /// The days of the period: one, or a week.
  public let days: ClosedRange<CivilDate>
  /// Events, or seconds, so far.
  public let amount: Double
  /// Days of the period that are excused.
  public let excusedDays: Int

  public init(goal: Goal, days: ClosedRange<CivilDate>, amount: Double, excusedDays: Int) {
    self.goal = goal
    self.days = days
    self.amount = amount
    self.excusedDays = excusedDays
  }

  /// Every day is excused, so that nothing is expected.
  public var isExcused: Bool { excusedDays >= goal.period.length }

  /// What the period asks for: of a week with excused days its part of the goal, rounded to whole events or minutes, and
  /// one at least. A limit stays as it is.
  public var target: Int {
    let (length, left) = (goal.period.length, goal.period.length - excusedDays)
    guard goal.bound == .atLeast, excusedDays > 0 else { return goal.amount }
    guard left > 0 else { return 0 }
    let step = goal.measure == .duration && goal.amount % 60 == 0 ? 60 : 1
    let part = (Double(goal.amount * left) / Double(length * step)).rounded()
    return max(Int(part), 1) * step
  }

  /// What is still to do, or still allowed.
  public var left: Double { max(0, Double(target) - amount) }

  /// Done, or not too much so far.
  public var isMet: Bool {
    switch goal.bound {
    case .atLeast: amount >= Double(target)
    case .atMost: amount <= Double(target)
    }
  }

  /// 0 to 1, for a ring. Of a limit 1 up to it, then falling to 0 at twice as much, as Loop Habit Tracker reckons it.
  public var share: Double {
    let target = Double(target)
    switch goal.bound {
    case .atLeast: return target == 0 ? 1 : min(max(amount / target, 0), 1)
    case .atMost: return amount <= target ? 1 : target == 0 ? 0 : max(0, 2 - amount / target)
    }
  }
}

extension Goal {
  /// The days of the period in which a day lies.
  /// - Parameters:
  ///   - day: a day of the person.
  ///   - firstWeekday: with which weeks begin; 0 is Sunday.
  public func days(around day: CivilDate, firstWeekday: Int) -> ClosedRange<CivilDate> {
    guard period == .week else { return day...day }
    let first = day.advanced(by: -((day.weekday - firstWeekday) % 7 + 7) % 7)
    return first...first.advanced(by: 6)
  }

  /// How far the goal is met in the period in which a day lies.
  /// - Parameters:
  ///   - day: a day of the person: ``LocalTime/day(of:)-(Event)``.
  ///   - firstWeekday: with which weeks begin; 0 is Sunday.
  ///   - amounts: what each day adds, by ``amount(of:durationKey:isRunning:now:)``; days of other periods are passed over.
  ///   - skips: excused days, which may overlap.
  public func progress(
    on day: CivilDate, firstWeekday: Int, amounts: [CivilDate: Double], skips: [ClosedRange<CivilDate>] = []
  ) -> GoalProgress {
    let days = days(around: day, firstWeekday: firstWeekday)
    return GoalProgress(
      goal: self, days: days, amount: days.reduce(0) { $0 + (amounts[$1] ?? 0) },
      excusedDays: days.count { day in skips.contains { $0.contains(day) } })
  }

  /// The property by which an event counts for more than one, or for less: two cups, half a tablet.
  public static let countKey = "count"

  /// What an event adds to its day.
  ///
  /// To a count: what its number property `count` says, else one. To a duration, in seconds: what its duration property
  /// says, else the time from its start to its end, or to now while it runs. An all-day event without such a property
  /// lasts no time.
  /// - Parameters:
  ///   - event: of the type whose goal it is.
  ///   - durationKey: of the type's first property of type duration; `nil` where it has none.
  ///   - isRunning: it was started and not stopped.
  ///   - now: until when one that runs counts.
  public func amount(of event: Event, durationKey: String?, isRunning: Bool, now: Date) -> Double {
    func number(_ key: String, _ type: PropertyType) -> Double? {
      guard let property = event.properties[key], property.type == type else { return nil }
      return property.doubleValue.flatMap { $0.isFinite ? max($0, 0) : nil }
    }
    switch measure {
    case .count: return number(Self.countKey, .number) ?? 1
    case .duration:
      if let said = durationKey.flatMap({ number($0, .duration) }) { return said }
      guard !event.isAllDay, let end = event.endDate ?? (isRunning ? now : nil) else { return 0 }
      return max(0, end.timeIntervalSince(event.timestamp))
    }
  }
}
