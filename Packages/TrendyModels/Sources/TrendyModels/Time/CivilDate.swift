/// Date in the proleptic Gregorian calendar without a time zone, such as `2026-11-22`.
public struct CivilDate: Hashable, Sendable {
  /// Number of days since 1970-01-01.
  public let daysSince1970: Int

  /// Creates a date from a number of days.
  ///
  /// - Parameter daysSince1970: days since 1970-01-01, at most 3,000,000 years before or after.
  public init(daysSince1970: Int) {
    self.daysSince1970 = daysSince1970
  }

  /// Creates a date from year, month and day.
  ///
  /// - Parameters:
  ///   - year: astronomical year, where 0 is 1 BC.
  ///   - month: 1 to 12.
  ///   - day: from 1. A day beyond the end of the month carries over.
  public init(year: Int, month: Int, day: Int) {
    // Compute in eras of 400 years that begin in March (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    let year = month <= 2 ? year - 1 : year
    let era = year.flooringQuotient(by: 400)
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    daysSince1970 = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Parses a date in the format `2026-11-22`, or returns `nil` if the text is not a valid date.
  public init?(_ text: some StringProtocol) {
    let digits = Array(text.utf8)
    guard digits.count == 10, digits[4] == UInt8(ascii: "-"), digits[7] == UInt8(ascii: "-") else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      digits[range].reduce(0) { value, digit in
        guard let value, (0x30...0x39).contains(digit) else { return nil }
        return value * 10 + Int(digit - 0x30)
      }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), (1...12).contains(month),
      (1...Self.days(inMonth: month, ofYear: year)).contains(day)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  public var year: Int { fields.year }
  /// Month, 1 to 12.
  public var month: Int { fields.month }
  /// Day of the month, 1 to 31.
  public var day: Int { fields.day }
  /// Day of the week, where 0 is Sunday.
  public var weekday: Int { (daysSince1970 + 4) - (daysSince1970 + 4).flooringQuotient(by: 7) * 7 }

  /// Year, month and day, computed together.
  public var fields: (year: Int, month: Int, day: Int) {
    let shifted = daysSince1970 + 719_468
    let era = shifted.flooringQuotient(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// Returns whether a year is a leap year.
  public static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  /// Returns the number of days in a month. `month` is 1 to 12.
  public static func days(inMonth month: Int, ofYear year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: isLeap(year) ? 29 : 28
    default: 31
    }
  }
}

extension CivilDate: Strideable {
  public static func < (left: Self, right: Self) -> Bool { left.daysSince1970 < right.daysSince1970 }
  public func distance(to other: Self) -> Int { other.daysSince1970 - daysSince1970 }
  public func advanced(by days: Int) -> Self { Self(daysSince1970: daysSince1970 + days) }
}

extension CivilDate: CustomStringConvertible {
  /// The date in the format `2026-11-22`. Years are padded to four digits, and longer years are written in full.
  public var description: String {
    let (year, month, day) = fields
    func padded(_ value: Int, _ digits: Int) -> String {
      let text = String(abs(value))
      return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }
}

extension CivilDate: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let date = Self(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "invalid date \"\(text)\": expected a date such as 2026-11-22")
    }
    self = date
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
