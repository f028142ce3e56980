public import TrendyModels

/// Calendar period.
public enum CalendarPeriod: String, Hashable, Sendable, Codable, CaseIterable {
  case day, week, month, year

  /// Returns the period that contains a day. A `firstWeekday` of 0 means Sunday.
  public func days(around day: CivilDate, firstWeekday: Int) -> ClosedRange<CivilDate> {
    let (year, month, _) = day.fields
    switch self {
    case .day: return day...day
    case .week:
      let first = day.advanced(by: -((day.weekday - firstWeekday) % 7 + 7) % 7)
      return first...first.advanced(by: 6)
    case .month:
      let first = CivilDate(year: year, month: month, day: 1)
      return first...first.advanced(by: CivilDate.days(inMonth: month, ofYear: year) - 1)
    case .year: return CivilDate(year: year, month: 1, day: 1)...CivilDate(year: year, month: 12, day: 31)
    }
  }

  /// Returns the days with which to compare a period: the previous period up to the same weekday, day of the month or
  /// date.
  ///
  /// If the previous month is shorter, the comparison ends with that month. A complete period is compared with the
  /// complete previous period, even if the lengths differ. `days` ranges from the first day of a period to any day in
  /// it.
  public func before(_ days: ClosedRange<CivilDate>, firstWeekday: Int) -> ClosedRange<CivilDate> {
    let last = days.upperBound
    let before = self.days(around: days.lowerBound.advanced(by: -1), firstWeekday: firstWeekday)
    guard last < self.days(around: last, firstWeekday: firstWeekday).upperBound else { return before }
    let end: CivilDate
    switch self {
    case .day: end = before.upperBound
    case .week, .month: end = before.lowerBound.advanced(by: days.count - 1)
    case .year:
      let (year, month, day) = last.fields
      end = CivilDate(year: year - 1, month: month, day: min(day, CivilDate.days(inMonth: month, ofYear: year - 1)))
    }
    return before.lowerBound...min(end, before.upperBound)
  }
}

/// Number of events in a period or its elapsed part, compared with the same part of the previous period.
public struct PeriodChange: Hashable, Sendable, Codable {
  /// Days of the period.
  public let days: ClosedRange<CivilDate>
  /// Days of the previous period that are compared.
  public let daysBefore: ClosedRange<CivilDate>
  /// Number of events in `days`.
  public let now: Double
  /// Number of events in `daysBefore`.
  public let before: Double
  /// Number of days with events in `days`.
  public let activeDays: Int
  /// Number of days with events in `daysBefore`.
  public let activeDaysBefore: Int

  /// Counts the events of both ranges. Ignores `later` events on the last day of `daysBefore`.
  init(
    _ series: DailySeries, over days: ClosedRange<CivilDate>, against daysBefore: ClosedRange<CivilDate>, later: Int
  ) {
    self.days = days
    self.daysBefore = daysBefore
    let values = series.over(days).values
    var valuesBefore = series.over(daysBefore).values
    if let last = valuesBefore.last { valuesBefore[valuesBefore.count - 1] = max(0, last - Double(later)) }
    now = values.reduce(0, +)
    before = valuesBefore.reduce(0, +)
    activeDays = values.count { $0 > 0 }
    activeDaysBefore = valuesBefore.count { $0 > 0 }
  }

  /// Change in percent, or `nil` if the previous period has no events.
  public var percent: Double? { before > 0 ? (now - before) / before * 100 : nil }

  /// Direction of the change: up above +5 %, down below −5 %, otherwise steady, or new if only the previous period is
  /// empty.
  public var direction: Trend.Direction {
    guard let percent else { return now > 0 ? .new : .steady }
    return percent > 5 ? .up : percent < -5 ? .down : .steady
  }

  /// Whether both periods have no events.
  public var isEmpty: Bool { now == 0 && before == 0 }
}

extension TypeHistory {
  /// Compares part of a period with the same part of the previous period. `days` ranges from the first day of a period
  /// to any day in it.
  ///
  /// Ignores `later` events on the last comparison day. If the last day is today, `later` is the number of events that
  /// happened later in the day than now.
  public func change(
    _ period: CalendarPeriod, over days: ClosedRange<CivilDate>, firstWeekday: Int, later: Int = 0
  ) -> PeriodChange {
    PeriodChange(self.days, over: days, against: period.before(days, firstWeekday: firstWeekday), later: later)
  }

  /// Compares two arbitrary ranges of days. Ignores `later` events on the last day of `daysBefore`.
  public func change(
    over days: ClosedRange<CivilDate>, against daysBefore: ClosedRange<CivilDate>, later: Int = 0
  ) -> PeriodChange {
    PeriodChange(self.days, over: days, against: daysBefore, later: later)
  }

  /// Compares the current week up to today with the same part of the previous week. A `firstWeekday` of 0 means Sunday.
  public func week(firstWeekday: Int) -> PeriodChange {
    let week = CalendarPeriod.week.days(around: today, firstWeekday: firstWeekday)
    return change(.week, over: week.lowerBound...today, firstWeekday: firstWeekday)
  }
}
