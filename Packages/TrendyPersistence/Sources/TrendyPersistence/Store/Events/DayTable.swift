import TrendyFoundation

/// Table of the days in a time zone, for assigning rows to days without a calendar.
struct DayTable {
  /// Ascending start times of all days, from the day with the start of the range to the day with its end.
  private(set) var starts: [Date] = []
  private let timeZone: TimeZone
  private let sorts: ClosedRange<Int64>
  /// Sort values of the midnights between days, plus the extreme values at both ends.
  private var boundaries = SortBoundaries([])

  init(from first: Date, through last: Date, timeZone: TimeZone) {
    self.timeZone = timeZone
    sorts = RowOrder.sort(first)...RowOrder.sort(last)
    list(from: first, through: last)
    boundaries = SortBoundaries([.min] + starts.dropFirst().map(RowOrder.sort) + [.max])
  }

  func covers(_ sorts: ClosedRange<Int64>, _ timeZone: TimeZone) -> Bool {
    self.sorts.lowerBound <= sorts.lowerBound && sorts.upperBound <= self.sorts.upperBound && timeZone == self.timeZone
  }

  /// Returns the index of the first day in a range, and the boundaries for counting: the ends of the range and every
  /// midnight within it.
  func days(of range: Range<Int64>?) -> (first: Int, boundaries: SortBoundaries) {
    guard let range else { return (0, boundaries) }
    // The first day ends at the first midnight after the start of the range.
    let inner = boundaries.sorts.dropLast()
    let first = max(inner.partition { $0 > range.lowerBound } - 1, 0)
    let midnights = inner.dropFirst(first + 1).prefix { $0 < range.upperBound }
    return (first, SortBoundaries([range.lowerBound] + midnights + [range.upperBound]))
  }

  private mutating func list(from first: Date, through last: Date) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    var start = calendar.startOfDay(for: first)
    starts.append(start)
    var offset = Double(timeZone.secondsFromGMT(for: start))
    var nextChange = timeZone.nextDaylightSavingTimeTransition(after: start)
    while true {
      // While the zone's offset is constant, midnights are 24 hours apart. A calendar is needed only for days when the
      // offset changes.
      var next = start.addingTimeInterval(86_400)
      let isPlain = nextChange.map { next < $0 } ?? true
      let isMidnight = (next.timeIntervalSinceReferenceDate + offset).truncatingRemainder(dividingBy: 86_400) == 0
      if !isPlain || !isMidnight {
        next = calendar.startOfDay(for: start.addingTimeInterval(129_600))
        if next <= start { next = calendar.startOfDay(for: start.addingTimeInterval(180_000)) }
        offset = Double(timeZone.secondsFromGMT(for: next))
        nextChange = timeZone.nextDaylightSavingTimeTransition(after: next)
      }
      if next > last || next <= start { return }
      starts.append(next)
      start = next
    }
  }
}

extension ArraySlice where Element == Int64 {
  /// Returns the index of the first element that satisfies a predicate. All later elements must satisfy it too.
  fileprivate func partition(_ isBehind: (Int64) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
