public import TrendyModels

/// What there is of a type around a day: the mean of the last days, and the middle half of more of them.
public struct MovingRange: Hashable, Sendable, Codable {
  public let mean: Double
  /// A quarter of the days, or weeks, had less.
  public let lower: Double
  /// A quarter of the days, or weeks, had more.
  public let upper: Double

  /// Over how many windows of one length a ``MovingRange`` goes.
  public struct Span: Hashable, Sendable {
    /// Days of one window.
    public let length: Int
    /// Windows whose mean is taken, the last one that ends on the day.
    public let mean: Int
    /// Windows of which the middle half is taken.
    public let middle: Int
    /// Windows that it takes.
    public let least: Int

    /// The mean of 14 days, the middle half of 28.
    public static let days = Span(length: 1, mean: 14, middle: 28, least: 7)
    /// The mean of 4 weeks, the middle half of 12.
    public static let weeks = Span(length: 7, mean: 4, middle: 12, least: 4)
    /// Of 30 days each: the mean of 3 months, the middle half of 12.
    public static let months = Span(length: 30, mean: 3, middle: 12, least: 3)
  }
}

extension TypeHistory {
  /// The mean and the middle half of the windows that end with a day. Windows with an excused day in them are left out: of such a
  /// day nothing was asked.
  /// - Parameters:
  ///   - span: how long a window is, and how many are looked at.
  ///   - day: the last of them, up to today.
  ///   - skips: excused days.
  /// - Returns: `nil` of an excused day, of one after today, and before the history has enough windows.
  public func movingRange(
    _ span: MovingRange.Span, endingOn day: CivilDate, skips: Set<CivilDate> = []
  ) -> MovingRange? {
    guard days.count > 0, day <= today, !skips.contains(day) else { return nil }
    var sums: [Double] = []
    var last = day
    while sums.count < span.middle {
      let first = last.advanced(by: 1 - span.length)
      guard first >= days.first else { break }
      if skips.isEmpty || !(first...last).contains(where: skips.contains) { sums.append(total(first...last)) }
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
