/// Segments of one generation, and which of their rows have been replaced by later segments or the log.
///
/// Across all segments, each key has at most one live row. Not thread-safe.
final class SegmentStack {
  final class Layer {
    let segment: Segment
    fileprivate let older: Layer?
    /// Bit set of the replaced rows, or an empty array if no rows have been replaced. Exclusivity checking is disabled,
    /// because a scan reads the set for every row and only one thread uses it at a time.
    @exclusivity(unchecked) private var bits: [UInt64] = []
    private(set) var supersededCount = 0
    /// Replaced rows by group and sort value, for excluding them from counts. Built at first use: most programs count
    /// no groups, and building the table reads all replaced rows, of which there can be a million after an import has
    /// been undone.
    private var superseded: Memtable?

    init(_ segment: Segment, over older: Layer?) {
      self.segment = segment
      self.older = older
    }

    /// Searches this layer, then all older layers. Recursion over constants avoids reference counting, which would
    /// stall on pending memory accesses.
    fileprivate func find(kind: UInt8, key: RowKey) throws(StorageError) -> Found? {
      if let record = try living(kind: kind, key: key) { return Found(layer: self, record: record) }
      return try older?.find(kind: kind, key: key)
    }

    /// Returns the live row with this key, or `nil`. A segment contains each key at most once.
    @inline(__always) func living(kind: UInt8, key: RowKey) throws(StorageError) -> UnsafeRawPointer? {
      guard let record = try segment.find(kind: kind, key: key) else { return nil }
      if bits.isEmpty { return record }
      return isSuperseded(try segment.row(of: record)) ? nil : record
    }

    @inline(__always) func isSuperseded(_ row: Int) -> Bool {
      !bits.isEmpty && bits[row >> 6] >> UInt64(row & 63) & 1 != 0
    }

    func forEachBuried(in rows: Range<Int>, _ body: (UnsafeRawPointer) throws(StorageError) -> Void)
      throws(StorageError)
    {
      guard !bits.isEmpty, !rows.isEmpty else { return }
      for index in rows.lowerBound >> 6...(rows.upperBound - 1) >> 6 {
        var left = word(index, of: rows)
        while left != 0 {
          try body(try segment.record(index << 6 + left.trailingZeroBitCount))
          left &= left &- 1
        }
      }
    }

    func supersededCount(in rows: Range<Int>) -> Int {
      guard !bits.isEmpty, !rows.isEmpty else { return 0 }
      return (rows.lowerBound >> 6...(rows.upperBound - 1) >> 6).reduce(0) { $0 + word($1, of: rows).nonzeroBitCount }
    }

    private func word(_ index: Int, of rows: Range<Int>) -> UInt64 {
      let first = index << 6
      let below = max(rows.lowerBound - first, 0)
      let above = max(first + 64 - rows.upperBound, 0)
      return bits[index] & (.max << UInt64(below)) & (.max >> UInt64(above))
    }

    fileprivate func supersededTable() throws(StorageError) -> Memtable? {
      if let superseded { return superseded }
      guard supersededCount > 0 else { return nil }
      let table = Memtable()
      table.reserve(supersededCount)
      try forEachBuried(in: 0..<segment.footer.rowCount) { record in table.apply(record) }
      superseded = table
      return table
    }

    /// Returns whether the row was not marked as replaced before.
    @discardableResult fileprivate func supersede(_ row: Int) throws(StorageError) -> Bool {
      if isSuperseded(row) { return false }
      if let superseded { superseded.apply(try segment.record(row)) }
      if bits.isEmpty { bits = [UInt64](repeating: 0, count: (segment.footer.rowCount + 63) / 64) }
      bits[row >> 6] |= 1 << UInt64(row & 63)
      supersededCount += 1
      return true
    }
  }

  struct Found {
    var layer: Layer
    var record: UnsafeRawPointer

    var place: RowPlace {
      get throws(StorageError) { RowPlace(segment: layer.segment.number, row: try layer.segment.row(of: record)) }
    }
  }

  let layers: [Layer]
  private let newest: Layer?

  /// Opens the segments listed in the log's manifest. Segments in `earlier` that the manifest still lists stay open and
  /// keep their verified pages. Otherwise each large save would verify the whole store again.
  init(_ log: Log, keepingSegmentsOf earlier: SegmentStack? = nil) throws(StorageError) {
    var layers: [Layer] = []
    for reference in log.manifest.segments {
      let storeID = log.manifest.storeID
      let segment: Segment
      if let kept = earlier?.segment(reference, ofStore: storeID) {
        segment = kept
      } else {
        segment = try Segment(number: reference.number, storeID: storeID, log: log, reference: reference)
      }
      layers.append(Layer(segment, over: layers.last))
    }
    self.layers = layers
    newest = layers.last
    try buryKills()
  }

