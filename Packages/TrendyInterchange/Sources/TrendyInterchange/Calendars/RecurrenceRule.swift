import TrendyFoundation
public import TrendyModels

/// Local date and time without a zone, used to compute recurrences.
public struct WallTime: Hashable, Sendable, Comparable {
  public var day: CivilDate
  /// Seconds since midnight, less than 86,400.
  public var secondOfDay: Int

  /// Creates a local time from a date and the seconds since midnight.
  public init(day: CivilDate, secondOfDay: Int = 0) {
    self.day = day
    self.secondOfDay = secondOfDay
  }

  /// Parses a time such as `20261120` or `20261120T083000`, also with dashes and colons. Ignores a final `Z`.
  ///
  /// Returns `nil` if the string is not a valid date.
  public init?(_ text: some StringProtocol) {
    var digits = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
    let date = digits.prefix(8)
    func number(_ bytes: some Collection<UInt8>) -> Int? { Int(String(decoding: Array(bytes), as: UTF8.self)) }
    guard date.count == 8, date.allSatisfy({ (0x30...0x39).contains($0) }), let value = number(date) else { return nil }
    let (year, month, day) = (value / 10_000, value / 100 % 100, value % 100)
    guard year > 0, (1...12).contains(month), (1...CivilDate.days(inMonth: month, ofYear: year)).contains(day) else {
      return nil
    }
    self.day = CivilDate(year: year, month: month, day: day)
    secondOfDay = 0
    guard digits.count > 8 else { return }
    if digits.count == 13 || digits.count == 14 && digits[13] == UInt8(ascii: "Z") {
      digits.insert(contentsOf: Array("00".utf8), at: 13)
    }
    let time = digits.dropFirst(9).prefix(6)
    guard digits[8] == UInt8(ascii: "T"), time.count == 6, time.allSatisfy({ (0x30...0x39).contains($0) }),
      let clock = number(time), clock / 10_000 < 24, clock / 100 % 100 < 60, clock % 100 <= 60,
      digits.count == 15 || digits.count == 16 && digits[15] == UInt8(ascii: "Z")
    else { return nil }
    secondOfDay = min(clock / 10_000 * 3600 + clock / 100 % 100 * 60 + clock % 100, 86_399)
  }

  /// Returns whether the first time is earlier than the second.
  public static func < (left: WallTime, right: WallTime) -> Bool {
    (left.day.daysSince1970, left.secondOfDay) < (right.day.daysSince1970, right.secondOfDay)
  }
}

/// Recurrence rule (RFC 5545, 3.3.10).
///
/// Dates that do not exist, such as 31 April, are skipped. Parts missing from the rule are taken from the start of the
/// series.
public struct RecurrenceRule: Hashable, Sendable {
  /// Unit of the interval between instances.
  public enum Frequency: String, Hashable, Sendable, CaseIterable {
    case secondly = "SECONDLY"
    case minutely = "MINUTELY"
    case hourly = "HOURLY"
    case daily = "DAILY"
    case weekly = "WEEKLY"
    case monthly = "MONTHLY"
    case yearly = "YEARLY"
  }

  /// Weekday (0 for Sunday) with its ordinal within the month or year. An ordinal of 0 means every such day, and a
  /// negative ordinal counts from the end.
  struct Day: Hashable, Sendable {
    var ordinal: Int
    var weekday: Int
  }

  public var frequency: Frequency
  /// Number of frequency units between instances, 1 to 1,000,000.
  public var interval = 1
  /// Maximum number of instances, including the start, or `nil` if unlimited.
  public var count: Int?
  /// Latest possible instance, inclusive, as a local time in the zone of the start.
  public var until: WallTime?
  /// Whether `until` is specified in UTC.
  public private(set) var isUntilUTC = false
  private var weekStart = 1
  private var months: Set<Int> = []
  private var weeks: [Int] = []
  private var yearDays: [Int] = []
  private var monthDays: [Int] = []
  private var days: [Day] = []
  private var hours: [Int] = []
  private var minutes: [Int] = []
  private var seconds: [Int] = []
  private var positions: [Int] = []

