import TrendyFoundation
import TrendyModels

extension TimePhrase {
  private static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
  ]

  /// Returns the index of the first name that starts with the word, which must have at least three letters.
  private static func place(of word: String, in names: [String]) -> Int? {
    word.count >= 3 && word.allSatisfy(\.isLetter) ? names.firstIndex { $0.hasPrefix(word) } : nil
  }

  /// Returns a month's number, 1 to 12, for its name or a prefix of it.
  static func monthNumber(_ word: String) -> Int? { place(of: word, in: months).map { $0 + 1 } }

  static func day(_ words: [String], now: Date, in local: LocalTime) -> CalendarDay? {
    let today = CalendarDay(local.startOfDay(now), in: local)
    switch words {
    case ["today"]: return today
    case ["yesterday"]: return today.adding(days: -1)
    case ["tomorrow"]: return today.adding(days: 1)
    case _ where words.count == 1:
      return weekday(words[0], now: now, in: local).map { today.adding(days: -$0) }
        ?? numberedDay(words[0], today: today, now: now, in: local)
    case _ where words.count == 2 && words[0] == "last":
      // On a Friday, `last friday` means a week ago, not today.
      return weekday(words[1], now: now, in: local).map { today.adding(days: -($0 == 0 ? 7 : $0)) }
    case _ where words.count == 2 && words[0] == "next":
      return weekday(words[1], now: now, in: local).map { today.adding(days: 7 - $0) }
    default:
      return namedDay(words, today: today, now: now, in: local) ?? daysAgo(words, today: today)
        ?? dayOfWeek(words, now: now, in: local) ?? checkedDay(words, now: now, in: local)
    }
  }

  /// Parses a number of days before today, as in `3 days ago` or `a week ago`.
  private static func daysAgo(_ words: [String], today: CalendarDay) -> CalendarDay? {
    guard words.last == "ago", let span = TimeSpan(words.dropLast().joined(separator: " ")), span.months == 0,
      span.clockSeconds == 0, span.days == span.days.rounded()
    else { return nil }
    return today.adding(days: -Int(span.days))
  }

  /// Parses a weekday in a given week, as in `monday last week`, `last week monday` or `sun 2 weeks ago`.
  private static func dayOfWeek(_ words: [String], now: Date, in local: LocalTime) -> CalendarDay? {
    guard words.count > 2 else { return nil }
    for (name, rest) in [(words[0], words.dropFirst()), (words[words.count - 1], words.dropLast())] {
      guard let weekday = weekdayNumber(name), let weeks = weeks(Array(rest)) else { continue }
      return CalendarDay(local.startOfWeek(now, addingWeeks: weeks), in: local)
        .adding(days: (weekday - local.firstWeekday + 7) % 7)
    }
    return nil
  }

  /// Parses a week relative to the current one: `last week` is -1 and `2 weeks ago` is -2.
  private static func weeks(_ words: [String]) -> Int? {
    if words.count == 2, words[1] == "week" { return ["last": -1, "this": 0, "next": 1][words[0]] }
    guard words.count > 2, words.last == "ago", words[words.count - 2].hasPrefix("w"),
      let span = TimeSpan(words.dropLast().joined(separator: " ")), span.months == 0, span.clockSeconds == 0,
      let weeks = Int(exactly: span.days / 7)
    else { return nil }
    return -weeks
  }

  /// Parses a date with its weekday as commands print it (`Wed 25 Nov`). Returns `nil` if the weekday is wrong.
  private static func checkedDay(_ words: [String], now: Date, in local: LocalTime) -> CalendarDay? {
    guard words.count > 1, let ago = weekday(words[0], now: now, in: local),
      let day = day(Array(words.dropFirst()), now: now, in: local)
    else { return nil }
    let last = CalendarDay(local.startOfDay(now), in: local).adding(days: -ago)
    func number(_ day: CalendarDay) -> Int { local.components(of: day.start(in: local)).weekday }
    return number(day) == number(last) ? day : nil
  }

  /// Returns the number of days since a weekday last occurred, 0 if it is today.
  static func weekday(_ word: String, now: Date, in local: LocalTime) -> Int? {
    weekdayNumber(word).map { (local.components(of: local.startOfDay(now)).weekday - $0 + 7) % 7 }
  }

  /// Returns the number of a weekday, 0 (Sunday) to 6, for its name, a prefix of it or its plural.
  private static func weekdayNumber(_ word: String) -> Int? {
    let names = word.hasSuffix("s") ? String(word.dropLast()) : word
    return place(of: word, in: weekdays) ?? (word == "tues" ? 2 : place(of: names, in: weekdays))
  }

  /// Parses a numeric date: `2026-11-20`, `20261120`, `2026-W47-5`, `2026/11/20`, `20.11.2026`, `20.11.26`, `20.11.`.
  ///
  /// Returns `nil` for ambiguous dates: `20/11/2026` can only be in November, but `4/3/2026` may be in March or April.
  private static func numberedDay(
    _ word: String, today: CalendarDay, now: Date, in local: LocalTime
  ) -> CalendarDay? {
    if word.count == 8, let number = Int(word), number >= 1000_01_01 {
      return existing(CalendarDay(year: number / 10_000, month: number / 100 % 100, day: number % 100), in: local)
    }
    if let week = ISOWeek(word) { return week.day }
    // The final dot distinguishes the date `8.10.` from the time `8.10`.
    if word.hasSuffix("."), let parts = numbers(of: word.dropLast(), separator: "."), parts.count == 2 {
      return last(month: parts[1], day: parts[0], today: today, now: now, in: local)
    }
    let days = numberedDays(word).filter { existing($0, in: local) != nil }
    return Set(days).count == 1 ? days[0] : nil
  }

  /// Returns the possible dates for three numbers. There are several dates if the order of day, month and year is
  /// ambiguous.
  private static func numberedDays(_ word: String) -> [CalendarDay] {
    for separator in "-/." {
      guard let parts = numbers(of: word[...], separator: separator), parts.count == 3 else { continue }
      let isYearFirst = word.prefix { $0 != separator }.count == 4
      if isYearFirst {
        return separator == "." ? [] : [CalendarDay(year: parts[0], month: parts[1], day: parts[2])]
      }
      let isShort = parts.allSatisfy { $0 < 100 }
      func year(_ number: Int) -> Int { isShort ? 2000 + number : number }
      let dayFirst = CalendarDay(year: year(parts[2]), month: parts[1], day: parts[0])
      let monthFirst = CalendarDay(year: year(parts[2]), month: parts[0], day: parts[1])
      let shortYearFirst = CalendarDay(year: year(parts[0]), month: parts[1], day: parts[2])
      // Dates with dots start with the day.
      if separator == "." { return [dayFirst] }
      return isShort ? [dayFirst, monthFirst, shortYearFirst] : [dayFirst, monthFirst]
    }
    return []
  }

  /// Returns the possible dates, in ISO format, for an ambiguous date such as `4/3/2026`, or `nil` if no word is
  /// ambiguous.
  static func days(ofDoubtful phrase: String, in local: LocalTime) -> [String]? {
    let days = phrase.split(separator: " ").lazy.map { word in
      numberedDays(String(word)).filter { existing($0, in: local) != nil }
    }
    return days.first { Set($0).count > 1 }.map { days in
      Set(days.map { "\(local.date(of: $0.start(in: local)))" }).sorted()
    }
  }

  /// Returns the numbers in a date such as `20.11.` or `20.11.26`. At most one may be a four-digit year.
  private static func numbers(of word: Substring, separator: Character) -> [Int]? {
    let parts = word.split(separator: separator, omittingEmptySubsequences: false)
    let years = parts.filter { $0.count == 4 }.count
    guard years < 2, parts.count == 2 + years || years == 0 && parts.count == 3,
      parts.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }),
      parts.allSatisfy({ (1...2).contains($0.count) || $0.count == 4 })
    else { return nil }
    return parts.compactMap { Int($0) }
  }

  /// Parses a date with a month name, as in `Nov 20`, `20 Nov` or `20th november 2025`.
  private static func namedDay(
    _ words: [String], today: CalendarDay, now: Date, in local: LocalTime
  ) -> CalendarDay? {
    guard (2...3).contains(words.count) else { return nil }
    let (month, number) =
      monthNumber(words[0]) == nil ? (words[1], words[0]) : (words[0], words[1])
    guard let month = monthNumber(month), let day = dayNumber(number) else { return nil }
    if words.count == 3 {
      guard words[2].count == 4, words[2].allSatisfy(\.isASCIIDigit), let year = Int(words[2]), year >= 1000 else {
        return nil
      }
      return existing(CalendarDay(year: year, month: month, day: day), in: local)
    }
    return last(month: month, day: day, today: today, now: now, in: local)
  }

  /// Returns the most recent date with this month and day. For 29 February, that may be eight years ago, as around
  /// 1900.
  private static func last(month: Int, day: Int, today: CalendarDay, now: Date, in local: LocalTime) -> CalendarDay? {
    (0...8).lazy.map { CalendarDay(year: today.year - $0, month: month, day: day) }
      .first { existing($0, in: local) != nil && $0.start(in: local) <= now }
  }

  private static func dayNumber(_ word: String) -> Int? {
    var digits = Substring(word)
    for suffix in ["st", "nd", "rd", "th", "."] where digits.hasSuffix(suffix) {
      digits = digits.dropLast(suffix.count)
    }
    guard (1...2).contains(digits.count), digits.allSatisfy(\.isASCIIDigit) else { return nil }
    return Int(digits)
  }

  private static func existing(_ day: CalendarDay, in local: LocalTime) -> CalendarDay? {
    guard (1...12).contains(day.month), (1...31).contains(day.day) else { return nil }
    return CalendarDay(day.start(in: local), in: local) == day ? day : nil
  }
}
