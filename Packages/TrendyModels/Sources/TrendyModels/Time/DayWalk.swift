public import TrendyFoundation

/// Tells the days and the clock of many moments in the person's zone, without asking the zone for each: it remembers the day that
/// was asked for last, as moments that follow each other mostly lie in one.
///
/// The same answers as those of ``LocalTime``.
public struct DayWalk: Sendable {
  private let local: LocalTime
  private var known = Date.distantPast..<Date.distantPast
  private var day = CivilDate(daysSince1970: 0)
  /// `nil` where the clock changes within the day.
  private var secondsFromGMT: Int?

  public init(_ local: LocalTime) { self.local = local }

  /// The day of the person in which a moment lies.
  public mutating func day(of moment: Date) -> CivilDate {
    if !known.contains(moment) { look(at: moment) }
    return day
  }

  /// What the clock shows: minutes after midnight, below 1440.
  public mutating func minuteOfDay(of moment: Date) -> Int {
    if !known.contains(moment) { look(at: moment) }
    return LocalTime.minuteOfDay(
      of: moment, secondsFromGMT: secondsFromGMT ?? local.components(of: moment).secondsFromGMT)
  }

  private mutating func look(at moment: Date) {
    let start = local.startOfDay(moment)
    let end = local.startOfDay(moment, addingDays: 1)
    day = local.date(of: start)
    // Far beyond all calendars a day may begin after the moment: it is asked for again each time.
    known = start <= moment && moment < end ? start..<end : moment..<moment
    let offset = local.components(of: start).secondsFromGMT
    secondsFromGMT = offset == local.components(of: end.addingTimeInterval(-1)).secondsFromGMT ? offset : nil
    if known.isEmpty { secondsFromGMT = nil }
  }
}