  /// Parses a rule such as `FREQ=WEEKLY;BYDAY=MO`. Returns `nil` if the rule is invalid.
  public init?(_ text: some StringProtocol) {
    var frequency: Frequency?
    var parts: [(String, Substring)] = []
    for part in text.split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2 else { return nil }
      let name = pair[0].uppercased()
      if name == "FREQ" {
        frequency = Frequency(rawValue: pair[1].uppercased())
      } else {
        parts.append((name, Substring(pair[1])))
      }
    }
    guard let frequency else { return nil }
    self.frequency = frequency
    for (name, value) in parts { guard take(name, value) else { return nil } }
  }

  private mutating func take(_ name: String, _ value: Substring) -> Bool {
    func numbers(_ range: ClosedRange<Int>) -> [Int]? {
      let values = value.split(separator: ",").map { Int($0) }
      guard !values.isEmpty, values.count <= 400 else { return nil }
      var numbers: [Int] = []
      for case let number? in values where range.contains(abs(number)) && (number >= 0 || range.lowerBound > 0) {
        numbers.append(number)
      }
      return numbers.count == values.count ? numbers : nil
    }
    switch name {
    case "INTERVAL":
      guard let number = Int(value), (1...1_000_000).contains(number) else { return false }
      interval = number
    case "COUNT":
      // Accept negative numbers, because Android writes -1 for an unlimited number.
      guard let number = Int(value), number != 0 else { return false }
      if number > 0 { count = number }
    case "UNTIL":
      guard let time = WallTime(value) else { return false }
      until = time
      isUntilUTC = value.hasSuffix("Z")
      if value.count == 8 { until?.secondOfDay = 86_399 }
    case "WKST":
      guard let weekday = Self.weekday(value) else { return false }
      weekStart = weekday
    case "BYDAY":
      for word in value.split(separator: ",") {
        let name = word.suffix(2)
        guard let weekday = Self.weekday(name), let ordinal = word.count == 2 ? 0 : Int(word.dropLast(2)),
          abs(ordinal) <= 53, word.count == 2 || ordinal != 0
        else { return false }
        days.append(Day(ordinal: ordinal, weekday: weekday))
      }
    case "BYMONTH":
      guard let list = numbers(1...12) else { return false }
      months = Set(list.map { abs($0) })
    case "BYWEEKNO": guard let list = numbers(1...53) else { return false }; weeks = list
    case "BYYEARDAY": guard let list = numbers(1...366) else { return false }; yearDays = list
    case "BYMONTHDAY": guard let list = numbers(1...31) else { return false }; monthDays = list
    case "BYHOUR": guard let list = numbers(0...23) else { return false }; hours = Array(Set(list)).sorted()
    case "BYMINUTE": guard let list = numbers(0...59) else { return false }; minutes = Array(Set(list)).sorted()
    case "BYSECOND":
      guard let list = numbers(0...60) else { return false }; seconds = Array(Set(list.map { min($0, 59) })).sorted()
    case "BYSETPOS": guard let list = numbers(1...366) else { return false }; positions = list
    default: break
    }
    return true
  }

  private static func weekday(_ name: some StringProtocol) -> Int? {
    ["SU", "MO", "TU", "WE", "TH", "FR", "SA"].firstIndex(of: name.uppercased())
  }
}

// MARK: Expansion

extension RecurrenceRule {
  /// Maximum number of instances in an expansion.
  public static let limit = 100_000
  /// Maximum number of periods to search. Stops the search for a rule without instances.
  private static let longestSearch = 500_000

  /// Returns the instances of the rule between two times, inclusive, in order.
  ///
  /// Without a `count`, periods before `first` are skipped at no cost.
  ///
  /// - Parameters:
  ///   - start: Start of the series.
  ///   - first: Earliest instance to return.
  ///   - last: Latest instance to return.
  public func occurrences(from start: WallTime, in first: WallTime, through last: WallTime) -> [WallTime] {
    expanded(from: start, in: first, through: last).times
  }

  /// Like ``occurrences(from:in:through:)``. Also returns whether ``limit`` cut off later instances.
  func expanded(
    from start: WallTime, in first: WallTime, through last: WallTime
  ) -> (times: [WallTime], isCut: Bool) {
    var found: [WallTime] = []
    var counted = 0
    var index = 0
    var isCut = false
    if count == nil { index = skipped(from: start, to: first) }
    let end = until.map { min($0, last) } ?? last
    func take(_ time: WallTime) -> Bool {
      if let count, counted >= count { return false }
      if time > end { return false }
      if found.count >= Self.limit {
        isCut = true
        return false
      }
      counted += 1
      if time >= first { found.append(time) }
      return true
    }
    guard until.map({ start <= $0 }) ?? true, take(start) else { return (found, false) }
    for step in 0..<Self.longestSearch {
      guard let (times, begin) = period(index + step, of: start), begin <= end else { return (found, isCut) }
      for time in times where time > start {
        if !take(time) { return (found, isCut) }
      }
    }
    return (found, true)
  }

