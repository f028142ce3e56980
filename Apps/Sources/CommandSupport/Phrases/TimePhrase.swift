public import TrendyFoundation
public import TrendyModels

/// Time as users type it or other programs print it.
///
/// Examples: `8:30`, `9pm`, `8h30`, `yesterday 21:00`, `last night`, `-20m`, `2 hours ago`, `mon`, `last friday`,
/// `monday last week`, `Nov 20`, `20.11.2026`, `2026-11-20 08:30`, `2026-W47-5`, `@1764144000`, `9:00 UTC`, RFC 3339
/// and RFC 2822. Limits also accept `last week`, `november`, `2026-W47`, `2026-11` and `2026`.
///
/// ``Meaning`` determines how to complete a time without a day, or a day without a time.
public struct TimePhrase: Hashable, Sendable {
  public static let help =
    "Use a time such as 8:30, 'yesterday 21:00', -20m, mon or 2026-11-20. All formats: trendy help times"

  /// Years 1 to 9999, the range of RFC 3339.
  public static let writable =
    Date(timeIntervalSince1970: -62_135_596_800)..<Date(timeIntervalSince1970: 253_402_300_800)

  /// Purpose of a phrase, which determines how to complete missing parts.
  public enum Meaning: Hashable, Sendable {
    /// Start of an event.
    ///
    /// A time without a day denotes its most recent occurrence, or an occurrence within the next hour. A date without a
    /// year denotes its most recent occurrence. A day without a time takes the current time of day.
    case past
    /// End of an event that started at the given time.
    ///
    /// A time without a day is on the start day, or on the next day if it would otherwise precede the start. A weekday
    /// denotes the first such day on or after the start day. A day without a time takes the current time of day.
    case end(of: Date)
    /// New start for an event that started at the given time.
    ///
    /// A time without a day is on the day of the old start. A day without a time keeps the old time of day.
    case moved(from: Date)
    /// Date. A time without a day is on the day of the given date, and a day without a time is at midnight.
    case day(of: Date)
    /// Lower limit. A duration such as `7d` is subtracted from the current time.
    case since
    /// Upper limit. A day is included in full.
    case until
  }

  /// Resolved time with an optional note for the user.
  public struct Resolved: Hashable, Sendable {
    public let date: Date
    /// Warning about a time that a clock change skipped or repeated.
    public let note: String?
  }

  private enum Form: Hashable {
    case moment(Date)
    /// Duration, with the time of day that the phrase may also mean (`8h30`).
    case span(TimeSpan, WallClock?)
    case day(CalendarDay)
    case part(PartOfDay)
    /// Most recent day with a given weekday, possibly today.
    case weekday(CalendarDay)
    case period(Period)
    case clock(WallClock)
    case clockOfDay(WallClock, CalendarDay)
  }

  /// Parsed phrase. If it contains a time zone, `now` and `local` are in that zone. See ``PhraseZone``.
  private struct Reading: Hashable {
    let form: Form
    let now: Date
    let local: LocalTime
    var zone: PhraseZone?
  }

  public let text: String
  private let form: Form
  private let now: Date
  private let local: LocalTime
  private let zone: PhraseZone?

  /// Parses a time. Only ``resolved(_:)`` checks whether it suits a purpose.
  /// - Throws: ``CommandError`` with exit 64 if the phrase is invalid or ambiguous, or its time zone is unknown.
  public init(_ phrase: String, now: Date, in local: LocalTime) throws(CommandError) {
    guard let reading = Self.reading(phrase, now: now, in: local) else {
      if let days = Self.days(ofDoubtful: phrase, in: local) {
        throw CommandError(
          "The date '\(phrase)' is ambiguous", hint: "Use \(days.joined(separator: " or ")).", exit: .usage)
      }
      if let zone = Self.unknownZone(in: phrase, now: now, in: local) {
        throw CommandError(
          "Unknown or ambiguous time zone '\(zone)' in '\(phrase)'",
          hint: "Use UTC, an offset or a name: 9:00+01:00, '9:00 Europe/Paris'.", exit: .usage)
      }
      throw CommandError("Invalid time '\(phrase)'", hint: Self.help, exit: .usage)
    }
    text = phrase
    (form, self.now, self.local, zone) = (reading.form, reading.now, reading.local, reading.zone)
  }

  /// Parses a range such as `9:00-10:30`, `yesterday 9am to 11am` or `2026-11-01..2026-11-07`.
  /// - Returns: start and end, or `nil` if the phrase is not a range.
  /// - Throws: ``CommandError`` with exit 64 if either time is invalid.
  public static func range(
    _ phrase: String, now: Date, in local: LocalTime
  ) throws(CommandError) -> (from: TimePhrase, to: TimePhrase)? {
    guard reading(phrase, now: now, in: local) == nil, let (first, second) = parts(ofRange: phrase) else { return nil }
    return (try TimePhrase(first, now: now, in: local), try TimePhrase(second, now: now, in: local))
  }

