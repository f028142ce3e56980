public import TrendyFoundation
import TrendyModels

/// Fixed dates in UTC.
public enum DeterministicDate: Sendable {
  /// 2024-01-01T00:00:00Z.
  public static let jan1_2024 = make(year: 2024, month: 1, day: 1)
  /// 2024-06-15T12:00:00Z.
  public static let jun15_2024 = make(year: 2024, month: 6, day: 15, hour: 12)
  /// 2024-12-31T23:59:59Z.
  public static let dec31_2024 = make(year: 2024, month: 12, day: 31, hour: 23, minute: 59, second: 59)

  /// Creates a date of the Gregorian calendar in UTC. Days, hours, minutes and seconds beyond their range roll over.
  /// - Precondition: `month` is 1 to 12.
  public static func make(
    year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0
  ) -> Date {
    precondition((1...12).contains(month), "invalid month \(month)")
    let days = CivilDate(year: year, month: month, day: day).daysSince1970
    return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
  }
}
