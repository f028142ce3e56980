public import TrendyFoundation
public import TrendyModels

/// A time as users type it, such as `8:30` or `yesterday 21:00`.
///
/// Other forms are `9pm`, `-20m`, `2 hours ago`, `mon`, `last friday`, `Nov 20`, `20.11.2026`, `2026-11-20 08:30` and
/// RFC 3339; limits may also be `last week`, `november`, `2026-11` or `2026`. A time without a day or a day without a
/// time depends on the ``Meaning``.
public struct TimePhrase: Hashable, Sendable {
  public static let help =
    "Examples: 8:30, 'yesterday 21:00', -20m, mon, 2026-11-20. More: trendy help times"

  /// Years 1 to 9999, the range of RFC 3339.
  public static let writable =
    Date(timeIntervalSince1970: -62_135_596_800)..<Date(timeIntervalSince1970: 253_402_300_800)

  /// How an incomplete phrase is resolved.
  public enum Meaning: Hashable, Sendable {
    /// Start of an event.
    ///
    /// A time without a day is the most recent one, or one within the next hour. A day without a year is the most
    /// recent one.
    case past
    /// End of an event with this start.
    ///
    /// A time without a day is on the day of the start, or on the next day if it would precede the start. A weekday is
    /// the first one from the day of the start on.
    case end(of: Date)
    /// A time without a date refers to the day of this date.
    case day(of: Date)
    /// Lower limit: a duration such as `7d` is subtracted from now.
    case since
    /// Upper limit: a day means its end.
    case until
  }

  /// A resolved time with an optional note for the user.
  public struct Resolved: Hashable, Sendable {
    public let date: Date
    /// Note on a time that a clock change skipped or repeated.
    public let note: String?
  }

  private enum Form: Hashable {
    case moment(Date)
    case span(TimeSpan)
    case day(CalendarDay)
    /// The most recent one, including today.
    case weekday(CalendarDay)
    case period(Period)
    case clock(WallClock)
    case clockOfDay(WallClock, CalendarDay)
  }

  public let text: String
  private let form: Form
  private let now: Date
  private let local: LocalTime

  /// Parses a time. Whether its form fits the purpose is checked by ``resolved(_:)``.
  /// - Throws: ``CommandError`` with exit 64 for an invalid time.
  public init(_ phrase: String, now: Date, in local: LocalTime) throws(CommandError) {
    guard let form = Self.form(phrase, now: now, in: local) else {
      if let days = Self.days(ofDoubtful: phrase, in: local) {
        throw CommandError(
          "The date '\(phrase)' is ambiguous", hint: "Use \(days.joined(separator: " or ")).", exit: .usage)
      }
      throw CommandError("Invalid time '\(phrase)'", hint: Self.help, exit: .usage)
    }
    (text, self.form, self.now, self.local) = (phrase, form, now, local)
  }

  /// Parses a range: `9:00-10:30`, `yesterday 9am to 11am`, `2026-11-01..2026-11-07`. Returns `nil` for a single time.
  /// - Throws: ``CommandError`` with exit 64 if one of the two times is invalid.
  public static func range(
    _ phrase: String, now: Date, in local: LocalTime
  ) throws(CommandError) -> (from: TimePhrase, to: TimePhrase)? {
    guard form(phrase, now: now, in: local) == nil, let (first, second) = parts(ofRange: phrase) else { return nil }
    return (try TimePhrase(first, now: now, in: local), try TimePhrase(second, now: now, in: local))
  }

  private static func parts(ofRange phrase: String) -> (String, String)? {
    for separator in ["..", " to ", " until ", " - ", "–"] {
      let parts = phrase.lowercased().split(separator: separator, omittingEmptySubsequences: true)
      if parts.count == 2 { return (String(parts[0]), String(parts[1])) }
    }
    // `9:00-10:30`; the hyphens of a date are not separators.
    let words = phrase.split(separator: " ")
    guard let last = words.last, last.firstIndex(of: "-") != last.startIndex else { return nil }
    let clocks = last.split(separator: "-")
    guard clocks.count == 2, clocks.allSatisfy({ clock($0.lowercased()) != nil }) else { return nil }
    return ((words.dropLast() + [clocks[0]]).joined(separator: " "), String(clocks[1]))
  }

