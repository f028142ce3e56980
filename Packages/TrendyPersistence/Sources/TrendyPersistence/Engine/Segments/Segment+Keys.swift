extension Segment {
  /// Rows of a kind in key order, as a range in the segment's row lists.
  struct KeyedRun {
    fileprivate let list: Int
    let counts: KeyOrder.Counts
  }

  func keyedRun(kind: UInt8) throws(StorageError) -> KeyedRun? {
    guard let rows = footer.kinds.first(where: { $0.kind == kind }) else { return nil }
    guard let place = try entry(kind: kind, group: KeyOrder.group) else {
      throw .damaged(path: path, offset: footer.groupsAt)
    }
    let numbers = [16, 24, 32, 40].map { Int(exactly: word(base, place + $0)) ?? -1 }
    let (first, count, sevens, others) = (numbers[0], numbers[1], numbers[2], numbers[3])
    guard numbers.allSatisfy({ (0...footer.listCount).contains($0) }), first <= footer.listCount - count,
      count == rows.count, sevens <= count, others <= count - sevens
    else { throw .damaged(path: path, offset: place) }
    let counts = KeyOrder.Counts(versionSeven: sevens, otherUUIDs: others, hashes: count - sevens - others)
    return KeyedRun(list: footer.listsAt + first * 4, counts: counts)
  }

  /// Returns the upper half of the greatest version 7 UUID among a kind's keys, or 0 if there is none.
  func newestVersionSeven(kind: UInt8) throws(StorageError) -> UInt64 {
    guard let run = try keyedRun(kind: kind), run.counts.versionSeven > 0 else { return 0 }
    return RowLayout.key(try record(row(run.counts.versionSeven - 1, of: run))).high
  }

  func row(_ index: Int, of run: KeyedRun) throws(StorageError) -> Int {
    let place = run.list + index * 4
    try check(place, 4)
    let row = Int(half(base, place))
    guard row < footer.rowCount else { throw .damaged(path: path, offset: place) }
    return row
  }

  /// Returns the first index in `places` whose key has an upper half of at least `high`, or the end of the range.
  func place(ofKeysFrom high: UInt64, in places: Range<Int>, of run: KeyedRun) throws(StorageError) -> Int {
    var (low, end) = (places.lowerBound, places.upperBound)
    // Ids increase with time and a segment spans a few days, so usually all keys are below or above `high`.
    if low < end, RowLayout.key(try record(row(end - 1, of: run))).high < high { return end }
    if low < end, RowLayout.key(try record(row(low, of: run))).high >= high { return low }
    while low < end {
      let middle = (low + end) / 2
      if RowLayout.key(try record(row(middle, of: run))).high < high { low = middle + 1 } else { end = middle }
    }
    return low
  }

  /// Whether the key order of a kind is sorted and contains each of the kind's rows once.
  func keysFit(_ kind: SegmentFooter.Kind) throws(StorageError) -> Bool {
    guard let run = try keyedRun(kind: kind.kind) else { return false }
    var seen = [Bool](repeating: false, count: kind.count)
    var last: (sort: Int, high: UInt64)?
    for index in 0..<run.counts.all {
      let row = try row(index, of: run)
      guard row >= kind.first, row - kind.first < kind.count, !seen[row - kind.first] else { return false }
      seen[row - kind.first] = true
      let key = RowLayout.key(try record(row))
      let place = (sort: key.isHash ? 2 : key.isVersionSeven ? 0 : 1, high: key.isHash ? 0 : key.high)
      let sevens = run.counts.versionSeven
      guard place.sort == (index < sevens ? 0 : index < sevens + run.counts.otherUUIDs ? 1 : 2) else { return false }
      if let last, place < last { return false }
      last = place
    }
    return true
  }
}
