/// What a day usually has: the median of the last 28 days, and the middle half of them.
///
/// Days without an event are among them, and so is today.
public struct UsualDay: Hashable, Sendable, Codable {
  public let median: Double
  /// A quarter of the days have less.
  public let lower: Double
  /// A quarter of the days have more.
  public let upper: Double
  /// That were looked at, 7 to 28.
  public let days: Int
}

extension UsualDay {
  /// Of the last 28 days of a series. It takes 7.
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
  /// It takes 7 days since the first event.
  public var usualDay: Finding<UsualDay> { UsualDay.of(days) }
}
