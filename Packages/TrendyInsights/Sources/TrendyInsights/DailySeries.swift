public import TrendyModels

/// A number for each day of a span, also for days on which nothing was recorded.
///
/// Leaving those out would make two independent habits look like opposites: on a day that has one of them and not the other, only
/// the absence tells.
public struct DailySeries: Hashable, Sendable, Codable {
  public let first: CivilDate
  /// One a day.
  public private(set) var values: [Double]

  public init(first: CivilDate, values: [Double]) {
    self.first = first
    self.values = values
  }

  /// Zeros.
  public init(_ days: ClosedRange<CivilDate>) {
    self.init(first: days.lowerBound, values: Array(repeating: 0, count: days.count))
  }

  public var count: Int { values.count }
  /// The day after the last.
  public var end: CivilDate { first.advanced(by: values.count) }
  public var last: CivilDate { end.advanced(by: -1) }
  public var total: Double { values.reduce(0, +) }

  /// 0 outside of the span; setting one outside of it does nothing.
  public subscript(day: CivilDate) -> Double {
    get {
      let place = first.distance(to: day)
      return values.indices.contains(place) ? values[place] : 0
    }
    set {
      let place = first.distance(to: day)
      if values.indices.contains(place) { values[place] = newValue }
    }
  }

  /// The same over other days, with 0 for those that this one does not have.
  public func over(_ days: ClosedRange<CivilDate>) -> DailySeries {
    DailySeries(first: days.lowerBound, values: days.map { self[$0] })
  }

  /// Sums of `days` days each, the last of them whole; days at the beginning that fill none are left out.
  public func sums(ofDays days: Int) -> [Double] {
    precondition(days > 0, "a sum is of a day or more")
    let skipped = values.count % days
    return stride(from: skipped, to: values.count, by: days).map { values[$0..<($0 + days)].reduce(0, +) }
  }
}
