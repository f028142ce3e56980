/// The segments of one generation, and which of their rows a later one, or the log, has taken the place of.
///
/// Of each name at most one row lives, in whichever segment. Used by one thread at a time.
final class SegmentStack {
  final class Layer {
    let segment: Segment
    fileprivate let older: Layer?
    /// A bit for each row that is buried; empty while none is. Unchecked: asked for every row of a scan, by one thread at a time.
    @exclusivity(unchecked) private var bits: [UInt64] = []
    private(set) var buriedCount = 0
    /// The buried rows by group and sort value, to be taken off what is counted. Made when it is first asked for, as it reads all of them:
    /// of an import that was taken back there are a million, and most who open the store count no group.
    private var buried: Memtable?

    init(_ segment: Segment, over older: Layer?) {
      self.segment = segment
      self.older = older
    }

    /// From here on down. Layers are gone through by constants, so that none is counted on the way: counting waits for all memory
    /// that was asked for before.
    fileprivate func find(kind: UInt8, key: RecordKey) throws(StorageError) -> Found? {
      if let record = try living(kind: kind, key: key) { return Found(layer: self, record: record) }
      return try older?.find(kind: kind, key: key)
    }

    /// The living record of this name here: a segment has each name once.
    @inline(__always) func living(kind: UInt8, key: RecordKey) throws(StorageError) -> UnsafeRawPointer? {
      guard let record = try segment.find(kind: kind, key: key) else { return nil }
      if bits.isEmpty { return record }
      return isBuried(try segment.row(of: record)) ? nil : record
    }

    @inline(__always) func isBuried(_ row: Int) -> Bool {
      !bits.isEmpty && bits[row >> 6] >> UInt64(row & 63) & 1 != 0
    }

    /// Shows each buried record of some rows.
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

    /// How many of some rows are buried.
    func buriedCount(in rows: Range<Int>) -> Int {
      guard !bits.isEmpty, !rows.isEmpty else { return 0 }
      return (rows.lowerBound >> 6...(rows.upperBound - 1) >> 6).reduce(0) { $0 + word($1, of: rows).nonzeroBitCount }
    }

    /// The bits of 64 rows, of which those count that are among `rows`.
    private func word(_ index: Int, of rows: Range<Int>) -> UInt64 {
      let first = index << 6
      let below = max(rows.lowerBound - first, 0)
      let above = max(first + 64 - rows.upperBound, 0)
      return bits[index] & (.max << UInt64(below)) & (.max >> UInt64(above))
    }

    /// The buried rows as a table, to be counted.
    fileprivate func buriedTable() throws(StorageError) -> Memtable? {
      if let buried { return buried }
      guard buriedCount > 0 else { return nil }
      let table = Memtable()
      table.reserve(buriedCount)
      try forEachBuried(in: 0..<segment.footer.rowCount) { record in table.apply(record) }
      buried = table
      return table
    }

    /// - Returns: whether it was not buried before.
    @discardableResult fileprivate func bury(_ row: Int) throws(StorageError) -> Bool {
      if isBuried(row) { return false }
      if let buried { buried.apply(try segment.record(row)) }
      if bits.isEmpty { bits = [UInt64](repeating: 0, count: (segment.footer.rowCount + 63) / 64) }
      bits[row >> 6] |= 1 << UInt64(row & 63)
      buriedCount += 1
      return true
    }
  }

  /// A living row.
  struct Found {
    var layer: Layer
    var record: UnsafeRawPointer

    var place: RowPlace {
      get throws(StorageError) { RowPlace(segment: layer.segment.number, row: try layer.segment.row(of: record)) }
    }
  }

  let layers: [Layer]
  private let newest: Layer?

  /// Opens what a manifest names.
  /// - Parameter earlier: what the same handle stood on before. A segment that is in both stays open, with the pages that were checked:
  ///   of a store that grows by large saves, each would open and check all of it anew.
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

