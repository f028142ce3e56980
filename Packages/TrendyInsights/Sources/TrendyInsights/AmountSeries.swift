public import TrendyModels

/// Method of combining the values of several events into one number.
public enum AmountSummary: String, Hashable, Sendable, Codable, CaseIterable {
  case sum, mean

  /// Combines numbers into their sum or mean.
  ///
  /// - Returns: The sum or mean, or `nil` for the mean of no numbers and for a sum beyond the range of `Double`. The
  ///   sum of no numbers is 0.
  func callAsFunction(_ numbers: some Collection<Double>) -> Double? {
    let sum = numbers.reduce(0, +)
    let count = Double(numbers.count)
    // Scale each number down, because the sum can overflow even if the final result does not.
    func sumOfParts(_ divisor: Double) -> Double { numbers.reduce(0) { $0 + $1 / divisor } }
    guard self == .mean else {
      if sum.isFinite { return sum }
      // Division by a power of two is exact.
      let divisor = Double(sign: .plus, exponent: count.exponent + 1, significand: 1)
      let whole = sumOfParts(divisor) * divisor
      return whole.isFinite ? whole : nil
    }
    guard let least = numbers.min(), let most = numbers.max() else { return nil }
    let mean = sum.isFinite ? sum / count : sumOfParts(count)
    return min(max(mean, least), most)
  }
}

/// Series with one number per day, week or month.
public struct AmountSeries: Hashable, Sendable, Codable {
  /// Period of the series with its value.
  public struct Point: Hashable, Sendable, Codable {
    /// Days of the period. The first and the last period of a series can be shorter than a full one.
    public let days: ClosedRange<CivilDate>
    /// Sum or mean of the period, or `nil` for the mean of no events and for a sum beyond the range of `Double`.
    public let value: Double?
    /// Number of events that contribute to the value.
    public let events: Int
  }

  /// One point per period, including periods without events.
  public let points: [Point]

  /// Number of events in all periods.
  public var events: Int { points.reduce(0) { $0 + $1.events } }
  /// Values in order. Periods without a value are omitted.
  public var values: [Double] { points.compactMap(\.value) }
}

extension ClosedRange<CivilDate> {
  /// Splits the range at the calendar's period boundaries. The first and the last part can be shorter than the rest. A
  /// `firstWeekday` of 0 means Sunday.
  public func split(by period: CalendarPeriod, firstWeekday: Int) -> [ClosedRange<CivilDate>] {
    var parts: [ClosedRange<CivilDate>] = []
    var first = lowerBound
    while first <= upperBound {
      let last = Swift.min(period.days(around: first, firstWeekday: firstWeekday).upperBound, upperBound)
      parts.append(first...last)
      first = last.advanced(by: 1)
    }
    return parts
  }
}

extension TypeHistory {
  /// Returns the number of events per day, week or month. A `firstWeekday` of 0 means Sunday.
  public func series(
    by period: CalendarPeriod, over days: ClosedRange<CivilDate>, firstWeekday: Int
  ) -> AmountSeries {
    AmountSeries(
      points: days.split(by: period, firstWeekday: firstWeekday).map { days in
        let total = self.days.over(days).total
        return AmountSeries.Point(days: days, value: total, events: Int(total))
      })
  }

  /// Returns the trailing moving average of the events per day, one value for each of `days`.
  ///
  /// The average is `nil` for days before the first full window and for future days. `window` is at least 1.
  public func movingMean(ofDays window: Int, over days: ClosedRange<CivilDate>) -> [Double?] {
    days.map { day in
      let first = day.advanced(by: 1 - window)
      guard self.days.count > 0, first >= self.days.first, day <= today else { return nil }
      return self.days.over(first...day).total / Double(window)
    }
  }
}
