public import TrendyModels

/// One number for each day in a range, including days without events.
///
/// Days without events count as 0. If such days were omitted, two independent habits would appear negatively
/// correlated.
public struct DailySeries: Hashable, Sendable, Codable {
  /// Day of the first value.
  public let first: CivilDate
  /// One value per day.
  public private(set) var values: [Double]

  public init(first: CivilDate, values: [Double]) {
    self.first = first
    self.values = values
  }

  /// Creates a series of zeros.
  public init(_ days: ClosedRange<CivilDate>) {
    self.init(first: days.lowerBound, values: Array(repeating: 0, count: days.count))
  }

  /// Number of days.
  public var count: Int { values.count }
  /// Day after the last value.
  public var end: CivilDate { first.advanced(by: values.count) }
  /// Day of the last value.
  public var last: CivilDate { end.advanced(by: -1) }
  /// Sum of all values.
  public var total: Double { values.reduce(0, +) }

  /// Value of a day. Days outside the range read as 0, and writes to them are ignored.
  public subscript(day: CivilDate) -> Double {
    get {
      let index = first.distance(to: day)
      return values.indices.contains(index) ? values[index] : 0
    }
    set {
      let index = first.distance(to: day)
      if values.indices.contains(index) { values[index] = newValue }
    }
  }

  /// Returns this series over another range. Days outside the original range are 0.
  public func over(_ days: ClosedRange<CivilDate>) -> DailySeries {
    DailySeries(first: days.lowerBound, values: days.map { self[$0] })
  }

  /// Returns the sums of consecutive blocks of `days` days, aligned to the end. Drops an incomplete block at the start.
  public func sums(ofDays days: Int) -> [Double] {
    precondition(days > 0, "a block needs at least one day")
    let skipped = values.count % days
    return stride(from: skipped, to: values.count, by: days).map { values[$0..<($0 + days)].reduce(0, +) }
  }
}
