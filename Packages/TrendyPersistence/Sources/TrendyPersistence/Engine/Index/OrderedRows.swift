/// Row numbers ordered by sort value, then key, in leaves of up to 512 rows.
///
/// An insertion moves the elements of only one leaf. Appending, the usual case because timestamps mostly increase,
/// moves no elements.
final class OrderedRows {
  private final class Leaf {
    var sorts: [Int64] = []
    var rows: [UInt32] = []
  }

  private struct Position {
    var leaf: Int
    var index: Int
  }

  private static let largestLeaf = 512
  private var leaves: [Leaf] = []
  private(set) var count = 0

  /// Inserts a row. `records` contains the addresses of all rows by row number. Rows with equal sort values are ordered
  /// by their keys.
  func insert(_ row: UInt32, sort: Int64, records: UnsafePointer<UnsafeRawPointer>) {
    count += 1
    guard let last = leaves.last else {
      let leaf = Leaf()
      leaf.sorts.append(sort)
      leaf.rows.append(row)
      leaves.append(leaf)
      return
    }
    let key = RowLayout.key(records[Int(row)])
    let end = last.sorts.count - 1
    if sort > last.sorts[end] || (sort == last.sorts[end] && key > RowLayout.key(records[Int(last.rows[end])])) {
      if last.sorts.count < Self.largestLeaf {
        last.sorts.append(sort)
        last.rows.append(row)
      } else {
        let leaf = Leaf()
        leaf.sorts.reserveCapacity(Self.largestLeaf)
        leaf.rows.reserveCapacity(Self.largestLeaf)
        leaf.sorts.append(sort)
        leaf.rows.append(row)
        leaves.append(leaf)
      }
      return
    }
    let position = place(sort: sort, key: key, records: records)
    let leaf = leaves[position.leaf]
    leaf.sorts.insert(sort, at: position.index)
    leaf.rows.insert(row, at: position.index)
    if leaf.sorts.count > Self.largestLeaf { split(position.leaf) }
  }

  func remove(_ row: UInt32, sort: Int64, records: UnsafePointer<UnsafeRawPointer>) {
    let position = place(sort: sort, key: RowLayout.key(records[Int(row)]), records: records)
    guard position.leaf < leaves.count, leaves[position.leaf].rows[position.index] == row else {
      preconditionFailure("row \(row) with sort value \(sort) is missing from its index of \(count) rows")
    }
    count -= 1
    let leaf = leaves[position.leaf]
    leaf.sorts.remove(at: position.index)
    leaf.rows.remove(at: position.index)
    if leaf.sorts.isEmpty { leaves.remove(at: position.leaf) }
  }

  /// Appends up to `limit` rows with sort values in `lower..<upper` to `result`.
  func collect(
    from lower: Int64, to upper: Int64, descending: Bool, limit: Int, records: UnsafePointer<UnsafeRawPointer>,
    into result: inout [UnsafeRawPointer], unless isHidden: ((UnsafeRawPointer) -> Bool)?
  ) {
    guard lower < upper, limit > 0 else { return }
    var left = limit
    let start = first(atLeast: lower)
    let end = first(atLeast: upper)
    if descending {
      var leafIndex = end.leaf
      var index = end.index
      while left > 0, leafIndex > start.leaf || (leafIndex == start.leaf && index > start.index) {
        if index == 0 {
          leafIndex -= 1
          index = leaves[leafIndex].sorts.count
          continue
        }
        index -= 1
        let record = records[Int(leaves[leafIndex].rows[index])]
        if let isHidden, isHidden(record) { continue }
        result.append(record)
        left -= 1
      }
      return
    }
    var leafIndex = start.leaf
    var index = start.index
    while left > 0, leafIndex < end.leaf || (leafIndex == end.leaf && index < end.index) {
      let leaf = leaves[leafIndex]
      if index == leaf.sorts.count {
        leafIndex += 1
        index = 0
        continue
      }
      let record = records[Int(leaf.rows[index])]
      index += 1
      if let isHidden, isHidden(record) { continue }
      result.append(record)
      left -= 1
    }
  }

  /// Adds the number of rows between consecutive boundaries to `counts`. The boundaries must be ascending.
  func addCounts(boundaries: [Int64], to counts: inout [Int]) {
    var leafIndex = 0
    var before = 0
    var previousRank = 0
    for (index, boundary) in boundaries.enumerated() {
      while leafIndex < leaves.count, let last = leaves[leafIndex].sorts.last, last < boundary {
        before += leaves[leafIndex].sorts.count
        leafIndex += 1
      }
      let rank = leafIndex < leaves.count ? before + Self.lowerBound(leaves[leafIndex].sorts, boundary) : before
      if index > 0 { counts[index - 1] += rank - previousRank }
      previousRank = rank
    }
  }

  private func split(_ index: Int) {
    let leaf = leaves[index]
    let middle = leaf.sorts.count / 2
    let upper = Leaf()
    upper.sorts = Array(leaf.sorts[middle...])
    upper.rows = Array(leaf.rows[middle...])
    leaf.sorts.removeSubrange(middle...)
    leaf.rows.removeSubrange(middle...)
    leaves.insert(upper, at: index + 1)
  }

  private func first(atLeast sort: Int64) -> Position {
    var low = 0
    var high = leaves.count
    while low < high {
      let middle = (low + high) / 2
      if let last = leaves[middle].sorts.last, last < sort { low = middle + 1 } else { high = middle }
    }
    guard low < leaves.count else { return Position(leaf: low, index: 0) }
    return Position(leaf: low, index: Self.lowerBound(leaves[low].sorts, sort))
  }

  /// Returns the position of the row with this sort value and key, or its insertion point.
  private func place(sort: Int64, key: RowKey, records: UnsafePointer<UnsafeRawPointer>) -> Position {
    func isBelow(_ leaf: Leaf, _ index: Int) -> Bool {
      let other = leaf.sorts[index]
      return other != sort ? other < sort : RowLayout.key(records[Int(leaf.rows[index])]) < key
    }
    var low = 0
    var high = leaves.count
    while low < high {
      let middle = (low + high) / 2
      if isBelow(leaves[middle], leaves[middle].sorts.count - 1) { low = middle + 1 } else { high = middle }
    }
    guard low < leaves.count else { return Position(leaf: low, index: 0) }
    let leaf = leaves[low]
    var from = 0
    var to = leaf.sorts.count
    while from < to {
      let middle = (from + to) / 2
      if isBelow(leaf, middle) { from = middle + 1 } else { to = middle }
    }
    return Position(leaf: low, index: from)
  }

  private static func lowerBound(_ sorts: [Int64], _ sort: Int64) -> Int {
    var low = 0
    var high = sorts.count
    while low < high {
      let middle = (low + high) / 2
      if sorts[middle] < sort { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
