import TrendyFoundation
import TrendyModels

extension TimePhrase {
  /// Range of whole days. `--since` uses its start and `--until` its end.
  struct Period: Hashable {
    var first: CalendarDay
    /// Day after the last day.
    var end: CalendarDay
    /// Time of day with the same digits: `2026` may be a year or 20:26.
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

  /// Parses a week, month or year, as in `last week`, `this month`, `2026`, `2026-11`, `2026-W47` or `Nov 2026`.
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
      // A month name refers to the most recent such month.
      return .month(month, of: month <= today.month ? today.year : today.year - 1)
    }
    if let week = ISOWeek(word) { return Period(week.monday, days: 7) }
    let parts = word.split(separator: "-", omittingEmptySubsequences: false)
    guard let year = year(parts[0]) else { return nil }
    switch parts.count {
    case 1:
      // Treat numbers outside this range, such as 1945 and 2310, as times of day, because users rarely record events in
      // those years.
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

/// ISO 8601 week, which starts on Monday, or a day in it: `2026-W47`, `2026-W47-5`, `2026W47`, `2026W475`.
struct ISOWeek {
  let monday: CalendarDay
  /// Day in the week, or `nil` for the whole week.
  let day: CalendarDay?

  /// Parses a lowercased week or day. Returns `nil` if the format is different or the year has no week 53.
  init?(_ word: String) {
    let digits = word.filter(\.isASCIIDigit)
    let (year, week, day) = (digits.prefix(4), digits.dropFirst(4).prefix(2), digits.dropFirst(6))
    let forms =
      day.isEmpty ? ["\(year)-w\(week)", "\(year)w\(week)"] : ["\(year)-w\(week)-\(day)", "\(year)w\(week)\(day)"]
    guard (6...7).contains(digits.count), forms.contains(word), let year = Int(year), year >= 1000,
      let week = Int(week),
      (1...53).contains(week), (1...7).contains(Int(day) ?? 1)
    else { return nil }
    // ISO 8601: 4 January is always in week 1.
    let fourth = CivilDate(year: year, month: 1, day: 4)
    let monday = fourth.advanced(by: (week - 1) * 7 - (fourth.weekday + 6) % 7)
    // ISO 8601: a week belongs to the year that contains its Thursday.
    guard monday.advanced(by: 3).year == year else { return nil }
    self.monday = CalendarDay(monday)
    self.day = Int(day).map { CalendarDay(monday.advanced(by: $0 - 1)) }
  }
}

/// Part of a day, such as `this morning`, `last night`, `yesterday evening` or `mon afternoon`.
struct PartOfDay: Hashable {
  let day: CalendarDay
  /// Hours since midnight of ``day``, up to 29 for a night that ends the next day. Same ranges as `DayPart` in
  /// TrendyInsights.
  let hours: Range<Int>
  /// Hour to use where a single time is required.
  let usualHour: Int

  private static let parts = [
    "morning": (5..<12, 9), "afternoon": (12..<17, 15), "evening": (17..<21, 19), "night": (21..<29, 23),
  ]

  /// Parses lowercased words, the last of which is the part of the day.
  init?(_ words: [String], now: Date, in local: LocalTime) {
    guard words.count > 1, let part = Self.parts[words[words.count - 1]] else { return nil }
    var front = Array(words.dropLast())
    switch front {
    case ["this"]: front = ["today"]
    case ["last"]: front = ["yesterday"]
    default: break
    }
    guard let day = TimePhrase.day(front, now: now, in: local) else { return nil }
    (self.day, hours, usualHour) = (day, part.0, part.1)
  }

  func date(hour: Int, in local: LocalTime) -> Date { local.date(at: WallClock(hour: hour), on: day) }
}
