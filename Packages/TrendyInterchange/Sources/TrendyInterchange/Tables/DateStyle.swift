import TrendyFoundation
import TrendyModels

/// Notation of the dates in a column, the same in all rows.
enum DateStyle: CaseIterable {
  case yearFirst
  case dayFirst
  case monthFirst
  case compact
  case seconds
  case spreadsheetDays
  case words

  /// Parsed cell: a date, possibly with a time of day and a UTC offset.
  struct Reading: Equatable {
    var day: CivilDate
    /// Seconds since midnight, or `nil` if the cell contains only a date.
    var secondOfDay: Double?
    var secondsFromGMT: Int?

    /// Returns the time. Assumes `zone` if the cell has no offset, and midnight if it has no time of day.
    func moment(in zone: ZoneClock) -> Date {
      let second = secondOfDay ?? 0
      if let secondsFromGMT {
        return Date(timeIntervalSince1970: Double(day.daysSince1970) * 86_400 + second - Double(secondsFromGMT))
      }
      return zone.date(day, secondOfDay: Int(second)).addingTimeInterval(second - second.rounded(.down))
    }
  }

  func read(_ text: String) -> Reading? {
    switch self {
    case .seconds:
      guard text.utf8.prefix(while: { $0 != 0x2E }).count >= 9,
        text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
        let number = FieldText.number(text), let moment = FieldText.moment(number)
      else { return nil }
      return Self.utc(moment)
    case .spreadsheetDays:
      guard let number = FieldText.number(text), (20_000..<60_000).contains(number) else { return nil }
      let day = Int(number)
      let second = ((number - Double(day)) * 86_400).rounded()
      // Excel counts days since 1899-12-30.
      return Reading(
        day: CivilDate(daysSince1970: day - 25_569), secondOfDay: number == Double(day) ? nil : min(second, 86_399))
    case .compact:
      let date = text.prefix(8)
      guard date.utf8.count == 8, let number = Int(date), date.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let day = Self.day(number / 10_000, number / 100 % 100, number % 100)
      else { return nil }
      return Self.reading(day, rest: text.dropFirst(8))
    case .yearFirst, .dayFirst, .monthFirst: return readNumbers(text)
    case .words: return Self.readWords(text)
    }
  }

  private func readNumbers(_ text: String) -> Reading? {
    var text = text
    let found = text.withUTF8 { bytes -> (day: CivilDate, end: Int, reading: Reading?)? in
      guard let (day, end) = readNumbers(bytes) else { return nil }
      return (day, end, Self.plainReading(day, UnsafeBufferPointer(rebasing: bytes[end...])))
    }
    guard let (day, end, reading) = found else { return nil }
    return reading ?? Self.reading(day, rest: text[text.utf8.index(text.startIndex, offsetBy: end)...])
  }

