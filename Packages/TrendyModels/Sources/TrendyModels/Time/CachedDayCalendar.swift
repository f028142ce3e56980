public import TrendyFoundation

/// Computes the local days and times of day of many timestamps, with the same results as ``LocalTime``.
///
/// Caches the last day, because consecutive timestamps are usually on the same day.
public struct CachedDayCalendar: Sendable {
  private let local: LocalTime
  private var known = Date.distantPast..<Date.distantPast
  private var day = CivilDate(daysSince1970: 0)
  /// Offset of the cached day, or `nil` if a clock change occurs within the day.
  private var secondsFromGMT: Int?

  /// Creates an empty cache.
  public init(_ local: LocalTime) { self.local = local }

  /// Returns the local day that contains a timestamp.
  public mutating func day(of moment: Date) -> CivilDate {
    if !known.contains(moment) { look(at: moment) }
    return day
  }

  /// Returns the local time of day in minutes after midnight, 0 to 1439.
  public mutating func minuteOfDay(of moment: Date) -> Int {
    if !known.contains(moment) { look(at: moment) }
    return LocalTime.minuteOfDay(
      of: moment, secondsFromGMT: secondsFromGMT ?? local.components(of: moment).secondsFromGMT)
  }

  private mutating func look(at moment: Date) {
    let start = local.startOfDay(moment)
    let end = local.startOfDay(moment, addingDays: 1)
    day = local.date(of: start)
    // Outside the range of the calendar, a day may begin after the timestamp. Such a day is not cached.
    known = start <= moment && moment < end ? start..<end : moment..<moment
    let offset = local.components(of: start).secondsFromGMT
    secondsFromGMT = offset == local.components(of: end.addingTimeInterval(-1)).secondsFromGMT ? offset : nil
    if known.isEmpty { secondsFromGMT = nil }
  }
}
