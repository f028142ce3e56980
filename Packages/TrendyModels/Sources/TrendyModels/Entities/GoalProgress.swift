public import TrendyFoundation

/// Progress towards a goal in one of its periods.
public struct GoalProgress: Hashable, Sendable, Codable {
  public let goal: Goal
  /// Days of the period.
  public let days: ClosedRange<CivilDate>
  /// Amount so far: number of events, or seconds.
  public let amount: Double
  /// Number of days in the period that are covered by skips.
  public let excusedDays: Int

  public init(goal: Goal, days: ClosedRange<CivilDate>, amount: Double, excusedDays: Int) {
    self.goal = goal
    self.days = days
    self.amount = amount
    self.excusedDays = excusedDays
  }

  /// Whether skips cover all days of the period, in which case no events are expected.
  public var isExcused: Bool { excusedDays >= goal.period.length }

  /// Amount required in this period.
  ///
  /// For a minimum, skipped days of a week reduce the amount proportionally, rounded to whole events or minutes and
  /// never below 1. The target is 0 if all days are skipped. A maximum is not reduced.
  public var target: Int {
    let (length, left) = (goal.period.length, goal.period.length - excusedDays)
    guard goal.bound == .atLeast, excusedDays > 0 else { return goal.amount }
    guard left > 0 else { return 0 }
    let step = goal.measure == .duration && goal.amount % 60 == 0 ? 60 : 1
    let part = (Double(goal.amount * left) / Double(length * step)).rounded()
    return max(Int(part), 1) * step
  }

  /// Amount that remains to be done, or is still allowed. Never negative.
  public var left: Double { max(0, Double(target) - amount) }

  /// Whether the goal is met so far.
  public var isMet: Bool {
    switch goal.bound {
    case .atLeast: amount >= Double(target)
    case .atMost: amount <= Double(target)
    }
  }

  /// Progress from 0 to 1, for a progress ring. For a maximum, it is 1 up to the target and falls to 0 at twice the
  /// target, as in Loop Habit Tracker.
  public var share: Double {
    let target = Double(target)
    switch goal.bound {
    case .atLeast: return target == 0 ? 1 : min(max(amount / target, 0), 1)
    case .atMost: return amount <= target ? 1 : target == 0 ? 0 : max(0, 2 - amount / target)
    }
  }
}

extension Goal {
  /// Returns the days of the period that contains a day in the user's calendar. A `firstWeekday` of 0 means Sunday.
  public func days(around day: CivilDate, firstWeekday: Int) -> ClosedRange<CivilDate> {
    guard period == .week else { return day...day }
    let first = day.advanced(by: -((day.weekday - firstWeekday) % 7 + 7) % 7)
    return first...first.advanced(by: 6)
  }

  /// Returns the progress in the period that contains a day in the user's calendar; see ``LocalTime/day(of:)-(Event)``.
  ///
  /// `amounts` contains the sum of ``amount(of:durationKey:isRunning:now:)`` over the events of each day. Days outside
  /// the period are ignored. A `firstWeekday` of 0 means Sunday.
  public func progress(
    on day: CivilDate, firstWeekday: Int, amounts: [CivilDate: Double], skips: DaySet = []
  ) -> GoalProgress {
    let days = days(around: day, firstWeekday: firstWeekday)
    return GoalProgress(
      goal: self, days: days, amount: days.reduce(0) { $0 + (amounts[$1] ?? 0) },
      excusedDays: days.count(where: skips.contains))
  }

  /// Key of the number property that sets how much an event counts: 2 for two cups, 0.5 for half a tablet.
  public static let countKey = "count"

  /// Returns the amount that an event adds to its day.
  ///
  /// If the goal counts events, the amount is the number property `count`, or 1 if the event has no such property. If
  /// the goal's measure is a duration, the amount is the duration property in seconds. Without that property, the
  /// amount is the time from start to end, or to `now` while the event is running. All-day events and events without an
  /// end add 0.
  ///
  /// - Parameters:
  ///   - event: an event of the goal's type.
  ///   - durationKey: key of the type's first duration property, or `nil` if it has none.
  ///   - isRunning: whether the event was started and has no end yet.
  ///   - now: assumed end of a running event.
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