  /// Resolves the phrase to a point in time.
  /// - Throws: ``CommandError`` with exit 64 for a time outside the years 1 to 9999, and for a duration or a period
  ///   unless the meaning is a limit.
  public func resolved(_ meaning: Meaning) throws(CommandError) -> Resolved {
    let found: Resolved
    switch form {
    case .moment(let date): found = Resolved(date: date, note: nil)
    case .span(let span):
      guard meaning == .since || meaning == .until else {
        throw CommandError(
          "'\(text)' is a duration, not a time", hint: "Did you mean '\(text) ago'?", exit: .usage)
      }
      found = Resolved(date: Self.date(span, before: now, in: local), note: nil)
    case .day(let day): found = Resolved(date: start(of: day, meaning), note: nil)
    case .weekday(let last):
      var day = last
      // `--from mon --to fri` ends after it starts.
      if case .end(let start) = meaning {
        while day.dayStart(in: local) < local.startOfDay(start) { day = day.adding(days: 7) }
      }
      found = Resolved(date: start(of: day, meaning), note: nil)
    case .period(let period):
      if meaning == .since || meaning == .until {
        found = Resolved(date: (meaning == .until ? period.end : period.first).dayStart(in: local), note: nil)
      } else if let clock = period.clock {
        found = resolved(clock, meaning)
      } else {
        throw CommandError("'\(text)' is a range of days, not a time", hint: Self.help, exit: .usage)
      }
    case .clockOfDay(let clock, let day): found = moment(clock, on: day, notBefore: meaning.start)
    case .clock(let clock): found = resolved(clock, meaning)
    }
    guard Self.writable.contains(found.date) else {
      throw CommandError("The time '\(text)' is outside the years 1 to 9999", hint: Self.help, exit: .usage)
    }
    return found
  }

  private func start(of day: CalendarDay, _ meaning: Meaning) -> Date {
    switch meaning {
    case .until: day.adding(days: 1).dayStart(in: local)
    // A date without a time, such as a property value, starts at midnight.
    case .day: day.start(in: local)
    case .past, .end, .since: day.dayStart(in: local)
    }
  }

  /// Whether the phrase is a date without a time.
  public var isDate: Bool {
    switch form {
    case .day, .weekday: true
    case .moment, .span, .period, .clock, .clockOfDay: false
    }
  }

  /// Whether the phrase contains a day, not only a time.
  public var namesDay: Bool {
    switch form {
    case .clock: false
    case .period(let period): period.clock == nil
    case .moment, .span, .day, .weekday, .clockOfDay: true
    }
  }

  private func resolved(_ clock: WallClock, _ meaning: Meaning) -> Resolved {
    switch meaning {
    case .past, .since, .until:
      let day = CalendarDay(now, in: local)
      let today = moment(clock, on: day, lastBefore: now)
      return today.date > now.addingTimeInterval(Self.soon)
        ? moment(clock, on: day.adding(days: -1), lastBefore: now) : today
    case .day(let date): return moment(clock, on: CalendarDay(date, in: local))
    case .end(let start):
      let day = CalendarDay(start, in: local)
      let sameDay = moment(clock, on: day, notBefore: start)
      return sameDay.date >= start ? sameDay : moment(clock, on: day.adding(days: 1))
    }
  }

  /// Maximum time in the future, in seconds, for a time without a day.
  private static let soon = 3600.0

  /// Returns the point in time with this time of day on a date.
  /// - Parameters:
  ///   - clock: time of day, which a clock change may skip or repeat.
  ///   - day: calendar date.
  ///   - start: lower limit that selects one of two times.
  ///   - limit: upper limit that selects one of two times.
  private func moment(
    _ clock: WallClock, on day: CalendarDay, notBefore start: Date = .distantPast, lastBefore limit: Date? = nil
  ) -> Resolved {
    let moments = local.occurrences(of: clock, on: day)
    let last = limit.flatMap { limit in moments.last { $0 <= limit } }
    guard let taken = last ?? moments.first(where: { $0 >= start }) ?? moments.last else {
      let date = local.date(at: clock, on: day)
      let wanted = "\(twoDigits(clock.hour)):\(twoDigits(clock.minute))"
      return Resolved(
        date: date,
        note:
          "Note: \(wanted) did not exist on \(local.day(date)), when the clocks went forward. Using \(local.time(date)) \(local.offset(date))."
      )
    }
    guard moments.count > 1, let other = moments.first(where: { $0 != taken }) else {
      return Resolved(date: taken, note: nil)
    }
    return Resolved(
      date: taken,
      note:
        "Note: \(local.time(taken)) occurred twice on \(local.day(taken)). Using \(local.offset(taken)); the other is \(local.rfc3339(other))."
    )
  }
}

private func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

extension TimePhrase.Meaning {
  fileprivate var start: Date { if case .end(let start) = self { start } else { .distantPast } }
}

// MARK: - Reading

