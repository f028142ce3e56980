import Synchronization

/// Rows of one kind in one segment, including replaced rows.
struct SegmentPart {
  let storeID: UInt64
  let segment: Segment
  let rows: Range<Int>

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
  /// Visits the rows of a kind segment by segment, for totals that are cached per segment. The live rows are the rows
  /// in all segments, minus the replaced rows, plus the rows that are in no segment.
  /// - Parameters:
  ///   - kind: kind of the rows.
  ///   - part: receives the rows of each segment.
  ///   - takenAway: receives each replaced or deleted row of a segment, after `part` was called for that segment.
  ///   - added: receives each live row that is in no segment, after all segments.
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
      where !RowLayout.isDeletion(record) && RowLayout.kind(record) == kind {
        try added(record)
      }
    }
  }
}