  /// Parses the date at the start and returns the date with the offset of its end.
  private func readNumbers(_ bytes: UnsafeBufferPointer<UInt8>) -> (day: CivilDate, end: Int)? {
    var index = 0
    var mark: UInt8?
    func number() -> (value: Int, digits: Int)? {
      let start = index
      var value = 0
      while index < bytes.count, bytes[index] &- 0x30 <= 9 {
        guard index - start < 4 else { return nil }
        value = value * 10 + Int(bytes[index] - 0x30)
        index += 1
      }
      return index > start ? (value, index - start) : nil
    }
    func takeMark() -> Bool {
      guard index < bytes.count, mark == nil || mark == bytes[index],
        [UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: ".")].contains(bytes[index])
      else { return false }
      mark = bytes[index]
      index += 1
      // Accept a space after the dot, as in `1. 3. 2026`.
      if mark == UInt8(ascii: "."), index < bytes.count, bytes[index] == 0x20 { index += 1 }
      return true
    }
    guard let first = number(), takeMark(), let second = number(), takeMark(), let third = number() else { return nil }
    func year(_ number: (value: Int, digits: Int)) -> Int? {
      switch number.digits {
      case 4: number.value
      case 2: number.value < 70 ? 2000 + number.value : 1900 + number.value
      default: nil
      }
    }
    let day: CivilDate? =
      switch self {
      case .yearFirst: first.digits == 4 ? Self.day(first.value, second.value, third.value) : nil
      case .dayFirst: year(third).flatMap { Self.day($0, second.value, first.value) }
      // Dates with dots always start with the day.
      case .monthFirst:
        mark == UInt8(ascii: ".") ? nil : year(third).flatMap { Self.day($0, first.value, second.value) }
      default: nil
      }
    return day.map { ($0, index) }
  }

  /// Parses the most frequent notations of a time after a date: no time, or `T08:05:09Z` with variations.
  ///
  /// The `T` may be a space, the seconds may be missing, and the offset may be missing or have the form `+01:00`.
  /// Returns `nil` for all other notations, which ``reading(_:rest:)`` parses.
  private static func plainReading(_ day: CivilDate, _ rest: UnsafeBufferPointer<UInt8>) -> Reading? {
    if rest.isEmpty { return Reading(day: day, secondOfDay: nil) }
    func pair(_ index: Int) -> Int? {
      guard index + 1 < rest.count, rest[index] &- 0x30 <= 9, rest[index + 1] &- 0x30 <= 9 else { return nil }
      return Int(rest[index] - 0x30) * 10 + Int(rest[index + 1] - 0x30)
    }
    let colon = UInt8(ascii: ":")
    guard rest[0] == UInt8(ascii: "T") || rest[0] == 0x20, let hour = pair(1), hour < 24, rest.count > 5,
      rest[3] == colon,
      let minute = pair(4), minute < 60
    else { return nil }
    var second = 0
    var index = 6
    if index < rest.count, rest[index] == colon {
      guard let value = pair(index + 1), value < 60 else { return nil }
      second = value
      index += 3
    }
    var reading = Reading(day: day, secondOfDay: Double(hour * 3600 + minute * 60 + second))
    if index == rest.count { return reading }
    if rest[index] == UInt8(ascii: "Z"), index + 1 == rest.count {
      reading.secondsFromGMT = 0
      return reading
    }
    let isWest = rest[index] == UInt8(ascii: "-")
    guard isWest || rest[index] == UInt8(ascii: "+"), index + 6 == rest.count, rest[index + 3] == colon,
      let hours = pair(index + 1), hours <= 18, let minutes = pair(index + 4), minutes < 60
    else { return nil }
    reading.secondsFromGMT = (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    return reading
  }

  /// Parses a date such as `4 Mar 2026` or `Mar 4, 2026`, and the time after it, if any.
  private static func readWords(_ text: String) -> Reading? {
    var words = text.split { $0 == " " || $0 == "," || $0 == "\u{202F}" || $0 == "\u{A0}" }
    guard words.count >= 3 else { return nil }
    // Remove a weekday, but only if another word is a month, because "mar" may begin both a month and a weekday.
    if words.count >= 4, month(words[1]) != nil || month(words[2]) != nil,
      words[0].count == 2 && words[0].allSatisfy(\.isLetter)
        || weekdays.contains(where: { words[0].lowercased().hasPrefix($0) })
    {
      words.removeFirst()
    }
    // Remove the fillers in `4 de marzo de 2026` or `4th of March`.
    words.removeAll { ["de", "del", "of", "der", "den"].contains($0.lowercased()) }
    guard words.count >= 3 else { return nil }
    func number(_ word: Substring) -> Int? {
      let digits = word.prefix { $0.isASCII && $0.isNumber }
      return [".", "er", "st", "nd", "rd", "th", ""].contains(word[digits.endIndex...].lowercased()) ? Int(digits) : nil
    }
    let date: CivilDate?
    if let month = month(words[0]), let day = number(words[1]), let year = Int(words[2]) {
      date = self.day(year, month, day)
    } else if let month = month(words[1]), let day = number(words[0]), let year = Int(words[2]) {
      date = self.day(year, month, day)
    } else {
      date = nil
    }
    return date.flatMap { reading($0, rest: words.dropFirst(3).joined(separator: " ")[...]) }
  }

  private static let weekdays =
    ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] + [
      "die", "mit", "don", "fre", "sam", "son", "lun", "mar", "mer", "jeu", "ven", "dim", "mié", "jue", "vie", "sáb",
      "dom",
      "maa", "din", "woe", "vri", "zat", "zon",
    ]

  /// Prefixes of month names in English, German, French, Spanish, Dutch, Italian and Portuguese.
  private static let months: [(beginning: String, number: Int)] = [
    "jan gen ene", "feb fév fev", "mar mär mrz maa", "apr avr abr", "may mai mag maj mei", "jun juin giu",
    "jul juil lug", "aug aoû aou ago", "sep set", "oct okt ott out", "nov", "dec dez déc dic",
  ].enumerated().flatMap { index, names in names.split(separator: " ").map { (String($0), index + 1) } }

  private static func month(_ word: Substring) -> Int? {
    guard word.count >= 3, word.first?.isLetter == true else { return nil }
    let word = word.lowercased()
    return months.first { word.hasPrefix($0.beginning) }?.number
  }

  private static func day(_ year: Int, _ month: Int, _ day: Int) -> CivilDate? {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...CivilDate.days(inMonth: month, ofYear: year)).contains(day)
    else { return nil }
    return CivilDate(year: year, month: month, day: day)
  }

  private static func utc(_ moment: Date) -> Reading {
    let seconds = moment.timeIntervalSince1970
    let day = (seconds / 86_400).rounded(.down)
    return Reading(day: CivilDate(daysSince1970: Int(day)), secondOfDay: seconds - day * 86_400, secondsFromGMT: 0)
  }

  private static func reading(_ day: CivilDate, rest: Substring) -> Reading? {
    var rest = rest.drop { $0 == " " || $0 == "T" || $0 == "," || $0 == "\u{202F}" || $0 == "\u{A0}" }
    for word in ["um ", "at ", "om ", "à ", "kl. "] where rest.lowercased().hasPrefix(word) {
      rest = rest.dropFirst(word.count)
    }
    // Remove the zone name, which JavaScript appends in parentheses and Java in brackets.
    if let end = rest.firstIndex(where: { $0 == "(" || $0 == "[" }) { rest = rest[..<end] }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    guard !rest.isEmpty else { return Reading(day: day, secondOfDay: nil) }
    guard let (second, offset) = clock(rest) else { return nil }
    // 24:00 is midnight at the end of the day.
    return Reading(
      day: second >= 86_400 ? day.advanced(by: 1) : day, secondOfDay: second >= 86_400 ? second - 86_400 : second,
      secondsFromGMT: offset)
  }

  /// Parses a time such as `8:05`, `08:05:09.5`, `8:05 p.m.` or `080509`, with `Z` or an offset if present. Returns the
  /// seconds since midnight and the UTC offset in seconds.
  static func clock(_ text: Substring) -> (secondOfDay: Double, secondsFromGMT: Int?)? {
    var rest = text
    func number(_ most: Int) -> Int? {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }.prefix(most)
      rest = rest[digits.endIndex...]
      return Int(digits)
    }
    func take(_ character: Character) -> Bool {
      guard rest.first == character else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard var hour = number(2) else { return nil }
    var minute = 0
    var second = 0.0
    let hasMark = take(":") || take("h") || take("H")
    if hasMark, rest.first?.isNumber != true, text.contains(":") { return nil }
    if rest.first?.isNumber == true {
      guard let value = number(2) else { return nil }
      minute = value
      if hasMark ? take(":") : rest.first?.isNumber == true {
        guard let whole = number(2) else { return nil }
        second = Double(whole)
        if take(".") || take(",") {
          let digits = rest.prefix { $0.isASCII && $0.isNumber }
          guard let fraction = Double("0.\(digits)") else { return nil }
          second += fraction
          rest = rest[digits.endIndex...]
        }
      }
    }
    rest = rest.drop { $0 == " " || $0 == "\u{202F}" || $0 == "\u{A0}" }
    let word = rest.lowercased().filter { $0 != "." && $0 != " " }
    if word == "uhr" {
      rest = ""
    } else if word == "am" || word == "pm" {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (word == "pm" ? 12 : 0)
      rest = ""
    } else if !hasMark, text.count < 4 {
      return nil
    }
    guard hour <= 24, minute < 60, second < 61, hour < 24 || minute == 0 && second == 0 else { return nil }
    var offset: Int?
    if rest.hasPrefix("UTC") || rest.hasPrefix("GMT") {
      rest = rest.dropFirst(3)
      if rest.isEmpty { offset = 0 }
    }
    if take("Z") || take("z") {
      offset = 0
    } else if let sign = rest.first, sign == "+" || sign == "-" {
      rest = rest.dropFirst()
      guard let hours = number(2), hours <= 18 else { return nil }
      _ = take(":")
      let minutes = rest.isEmpty ? 0 : number(2)
      guard let minutes, minutes < 60 else { return nil }
      offset = (hours * 3600 + minutes * 60) * (sign == "-" ? -1 : 1)
    }
    guard rest.isEmpty else { return nil }
    return (Double(hour * 3600 + minute * 60) + min(second, 59.999), offset)
  }
}

