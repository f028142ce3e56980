import Synchronization

/// The rows of one kind in one segment, also those that a later row took the place of.
struct SegmentPart {
  /// Of the store.
  let storeID: UInt64
  let segment: Segment
  let rows: Range<Int>

  /// In the order of their sort values, which is that in which they lie.
  func forEach(_ body: (UnsafeRawPointer) throws(StorageError) -> Void) throws(StorageError) {
    var first = rows.lowerBound
    while first < rows.upperBound {
      let end = min(first + Self.rowsAtOnce, rows.upperBound)
      for record in try segment.records(first..<end, descending: false) { try body(record) }
      first = end
    }
  }

  private static let rowsAtOnce = 4096
}

extension StorageEngine {
  /// Shows the records of a kind where they lie, for sums that are kept for each segment: what lives is what the segments have,
  /// without what was taken away, and with what was added.
  /// - Parameters:
  ///   - part: is shown the rows of each segment, first.
  ///   - takenAway: is shown each of those rows that lives no more.
  ///   - added: is shown each living record that lies in no segment.
  func forEachPart(
    kind: UInt8, _ part: (SegmentPart) throws(StorageError) -> Void,
    takenAway: (UnsafeRawPointer) throws(StorageError) -> Void, added: (UnsafeRawPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      try state.generation.tables.settle(kind)
      for layer in state.generation.tables.segments.layers {
        let rows = layer.segment.rows(ofKind: kind)
        if rows.isEmpty { continue }
        try part(SegmentPart(storeID: state.generation.manifest.storeID, segment: layer.segment, rows: rows))
        try layer.forEachBuried(in: rows, takenAway)
      }
      for record in state.generation.tables.memtable.records
      where !RecordLayout.isDeletion(record) && RecordLayout.kind(record) == kind {
        try added(record)
      }
    }
  }
}
