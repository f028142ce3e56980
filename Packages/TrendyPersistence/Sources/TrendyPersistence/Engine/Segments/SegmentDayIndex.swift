/// Ascending sort values that delimit intervals for counting rows. Prepared once for many counts.
struct SortBoundaries {
  let sorts: [Int64]
  /// UTC day of each boundary.
  fileprivate let days: [Int32]

  init(_ sorts: [Int64]) {
    self.sorts = sorts
    days = sorts.map(SegmentDayIndex.day)
  }

  var count: Int { max(sorts.count - 1, 0) }
}

/// Day index of a run: each UTC day with rows, and the number of rows before it.
///
/// Each entry has 8 bytes: the day number and the index of the day's first row. Counting over many days reads no rows.
struct SegmentDayIndex {
  /// Length of a day, for sort values in microseconds. A hub's sort values are versions, which all fall on the first
  /// few days.
  private static let length: Int64 = 86_400_000_000

  private let base: UnsafeRawPointer
  let count: Int
  private let rowCount: Int

  init(_ base: UnsafeRawPointer, count: Int, rowCount: Int) {
    self.base = base
    self.count = count
    self.rowCount = rowCount
  }

  static func day(_ sort: Int64) -> Int32 {
    Int32(truncatingIfNeeded: sort >= 0 ? sort / length : (sort + 1) / length - 1)
  }

  private static func isStart(_ sort: Int64, of day: Int32) -> Bool { Int64(day) &* length == sort }

  @inline(__always) func day(_ index: Int) -> Int32 { Int32(bitPattern: half(base, index * 8)) }

  /// Returns the index of the first row on an entry's day, limited to the length of the run.
  @inline(__always) func first(_ index: Int) -> Int {
    index < count ? min(Int(half(base, index * 8 + 4)), rowCount) : rowCount
  }

  /// Returns the first sort value on the day of a row, or `nil` if the row is beyond the last day.
  func start(ofDayWith row: Int) -> Int64? {
    (0..<count).first { first($0 + 1) > row }.map { Int64(day($0)) &* Self.length }
  }

  /// Returns bounds for the rank of a sort value, i.e. the number of rows with lower sort values.
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

  /// Returns bounds for the rank of a sort value on `day`. `index` is the first entry that is not before `day`.
  @inline(__always) private func ranks(of sort: Int64, on day: Int32, from index: Int) -> ClosedRange<Int> {
    let first = first(index)
    guard index < count, self.day(index) == day, !Self.isStart(sort, of: day) else { return first...first }
    return first...max(first, self.first(index + 1))
  }

  /// Adds the number of rows between consecutive boundaries to `counts`. `rank` finds the exact rank of a sort value
  /// within the given bounds.
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
