/// Typical number of events per day: median and quartiles of the last 28 days.
///
/// Includes today and days without events.
public struct UsualDay: Hashable, Sendable, Codable {
  /// Median number of events per day.
  public let median: Double
  /// Lower quartile.
  public let lower: Double
  /// Upper quartile.
  public let upper: Double
  /// Number of days considered, 7 to 28.
  public let days: Int
}

extension UsualDay {
  /// Computes the typical day from the last 28 days of a series. Requires at least 7 days.
  static func of(_ days: DailySeries) -> Finding<UsualDay> {
    let recent = days.values.suffix(28).sorted()
    guard recent.count >= 7 else { return .needsDays(7 - recent.count) }
    return .found(
      UsualDay(
        median: Distribution.quantile(0.5, of: recent), lower: Distribution.quantile(0.25, of: recent),
        upper: Distribution.quantile(0.75, of: recent), days: recent.count))
  }
}

extension TypeHistory {
  /// Typical day. Requires 7 days since the first event.
  public var usualDay: Finding<UsualDay> { UsualDay.of(days) }
}
