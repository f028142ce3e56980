/// All rows in a generation. Rows in the log, kept in memory, supersede segment rows with the same key. Not
/// thread-safe.
final class StoreTables {
  /// A deletion hides the segment row with the same key.
  let memtable = Memtable()
  let segments: SegmentStack
  private var superseded: [RowPlace] = []
  /// Number of memtable rows that ``settle(_:)`` has processed, by kind.
  private var settledCounts = [Int](repeating: 0, count: Int(UInt8.max) + 1)

  init(_ segments: SegmentStack) { self.segments = segments }

  /// Segment rows that are superseded by rows in the log.
  var burials: [RowPlace] {
    get throws(StorageError) {
      try settleAll()
      return superseded
    }
  }

  /// Returns the segment rows that the log supersedes, followed by those that `changes` supersede. `newRows` contains
  /// the indices of the rows in `changes` that are known to supersede nothing.
  func rowsReplaced(
    by changes: UnsafeBufferPointer<UnsafeRawPointer>, newRows: RowSet
  ) throws(StorageError) -> [RowPlace] {
    // Rows superseded by the log are hidden from the search below, so no row is returned twice.
    var replaced = try burials
    guard !segments.isEmpty else { return replaced }
    var keys: [UInt8: [RowKey]] = [:]
    for (row, record) in changes.enumerated() where record != Memtable.nobody && !newRows.contains(row) {
      keys[RowLayout.kind(record), default: []].append(RowLayout.key(record))
    }
    for (kind, keys) in keys.sorted(by: { $0.key < $1.key }) {
      try segments.find(kind: kind, keys: keys) { _, found throws(StorageError) in
        replaced.append(try found.place)
      }
    }
    return replaced
  }

  func settleAll() throws(StorageError) {
    for kind in 0...UInt8.max where memtable.mayHold(kind: kind) { try settle(kind) }
  }

  func apply(group: GroupHeader, at base: UnsafeRawPointer) {
    memtable.apply(group: group, at: base)
  }

  /// Hides the segment rows of a kind that the log has superseded since the last call.
  ///
  /// Required before scans and counts. Lookups find the newer row first and do not need it, so opening a store and
  /// saving need not search the segments.
  func settle(_ kind: UInt8) throws(StorageError) {
    guard !segments.isEmpty else { return }
    let records = memtable.records
    // A row that reused a replaced row's number has the same key, which has already been processed.
    let first = settledCounts[Int(kind)]
    guard first < records.count else { return }
    let keys = records[first...].compactMap { record in
      record != Memtable.nobody && RowLayout.kind(record) == kind ? RowLayout.key(record) : nil
    }
    // After an error the search can be repeated, because it does not find rows that are already hidden.
    try segments.find(kind: kind, keys: keys) { _, found throws(StorageError) in
      if let place = try segments.supersede(found) { superseded.append(place) }
    }
    settledCounts[Int(kind)] = records.count
  }

  func mayHold(kind: UInt8) -> Bool { memtable.mayHold(kind: kind) || segments.mayHold(kind: kind) }

  func find(kind: UInt8, key: RowKey) throws(StorageError) -> UnsafeRawPointer? {
    if let record = memtable.find(kind: kind, key: key) { return RowLayout.isDeletion(record) ? nil : record }
    return try segments.find(kind: kind, key: key)?.record
  }

  func holds(kind: UInt8, keys: [RowKey]) throws(StorageError) -> [Bool] {
    var held = [Bool](repeating: false, count: keys.count)
    try find(kind: kind, keys: keys) { index, _ in held[index] = true }
    return held
  }

  /// Returns for each group whether it may contain rows of a kind. `false` means that it certainly contains none.
  func mayHold(kind: UInt8, groups: [UInt64]) throws(StorageError) -> [Bool] {
    var held = try segments.mayHold(kind: kind, groups: groups)
    if memtable.mayHold(kind: kind) {
      for index in groups.indices where !held[index] {
        held[index] = memtable.mayHold(kind: kind, group: groups[index])
      }
    }
    return held
  }

