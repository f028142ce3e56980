import TrendyFoundation
import TrendyModels

// Weeks, months and years as users type them.

extension TimePhrase {
  /// Range of whole days; a limit uses its start or its end.
  struct Period: Hashable {
    var first: CalendarDay
    /// Day after the last one.
    var end: CalendarDay
    /// Time of day that a year can also mean: as a time, `2026` is 20:26.
    var clock: WallClock?

    fileprivate init(_ first: CalendarDay, days: Int = 0, months: Int = 0) {
      self.first = first
      end = first.adding(days: days, months: months)
    }

    fileprivate static func month(_ month: Int, of year: Int) -> Period {
      Period(CalendarDay(year: year, month: month, day: 1), months: 1)
    }

    fileprivate static func year(_ year: Int) -> Period {
      Period(CalendarDay(year: year, month: 1, day: 1), months: 12)
    }
  }

  /// `last week`, `this month`, `2026`, `2026-11`, `november`, `Nov 2026`.
  static func period(_ words: [String], now: Date, in local: LocalTime) -> Period? {
    let today = CalendarDay(local.startOfDay(now), in: local)
    switch words.count {
    case 1: return period(words[0], today: today)
    case 2: return period(words[0], words[1], today: today, now: now, in: local)
    default: return nil
    }
  }

  private static func period(_ word: String, today: CalendarDay) -> Period? {
    if let month = monthNumber(word) {
      // The most recent month with this name.
      return .month(month, of: month <= today.month ? today.year : today.year - 1)
    }
    let parts = word.split(separator: "-", omittingEmptySubsequences: false)
    guard let year = year(parts[0]) else { return nil }
    switch parts.count {
    case 1:
      // 1945 and 2310 are times of day, because events of such years are unlikely.
      guard (1970..<2100).contains(year) else { return nil }
      var period = Period.year(year)
      period.clock = clock(word)
      return period
    case 2:
      guard parts[1].count == 2, let month = Int(parts[1]), (1...12).contains(month) else { return nil }
      return .month(month, of: year)
    default: return nil
    }
  }

  private static func period(
    _ first: String, _ second: String, today: CalendarDay, now: Date, in local: LocalTime
  ) -> Period? {
    if let month = monthNumber(first), let year = year(second[...]) { return .month(month, of: year) }
    guard let number = ["last": -1, "this": 0, "next": 1][first] else { return nil }
    switch second {
    case "week": return Period(CalendarDay(local.startOfWeek(now, addingWeeks: number), in: local), days: 7)
    case "month":
      let month = CalendarDay(year: today.year, month: today.month, day: 1).adding(months: number)
      return .month(month.month, of: month.year)
    case "year": return .year(today.year + number)
    default: return nil
    }
  }

  private static func year(_ digits: Substring) -> Int? {
    guard digits.count == 4, digits.allSatisfy(\.isASCIIDigit), let year = Int(digits), year >= 1000 else { return nil }
    return year
  }
}
