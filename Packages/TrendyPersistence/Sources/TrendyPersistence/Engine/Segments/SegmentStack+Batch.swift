/// Lookups of many keys or groups at once.
///
/// The lookups follow the order of each segment's index, so that a cache line read for one lookup also serves the next.
/// In any other order an import would spend most of its time waiting for memory.
extension SegmentStack {
  /// Calls `body` with each live row found and the index of its key, in no particular order.
  func find(
    kind: UInt8, keys: [RowKey], _ body: (Int, Found) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard mayHold(kind: kind) else { return }
    var left = keys.indices.map { UInt64(Memtable.hash(kind, keys[$0])) << 32 | UInt64($0) }
    left.sort()
    // Search the newest segment first, because most lookups are for recent rows.
    for layer in layers.reversed() where layer.holdsLiving(kind) {
      // Most keys belong to new entities, and version 7 UUIDs increase with time, so most keys are above the segment's
      // newest.
      let newest = left.count > Self.fewKeys ? try layer.segment.newestVersionSeven(kind: kind) : .max
      var others: [UInt64] = []
      others.reserveCapacity(left.count)
      for entry in left {
        let index = Int(entry & 0xFFFF_FFFF)
        let key = keys[index]
        if key.high <= newest || !key.isVersionSeven, let record = try layer.living(kind: kind, key: key) {
          try body(index, Found(layer: layer, record: record))
        } else {
          others.append(entry)
        }
      }
      left = others
      layer.letGo(after: keys.count)
    }
  }

  /// Calls `body` with each live row whose key belongs to one of the hashes, in no particular order. `hashes` contains
  /// the first key of each hash in ascending order.
  func find(
    kind: UInt8, hashes: [RowKey], _ body: (UnsafeRawPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    for layer in layers where layer.holdsLiving(kind) {
      if try layer.segment.liesByKey(kind) {
        try layer.segment.forEachRow(kind: kind, ofHashes: hashes) { row, record throws(StorageError) in
          if !layer.isSuperseded(row) { try body(record) }
        }
      } else {
        for hash in hashes {
          for key in hash.places {
            if let record = try layer.living(kind: kind, key: key) { try body(record) }
          }
        }
      }
      layer.letGo(after: hashes.count)
    }
  }

  /// Number of keys whose lookup reads about as many pages as finding the segment's newest key.
  private static let fewKeys = 12

  /// Returns for each group whether it may have rows of a kind. `false` means that it certainly has none.
  func mayHold(kind: UInt8, groups: [UInt64]) throws(StorageError) -> [Bool] {
    var found = [Bool](repeating: false, count: groups.count)
    guard mayHold(kind: kind) else { return found }
    let order = groups.indices.sorted { groups[$0] < groups[$1] }
    for layer in layers where layer.segment.holds(kind) {
      try layer.segment.forEachGroup(kind: kind, of: groups, in: order) { index, _ in found[index] = true }
      layer.letGo(after: groups.count)
    }
    return found
  }

  /// Calls `body` with each live row of a kind in one of the groups and with the group's index. The groups must be
  /// distinct.
  func records(
    kind: UInt8, groups: [UInt64], _ body: (Int, UnsafeRawPointer) -> Void
  ) throws(StorageError) {
    guard mayHold(kind: kind) else { return }
    let order = groups.indices.sorted { groups[$0] < groups[$1] }
    for layer in layers where layer.holdsLiving(kind) {
      let segment = layer.segment
      try segment.forEachGroup(kind: kind, of: groups, in: order) { index, entry throws(StorageError) in
        let run = try segment.groupRun(at: entry)
        for place in 0..<run.count {
          let row = try segment.row(place, of: run)
          if !layer.isSuperseded(row) { body(index, try segment.record(row)) }
        }
      }
      layer.letGo(after: groups.count)
    }
  }
}

extension SegmentStack.Layer {
  /// Discards the segment's pages from memory after many lookups, which have read most of the pages. The next lookups
  /// use another segment. Pages are mapped again when they are read.
  fileprivate func letGo(after lookUps: Int) {
    if lookUps >= Self.manyLookUps { segment.letGo() }
  }

  private static var manyLookUps: Int { 4096 }

  /// Whether this segment has a live row of a kind. Undoing an import can leave older segments without any live events.
  fileprivate func holdsLiving(_ kind: UInt8) -> Bool {
    guard segment.holds(kind) else { return false }
    let rows = segment.rows(ofKind: kind)
    return supersededCount(in: rows) < rows.count
  }
}

extension Segment {
  /// Whether the rows of a kind are in key order, which is the case if all of them have the same sort value.
  fileprivate func liesByKey(_ kind: UInt8) throws(StorageError) -> Bool {
    let rows = rows(ofKind: kind)
    if rows.isEmpty { return true }
    return try sort(rows.lowerBound) == sort(rows.upperBound - 1)
  }

  /// Calls `body` with the index and bytes of each row whose key belongs to one of the hashes. Requires that the rows
  /// of the kind are in key order. `hashes` contains the first key of each hash in ascending order.
  fileprivate func forEachRow(
    kind: UInt8, ofHashes hashes: [RowKey], _ body: (Int, UnsafeRawPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    let rows = rows(ofKind: kind)
    var row = rows.lowerBound
    for hash in hashes {
      // Galloping search from the previous result: with many hashes the next hash is near.
      var step = 1
      while row + step <= rows.upperBound, RowLayout.key(try record(row + step - 1)) < hash {
        row += step
        step *= 2
      }
      var end = min(row + step, rows.upperBound)
      while row < end {
        let middle = (row + end) / 2
        if RowLayout.key(try record(middle)) < hash { row = middle + 1 } else { end = middle }
      }
      while row < rows.upperBound {
        let record = try record(row)
        guard RowLayout.key(record).firstPlace == hash else { break }
        try body(row, record)
        row += 1
      }
      if row == rows.upperBound { return }
    }
  }

  /// Calls `body` with the index of each group that has rows of a kind in this segment, and with the offset of the
  /// group's entry. `order` contains the indexes of the groups in ascending order of their keys.
  fileprivate func forEachGroup(
    kind: UInt8, of groups: [UInt64], in order: [Int], _ body: (Int, Int) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard !order.isEmpty, footer.groupCount > 0 else { return }
    // With many groups every page is read, so verify all pages once rather than on each step.
    let areMany = order.count > footer.groupCount / 64
    if areMany { try check(footer.groupsAt, footer.groupCount * SegmentFooter.groupBytes) }
    func isBelow(_ place: Int, _ group: UInt64) throws(StorageError) -> Bool {
      let entry = footer.groupsAt + place * SegmentFooter.groupBytes
      if !areMany { try check(entry, SegmentFooter.groupBytes) }
      let other = UInt8(truncatingIfNeeded: word(base, entry))
      return other != kind ? other < kind : word(base, entry + 8) < group
    }
    var place = 0
    for index in order {
      // Galloping search from the previous result: with many groups the next group is near, and with few groups the
      // search costs little more.
      var step = 1
      while place + step <= footer.groupCount, try isBelow(place + step - 1, groups[index]) {
        place += step
        step *= 2
      }
      var end = min(place + step, footer.groupCount)
      while place < end {
        let middle = (place + end) / 2
        if try isBelow(middle, groups[index]) { place = middle + 1 } else { end = middle }
      }
      guard place < footer.groupCount else { return }
      let entry = footer.groupsAt + place * SegmentFooter.groupBytes
      if UInt8(truncatingIfNeeded: word(base, entry)) == kind, word(base, entry + 8) == groups[index] {
        try body(index, entry)
      }
    }
  }
}
