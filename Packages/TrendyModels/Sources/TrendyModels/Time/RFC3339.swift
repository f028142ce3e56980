public import TrendyFoundation

/// Conversion between dates and RFC 3339 text. Parses any offset and 0 to 9 fraction digits, and writes 3 digits.
public enum RFC3339: Sendable {
  /// Range of dates that have a four-digit year in UTC: years 0 to 9999.
  public static let writableDates =
    Date(timeIntervalSince1970: -62_167_219_200)..<Date(timeIntervalSince1970: 253_402_300_800)

  /// Returns whole seconds since 1970, rounded down and clamped to ``writableDates``. NaN yields the lower bound.
  static func boundedSeconds(of date: Date) -> Double {
    let edges = (writableDates.lowerBound.timeIntervalSince1970, writableDates.upperBound.timeIntervalSince1970 - 1)
    // The order of the arguments matters: comparisons with NaN are false.
    return min(max(edges.0, date.timeIntervalSince1970.rounded(.down)), edges.1)
  }

  /// Returns the wire format: UTC with three fraction digits and `Z`, such as `2024-01-01T00:00:00.000Z`. Rounded to
  /// the millisecond.
  public static func string(from date: Date) -> String {
    String(unsafeUninitializedCapacity: length) { buffer in
      write(date, to: buffer.baseAddress!)
      return length
    }
  }

  /// Length of the wire format in bytes.
  static let length = 24

  static func write(_ date: Date, to text: UnsafeMutablePointer<UInt8>) {
    writeMoment(milliseconds(of: date, offsetMinutes: 0), fractionDigits: 3, to: text)
    text[length - 1] = UInt8(ascii: "Z")
  }

  /// Returns the date with an offset in whole minutes and 0 or 3 fraction digits. Offset 0 is written as `Z`.
  public static func string(from date: Date, secondsFromGMT: Int, fractionDigits: Int = 3) -> String {
    let offsetMinutes = secondsFromGMT / 60
    return String(unsafeUninitializedCapacity: 29) { buffer in
      let text = buffer.baseAddress!
      let end = writeMoment(
        milliseconds(of: date, offsetMinutes: offsetMinutes), fractionDigits: fractionDigits, to: text)
      guard offsetMinutes != 0 else {
        text[end] = UInt8(ascii: "Z")
        return end + 1
      }
      text[end] = UInt8(ascii: offsetMinutes < 0 ? "-" : "+")
      write(abs(offsetMinutes) / 60, digits: 2, to: text + end + 1)
      text[end + 3] = UInt8(ascii: ":")
      write(abs(offsetMinutes) % 60, digits: 2, to: text + end + 4)
      return end + 6
    }
  }

  /// Returns the date rounded to the millisecond, as it is after formatting and parsing.
  public static func rounded(_ date: Date) -> Date {
    let (seconds, rest) = floorDivision(milliseconds(of: date, offsetMinutes: 0), 1000)
    return Self.date(secondsSince1970: seconds, nanoseconds: Int(rest) * 1_000_000)
  }

  /// Parses an RFC 3339 date and time, or returns `nil` if the text is invalid or the date is outside
  /// ``writableDates``.
  ///
  /// A space or a lower-case `t` may separate date and time, and the offset may lack its colon. Second 60 is the first
  /// second of the next minute.
  public static func date(from text: some StringProtocol) -> Date? {
    var text = Substring(text)
    return text.withUTF8 { parse($0) }
  }

  static func date(from text: UnsafePointer<UInt8>, count: Int) -> Date? {
    parse(UnsafeBufferPointer(start: text, count: count))
  }
}