  private static func parts(ofRange phrase: String) -> (String, String)? {
    for separator in ["..", " to ", " until ", " - ", "–"] {
      let parts = phrase.lowercased().split(separator: separator, omittingEmptySubsequences: true)
      if parts.count == 2 { return (String(parts[0]), String(parts[1])) }
    }
    // In `9:00-10:30`, the hyphen separates two times, unlike hyphens in dates.
    let words = phrase.split(separator: " ")
    guard let last = words.last, last.firstIndex(of: "-") != last.startIndex else { return nil }
    let clocks = last.split(separator: "-")
    guard clocks.count == 2, clocks.allSatisfy({ clock($0.lowercased()) != nil }) else { return nil }
    return ((words.dropLast() + [clocks[0]]).joined(separator: " "), String(clocks[1]))
  }

  /// Returns the point in time that the phrase denotes.
  /// - Throws: ``CommandError`` with exit 64 for a time outside the years 1 to 9999, or for a duration or period if the
  ///   meaning is not `since` or `until`.
  public func resolved(_ meaning: Meaning) throws(CommandError) -> Resolved {
    let found: Resolved
    if let zone {
      let wall = try resolvedByClock(meaning.mapped { zone.wall($0) })
      // A note would refer to clock times in the other zone.
      found = Resolved(date: zone.date(wall: wall.date), note: nil)
    } else {
      found = try resolvedByClock(meaning)
    }
    guard Self.writable.contains(found.date) else {
      throw CommandError("The time '\(text)' is outside the years 1 to 9999", hint: Self.help, exit: .usage)
    }
    return found
  }

  private func resolvedByClock(_ meaning: Meaning) throws(CommandError) -> Resolved {
    switch form {
    case .moment(let date): return Resolved(date: date, note: nil)
    case .span(let span, let clock):
      if meaning == .since || meaning == .until {
        return Resolved(date: Self.date(span, before: now, in: local), note: nil)
      }
      if let clock { return resolved(clock, meaning) }
      throw CommandError("'\(text)' is a duration, not a time", hint: "Did you mean '\(text) ago'?", exit: .usage)
    case .day(let day): return Resolved(date: date(of: day, meaning), note: nil)
    case .part(let part): return Resolved(date: date(of: part, meaning), note: nil)
    case .weekday(let last):
      var day = last
      // In `--from mon --to fri`, the end is the first Friday on or after the start.
      if case .end(let start) = meaning {
        while day.dayStart(in: local) < local.startOfDay(start) { day = day.adding(days: 7) }
      }
      return Resolved(date: date(of: day, meaning), note: nil)
    case .period(let period):
      if meaning == .since || meaning == .until {
        return Resolved(date: (meaning == .until ? period.end : period.first).dayStart(in: local), note: nil)
      }
      if let clock = period.clock { return resolved(clock, meaning) }
      throw CommandError("'\(text)' is a range of days, not a time", hint: Self.help, exit: .usage)
    case .clockOfDay(let clock, let day): return moment(clock, on: day, notBefore: meaning.start)
    case .clock(let clock): return resolved(clock, meaning)
    }
  }

  private func date(of day: CalendarDay, _ meaning: Meaning) -> Date {
    switch meaning {
    case .until: day.adding(days: 1).dayStart(in: local)
    case .since: day.dayStart(in: local)
    case .day: day.start(in: local)
    case .past, .end: local.sameTime(as: now, on: day.civil)
    case .moved(let start): local.sameTime(as: start, on: day.civil)
    }
  }

  private func date(of part: PartOfDay, _ meaning: Meaning) -> Date {
    let (start, end) = (
      part.date(hour: part.hours.lowerBound, in: local), part.date(hour: part.hours.upperBound, in: local)
    )
    switch meaning {
    case .since: return start
    case .until: return end
    case .past, .end, .moved, .day:
      let usual = part.date(hour: part.usualHour, in: local)
      return usual > now && start <= now ? now : usual
    }
  }

  /// Whether the phrase denotes a day without a time.
  public var isDate: Bool {
    switch form {
    case .day, .weekday: true
    case .moment, .span, .part, .period, .clock, .clockOfDay: false
    }
  }

  /// Whether the phrase determines the day.
  public var namesDay: Bool {
    switch form {
    case .clock: false
    case .period(let period): period.clock == nil
    case .span(_, let clock): clock == nil
    case .moment, .part, .day, .weekday, .clockOfDay: true
    }
  }

