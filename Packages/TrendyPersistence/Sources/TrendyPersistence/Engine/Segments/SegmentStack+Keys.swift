/// Searches by key order. Results may contain more rows than requested, so the caller must check each key.
extension SegmentStack {
  /// Returns a kind's live rows whose keys are UUIDs in a range, and all its live rows whose keys are hashes.
  func records(kind: UInt8, keys: ClosedRange<RowKey>?) throws(StorageError) -> [UnsafeRawPointer] {
    var found: [UnsafeRawPointer] = []
    for layer in layers {
      guard let run = try layer.segment.keyedRun(kind: kind) else { continue }
      let (sevens, uuids) = (run.counts.versionSeven, run.counts.versionSeven + run.counts.otherUUIDs)
      if let keys {
        for places in [0..<sevens, sevens..<uuids] {
          var place = try layer.segment.place(ofKeysFrom: keys.lowerBound.high, in: places, of: run)
          while place < places.upperBound, let record = try record(place, of: run, in: layer, through: keys.upperBound)
          {
            if let record = record.living { found.append(record) }
            place += 1
          }
        }
      }
      for place in uuids..<run.counts.all { try add(run, place, of: layer, to: &found) }
    }
    return found
  }

  /// Returns the row at an index in key order. The outer `nil` means that its key is beyond the range, the inner `nil`
  /// that the row is not live.
  private func record(
    _ place: Int, of run: Segment.KeyedRun, in layer: Layer, through last: RowKey
  ) throws(StorageError) -> (living: UnsafeRawPointer?, Void)? {
    let row = try layer.segment.row(place, of: run)
    let record = try layer.segment.record(row)
    guard RowLayout.key(record).high <= last.high else { return nil }
    return (layer.isSuperseded(row) ? nil : record, ())
  }

  /// Returns live rows of a kind, including the `count` most recently created rows. The creation time is taken from the
  /// key if it is a version 7 UUID, or else from the sort value.
  func latest(kind: UInt8, count: Int) throws(StorageError) -> [UnsafeRawPointer] {
    var found: [UnsafeRawPointer] = []
    for layer in layers {
      guard let run = try layer.segment.keyedRun(kind: kind) else { continue }
      try addLatest(count, versionSeven: run, of: layer, to: &found)
      let others = run.counts.otherUUIDs + run.counts.hashes
      if others <= Self.fewOthers {
        for place in run.counts.versionSeven..<run.counts.all { try add(run, place, of: layer, to: &found) }
      } else {
        try addLatest(count, othersOf: kind, of: layer, to: &found)
      }
    }
    return found
  }

  /// Maximum number of a segment's rows without version 7 keys up to which all of them are returned, because that is
  /// faster than searching for the latest.
  private static let fewOthers = 4096

  private func addLatest(
    _ count: Int, versionSeven run: Segment.KeyedRun, of layer: Layer, to found: inout [UnsafeRawPointer]
  ) throws(StorageError) {
    var wanted = count
    var last: UInt64?
    var place = run.counts.versionSeven - 1
    while place >= 0 {
      let row = try layer.segment.row(place, of: run)
      place -= 1
      if layer.isSuperseded(row) { continue }
      let record = try layer.segment.record(row)
      // Keys with the same upper half are ordered by their lower half, so include all of them.
      let high = RowLayout.key(record).high
      if wanted <= 0, high != last { return }
      found.append(record)
      wanted -= 1
      last = high
    }
  }

  /// Adds rows without version 7 keys in descending order of their sort values.
  private func addLatest(
    _ count: Int, othersOf kind: UInt8, of layer: Layer, to found: inout [UnsafeRawPointer]
  ) throws(StorageError) {
    guard let run = try layer.segment.run(kind: kind, group: nil) else { return }
    var wanted = count
    var last: Int64?
    var index = run.count - 1
    while index >= 0 {
      let row = try layer.segment.row(index, of: run)
      index -= 1
      if layer.isSuperseded(row) { continue }
      let record = try layer.segment.record(row)
      if RowLayout.key(record).isVersionSeven { continue }
      // Rows in the same millisecond are ordered by key, so include all of them.
      let millisecond = RowLayout.sort(record) / 1000
      if wanted <= 0, millisecond != last { return }
      found.append(record)
      wanted -= 1
      last = millisecond
    }
  }

  private func add(
    _ run: Segment.KeyedRun, _ place: Int, of layer: Layer, to found: inout [UnsafeRawPointer]
  ) throws(StorageError) {
    let row = try layer.segment.row(place, of: run)
    if !layer.isSuperseded(row) { found.append(try layer.segment.record(row)) }
  }
}
