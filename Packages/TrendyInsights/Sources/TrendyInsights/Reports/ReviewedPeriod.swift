public import TrendyModels

/// Days of a calendar period up to the last day with data, and the days of the previous period to compare with.
public struct ReviewedPeriod: Hashable, Sendable {
  public let period: CalendarPeriod
  public let days: ClosedRange<CivilDate>
  public let daysBefore: ClosedRange<CivilDate>
  /// Last day with data, which may be after the period.
  public let last: CivilDate
  /// First day of a week; 0 is Sunday.
  public let firstWeekday: Int
  /// Whether the last day is today, which has not ended.
  public let isPresent: Bool
  /// Whether the last day and the day compared with it are both counted only up to the current time of day.
  public let endsAtPresentTime: Bool

  /// Finds the week, month or year that contains a day. `last` is the last day with data. A `firstWeekday` of 0 means
  /// Sunday.
  /// - Returns: `nil` for a period that begins after `last`.
  public init?(
    _ period: CalendarPeriod, around day: CivilDate, until last: CivilDate, today: CivilDate, firstWeekday: Int
  ) {
    let whole = period.days(around: day, firstWeekday: firstWeekday)
    guard whole.lowerBound <= last else { return nil }
    self.period = period
    self.last = last
    self.firstWeekday = firstWeekday
    days = whole.lowerBound...min(whole.upperBound, last)
    daysBefore = period.before(days, firstWeekday: firstWeekday)
    isPresent = days.upperBound == today
    // If the previous month is shorter, its last compared day has another date, and the whole day counts.
    endsAtPresentTime =
      isPresent && (period == .day || period == .week || days.upperBound.day == daysBefore.upperBound.day)
  }

  /// Compares any days with the same number of days before them. The last one is the last day with data.
  public init(_ days: ClosedRange<CivilDate>, today: CivilDate, firstWeekday: Int) {
    self.days = days
    self.firstWeekday = firstWeekday
    (period, last, isPresent, endsAtPresentTime) = (.day, days.upperBound, days.upperBound == today, false)
    daysBefore = days.lowerBound.advanced(by: -days.count)...days.lowerBound.advanced(by: -1)
  }

  /// Whether the period continues after the reviewed days.
  public var isPart: Bool {
    endsAtPresentTime || days.upperBound < period.days(around: days.lowerBound, firstWeekday: firstWeekday).upperBound
  }
}