  /// Duration in words, such as `1 minute` for `1m`, or `nil` if the phrase is not a duration.
  public var durationWords: String? { if case .span(let span, _) = form { span.words } else { nil } }

  private func resolved(_ clock: WallClock, _ meaning: Meaning) -> Resolved {
    switch meaning {
    case .past, .since, .until:
      let day = CalendarDay(now, in: local)
      let today = moment(clock, on: day, lastBefore: now)
      return today.date > now.addingTimeInterval(Self.soon)
        ? moment(clock, on: day.adding(days: -1), lastBefore: now) : today
    case .day(let date), .moved(let date): return moment(clock, on: CalendarDay(date, in: local))
    case .end(let start):
      let day = CalendarDay(start, in: local)
      let sameDay = moment(clock, on: day, notBefore: start)
      return sameDay.date >= start ? sameDay : moment(clock, on: day.adding(days: 1))
    }
  }

  /// How far in the future a time without a day may be, in seconds.
  private static let soon = 3600.0

  /// Returns the point in time with this time of day on a date, which a clock change may skip or repeat.
  ///
  /// If the time of day occurs twice, returns the last occurrence up to `limit` or, without a limit, the first
  /// occurrence at or after `start`.
  private func moment(
    _ clock: WallClock, on day: CalendarDay, notBefore start: Date = .distantPast, lastBefore limit: Date? = nil
  ) -> Resolved {
    if clock.hour == 24 {
      return moment(WallClock(hour: 0), on: day.adding(days: 1), notBefore: start, lastBefore: limit)
    }
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

  fileprivate func mapped(_ map: (Date) -> Date) -> Self {
    switch self {
    case .past, .since, .until: self
    case .end(let start): .end(of: map(start))
    case .moved(let start): .moved(from: map(start))
    case .day(let date): .day(of: map(date))
    }
  }
}

// MARK: - Parsing

extension TimePhrase {
  private static func reading(_ phrase: String, now: Date, in local: LocalTime) -> Reading? {
    if let form = form(phrase, now: now, in: local) { return Reading(form: form, now: now, local: local) }
    for (words, zone) in PhraseZone.readings(of: words(phrase), typed: phrase, now: now, in: local) {
      var clock = LocalTime(isUTC: true)
      (clock.dayStart, clock.firstWeekday) = (local.dayStart, local.firstWeekday)
      // Accept a time zone only together with a time of day.
      switch form(words, now: zone.wall(now), in: clock) {
      case .clock(let time), .span(_, let time?):
        return Reading(form: .clock(time), now: zone.wall(now), local: clock, zone: zone)
      case .clockOfDay(let time, let day):
        return Reading(form: .clockOfDay(time, day), now: zone.wall(now), local: clock, zone: zone)
      default: continue
      }
    }
    return nil
  }

  /// Returns the word that is probably an unknown time zone, as in `9am XYZ`.
  private static func unknownZone(in phrase: String, now: Date, in local: LocalTime) -> String? {
    let typed = phrase.split(separator: " ").map(String.init)
    return typed.indices.dropFirst().first { index in
      let word = typed[index]
      guard word.contains("/") || (2...5).contains(word.count) && word.allSatisfy(\.isUppercase) else { return false }
      var rest = typed
      rest.remove(at: index)
      switch form(words(rest.joined(separator: " ")), now: now, in: local) {
      case .clock, .clockOfDay: return true
      default: return false
      }
    }.map { typed[$0] }
  }

  private static func form(_ phrase: String, now: Date, in local: LocalTime) -> Form? {
    if let date = RFC3339.date(from: phrase) ?? epoch(phrase) { return .moment(date) }
    let text = lowercased(phrase)
    if text == "now" { return .moment(now) }
    if text.hasSuffix(" ago"), let span = TimeSpan(text.dropLast(4)) {
      return .moment(date(span, before: now, in: local))
    }
    // A bare number such as `-20` is rejected because it has no unit.
    if text.hasPrefix("-") { return TimeSpan(text.dropFirst()).map { .moment(date($0, before: now, in: local)) } }
    for sign in ["+", "in "] where text.hasPrefix(sign) {
      return TimeSpan(text.dropFirst(sign.count)).map { .moment(date($0, before: now, in: local, isAfter: true)) }
    }
    return form(words(phrase), now: now, in: local)
  }

