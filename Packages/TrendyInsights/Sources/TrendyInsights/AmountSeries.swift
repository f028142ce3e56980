public import TrendyModels

/// How the numbers of several events become one.
public enum AmountSummary: String, Hashable, Sendable, Codable, CaseIterable {
  case sum, mean

  /// - Returns: `nil` for the mean of nothing, and for a sum too large to be a number. The sum of nothing is 0.
  func callAsFunction(_ numbers: some Collection<Double>) -> Double? {
    let sum = numbers.reduce(0, +)
    let count = Double(numbers.count)
    // Parts of numbers whose sum is too large, on the way or in the end.
    func sumOfParts(_ divisor: Double) -> Double { numbers.reduce(0) { $0 + $1 / divisor } }
    guard self == .mean else {
      if sum.isFinite { return sum }
      // A power of two, which loses no digit.
      let divisor = Double(sign: .plus, exponent: count.exponent + 1, significand: 1)
      let whole = sumOfParts(divisor) * divisor
      return whole.isFinite ? whole : nil
    }
    guard let least = numbers.min(), let most = numbers.max() else { return nil }
    let mean = sum.isFinite ? sum / count : sumOfParts(count)
    return min(max(mean, least), most)
  }
}

/// One number for each day, week or month.
public struct AmountSeries: Hashable, Sendable, Codable {
  public struct Point: Hashable, Sendable, Codable {
    /// Of a week or month at either end those that are looked at.
    public let days: ClosedRange<CivilDate>
    /// `nil` for the mean of nothing, and for a sum too large to be a number.
    public let value: Double?
    /// Events that it is made of.
    public let events: Int
  }

  /// One for each period, also for those without an event.
  public let points: [Point]

  /// Events that all of it is made of.
  public var events: Int { points.reduce(0) { $0 + $1.events } }
  public var values: [Double] { points.compactMap(\.value) }
}

extension ClosedRange<CivilDate> {
  /// The parts of it that lie in different periods.
  /// - Parameters:
  ///   - period: how long a part is, but for the first and the last.
  ///   - firstWeekday: with which weeks begin; 0 is Sunday.
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
  /// Events of each day, week or month.
  /// - Parameters:
  ///   - period: how long a step is.
  ///   - days: that are looked at.
  ///   - firstWeekday: with which weeks begin; 0 is Sunday.
  public func series(
    by period: CalendarPeriod, over days: ClosedRange<CivilDate>, firstWeekday: Int
  ) -> AmountSeries {
    AmountSeries(
      points: days.split(by: period, firstWeekday: firstWeekday).map { days in
        let total = self.days.over(days).total
        return AmountSeries.Point(days: days, value: total, events: Int(total))
      })
  }

  /// For each day the mean of it and of those before, as many as the window has; `nil` where the history has not so many.
  /// - Parameters:
  ///   - window: days, 1 or more.
  ///   - days: that are asked for.
  public func movingMean(ofDays window: Int, over days: ClosedRange<CivilDate>) -> [Double?] {
    days.map { day in
      let first = day.advanced(by: 1 - window)
      guard self.days.count > 0, first >= self.days.first, day <= today else { return nil }
      return self.days.over(first...day).total / Double(window)
    }
  }
}