extension TimePhrase {
  private static func form(_ phrase: String, now: Date, in local: LocalTime) -> Form? {
    if let date = RFC3339.date(from: phrase) { return .moment(date) }
    // `Nov 20, 2026`; the comma in `120,5` is not a separator.
    var text = phrase.lowercased().split(separator: " ").map { $0.hasSuffix(",") ? $0.dropLast() : $0 }
      .joined(separator: " ")
    if text == "now" { return .moment(now) }
    if text.hasSuffix(" ago"), let span = TimeSpan(text.dropLast(4)) {
      return .moment(date(span, before: now, in: local))
    }
    // `-20` is ambiguous; a time span needs a unit.
    if text.hasPrefix("-") { return TimeSpan(text.dropFirst()).map { .moment(date($0, before: now, in: local)) } }
    for sign in ["+", "in "] where text.hasPrefix(sign) {
      return TimeSpan(text.dropFirst(sign.count)).map { .moment(date($0, before: now, in: local, isAfter: true)) }
    }
    if let letter = text.firstIndex(of: "t"), text.contains(":"), text.first?.isNumber == true,
      letter > text.startIndex,
      text[text.index(before: letter)].isNumber
    {
      text.replaceSubrange(letter...letter, with: " ")
    }
    var words = text.split(separator: " ").map(String.init)
    words.removeAll { $0 == "at" }
    // Before times of day, because the year of `3 Nov 2025` could be one.
    if let day = day(words, now: now, in: local) {
      return words.count == 1 && weekday(words[0], now: now, in: local) != nil ? .weekday(day) : .day(day)
    }
    if let period = period(words, now: now, in: local) { return .period(period) }
    for count in 0...words.count {
      let (front, back) = (Array(words[..<count]), Array(words[count...]))
      if let clock = clock(of: back) {
        if front.isEmpty { return .clock(clock) }
        if let form = form(clock, of: front, now: now, in: local) { return form }
      }
      if !front.isEmpty, let clock = clock(of: front) {
        if let form = form(clock, of: back, now: now, in: local) { return form }
      }
    }
    return TimeSpan(text).map { .span($0) }
  }

  private static func form(_ clock: WallClock, of words: [String], now: Date, in local: LocalTime) -> Form? {
    guard let day = day(words, now: now, in: local) else { return nil }
    // Hours before the start of the day belong to the previous day, unless the day is given by its date.
    let isDated = words.contains { $0.contains(where: \.isNumber) }
    if !isDated, clock.seconds < local.dayStart {
      let night = day.adding(days: 1)
      if local.date(at: clock, on: night) <= now.addingTimeInterval(soon) { return .clockOfDay(clock, night) }
    }
    return .clockOfDay(clock, day)
  }

  private static func date(_ span: TimeSpan, before now: Date, in local: LocalTime, isAfter: Bool = false) -> Date {
    let sign = isAfter ? 1.0 : -1.0
    var date = now
    if span.months != 0 || span.days >= 1 {
      let fields = local.components(of: now)
      let whole = span.days.rounded(.down)
      let day = CalendarDay(now, in: local).adding(months: Int(sign * span.months))
      // The last day of a shorter month, not the first of the next.
      let length = CalendarDay(
        CalendarDay(year: day.year, month: day.month, day: 1).adding(months: 1).adding(days: -1).start(in: local),
        in: local
      ).day
      let target = CalendarDay(year: day.year, month: day.month, day: min(day.day, length)).adding(
        days: Int(sign * whole))
      date = local.date(
        at: WallClock(hour: fields.hour, minute: fields.minute, second: fields.second), on: target)
      let fraction = now.timeIntervalSince1970 - now.timeIntervalSince1970.rounded(.down)
      date += fraction + sign * (span.days - whole) * 86_400
    } else {
      date += sign * span.days * 86_400
    }
    return date.addingTimeInterval(sign * span.clockSeconds)
  }

  private static func clock(of words: [String]) -> WallClock? {
    (1...2).contains(words.count) ? clock(words.joined()) : nil
  }

  /// `8:30`, `08:30:15`, `0830`, `9am`, `9:30pm`, `noon`, `midnight`.
  static func clock(_ word: String) -> WallClock? {
    switch word {
    case "noon": return WallClock(hour: 12)
    case "midnight": return WallClock(hour: 0)
    default: break
    }
    var digits = Substring(word)
    var half: Int?
    for (suffix, value) in [("a.m.", 0), ("p.m.", 12), ("am", 0), ("pm", 12)]
    where half == nil && digits.hasSuffix(suffix) {
      (digits, half) = (digits.dropLast(suffix.count), value)
    }
    var parts = digits.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 1 {
      if digits.count == 4, half == nil {
        parts = [digits.prefix(2), digits.suffix(2)]
      } else if half == nil {
        return nil
      }
    }
    guard (1...3).contains(parts.count), (1...2).contains(parts[0].count),
      parts.dropFirst().allSatisfy({ $0.count == 2 }),
      parts.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) })
    else { return nil }
    let numbers = parts.compactMap { Int($0) }
    guard let hour = hour(numbers[0], half), numbers.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
    return WallClock(
      hour: hour, minute: numbers.count > 1 ? numbers[1] : 0, second: numbers.count > 2 ? numbers[2] : 0)
  }

  private static func hour(_ number: Int, _ half: Int?) -> Int? {
    guard let half else { return number < 24 ? number : nil }
    return (1...12).contains(number) ? number % 12 + half : nil
  }
}
