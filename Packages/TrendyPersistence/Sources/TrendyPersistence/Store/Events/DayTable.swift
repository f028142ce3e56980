import TrendyFoundation

/// The first moments of the days of a time zone, so that a row is put into its day without asking a calendar.
struct DayTable {
  /// Rising; the first is not after `from`, the last not after `through`.
  private(set) var starts: [Date] = []
  private let timeZone: TimeZone
  /// The sort values that it is made for.
  private let sorts: ClosedRange<Int64>
  /// Between the days, and beyond every sort value at both ends.
  private var boundaries = SortBoundaries([])

  /// Days from that of one moment through that of another.
  init(from first: Date, through last: Date, timeZone: TimeZone) {
    self.timeZone = timeZone
    sorts = RowOrder.sort(first)...RowOrder.sort(last)
    list(from: first, through: last)
    boundaries = SortBoundaries([.min] + starts.dropFirst().map(RowOrder.sort) + [.max])
  }

  /// Whether the days of these sort values are in it.
  func covers(_ sorts: ClosedRange<Int64>, _ timeZone: TimeZone) -> Bool {
    self.sorts.lowerBound <= sorts.lowerBound && sorts.upperBound <= self.sorts.upperBound && timeZone == self.timeZone
  }

  /// The days that a range touches, by the place of the first, and what to count between: the edges of the range, and every
  /// midnight in it.
  func days(of range: Range<Int64>?) -> (first: Int, boundaries: SortBoundaries) {
    guard let range else { return (0, boundaries) }
    // The first midnight behind its beginning is the end of the first day.
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
      // Midnight is a day on while the zone's offset stays; the few days on which it changes are the calendar's.
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
  /// The place of the first of which it is true; of all behind it is too.
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