  /// Returns the number of periods that end before `first` and can be skipped.
  private func skipped(from start: WallTime, to first: WallTime) -> Int {
    guard first > start else { return 0 }
    let days = first.day.daysSince1970 - start.day.daysSince1970
    let seconds = days * 86_400 + first.secondOfDay - start.secondOfDay
    let periods: Int
    switch frequency {
    case .yearly: periods = first.day.year - start.day.year - 1
    case .monthly: periods = (first.day.year - start.day.year) * 12 + first.day.month - start.day.month - 1
    case .weekly: periods = days / 7 - 1
    case .daily: periods = days - 1
    case .hourly: periods = seconds / 3600 - 1
    case .minutely: periods = seconds / 60 - 1
    case .secondly: periods = seconds - 1
    }
    return max(0, periods / interval - 1)
  }

  /// Returns the instances in a period, in order, and the beginning of the period. Returns `nil` after the year 9999.
  private func period(_ index: Int, of start: WallTime) -> (times: [WallTime], begin: WallTime)? {
    let (offset, isTooFar) = index.multipliedReportingOverflow(by: interval)
    guard !isTooFar else { return nil }
    switch frequency {
    case .yearly:
      let year = start.day.year + offset
      guard year <= 9999 else { return nil }
      let begin = CivilDate(year: year, month: 1, day: 1)
      return (times(on: yearlyDays(year, start), start), WallTime(day: begin))
    case .monthly:
      let month = start.day.year * 12 + start.day.month - 1 + offset
      guard month / 12 <= 9999 else { return nil }
      let begin = CivilDate(year: month / 12, month: month % 12 + 1, day: 1)
      return (times(on: monthlyDays(begin, start), start), WallTime(day: begin))
    case .weekly:
      let back = (start.day.weekday - weekStart + 7) % 7
      let begin = start.day.advanced(by: offset * 7 - back)
      guard begin.year <= 9999 else { return nil }
      let wanted = days.isEmpty ? [start.day.weekday] : days.map(\.weekday)
      let week = (0..<7).map { begin.advanced(by: $0) }.filter { wanted.contains($0.weekday) && holds($0) }
      return (times(on: week, start), WallTime(day: begin))
    case .daily:
      let day = start.day.advanced(by: offset)
      guard day.year <= 9999 else { return nil }
      return (times(on: holds(day) && holdsWeekday(day) ? [day] : [], start), WallTime(day: day))
    case .hourly, .minutely, .secondly: return shortPeriod(offset, of: start)
    }
  }

  private func shortPeriod(_ offset: Int, of start: WallTime) -> (times: [WallTime], begin: WallTime)? {
    let unit = frequency == .hourly ? 3600 : frequency == .minutely ? 60 : 1
    let whole = start.secondOfDay - start.secondOfDay % unit + offset * unit
    let day = start.day.advanced(by: whole / 86_400)
    guard day.year <= 9999 else { return nil }
    let second = whole % 86_400
    let begin = WallTime(day: day, secondOfDay: second)
    guard holds(day), holdsWeekday(day), hours.isEmpty || hours.contains(second / 3600),
      frequency == .hourly || minutes.isEmpty || minutes.contains(second / 60 % 60),
      frequency != .secondly || seconds.isEmpty || seconds.contains(second % 60)
    else { return ([], begin) }
    var times: [WallTime] = []
    let minuteList =
      frequency == .hourly ? (minutes.isEmpty ? [start.secondOfDay / 60 % 60] : minutes) : [second / 60 % 60]
    let secondList =
      frequency == .secondly ? [second % 60] : (seconds.isEmpty ? [start.secondOfDay % 60] : seconds)
    for minute in minuteList {
      for each in secondList {
        times.append(WallTime(day: day, secondOfDay: second / 3600 * 3600 + minute * 60 + each))
      }
    }
    return (chosen(times), begin)
  }

  private func times(on days: [CivilDate], _ start: WallTime) -> [WallTime] {
    let hourList = hours.isEmpty ? [start.secondOfDay / 3600] : hours
    let minuteList = minutes.isEmpty ? [start.secondOfDay / 60 % 60] : minutes
    let secondList = seconds.isEmpty ? [start.secondOfDay % 60] : seconds
    var times: [WallTime] = []
    for day in days {
      for hour in hourList {
        for minute in minuteList {
          for second in secondList {
            times.append(WallTime(day: day, secondOfDay: hour * 3600 + minute * 60 + second))
          }
        }
      }
    }
    return chosen(times)
  }

  private func chosen(_ times: [WallTime]) -> [WallTime] {
    guard !positions.isEmpty else { return times }
    let indexes = Set(positions.map { $0 > 0 ? $0 - 1 : times.count + $0 })
    return times.enumerated().filter { indexes.contains($0.offset) }.map(\.element)
  }