  /// Calls `body` with each row found and the index of its key, in no particular order.
  func find(
    kind: UInt8, keys: [RowKey], _ body: (Int, UnsafeRawPointer) -> Void
  ) throws(StorageError) {
    var others: [Int] = []
    for (index, key) in keys.enumerated() {
      guard let record = memtable.find(kind: kind, key: key) else {
        others.append(index)
        continue
      }
      if !RowLayout.isDeletion(record) { body(index, record) }
    }
    try segments.find(kind: kind, keys: others.map { keys[$0] }) { body(others[$0], $1.record) }
  }

  /// Calls `body` with each row whose key belongs to one of the hashes, in no particular order. `hashes` contains the
  /// first key of each hash in ascending order.
  func find(kind: UInt8, hashes: [RowKey], _ body: (UnsafeRawPointer) -> Void) throws(StorageError) {
    if memtable.mayHold(kind: kind) {
      for hash in hashes {
        for key in hash.places {
          if let record = memtable.find(kind: kind, key: key), !RowLayout.isDeletion(record) { body(record) }
        }
      }
    }
    try segments.find(kind: kind, hashes: hashes) { record in
      if memtable.find(kind: kind, key: RowLayout.key(record)) == nil { body(record) }
    }
  }

  /// Returns the rows of a kind in each group. Each list is in scan order.
  func records(kind: UInt8, groups: [UInt64]) throws(StorageError) -> [[UnsafeRawPointer]] {
    try settle(kind)
    var lists = groups.map { group in
      memtable.scan(kind: kind, group: group, from: .min, to: .max, descending: false, limit: .max)
    }
    try segments.records(kind: kind, groups: groups) { lists[$0].append($1) }
    for index in lists.indices where lists[index].count > 1 { lists[index].sort(by: ScanOrder.isBelow) }
    return lists
  }

  func scan(
    kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, descending: Bool, limit: Int,
    unless isHidden: ((UnsafeRawPointer) -> Bool)? = nil
  ) throws(StorageError) -> [UnsafeRawPointer] {
    guard mayHold(kind: kind) else { return [] }
    let recent = memtable.scan(
      kind: kind, group: group, from: lower, to: upper, descending: descending, limit: limit, unless: isHidden)
    if segments.isEmpty { return recent }
    try settle(kind)
    let lists = try segments.scan(
      kind: kind, group: group, from: lower, to: upper, descending: descending, limit: limit, unless: isHidden)
    return lists.sorted { $0.count < $1.count }.reduce(recent) {
      ScanOrder.merge($1, $0, descending: descending, limit: limit)
    }
  }

  /// Returns the rows that ``SegmentStack/records(kind:keys:)`` finds, and every row of the kind in the log.
  func records(kind: UInt8, keys: ClosedRange<RowKey>?) throws(StorageError) -> [UnsafeRawPointer] {
    try settle(kind)
    return try recent(kind) + segments.records(kind: kind, keys: keys)
  }

  /// Returns the rows that ``SegmentStack/latest(kind:count:)`` finds, and every row of the kind in the log.
  func latest(kind: UInt8, count: Int) throws(StorageError) -> [UnsafeRawPointer] {
    try settle(kind)
    return try recent(kind) + segments.latest(kind: kind, count: count)
  }

  private func recent(_ kind: UInt8) -> [UnsafeRawPointer] {
    memtable.scan(kind: kind, group: nil, from: .min, to: .max, descending: false, limit: .max)
  }

  func addCounts(kind: UInt8, group: UInt64?, boundaries: SortBoundaries, to counts: inout [Int]) throws(StorageError) {
    try settle(kind)
    memtable.addCounts(kind: kind, group: group, boundaries: boundaries.sorts, to: &counts)
    try segments.addCounts(kind: kind, group: group, boundaries: boundaries, to: &counts)
  }

  func count(kind: UInt8, group: UInt64?) throws(StorageError) -> Int {
    try settle(kind)
    return try memtable.count(kind: kind, group: group) + segments.count(kind: kind, group: group)
  }
}

/// Rows of an intact commit group, read in place.
struct GroupRows: Sequence, IteratorProtocol {
  private var position: UnsafeRawPointer
  private var left: Int

  init(header: GroupHeader, base: UnsafeRawPointer) {
    position = base + GroupHeader.bytes
    left = header.count
  }

  mutating func next() -> UnsafeRawPointer? {
    guard left > 0 else { return nil }
    left -= 1
    defer { position += RowLayout.size(position) }
    return position
  }
}
