import TrendyModels

/// HTTP dates (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Formats seconds since 1970, clamped to the years 1970 to 9999.
  static func text(second: Int64) -> String {
    let second = min(max(second, 0), 253_402_300_799)
    let day = Int(second / 86_400)
    let rest = Int(second % 86_400)
    let date = CivilDate(daysSince1970: day)
    let (year, month, dayOfMonth) = date.fields
    let time = "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
    return "\(days[date.weekday]), \(two(dayOfMonth)) \(months[month - 1]) \(year) \(time) GMT"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