  // MARK: Days

  private func holds(_ day: CivilDate) -> Bool {
    let (year, month, number) = day.fields
    guard months.isEmpty || months.contains(month) else { return false }
    if !monthDays.isEmpty {
      let length = CivilDate.days(inMonth: month, ofYear: year)
      guard monthDays.contains(number) || monthDays.contains(number - length - 1) else { return false }
    }
    if !yearDays.isEmpty {
      let length = CivilDate.isLeap(year) ? 366 : 365
      let ordinal = day.daysSince1970 - CivilDate(year: year, month: 1, day: 1).daysSince1970 + 1
      guard yearDays.contains(ordinal) || yearDays.contains(ordinal - length - 1) else { return false }
    }
    return true
  }

  private func holdsWeekday(_ day: CivilDate) -> Bool {
    days.isEmpty || days.contains { $0.weekday == day.weekday }
  }

  private func monthlyDays(_ begin: CivilDate, _ start: WallTime) -> [CivilDate] {
    let length = CivilDate.days(inMonth: begin.month, ofYear: begin.year)
    let month = (0..<length).map { begin.advanced(by: $0) }
    if days.isEmpty, monthDays.isEmpty, yearDays.isEmpty {
      return month.filter { $0.day == start.day.day && holds($0) }
    }
    return month.filter { holds($0) && isNamed($0, begin, length) }
  }

  /// Whether a date matches BYDAY. `begin` and `length` describe the month or year to which ordinals refer.
  private func isNamed(_ day: CivilDate, _ begin: CivilDate, _ length: Int) -> Bool {
    guard !days.isEmpty else { return true }
    let index = day.daysSince1970 - begin.daysSince1970
    let weekday = day.weekday
    return days.contains { named in
      guard named.weekday == weekday else { return false }
      return named.ordinal == 0 || named.ordinal == index / 7 + 1 || named.ordinal == -((length - 1 - index) / 7 + 1)
    }
  }

  private func yearlyDays(_ year: Int, _ start: WallTime) -> [CivilDate] {
    let begin = CivilDate(year: year, month: 1, day: 1)
    let length = CivilDate.isLeap(year) ? 366 : 365
    if !weeks.isEmpty { return weekDays(year, start) }
    if days.isEmpty, monthDays.isEmpty, yearDays.isEmpty {
      let wanted = months.isEmpty ? [start.day.month] : months.sorted()
      return wanted.compactMap { month in
        start.day.day <= CivilDate.days(inMonth: month, ofYear: year)
          ? CivilDate(year: year, month: month, day: start.day.day) : nil
      }
    }
    return (0..<length).map { begin.advanced(by: $0) }.filter { day in
      guard holds(day) else { return false }
      // Ordinals refer to the month if the rule contains BYMONTH, and to the year otherwise.
      guard !months.isEmpty else { return isNamed(day, begin, length) }
      let (year, month, _) = day.fields
      return isNamed(
        day, CivilDate(year: year, month: month, day: 1), CivilDate.days(inMonth: month, ofYear: year))
    }
  }

  /// Returns the dates in a calendar year that BYWEEKNO selects.
  ///
  /// A week belongs to the year that contains most of its days. The first dates of a year may therefore be in the last
  /// week of the previous year, and the last dates in the first week of the next year.
  private func weekDays(_ year: Int, _ start: WallTime) -> [CivilDate] {
    func firstWeek(_ year: Int) -> CivilDate {
      let begin = CivilDate(year: year, month: 1, day: 1)
      let back = (begin.weekday - weekStart + 7) % 7
      return begin.advanced(by: back <= 3 ? -back : 7 - back)
    }
    let firsts = (year - 1...year + 2).map { firstWeek($0).daysSince1970 }
    let isAnyDay = days.isEmpty && monthDays.isEmpty && yearDays.isEmpty
    let wanted = isAnyDay ? [start.day.weekday] : days.map(\.weekday)
    let begin = CivilDate(year: year, month: 1, day: 1)
    return (0..<(CivilDate.isLeap(year) ? 366 : 365)).map { begin.advanced(by: $0) }.filter { day in
      guard holds(day), wanted.isEmpty || wanted.contains(day.weekday) else { return false }
      let index = day.daysSince1970 < firsts[1] ? 0 : day.daysSince1970 < firsts[2] ? 1 : 2
      let number = (day.daysSince1970 - firsts[index]) / 7 + 1
      let count = (firsts[index + 1] - firsts[index]) / 7
      return weeks.contains(number) || weeks.contains(number - count - 1)
    }
  }
}
