public import TrendyModels

/// Lengths of time that the calendar counts in.
public enum CalendarPeriod: String, Hashable, Sendable, Codable, CaseIterable {
  case day, week, month, year

  /// The days of the one in which a day lies.
  /// - Parameters:
  ///   - day: any.
  ///   - firstWeekday: with which weeks begin; 0 is Sunday.
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

  /// What a period, or the part of it that is over, is compared with: the period before, or the part of it up to the same weekday,
  /// day of the month, or date; of a shorter month up to its end. A whole one with the whole one before, though that may be longer or
  /// shorter.
  /// - Parameters:
  ///   - days: from the first day of a period up to one of its days.
  ///   - firstWeekday: with which weeks begin; 0 is Sunday.
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

/// A week, month or year, or the part of it that is over, against the same part of the one before.
public struct PeriodChange: Hashable, Sendable, Codable {
  public let days: ClosedRange<CivilDate>
  /// Those that they are compared with.
  public let daysBefore: ClosedRange<CivilDate>
  /// Events of the days.
  public let now: Double
  /// Events of the days before.
  public let before: Double
  /// Of the days, those that have an event.
  public let activeDays: Int
  /// Of the days before, those that have an event.
  public let activeDaysBefore: Int

  /// - Parameter later: events of the last of the days before that do not count.
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

  /// In percent; `nil` where nothing was there before.
  public var percent: Double? { before > 0 ? (now - before) / before * 100 : nil }

  /// Up above 5 %, down below -5 %.
  public var direction: Trend.Direction {
    guard let percent else { return now > 0 ? .new : .steady }
    return percent > 5 ? .up : percent < -5 ? .down : .steady
  }

  /// Nothing is in either.
  public var isEmpty: Bool { now == 0 && before == 0 }
}

extension TypeHistory {
  /// A period, or the part of it that is over, against the same part of the one before.
  /// - Parameters:
  ///   - period: of the calendar.
  ///   - firstWeekday: with which weeks begin; 0 is Sunday.
  ///   - ago: 0 for the present one, of which the days up to today count.
  public func change(_ period: CalendarPeriod, firstWeekday: Int, ago: Int = 0) -> PeriodChange {
    var days = period.days(around: today, firstWeekday: firstWeekday)
    for _ in 0..<max(0, ago) {
      days = period.days(around: days.lowerBound.advanced(by: -1), firstWeekday: firstWeekday)
    }
    return change(period, over: days.lowerBound...min(days.upperBound, today), firstWeekday: firstWeekday)
  }

  /// - Parameters:
  ///   - period: of the calendar.
  ///   - days: from the first day of one up to any of its days.
  ///   - firstWeekday: with which weeks begin; 0 is Sunday.
  ///   - later: where the last day is not over, the events of the day that it is compared with that were later in the day than it is
  ///     now: they do not count.
  public func change(
    _ period: CalendarPeriod, over days: ClosedRange<CivilDate>, firstWeekday: Int, later: Int = 0
  ) -> PeriodChange {
    PeriodChange(self.days, over: days, against: period.before(days, firstWeekday: firstWeekday), later: later)
  }

  /// Any days against others.
  /// - Parameters:
  ///   - days: that are looked at.
  ///   - daysBefore: that they are compared with.
  ///   - later: events of the last of the days before that do not count.
  public func change(
    over days: ClosedRange<CivilDate>, against daysBefore: ClosedRange<CivilDate>, later: Int = 0
  ) -> PeriodChange {
    PeriodChange(self.days, over: days, against: daysBefore, later: later)
  }

  /// - Parameters:
  ///   - firstWeekday: with which weeks begin; 0 is Sunday.
  ///   - weeksAgo: 0 for the present one, of which the days up to today count.
  public func week(firstWeekday: Int, weeksAgo: Int = 0) -> PeriodChange {
    change(.week, firstWeekday: firstWeekday, ago: weeksAgo)
  }

  /// - Parameter monthsAgo: 0 for the present one, of which the days up to today count.
  public func month(monthsAgo: Int = 0) -> PeriodChange { change(.month, firstWeekday: 0, ago: monthsAgo) }

  /// - Parameter yearsAgo: 0 for the present one, of which the days up to today count.
  public func year(yearsAgo: Int = 0) -> PeriodChange { change(.year, firstWeekday: 0, ago: yearsAgo) }
}