extension RFC3339 {
  private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Date? {
    var scanner = Scanner(bytes: bytes)
    guard let year = scanner.number(digits: 4), scanner.take("-"), let month = scanner.number(digits: 2),
      scanner.take("-"), let day = scanner.number(digits: 2),
      scanner.take("T") || scanner.take("t") || scanner.take(" "),
      let hour = scanner.number(digits: 2), scanner.take(":"), let minute = scanner.number(digits: 2),
      scanner.take(":"), let second = scanner.number(digits: 2),
      (1...12).contains(month), day >= 1, day <= CivilDate.days(inMonth: month, ofYear: year), hour < 24, minute < 60,
      second <= 60
    else { return nil }
    var nanoseconds = 0
    if scanner.take(".") || scanner.take(",") {
      guard let fraction = scanner.fraction() else { return nil }
      nanoseconds = fraction
    }
    var offset = 0
    if !(scanner.take("Z") || scanner.take("z")) {
      let isWest = scanner.take("-")
      guard isWest || scanner.take("+"), let hours = scanner.number(digits: 2) else { return nil }
      _ = scanner.take(":")
      guard let minutes = scanner.number(digits: 2), hours < 24, minutes < 60 else { return nil }
      offset = (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }
    guard scanner.isAtEnd else { return nil }
    let days = CivilDate(year: year, month: month, day: day).daysSince1970
    let seconds = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
    let date = Self.date(secondsSince1970: seconds, nanoseconds: nanoseconds)
    return writableDates.contains(date) ? date : nil
  }

  /// Creates a date relative to the reference date in 2001, which keeps whole seconds exact and preserves more digits
  /// of the fraction.
  private static func date(secondsSince1970 seconds: Int64, nanoseconds: Int) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(seconds - 978_307_200) + Double(nanoseconds) / 1e9)
  }

  private struct Scanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var index = 0

    var isAtEnd: Bool { index == bytes.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }

    mutating func number(digits: Int) -> Int? {
      guard index + digits <= bytes.count else { return nil }
      var value = 0
      for _ in 0..<digits {
        let digit = bytes[index] &- UInt8(ascii: "0")
        guard digit <= 9 else { return nil }
        value = value * 10 + Int(digit)
        index += 1
      }
      return value
    }

    /// Parses up to nine fraction digits and returns nanoseconds.
    mutating func fraction() -> Int? {
      var value = 0
      var digits = 0
      while index < bytes.count, bytes[index] &- UInt8(ascii: "0") <= 9 {
        guard digits < 9 else { return nil }
        value = value * 10 + Int(bytes[index] &- UInt8(ascii: "0"))
        digits += 1
        index += 1
      }
      guard digits > 0 else { return nil }
      for _ in digits..<9 { value *= 10 }
      return value
    }
  }

  /// Returns milliseconds since 1970, clamped to years 0 to 9999. The order of the arguments makes NaN yield the lower
  /// bound.
  private static func milliseconds(of date: Date, offsetMinutes: Int) -> Int64 {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded() + Double(offsetMinutes) * 60_000
    return Int64(min(max(-62_167_219_200_000, milliseconds), 253_402_300_799_999))
  }

  /// Writes date and time without the offset and returns the number of bytes.
  @discardableResult
  private static func writeMoment(
    _ milliseconds: Int64, fractionDigits: Int, to text: UnsafeMutablePointer<UInt8>
  ) -> Int {
    let (days, rest) = floorDivision(milliseconds, 86_400_000)
    let millisecondOfDay = Int(rest)
    let (year, month, day) = CivilDate(daysSince1970: Int(days)).fields
    write(year, digits: 4, to: text)
    text[4] = UInt8(ascii: "-")
    write(month, digits: 2, to: text + 5)
    text[7] = UInt8(ascii: "-")
    write(day, digits: 2, to: text + 8)
    text[10] = UInt8(ascii: "T")
    write(millisecondOfDay / 3_600_000, digits: 2, to: text + 11)
    text[13] = UInt8(ascii: ":")
    write(millisecondOfDay / 60_000 % 60, digits: 2, to: text + 14)
    text[16] = UInt8(ascii: ":")
    write(millisecondOfDay / 1000 % 60, digits: 2, to: text + 17)
    guard fractionDigits > 0 else { return 19 }
    text[19] = UInt8(ascii: ".")
    write(millisecondOfDay % 1000, digits: 3, to: text + 20)
    return 23
  }

  private static func write(_ value: Int, digits: Int, to text: UnsafeMutablePointer<UInt8>) {
    var rest = value
    for place in (0..<digits).reversed() {
      text[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }

  private static func floorDivision(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