  /// - Parameter segments: those that could be opened of a damaged store.
  init(salvaging segments: [Segment]) {
    var layers: [Layer] = []
    for segment in segments { layers.append(Layer(segment, over: layers.last)) }
    self.layers = layers
    newest = layers.last
    for layer in layers {
      // Kills that cannot be read bury nothing: then an older version shows again, which the report of a repair says.
      for kill in (try? layer.segment.kills()) ?? [] {
        try? bury(kill, of: layer)  // a row that cannot be read does not show either
      }
    }
  }

  private func segment(_ reference: SegmentReference, ofStore storeID: UInt64) -> Segment? {
    layers.first { $0.segment.footer.storeID == storeID && $0.segment.reference == reference }?.segment
  }

  private func buryKills() throws(StorageError) {
    for layer in layers {
      for kill in try layer.segment.kills() { try bury(kill, of: layer) }
    }
  }

  private func bury(_ kill: RowPlace, of layer: Layer) throws(StorageError) {
    // Segments are few. To make a dictionary of them took half of the time of an opening: the first of its kind looks
    // through the whole program for what it needs.
    guard let index = layers.firstIndex(where: { $0.segment.number == kill.segment }) else {
      return  // merged since, without that row
    }
    let segment = layers[index].segment
    guard kill.row >= 0, kill.row < segment.footer.rowCount else {
      throw .damaged(path: layer.segment.path, offset: layer.segment.footer.killsAt)
    }
    try layers[index].bury(kill.row)
  }

  var isEmpty: Bool { layers.isEmpty }

  /// Lets go of what was read of the files: the pages come back when they are read again.
  func letGo() {
    for layer in layers { layer.segment.letGo() }
  }

  var pins: [RecordPin] { layers.map(\.segment.pin) }

  /// `false` where no record of the kind is here.
  func mayHold(kind: UInt8) -> Bool {
    layers.contains { layer in layer.segment.footer.kinds.contains { $0.kind == kind } }
  }

  /// The living row of this name.
  func find(kind: UInt8, key: RecordKey) throws(StorageError) -> Found? {
    try newest?.find(kind: kind, key: key)
  }

  /// Hides a row for good.
  /// - Returns: where it is, unless it was hidden before.
  func bury(_ found: Found) throws(StorageError) -> RowPlace? {
    let layer = found.layer
    let row = try layer.segment.row(of: found.record)
    return try layer.bury(row) ? RowPlace(segment: layer.segment.number, row: row) : nil
  }

  func count(kind: UInt8, group: UInt64?) throws(StorageError) -> Int {
    var count = 0
    for layer in layers {
      count += (try layer.segment.run(kind: kind, group: group)?.count ?? 0)
      if group == nil {
        count -= layer.buriedCount(in: layer.segment.rows(ofKind: kind))
      } else {
        count -= try layer.buriedTable()?.count(kind: kind, group: group) ?? 0
      }
    }
    return count
  }

  func addCounts(kind: UInt8, group: UInt64?, boundaries: SortBoundaries, to counts: inout [Int]) throws(StorageError) {
    for layer in layers {
      try layer.segment.addCounts(kind: kind, group: group, boundaries: boundaries, to: &counts)
      guard let buried = try layer.buriedTable() else { continue }
      var gone = [Int](repeating: 0, count: counts.count)
      buried.addCounts(kind: kind, group: group, boundaries: boundaries.sorts, to: &gone)
      for index in counts.indices { counts[index] -= gone[index] }
    }
  }

  /// What a scan finds here, a list for each segment.
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
      if layer.buriedCount == 0, isHidden == nil, let rows = segment.rows(wanted, of: run) {
        list = try segment.records(rows, descending: descending)
      } else {
        list = []
        list.reserveCapacity(count)
        var index = descending ? end - 1 : start
        let step = descending ? -1 : 1
        while index >= start, index < end, list.count < limit {
          let row = try segment.row(index, of: run)
          index += step
          if layer.isBuried(row) { continue }
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