struct DateEvidence {
  private var fits: [DateStyle: Int] = [:]
  private var dayOnly = 0
  private var monthOnly = 0
  /// First cell that is a valid but different date in each order.
  private var ambiguous: String?
  private var isTwelveHours = false
  private var slashDates = 0
  private var last: [DateStyle: CivilDate] = [:]
  private var isRising: Set<DateStyle> = [.dayFirst, .monthFirst]
  private var isFalling: Set<DateStyle> = [.dayFirst, .monthFirst]

  mutating func add(_ text: String) {
    // No other style accepts a date that starts with a four-digit year.
    if DateStyle.yearFirst.read(text) != nil { return fits[.yearFirst, default: 0] += 1 }
    let readings = DateStyle.allCases.compactMap { style in style.read(text).map { (style: style, reading: $0) } }
    for (style, reading) in readings {
      fits[style, default: 0] += 1
      guard style == .dayFirst || style == .monthFirst else { continue }
      if let before = last[style] {
        if reading.day < before { isRising.remove(style) }
        if reading.day > before { isFalling.remove(style) }
      }
      last[style] = reading.day
    }
    let day = readings.first { $0.style == .dayFirst }?.reading
    let month = readings.first { $0.style == .monthFirst }?.reading
    guard day != nil || month != nil else { return }
    slashDates += 1
    if month == nil { dayOnly += 1 } else if day == nil { monthOnly += 1 }
    if day != nil, month != nil, day != month { ambiguous = ambiguous ?? text }
    let lower = text.lowercased()
    if lower.hasSuffix("am") || lower.hasSuffix("pm") || lower.hasSuffix("m.") { isTwelveHours = true }
  }