  /// Parses seconds since 1970, as in `@1764144000`. Requires nine digits, because `@1` also denotes an entry.
  private static func epoch(_ phrase: String) -> Date? {
    let digits = phrase.dropFirst()
    guard phrase.hasPrefix("@"), digits.prefix(while: \.isASCIIDigit).count >= 9,
      digits.allSatisfy({ $0.isASCIIDigit || $0 == "." })
    else { return nil }
    return Double(digits).map { Date(timeIntervalSince1970: $0) }
  }

  /// Returns the phrase lowercased and without commas at word ends: in `Nov 20, 2026`, but not in `120,5`.
  private static func lowercased(_ phrase: String) -> String {
    phrase.lowercased().split(separator: " ").map { $0.hasSuffix(",") ? $0.dropLast() : $0 }.joined(separator: " ")
  }

  private static func words(_ phrase: String) -> [String] {
    // Split date and time at the `t` of ISO 8601: `2026-11-20t09:00`, `20261120t090000z`.
    var words = lowercased(phrase).split(separator: " ").flatMap { word -> [String] in
      let halves = word.split(separator: "t", omittingEmptySubsequences: false)
      guard halves.count == 2, halves[0].count >= 6, halves[0].last?.isASCIIDigit == true,
        halves[1].first?.isASCIIDigit == true
      else { return [String(word)] }
      let digits = halves[1].prefix(while: \.isASCIIDigit)
      let time =
        digits.count == 6
        ? "\(digits.prefix(2)):\(digits.dropFirst(2).prefix(2)):\(halves[1].dropFirst(4))" : String(halves[1])
      return [String(halves[0])] + PhraseZone.detached(time, isDated: true)
    }
    words.removeAll { $0 == "at" }
    return words
  }

  private static func form(_ words: [String], now: Date, in local: LocalTime) -> Form? {
    // Days are tried before times, because the year in `3 Nov 2025` is also a valid time of day.
    if let day = day(words, now: now, in: local) {
      return words.count == 1 && weekday(words[0], now: now, in: local) != nil ? .weekday(day) : .day(day)
    }
    if let period = period(words, now: now, in: local) { return .period(period) }
    if let part = PartOfDay(words, now: now, in: local) { return .part(part) }
    let span = TimeSpan(words.joined(separator: " "))
    if let clock = clock(of: words) { return span.map { .span($0, clock) } ?? .clock(clock) }
    for place in places(ofClock: words) {
      guard let clock = clock(of: Array(words[place])) else { continue }
      let rest = Array(words[..<place.lowerBound] + words[place.upperBound...])
      if let form = form(clock, of: rest, now: now, in: local) { return form }
    }
    return span.map { .span($0, nil) }
  }

  /// Returns the ranges of words that may be a time of day in a date.
  ///
  /// The time is usually at the beginning or the end. In the output of date(1), `10:15:30` precedes the year.
  private static func places(ofClock words: [String]) -> [Range<Int>] {
    let count = words.count
    let ends = [1, 2].filter { $0 < count }.flatMap { [count - $0..<count, 0..<$0] }
    let middles = words.indices.dropFirst().filter { words[$0].contains(":") }.flatMap { start in
      [1, 2].map { start..<start + $0 }.filter { $0.upperBound < count }
    }
    return ends + middles
  }

  private static func form(_ clock: WallClock, of words: [String], now: Date, in local: LocalTime) -> Form? {
    guard let day = day(words, now: now, in: local) else { return nil }
    // A weekday or `yesterday` refers to the user's day, which may end after midnight. A date with numbers refers to
    // the calendar day.
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
      // In a shorter month, use its last day rather than the first days of the next month.
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

  /// Parses a time of day: `8:30`, `08:30:15`, `0830`, `8h30`, `9:30pm`, `24:00`, `noon`.
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
    // Drop fractions, because events start at whole seconds.
    if parts.count == 3, let dot = parts[2].firstIndex(of: "."), parts[2][dot...].dropFirst().allSatisfy(\.isASCIIDigit)
    {
      parts[2] = parts[2][..<dot]
    }
    if parts.count == 1 {
      let hours = digits.split(separator: "h", omittingEmptySubsequences: false)
      if hours.count == 2, half == nil {
        parts = hours
      } else if digits.count == 4, half == nil {
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
    guard let hour = hour(numbers[0], half), numbers.dropFirst().allSatisfy({ $0 < 60 }),
      hour < 24 || numbers.dropFirst().allSatisfy({ $0 == 0 })
    else { return nil }
    return WallClock(
      hour: hour, minute: numbers.count > 1 ? numbers[1] : 0, second: numbers.count > 2 ? numbers[2] : 0)
  }

  private static func hour(_ number: Int, _ half: Int?) -> Int? {
    guard let half else { return number <= 24 ? number : nil }
    return (1...12).contains(number) ? number % 12 + half : nil
  }
}
