/// Order of rows in a scan: by sort value, then key.
enum ScanOrder {
  static func isBelow(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    let leftSort = RowLayout.sort(left)
    let rightSort = RowLayout.sort(right)
    return leftSort != rightSort ? leftSort < rightSort : RowLayout.key(left) < RowLayout.key(right)
  }

  /// Whether one row precedes another in a segment or a backup: by kind, then in scan order.
  static func isBelowInSegment(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    let (leftKind, rightKind) = (RowLayout.kind(left), RowLayout.kind(right))
    return leftKind != rightKind ? leftKind < rightKind : isBelow(left, right)
  }

  /// Merges two sorted lists and returns at most `limit` rows.
  static func merge(
    _ left: [UnsafeRawPointer], _ right: [UnsafeRawPointer], descending: Bool, limit: Int
  ) -> [UnsafeRawPointer] {
    if right.isEmpty { return left }
    if left.isEmpty { return right }
    var result: [UnsafeRawPointer] = []
    result.reserveCapacity(min(left.count + right.count, limit))
    var leftIndex = 0
    var rightIndex = 0
    while result.count < limit, leftIndex < left.count || rightIndex < right.count {
      let takesLeft: Bool
      if leftIndex == left.count {
        takesLeft = false
      } else if rightIndex == right.count {
        takesLeft = true
      } else {
        takesLeft = isBelow(left[leftIndex], right[rightIndex]) != descending
      }
      if takesLeft {
        result.append(left[leftIndex])
        leftIndex += 1
      } else {
        result.append(right[rightIndex])
        rightIndex += 1
      }
    }
    return result
  }
}

/// Rows that are not deleted, in segment order.
///
/// Uses a radix sort per kind on those bytes of the sort values that differ. A comparison sort would be slow because it
/// reads two scattered addresses per comparison.
final class SortedRows {
  private struct Entry: BitwiseCopyable {
    /// Sort value mapped to an unsigned number with the same order.
    var sort: UInt64
    var record: UnsafeRawPointer
  }

  private let entries: UnsafeMutableBufferPointer<Entry>

  init(_ lists: [UnsafeBufferPointer<UnsafeRawPointer>]) {
    var places = [Int](repeating: 0, count: 257)
    for list in lists {
      for record in list where !RowLayout.isDeletion(record) { places[Int(RowLayout.kind(record)) + 1] += 1 }
    }
    for kind in 1...256 { places[kind] += places[kind - 1] }
    let starts = places
    entries = .allocate(capacity: starts[256])
    for list in lists {
      for record in list where !RowLayout.isDeletion(record) {
        let kind = Int(RowLayout.kind(record))
        entries.initializeElement(
          at: places[kind], to: Entry(sort: UInt64(bitPattern: RowLayout.sort(record)) ^ 1 << 63, record: record))
        places[kind] += 1
      }
    }
    let room = UnsafeMutableBufferPointer<Entry>.allocate(capacity: entries.count)
    defer { room.deallocate() }
    for kind in 0..<256 where starts[kind + 1] - starts[kind] > 1 {
      let part = starts[kind]..<starts[kind + 1]
      Self.sort(
        UnsafeMutableBufferPointer(rebasing: entries[part]), room: UnsafeMutableBufferPointer(rebasing: room[part]))
    }
  }

  deinit { entries.deallocate() }

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  func forEach(_ body: (UnsafeRawPointer) throws(StorageError) -> Void) throws(StorageError) {
    for entry in entries { try body(entry.record) }
  }

  /// Sorts the entries of one kind. `room` is scratch space of the same length.
  private static func sort(_ entries: UnsafeMutableBufferPointer<Entry>, room: UnsafeMutableBufferPointer<Entry>) {
    var differing: UInt64 = 0
    var isSorted = true
    for index in 1..<entries.count {
      differing |= entries[index].sort ^ entries[0].sort
      if entries[index].sort < entries[index - 1].sort { isSorted = false }
    }
    var (source, target) = (entries, room)
    if !isSorted {
      for shift in stride(from: UInt64(0), to: 64, by: 8) where differing &>> shift & 0xFF != 0 {
        sort(source, by: shift, to: target)
        (source, target) = (target, source)
      }
    }
    var start = 0
    while start < source.count {
      var end = start + 1
      while end < source.count, source[end].sort == source[start].sort { end += 1 }
      if end > start + 1 {
        var same = UnsafeMutableBufferPointer(rebasing: source[start..<end])
        same.sort { RowLayout.key($0.record) < RowLayout.key($1.record) }
      }
      start = end
    }
    if source.baseAddress != entries.baseAddress { _ = entries.update(fromContentsOf: source) }
  }

  private static func sort(
    _ source: UnsafeMutableBufferPointer<Entry>, by shift: UInt64, to target: UnsafeMutableBufferPointer<Entry>
  ) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { places in
      places.initialize(repeating: 0)
      for entry in source { places[Int(entry.sort &>> shift & 0xFF)] += 1 }
      var before = 0
      for byte in 0..<256 { (places[byte], before) = (before, before + places[byte]) }
      for entry in source {
        let byte = Int(entry.sort &>> shift & 0xFF)
        target.initializeElement(at: places[byte], to: entry)
        places[byte] += 1
      }
    }
  }
}
