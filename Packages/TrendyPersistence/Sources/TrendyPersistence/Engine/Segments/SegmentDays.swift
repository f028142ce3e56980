/// Moments between which rows are counted, prepared once for many counts.
struct SortBoundaries {
  let sorts: [Int64]
  /// The day of each.
  fileprivate let days: [Int32]

  /// - Parameter sorts: they rise.
  init(_ sorts: [Int64]) {
    self.sorts = sorts
    days = sorts.map(SegmentDays.day)
  }

  /// How many stretches lie between them.
  var count: Int { max(sorts.count - 1, 0) }
}

/// On which days a run of rows has some, and how many rows come before each: 8 bytes a day, its number and the place of its
/// first row in the run. So a count over many days looks at no row.
struct SegmentDays {
  /// What a day is in sort values that are microseconds; a hub's versions all fall on the first ones, at no cost.
  private static let length: Int64 = 86_400_000_000

  private let base: UnsafeRawPointer
  let count: Int
  /// Rows of the run.
  private let rowCount: Int

  /// - Parameter base: `count` days, checked.
  init(_ base: UnsafeRawPointer, count: Int, rowCount: Int) {
    self.base = base
    self.count = count
    self.rowCount = rowCount
  }

  static func day(_ sort: Int64) -> Int32 {
    Int32(truncatingIfNeeded: sort >= 0 ? sort / length : (sort + 1) / length - 1)
  }

  /// Whether a day begins with it.
  private static func isStart(_ sort: Int64, of day: Int32) -> Bool { Int64(day) &* length == sort }

  @inline(__always) func day(_ index: Int) -> Int32 { Int32(bitPattern: half(base, index * 8)) }

  /// The first row from this day on, never beyond the run.
  @inline(__always) func first(_ index: Int) -> Int {
    index < count ? min(Int(half(base, index * 8 + 4)), rowCount) : rowCount
  }

  /// The first sort value of the day that a row of the run is on.
  func start(ofDayWith row: Int) -> Int64? {
    (0..<count).first { first($0 + 1) > row }.map { Int64(day($0)) &* Self.length }
  }

  /// Where the rank of a sort value lies.
  func ranks(of sort: Int64) -> ClosedRange<Int> {
    let day = Self.day(sort)
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self.day(middle) < day { low = middle + 1 } else { high = middle }
    }
    return ranks(of: sort, on: day, from: low)
  }

  /// - Parameter index: the first day that is not before `day`.
  @inline(__always) private func ranks(of sort: Int64, on day: Int32, from index: Int) -> ClosedRange<Int> {
    let first = first(index)
    guard index < count, self.day(index) == day, !Self.isStart(sort, of: day) else { return first...first }
    return first...max(first, self.first(index + 1))
  }

  /// Adds how many rows lie from each boundary up to the next.
  /// - Parameter rank: finds one within ranks.
  func addCounts<Failure: Error>(
    _ boundaries: SortBoundaries, to counts: inout [Int], rank: (Int64, ClosedRange<Int>) throws(Failure) -> Int
  ) throws(Failure) {
    var index = 0
    var previous = 0
    for place in boundaries.sorts.indices {
      let day = boundaries.days[place]
      while index < count, self.day(index) < day { index += 1 }
      let range = ranks(of: boundaries.sorts[place], on: day, from: index)
      let rank = range.count == 1 ? range.lowerBound : try rank(boundaries.sorts[place], range)
      if place > 0 { counts[place - 1] += rank - previous }
      previous = rank
    }
  }
}