  init(salvaging segments: [Segment]) {
    var layers: [Layer] = []
    for segment in segments { layers.append(Layer(segment, over: layers.last)) }
    self.layers = layers
    newest = layers.last
    for layer in layers {
      // An unreadable replacement list has no effect. Older versions of rows may then reappear.
      for kill in (try? layer.segment.kills()) ?? [] {
        try? supersede(kill, of: layer)  // unreadable rows are not returned anyway
      }
    }
  }

  private func segment(_ reference: SegmentReference, ofStore storeID: UInt64) -> Segment? {
    layers.first { $0.segment.footer.storeID == storeID && $0.segment.reference == reference }?.segment
  }

  private func buryKills() throws(StorageError) {
    for layer in layers {
      for kill in try layer.segment.kills() { try supersede(kill, of: layer) }
    }
  }

  private func supersede(_ kill: RowPlace, of layer: Layer) throws(StorageError) {
    // Use a linear search, because there are few segments. Creating a dictionary would take half the time to open a
    // store, because the runtime searches the whole program for conformances at the first use of the type.
    guard let index = layers.firstIndex(where: { $0.segment.number == kill.segment }) else {
      return  // merged since then, without this row
    }
    let segment = layers[index].segment
    guard kill.row >= 0, kill.row < segment.footer.rowCount else {
      throw .damaged(path: layer.segment.path, offset: layer.segment.footer.killsAt)
    }
    try layers[index].supersede(kill.row)
  }

  var isEmpty: Bool { layers.isEmpty }

  /// Discards the segments' pages from memory. The pages are mapped again when they are read.
  func letGo() {
    for layer in layers { layer.segment.letGo() }
  }

  var pins: [RowPin] { layers.map(\.segment.pin) }

  /// Whether there may be rows of the kind. `false` means that there are certainly none.
  func mayHold(kind: UInt8) -> Bool {
    layers.contains { layer in layer.segment.footer.kinds.contains { $0.kind == kind } }
  }

  func find(kind: UInt8, key: RowKey) throws(StorageError) -> Found? {
    try newest?.find(kind: kind, key: key)
  }

  /// Marks a row as replaced.
  /// - Returns: the row's location, or `nil` if the row was already marked.
  func supersede(_ found: Found) throws(StorageError) -> RowPlace? {
    let layer = found.layer
    let row = try layer.segment.row(of: found.record)
    return try layer.supersede(row) ? RowPlace(segment: layer.segment.number, row: row) : nil
  }

  func count(kind: UInt8, group: UInt64?) throws(StorageError) -> Int {
    var count = 0
    for layer in layers {
      count += (try layer.segment.run(kind: kind, group: group)?.count ?? 0)
      if group == nil {
        count -= layer.supersededCount(in: layer.segment.rows(ofKind: kind))
      } else {
        count -= try layer.supersededTable()?.count(kind: kind, group: group) ?? 0
      }
    }
    return count
  }

  func addCounts(kind: UInt8, group: UInt64?, boundaries: SortBoundaries, to counts: inout [Int]) throws(StorageError) {
    for layer in layers {
      try layer.segment.addCounts(kind: kind, group: group, boundaries: boundaries, to: &counts)
      guard let superseded = try layer.supersededTable() else { continue }
      var gone = [Int](repeating: 0, count: counts.count)
      superseded.addCounts(kind: kind, group: group, boundaries: boundaries.sorts, to: &gone)
      for index in counts.indices { counts[index] -= gone[index] }
    }
  }

  /// Returns the rows found by a scan, as one list per segment in scan order.
  func scan(
    kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, descending: Bool, limit: Int,
    unless isHidden: ((UnsafeRawPointer) -> Bool)?
  ) throws(StorageError) -> [[UnsafeRawPointer]] {
    var lists: [[UnsafeRawPointer]] = []
    guard lower < upper, limit > 0 else { return lists }
    for layer in layers {
      let segment = layer.segment
      guard let run = try segment.run(kind: kind, group: group) else { continue }
      let start = lower == .min ? 0 : try segment.rank(lower, in: run)
      let end = upper == .max ? run.count : try segment.rank(upper, in: run)
      guard start < end else { continue }
      let count = min(limit, end - start)
      let wanted = descending ? end - count..<end : start..<start + count
      var list: [UnsafeRawPointer]
      if layer.supersededCount == 0, isHidden == nil, let rows = segment.rows(wanted, of: run) {
        list = try segment.records(rows, descending: descending)
      } else {
        list = []
        list.reserveCapacity(count)
        var index = descending ? end - 1 : start
        let step = descending ? -1 : 1
        while index >= start, index < end, list.count < limit {
          let row = try segment.row(index, of: run)
          index += step
          if layer.isSuperseded(row) { continue }
          let record = try segment.record(row)
          if let isHidden, isHidden(record) { continue }
          list.append(record)
        }
      }
      if !list.isEmpty { lists.append(list) }
    }
    return lists
  }
}
