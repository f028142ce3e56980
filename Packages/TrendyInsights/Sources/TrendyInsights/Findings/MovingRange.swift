public import TrendyModels

/// Moving average and interquartile range of a type, up to a given day.
public struct MovingRange: Hashable, Sendable, Codable {
  /// Mean of the most recent windows.
  public let mean: Double
  /// Lower quartile of the windows.
  public let lower: Double
  /// Upper quartile of the windows.
  public let upper: Double

  /// Length and number of the windows on which a ``MovingRange`` is based.
  public struct Span: Hashable, Sendable {
    /// Length of a window in days.
    public let length: Int
    /// Number of windows in the mean, ending on the day.
    public let mean: Int
    /// Number of windows in the interquartile range.
    public let middle: Int
    /// Minimum number of windows.
    public let least: Int

    /// Single days: mean of the last 14, quartiles of the last 28.
    public static let days = Span(length: 1, mean: 14, middle: 28, least: 7)
    /// Weeks: mean of the last 4, quartiles of the last 12.
    public static let weeks = Span(length: 7, mean: 4, middle: 12, least: 4)
    /// Months of 30 days: mean of the last 3, quartiles of the last 12.
    public static let months = Span(length: 30, mean: 3, middle: 12, least: 3)
  }
}

extension TypeHistory {
  /// Computes mean and quartiles of the windows up to a day. Ignores windows that contain a skipped day, because no
  /// events were expected on that day.
  /// - Returns: The moving range, or `nil` for a skipped or future day and if the history has too few windows.
  public func movingRange(
    _ span: MovingRange.Span, endingOn day: CivilDate, skips: DaySet = []
  ) -> MovingRange? {
    guard days.count > 0, day <= today, !skips.contains(day) else { return nil }
    var sums: [Double] = []
    var last = day
    while sums.count < span.middle {
      let first = last.advanced(by: 1 - span.length)
      guard first >= days.first else { break }
      if skips.isDisjoint(with: first...last) { sums.append(total(first...last)) }
      last = first.advanced(by: -1)
    }
    guard sums.count >= span.least else { return nil }
    let recent = sums.prefix(span.mean)
    let sorted = sums.sorted()
    return MovingRange(
      mean: recent.reduce(0, +) / Double(recent.count), lower: Distribution.quantile(0.25, of: sorted),
      upper: Distribution.quantile(0.75, of: sorted))
  }

  private func total(_ days: ClosedRange<CivilDate>) -> Double { days.reduce(0) { $0 + self.days[$1] } }
}
