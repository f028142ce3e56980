import TrendyFoundation
import TrendyModels

/// Date in the Gregorian calendar, without a time zone.
struct CalendarDay: Hashable {
  var year: Int
  var month: Int
  /// Day of the month. A value beyond the end of the month continues into the next month.
  var day: Int

  init(year: Int, month: Int, day: Int) { (self.year, self.month, self.day) = (year, month, day) }

  init(_ date: Date, in local: LocalTime) {
    let fields = local.components(of: date)
    self.init(year: fields.year, month: fields.month, day: fields.day)
  }

  init(_ date: CivilDate) { (year, month, day) = date.fields }

  var civil: CivilDate { CivilDate(year: year, month: month, day: day) }

  func adding(days: Int = 0, months: Int = 0) -> CalendarDay {
    let total = year * 12 + month - 1 + months
    return CalendarDay(year: total.quotient(12), month: total - total.quotient(12) * 12 + 1, day: day + days)
  }

  /// Returns midnight at the start of this date.
  func start(in local: LocalTime) -> Date { local.date(year: year, month: month, day: day) }

  /// Returns the start of the user's day with this date, which may differ from midnight (`day_starts_at`).
  func dayStart(in local: LocalTime) -> Date { local.startOfDay(datedAs: start(in: local)) }
}

extension Int {
  /// Quotient rounded toward negative infinity.
  fileprivate func quotient(_ divisor: Int) -> Int { (self - ((self % divisor) + divisor) % divisor) / divisor }
}

/// Time of day on a 24-hour clock.
struct WallClock: Hashable {
  /// Hour, 0 to 24, where 24 is midnight at the end of the day.
  var hour: Int
  var minute = 0
  var second = 0

  var seconds: Int { hour * 3600 + minute * 60 + second }
}

extension LocalTime {
  /// Returns all points in time on a date at which local clocks show a time of day, in order.
  ///
  /// The array is empty if a clock change skips the time of day, and has two elements if a clock change repeats it.
  func occurrences(of clock: WallClock, on day: CalendarDay) -> [Date] {
    let guess = date(at: clock, on: day)
    let here = components(of: guess).secondsFromGMT
    let offsets = Set([-21_600.0, 0, 21_600].map { components(of: guess.addingTimeInterval($0)).secondsFromGMT })
    let start = CalendarDay(day.start(in: self), in: self)
    return offsets.map { guess.addingTimeInterval(Double(here - $0)) }.filter { moment in
      let fields = components(of: moment)
      return (fields.hour, fields.minute, fields.second) == (clock.hour, clock.minute, clock.second)
        && CalendarDay(moment, in: self) == start
    }.sorted()
  }

  /// Returns a point in time with this local time of day. If a clock change skips it, the result is shifted by the
  /// change.
  func date(at clock: WallClock, on day: CalendarDay) -> Date {
    date(
      year: day.year, month: day.month, day: day.day, hour: clock.hour, minute: clock.minute, second: clock.second)
  }
}
