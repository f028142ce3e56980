/// Everything that a handle answers from: the rows of the log in memory, over the segments.
///
/// Used by one thread at a time, as its parts are.
final class StoreTables {
  /// Its deletions hide what lies in a segment.
  let memtable = Memtable()
  let segments: SegmentStack
  private var buried: [RowPlace] = []
  /// By kind, so many rows of the memtable were looked at for what they take the place of in segments.
  private var settledCounts = [Int](repeating: 0, count: Int(UInt8.max) + 1)

  init(_ segments: SegmentStack) { self.segments = segments }

  /// The rows of segments that the log has taken the place of.
  var burials: [RowPlace] {
    get throws(StorageError) {
      try settleAll()
      return buried
    }
  }

  /// The rows of segments that the log, and then changes, take the place of.
  /// - Parameter newRows: the changes that take the place of nothing saved.
  func rowsReplaced(
    by changes: UnsafeBufferPointer<UnsafeRawPointer>, newRows: RowSet
  ) throws(StorageError) -> [RowPlace] {
    // A row that the log has taken the place of is not found again, so that none is among them twice.
    var replaced = try burials
    guard !segments.isEmpty else { return replaced }
    var keys: [UInt8: [RecordKey]] = [:]
    for (row, record) in changes.enumerated() where record != Memtable.nobody && !newRows.contains(row) {
      keys[RecordLayout.kind(record), default: []].append(RecordLayout.key(record))
    }
    for (kind, keys) in keys.sorted(by: { $0.key < $1.key }) {
      try segments.find(kind: kind, keys: keys) { _, found throws(StorageError) in
        replaced.append(try found.place)
      }
    }
    return replaced
  }

  /// ``settle(_:)`` for every kind.
  func settleAll() throws(StorageError) {
    for kind in 0...UInt8.max where memtable.mayHold(kind: kind) { try settle(kind) }
  }

  /// Takes in a whole group.
  func apply(group: GroupHeader, at base: UnsafeRawPointer) {
    memtable.apply(group: group, at: base)
  }

  /// Buries the rows of a kind in segments that the log has taken the place of since. Whoever asks for a name does not need it, as
  /// what is above is found first; a save or an opening should not look through segments for the sake of scans that may not
  /// come, nor a scan of one kind for the sake of others.
  func settle(_ kind: UInt8) throws(StorageError) {
    guard !segments.isEmpty else { return }
    let records = memtable.records
    // A record that takes the place of a row before them has the name of one that was settled.
    let first = settledCounts[Int(kind)]
    guard first < records.count else { return }
    let keys = records[first...].compactMap { record in
      record != Memtable.nobody && RecordLayout.kind(record) == kind ? RecordLayout.key(record) : nil
    }
    // What fails is looked at again: a row that was buried is not found then.
    try segments.find(kind: kind, keys: keys) { _, found throws(StorageError) in
      if let place = try segments.bury(found) { buried.append(place) }
    }
    settledCounts[Int(kind)] = records.count
  }

  func mayHold(kind: UInt8) -> Bool { memtable.mayHold(kind: kind) || segments.mayHold(kind: kind) }

  func find(kind: UInt8, key: RecordKey) throws(StorageError) -> UnsafeRawPointer? {
    if let record = memtable.find(kind: kind, key: key) { return RecordLayout.isDeletion(record) ? nil : record }
    return try segments.find(kind: kind, key: key)?.record
  }

  /// Whether a record lies under each of these keys.
  func holds(kind: UInt8, keys: [RecordKey]) throws(StorageError) -> [Bool] {
    var held = [Bool](repeating: false, count: keys.count)
    try find(kind: kind, keys: keys) { index, _ in held[index] = true }
    return held
  }

  /// Whether each group may have records of a kind: `false` where it has none, for certain.
  func mayHold(kind: UInt8, groups: [UInt64]) throws(StorageError) -> [Bool] {
    var held = try segments.mayHold(kind: kind, groups: groups)
    if memtable.mayHold(kind: kind) {
      for index in groups.indices where !held[index] {
        held[index] = memtable.mayHold(kind: kind, group: groups[index])
      }
    }
    return held
  }

  /// The records under these keys that there are, with the index of the key, in no order.
  func find(
    kind: UInt8, keys: [RecordKey], _ body: (Int, UnsafeRawPointer) -> Void
  ) throws(StorageError) {
    var others: [Int] = []
    for (index, key) in keys.enumerated() {
      guard let record = memtable.find(kind: kind, key: key) else {
        others.append(index)
        continue
      }
      if !RecordLayout.isDeletion(record) { body(index, record) }
    }
    try segments.find(kind: kind, keys: others.map { keys[$0] }) { body(others[$0], $1.record) }
  }

  /// The records that have a key of one of these hashes, in no order.
  /// - Parameter hashes: the first place of each, rising.
  func find(kind: UInt8, hashes: [RecordKey], _ body: (UnsafeRawPointer) -> Void) throws(StorageError) {
    if memtable.mayHold(kind: kind) {
      for hash in hashes {
        for key in hash.places {
          if let record = memtable.find(kind: kind, key: key), !RecordLayout.isDeletion(record) { body(record) }
        }
      }
    }
    try segments.find(kind: kind, hashes: hashes) { record in
      if memtable.find(kind: kind, key: RecordLayout.key(record)) == nil { body(record) }
    }
  }

  /// The records of a kind in each of these groups, in the order of scans.
  func records(kind: UInt8, groups: [UInt64]) throws(StorageError) -> [[UnsafeRawPointer]] {
    try settle(kind)
    var lists = groups.map { group in
      memtable.scan(kind: kind, group: group, from: .min, to: .max, descending: false, limit: .max)
    }
    try segments.records(kind: kind, groups: groups) { lists[$0].append($1) }
    for index in lists.indices where lists[index].count > 1 { lists[index].sort(by: RecordOrder.isBelow) }
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
    // The short ones first.
    return lists.sorted { $0.count < $1.count }.reduce(recent) {
      RecordOrder.merge($1, $0, descending: descending, limit: limit)
    }
  }

  /// ``SegmentStack/records(kind:keys:)``, and every record of the kind in the log.
  func records(kind: UInt8, keys: ClosedRange<RecordKey>?) throws(StorageError) -> [UnsafeRawPointer] {
    try settle(kind)
    return try recent(kind) + segments.records(kind: kind, keys: keys)
  }

  /// ``SegmentStack/latest(kind:count:)``, and every record of the kind in the log.
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

/// The records of a whole group, where they lie.
struct GroupRecords: Sequence, IteratorProtocol {
  private var position: UnsafeRawPointer
  private var left: Int

  init(header: GroupHeader, base: UnsafeRawPointer) {
    position = base + GroupHeader.bytes
    left = header.count
  }

  mutating func next() -> UnsafeRawPointer? {
    guard left > 0 else { return nil }
    left -= 1
    defer { position += RecordLayout.size(position) }
    return position
  }
}