  /// Whether the day comes first in the unambiguous dates, or `nil` if there are none or at least a tenth have the
  /// other order.
  var isDayFirst: Bool? {
    if dayOnly > monthOnly * 9 { return true }
    if monthOnly > dayOnly * 9 { return false }
    return nil
  }

  /// Determines the notation of the column.
  ///
  /// - Parameters:
  ///   - chosen: Order of day and month that the user specified.
  ///   - other: Order in another date column of the table.
  ///   - isContinental: Whether the table's number format suggests a country in which the day comes first.
  /// - Throws: ``InterchangeError/ambiguousDates(cell:dayFirst:monthFirst:)`` if nothing determines the order.
  func decide(chosen: Bool?, other: Bool?, isContinental: Bool) throws(InterchangeError) -> DateColumn {
    let best = DateStyle.allCases.max { (fits[$0] ?? 0) < (fits[$1] ?? 0) } ?? .yearFirst
    guard slashDates > 0 else { return DateColumn(style: best) }
    let isMixed = dayOnly > 0 && monthOnly > 0 && isDayFirst == nil
    if let chosen { return column(chosen) }
    if let isDayFirst { return column(isDayFirst) }
    guard let ambiguous else { return DateColumn(style: .dayFirst, readsBothOrders: isMixed) }
    if !isMixed {
      if let other { return column(other) }
      // Choose the order in which the dates are sorted, because most tables are sorted by time.
      let ordered = [DateStyle.dayFirst, .monthFirst].filter { isRising.contains($0) || isFalling.contains($0) }
      if slashDates > 2, ordered.count == 1 { return DateColumn(style: ordered[0]) }
      if isContinental != isTwelveHours { return column(isContinental) }
    }
    func day(_ style: DateStyle) -> String { style.read(ambiguous).map { "\($0.day)" } ?? "" }
    throw .ambiguousDates(cell: ambiguous, dayFirst: day(.dayFirst), monthFirst: day(.monthFirst))
  }

  private func column(_ isDayFirst: Bool) -> DateColumn { DateColumn(style: isDayFirst ? .dayFirst : .monthFirst) }
}

struct DateColumn {
  var style: DateStyle = .yearFirst
  /// Whether a date that is valid in only one order is parsed in that order. Set if both orders occur and no cell is
  /// ambiguous.
  var readsBothOrders = false

  /// Whether the day comes first, or `nil` for a notation without an ambiguous order.
  var isDayFirst: Bool? { style == .dayFirst ? true : style == .monthFirst ? false : nil }

  func read(_ text: String) -> DateStyle.Reading? {
    if let reading = style.read(text) { return reading }
    // Try these notations first, because they are unambiguous in any column.
    if let reading = DateStyle.yearFirst.read(text) ?? DateStyle.words.read(text) { return reading }
    return readsBothOrders ? DateStyle.monthFirst.read(text) : nil
  }
}
