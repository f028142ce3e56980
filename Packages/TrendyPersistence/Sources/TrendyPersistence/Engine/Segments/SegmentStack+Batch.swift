/// Looks for many names or groups at once.
///
/// In the order in which a segment has them: what one look brings into the processor's cache serves the next. In any other order each
/// waits for memory, and of a store that grows by an import most of the time went into that.
extension SegmentStack {
  /// Shows the living row of each key that has one, with the index of the key, in no order.
  func find(
    kind: UInt8, keys: [RecordKey], _ body: (Int, Found) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard mayHold(kind: kind) else { return }
    var left = keys.indices.map { UInt64(Memtable.hash(kind, keys[$0])) << 32 | UInt64($0) }
    left.sort()
    // What is asked for once more was mostly made last.
    for layer in layers.reversed() where layer.holdsLiving(kind) {
      // Ids of this version rise with time, and most of what is recorded is new.
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

  /// Shows each living record whose key is that of a text of one of these hashes, in no order.
  /// - Parameter hashes: the first place of each, rising.
  func find(
    kind: UInt8, hashes: [RecordKey], _ body: (UnsafeRawPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    for layer in layers where layer.holdsLiving(kind) {
      if try layer.segment.liesByKey(kind) {
        try layer.segment.forEachRow(kind: kind, ofHashes: hashes) { row, record throws(StorageError) in
          if !layer.isBuried(row) { try body(record) }
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

  /// To look for as many as this takes about as many pages of a segment as to find its newest key.
  private static let fewKeys = 12

  /// Whether each group may have rows of a kind: `false` where it has none, for certain.
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

  /// Shows each living record of a kind that has one of these groups, with the index of the group; none of a group twice.
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
          if !layer.isBuried(row) { body(index, try segment.record(row)) }
        }
      }
      layer.letGo(after: groups.count)
    }
  }
}

extension SegmentStack.Layer {
  /// Lets go of the pages that so many look-ups have read: of many that is most of the segment, and what is looked for next lies in
  /// another. They come back when they are read again.
  fileprivate func letGo(after lookUps: Int) {
    if lookUps >= Self.manyLookUps { segment.letGo() }
  }

  private static var manyLookUps: Int { 4096 }

  /// Whether a row of a kind lives here. Of an import that is taken back the segments that are done with hold no event any more.
  fileprivate func holdsLiving(_ kind: UInt8) -> Bool {
    guard segment.holds(kind) else { return false }
    let rows = segment.rows(ofKind: kind)
    return buriedCount(in: rows) < rows.count
  }
}

extension Segment {
  /// Whether the rows of a kind lie by their keys, as those that all have one sort value do.
  fileprivate func liesByKey(_ kind: UInt8) throws(StorageError) -> Bool {
    let rows = rows(ofKind: kind)
    if rows.isEmpty { return true }
    return try sort(rows.lowerBound) == sort(rows.upperBound - 1)
  }

  /// Shows each row of a kind that lies by key, whose key is that of a text of one of these hashes.
  /// - Parameter hashes: the first place of each, rising.
  fileprivate func forEachRow(
    kind: UInt8, ofHashes hashes: [RecordKey], _ body: (Int, UnsafeRawPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    let rows = rows(ofKind: kind)
    var row = rows.lowerBound
    for hash in hashes {
      // By steps that double, from where the hash before was found: of many hashes it is near.
      var step = 1
      while row + step <= rows.upperBound, RecordLayout.key(try record(row + step - 1)) < hash {
        row += step
        step *= 2
      }
      var end = min(row + step, rows.upperBound)
      while row < end {
        let middle = (row + end) / 2
        if RecordLayout.key(try record(middle)) < hash { row = middle + 1 } else { end = middle }
      }
      while row < rows.upperBound {
        let record = try record(row)
        guard RecordLayout.key(record).firstPlace == hash else { break }
        try body(row, record)
        row += 1
      }
      if row == rows.upperBound { return }
    }
  }

  /// Shows the index of each group that has rows of a kind here, and where the group's entry lies.
  /// - Parameter order: the indices of the groups, as these rise.
  fileprivate func forEachGroup(
    kind: UInt8, of groups: [UInt64], in order: [Int], _ body: (Int, Int) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard !order.isEmpty, footer.groupCount > 0 else { return }
    // Of many every page is read: checked at once, none is asked for at each step.
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
      // By steps that double, from where the group before was found: of many groups it is near, of few it is not missed by much.
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
