import TrendyFoundation
import TrendyModels

/// Parser of the `Retry-After` header (RFC 9110, 10.2.3): seconds or a date.
enum RetryAfter {
  /// Maximum delay. Limits the effect of a mistyped number.
  static let longest: Duration = .seconds(86_400)

  /// Parses a header value.
  ///
  /// - Parameters:
  ///   - text: value of the header.
  ///   - date: `Date` header of the response. A `Retry-After` date is relative to it, because the device's clock may be
  ///     wrong.
  ///   - now: current time, used if the response has no `Date`.
  /// - Returns: `nil` for an invalid value, zero for a past date.
  static func duration(_ text: String, date: String?, now: Date) -> Duration? {
    let text = text.drop { $0 == " " || $0 == "\t" }
    if let first = text.first, first.isNumber {
      guard text.allSatisfy({ ("0"..."9").contains($0) || $0 == " " }) else { return nil }
      let digits = text.prefix { $0 != " " }
      guard let seconds = Int64(digits) else { return digits.count > 18 ? longest : nil }
      return min(.seconds(seconds), longest)
    }
    guard let until = HTTPDate.date(from: String(text)) else { return nil }
    let start = date.flatMap { HTTPDate.date(from: $0) } ?? now
    let seconds = min(max(until.timeIntervalSince(start), 0), 86_400)
    return .milliseconds(Int64((seconds * 1000).rounded(.up)))
  }
}

/// Parser for the three HTTP date formats (RFC 9110, 5.6.7), all in UTC.
enum HTTPDate {
  static func date(from text: String) -> Date? {
    let parts = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
    // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT; Sun Nov  6 08:49:37 1994
    guard parts.count == 6 || parts.count == 5 else { return nil }
    let isAsctime = parts.count == 5
    let dayText = isAsctime ? parts[2] : parts[1]
    let monthText = isAsctime ? parts[1] : parts[2]
    let yearText = isAsctime ? parts[4] : parts[3]
    let clock = (isAsctime ? parts[3] : parts[4]).split(separator: ":", omittingEmptySubsequences: false)
    guard isAsctime || parts[5] == "GMT", let month = months.firstIndex(of: monthText), let day = number(dayText),
      var year = number(yearText), clock.count == 3, let hour = number(clock[0]), let minute = number(clock[1]),
      let second = number(clock[2]), (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    if yearText.count == 2 { year += year < 70 ? 2000 : 1900 }
    guard (1601...9999).contains(year) else { return nil }
    let date = CivilDate(year: year, month: month + 1, day: day)
    let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second
    return Date(timeIntervalSince1970: Double(seconds))
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func number(_ text: some StringProtocol) -> Int? {
    guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
  }
}
