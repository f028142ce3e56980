/// Time zone rule such as `CET-1CEST,M3.5.0,M10.5.0/3`: the value of `TZ` in POSIX.1-2017, section 8.3, with the
/// extended times of RFC 9636.
struct PosixTimeZone: Hashable, Sendable {
  /// Yearly clock change: a day, and the time that the local clock shows just before the change.
  struct Change: Hashable, Sendable {
    enum Day: Hashable, Sendable {
      /// Day 1 to 365, not counting 29 February.
      case julian(Int)
      /// Day 0 to 365, counting 29 February.
      case ordinal(Int)
      /// Day of a week in a month, where week 5 is the last week and weekday 0 is Sunday.
      case weekday(month: Int, week: Int, weekday: Int)
    }

    var day: Day
    /// Seconds after midnight. May be negative or exceed a day.
    var time: Int
  }

  /// Standard offset in seconds east of UTC.
  var standard: Int
  var daylight: (offset: Int, start: Change, end: Change)?

  static func == (left: Self, right: Self) -> Bool {
    left.standard == right.standard && left.daylight?.offset == right.daylight?.offset
      && left.daylight?.start == right.daylight?.start && left.daylight?.end == right.daylight?.end
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(standard)
    hasher.combine(daylight?.offset)
  }

  /// Returns the offset in seconds east of UTC, at a time in seconds since 1970.
  func secondsFromGMT(at seconds: Int64) -> Int {
    guard let daylight else { return standard }
    let year = CivilDate(daysSince1970: Int((seconds + Int64(standard)).flooringQuotient(by: 86_400))).year
    let start = daylight.start.moment(in: year) - Int64(standard)
    let end = daylight.end.moment(in: year) - Int64(daylight.offset)
    // In the southern hemisphere, daylight saving time spans the turn of the year.
    let isDaylight = start < end ? (start..<end).contains(seconds) : !(end..<start).contains(seconds)
    return isDaylight ? daylight.offset : standard
  }

  init?(_ text: some Collection<UInt8>) {
    var reader = Reader(text)
    guard reader.skipName(), let west = reader.time(hours: 24) else { return nil }
    standard = -west
    guard !reader.isAtEnd else { return }
    guard reader.skipName() else { return nil }
    var offset = standard + 3600
    if !reader.isAtEnd, !reader.starts(with: ",") {
      guard let west = reader.time(hours: 24) else { return nil }
      offset = -west
    }
    // In POSIX, a rule without dates is system-dependent. Files of the time zone database always contain dates.
    guard let start = reader.change(), let end = reader.change(), reader.isAtEnd else { return nil }
    daylight = (offset, start, end)
  }
}

extension PosixTimeZone.Change {
  /// Returns the local time of the change, as the seconds since 1970 of a clock set to UTC.
  fileprivate func moment(in year: Int) -> Int64 {
    let days =
      switch day {
      case .julian(let number):
        CivilDate(year: year, month: 1, day: 1).daysSince1970 + number - 1
          + (CivilDate.isLeap(year) && number >= 60 ? 1 : 0)
      case .ordinal(let number): CivilDate(year: year, month: 1, day: 1).daysSince1970 + number
      case .weekday(let month, let week, let weekday): Self.day(year, month, week, weekday)
      }
    return Int64(days) * 86_400 + Int64(time)
  }

  private static func day(_ year: Int, _ month: Int, _ week: Int, _ weekday: Int) -> Int {
    let first = CivilDate(year: year, month: month, day: 1)
    let next =
      month == 12 ? CivilDate(year: year + 1, month: 1, day: 1) : CivilDate(year: year, month: month + 1, day: 1)
    var day = first.daysSince1970 + (weekday - first.weekday + 7) % 7 + (week - 1) * 7
    while day >= next.daysSince1970 { day -= 7 }
    return day
  }
}

private struct Reader {
  private var bytes: ArraySlice<UInt8>

  init(_ text: some Collection<UInt8>) { bytes = ArraySlice(text) }

  var isAtEnd: Bool { bytes.isEmpty }

  func starts(with letter: Unicode.Scalar) -> Bool { bytes.first == UInt8(ascii: letter) }

  mutating func skip(_ letter: Unicode.Scalar) -> Bool {
    guard starts(with: letter) else { return false }
    bytes.removeFirst()
    return true
  }

  /// Skips a zone abbreviation such as `CET` or `<+03>`.
  mutating func skipName() -> Bool {
    if skip("<") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: ">")) else { return false }
      bytes = bytes[(end + 1)...]
      return true
    }
    let rest = bytes.drop { (0x41...0x5a).contains($0 & 0xdf) }
    defer { bytes = rest }
    return bytes.count - rest.count >= 3
  }

  mutating func number(in range: ClosedRange<Int>) -> Int? {
    let digits = bytes.prefix { (0x30...0x39).contains($0) }
    guard (1...3).contains(digits.count) else { return nil }
    bytes = bytes.dropFirst(digits.count)
    let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return range.contains(value) ? value : nil
  }

  /// Parses `[+-]hh[:mm[:ss]]` as seconds.
  mutating func time(hours: Int) -> Int? {
    let sign = skip("-") ? -1 : 1
    if sign == 1 { _ = skip("+") }
    guard let hour = number(in: 0...hours) else { return nil }
    var seconds = hour * 3600
    if skip(":") {
      guard let minute = number(in: 0...59) else { return nil }
      seconds += minute * 60
      if skip(":") {
        guard let second = number(in: 0...59) else { return nil }
        seconds += second
      }
    }
    return sign * seconds
  }

  /// Parses a clock change such as `,M3.5.0/2`.
  mutating func change() -> PosixTimeZone.Change? {
    guard skip(","), let day = day() else { return nil }
    guard skip("/") else { return PosixTimeZone.Change(day: day, time: 7200) }
    guard let time = time(hours: 167) else { return nil }
    return PosixTimeZone.Change(day: day, time: time)
  }

  private mutating func day() -> PosixTimeZone.Change.Day? {
    if skip("J") { return number(in: 1...365).map { .julian($0) } }
    guard skip("M") else { return number(in: 0...365).map { .ordinal($0) } }
    guard let month = number(in: 1...12), skip("."), let week = number(in: 1...5), skip("."),
      let weekday = number(in: 0...6)
    else { return nil }
    return .weekday(month: month, week: week, weekday: weekday)
  }
}

extension FixedWidthInteger {
  func flooringQuotient(by divisor: Self) -> Self {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
