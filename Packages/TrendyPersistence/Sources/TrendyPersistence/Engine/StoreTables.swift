/// Everything that a handle answers from: the rows of the log in memory, over the segments.
///
/// Used by one thread at a time, as its parts are.
final class StoreTables {
  let memtable = Memtable()
  let segments: SegmentStack
  /// The rows of segments that the log has taken the place of.
  private(set) var burials: [RowPlace] = []

  init(_ segments: SegmentStack) { self.segments = segments }

  /// The rows of segments that records are about to take the place of. To be asked before anything is changed: it reads,
  /// and what it reads may be damaged.
  func hidden(by records: some Sequence<UnsafeRawPointer>) throws(StorageError) -> [SegmentStack.Found] {
    var found: [SegmentStack.Found] = []
    if segments.isEmpty { return found }
    for record in records {
      let kind = RecordLayout.kind(record)
      let key = RecordLayout.key(record)
      // One that is here took the place when it came.
      if memtable.find(kind: kind, key: key) != nil { continue }
      if let row = try segments.find(kind: kind, key: key) { found.append(row) }
    }
    return found
  }

  /// Takes in a whole group that hides these rows.
  func apply(group: GroupHeader, at base: UnsafeRawPointer, hiding hidden: [SegmentStack.Found]) {
    for row in hidden {
      if let place = segments.bury(row) { burials.append(place) }
    }
    memtable.apply(group: group, at: base)
  }

  /// Takes in a whole group.
  func apply(group: GroupHeader, at base: UnsafeRawPointer) throws(StorageError) {
    apply(group: group, at: base, hiding: try hidden(by: GroupRecords(header: group, base: base)))
  }

  func find(kind: UInt8, key: RecordKey) throws(StorageError) -> UnsafeRawPointer? {
    if let record = memtable.find(kind: kind, key: key) { return record }
    return try segments.find(kind: kind, key: key)?.record
  }

  func scan(
    kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, descending: Bool, limit: Int,
    unless isHidden: (UnsafeRawPointer) -> Bool = { _ in false }
  ) throws(StorageError) -> [UnsafeRawPointer] {
    let recent = memtable.scan(
      kind: kind, group: group, from: lower, to: upper, descending: descending, limit: limit, unless: isHidden)
    if segments.isEmpty { return recent }
    let lists = try segments.scan(
      kind: kind, group: group, from: lower, to: upper, descending: descending, limit: limit, unless: isHidden)
    // The short ones first.
    return lists.sorted { $0.count < $1.count }.reduce(recent) {
      RecordOrder.merge($1, $0, descending: descending, limit: limit)
    }
  }

  func addCounts(kind: UInt8, group: UInt64?, boundaries: [Int64], to counts: inout [Int]) throws(StorageError) {
    memtable.addCounts(kind: kind, group: group, boundaries: boundaries, to: &counts)
    try segments.addCounts(kind: kind, group: group, boundaries: boundaries, to: &counts)
  }

  func count(kind: UInt8, group: UInt64?) throws(StorageError) -> Int {
    try memtable.count(kind: kind, group: group) + segments.count(kind: kind, group: group)
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
