/// Set of days, stored as ranges, such as the skipped days of an event type.
public struct DaySet: Hashable, Sendable {
  /// Disjoint ranges in ascending order.
  private var ranges: [ClosedRange<CivilDate>] = []

  /// Creates a set of the days in ranges, which may overlap.
  public init(_ ranges: some Sequence<ClosedRange<CivilDate>>) {
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = self.ranges.last, range.lowerBound <= last.upperBound.advanced(by: 1) {
        self.ranges[self.ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        self.ranges.append(range)
      }
    }
  }

  public var isEmpty: Bool { ranges.isEmpty }

  /// Whether the set contains a day.
  public func contains(_ day: CivilDate) -> Bool { covers(day...day) }

  /// Whether the set contains every day of a range.
  public func covers(_ days: ClosedRange<CivilDate>) -> Bool {
    // Adjacent ranges are merged, so one range contains all days or none does.
    firstRange(endingAtOrAfter: days.lowerBound)
      .map { $0.lowerBound <= days.lowerBound && days.upperBound <= $0.upperBound } ?? false
  }

  /// Whether the set contains no day of a range.
  public func isDisjoint(with days: ClosedRange<CivilDate>) -> Bool {
    firstRange(endingAtOrAfter: days.lowerBound).map { $0.lowerBound > days.upperBound } ?? true
  }

  private func firstRange(endingAtOrAfter day: CivilDate) -> ClosedRange<CivilDate>? {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < day { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count ? ranges[low] : nil
  }
}

extension DaySet: ExpressibleByArrayLiteral {
  /// Creates a set of single days.
  public init(arrayLiteral days: CivilDate...) { self.init(days.map { $0...$0 }) }
}
