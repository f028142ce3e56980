/// What a manifest says of a segment: enough to know the file again.
struct SegmentReference: Hashable, Sendable {
  static let bytes = 32

  var number: UInt64
  var fileBytes: Int
  var rowCount: Int
  /// The last eight bytes of the file.
  var checksum: UInt64
}

/// A place of a row: in which segment, and which.
struct RowPlace: Hashable, Sendable {
  var segment: UInt64
  var row: Int
}

/// An immutable file of rows in the order of kind, sort value and key, with their indexes, as memory.
///
/// Opening checks the footer alone; each page of the file is checked when it is first read. Used by one thread at a time.
final class Segment {
  let number: UInt64
  let path: String
  let footer: SegmentFooter
  let mapping: any MappedFile
  private let base: UnsafeRawPointer
  /// For each page whether it was checked.
  private let isChecked: UnsafeMutablePointer<Bool>

  /// - Parameters:
  ///   - reference: what the manifest says of it; `nil` takes the file's own word.
  ///   - path: where it lies, if not under its own name.
  init(
    number: UInt64, storeID: UInt64?, log: Log, reference: SegmentReference?, path: String? = nil
  ) throws(StorageError) {
    let path = path ?? log.path(segment: number)
    let file: any OpenFile
    do {
      file = try storing { () throws(FileSystemError) in try log.fileSystem.open(path, .read) }
    } catch .missing(let path) {
      throw .damaged(path: path, offset: 0)  // the manifest says that it is there
    }
    let size = try storing { () throws(FileSystemError) in try file.size() }
    if let reference, size != reference.fileBytes { throw .damaged(path: path, offset: min(size, reference.fileBytes)) }
    let mapping = try storing { () throws(FileSystemError) in try file.map(size: size) }
    var footer: SegmentFooter
    do {
      footer = try SegmentFooter(reading: mapping.bytes, path: path)
    } catch {
      guard reference == nil, case .damaged = error else { throw error }
      footer = try SegmentFooter(salvaging: mapping.bytes, path: path)
    }
    guard let base = mapping.bytes.baseAddress, footer.number == number, storeID == nil || footer.storeID == storeID,
      reference == nil || (word(base, size - 8) == reference?.checksum && footer.rowCount == reference?.rowCount)
    else { throw .damaged(path: path, offset: size - 8) }
    self.number = number
    self.path = path
    self.footer = footer
    self.mapping = mapping
    self.base = base
    isChecked = .allocate(capacity: footer.pageCount)
    isChecked.initialize(repeating: false, count: footer.pageCount)
  }

  /// For a repair: takes the file's own word for what it is, and the earlier footer if the last one is damaged.
  convenience init(salvaging number: UInt64, path: String, log: Log) throws(StorageError) {
    try self.init(number: number, storeID: nil, log: log, reference: nil, path: path)
  }

  deinit { isChecked.deallocate() }

  var reference: SegmentReference {
    SegmentReference(
      number: number, fileBytes: fileBytes, rowCount: footer.rowCount, checksum: word(base, fileBytes - 8))
  }

  var fileBytes: Int { mapping.bytes.count }

  // MARK: Pages

  /// Before bytes are believed: their pages are as they were written.
  @inline(__always) func check(_ offset: Int, _ count: Int) throws(StorageError) {
    var page = offset >> SegmentFooter.pageShift
    let last = (offset + count - 1) >> SegmentFooter.pageShift
    while page <= last {
      if !isChecked[page] { try checkPage(page) }
      page += 1
    }
  }

  @inline(never) func checkPage(_ page: Int) throws(StorageError) {
    let from = page << SegmentFooter.pageShift
    let to = min(from + SegmentFooter.pageBytes, footer.checksumsAt)
    guard
      footer.checksum(ofPage: page, UnsafeRawBufferPointer(start: base + from, count: to - from))
        == word(base, footer.checksumsAt + page * 8)
    else { throw .damaged(path: path, offset: from) }
    isChecked[page] = true
  }

  /// Checks every page.
  func checkAll() throws(StorageError) {
    for page in 0..<footer.pageCount where !isChecked[page] { try checkPage(page) }
  }

  // MARK: Rows

  /// The record of a row; valid as long as ``mapping`` is kept.
  @inline(__always) func record(_ row: Int) throws(StorageError) -> UnsafeRawPointer {
    let place = footer.offsetsAt + row * 4
    try check(place, 4)
    let offset = Int(half(base, place)) * 8
    guard offset >= SegmentFooter.headerBytes, offset + RecordLayout.headerBytes <= footer.rowsEnd else {
      throw .damaged(path: path, offset: place)
    }
    try check(offset, RecordLayout.headerBytes)
    let size = RecordLayout.size(base + offset)
    guard offset + size <= footer.rowsEnd else { throw .damaged(path: path, offset: offset) }
    try check(offset, size)
    return base + offset
  }

  @inline(__always) func sort(_ row: Int) throws(StorageError) -> Int64 {
    let place = footer.sortsAt + row * 8
    try check(place, 8)
    return Int64(bitPattern: word(base, place))
  }

  /// The row of this name.
  func find(kind: UInt8, key: RecordKey) throws(StorageError) -> (row: Int, record: UnsafeRawPointer)? {
    guard footer.slotCount > 0 else { return nil }
    let hash = Memtable.hash(kind, key)
    var slot = footer.slot(hash)
    for _ in 0..<footer.slotCount {
      let place = footer.slotsAt + slot * 8
      try check(place, 8)
      let content = word(base, place)
      if content == 0 { return nil }
      if UInt32(truncatingIfNeeded: content >> 32) == hash {
        let row = Int(content & 0xFFFF_FFFF) - 1
        guard row >= 0, row < footer.rowCount else { throw .damaged(path: path, offset: place) }
        let record = try record(row)
        if RecordLayout.kind(record) == kind && RecordLayout.key(record) == key { return (row, record) }
      }
      slot += 1
      if slot == footer.slotCount { slot = 0 }
    }
    return nil
  }

  // MARK: Runs

  /// Rows in the order of sort value and key: those of a kind, or of a group in it.
  struct Run {
    /// Where the row numbers lie; `nil` for rows one after the other from `first` on.
    fileprivate var list: Int?
    fileprivate var first: Int
    var count: Int
  }

  func run(kind: UInt8, group: UInt64?) throws(StorageError) -> Run? {
    guard let kindRows = footer.kinds.first(where: { $0.kind == kind }) else { return nil }
    guard let group else { return Run(list: nil, first: kindRows.first, count: kindRows.count) }
    var low = 0
    var high = footer.groupCount
    while low < high {
      let middle = (low + high) / 2
      let place = footer.groupsAt + middle * SegmentFooter.groupBytes
      try check(place, SegmentFooter.groupBytes)
      let other = (UInt8(truncatingIfNeeded: word(base, place)), word(base, place + 8))
      if other < (kind, group) { low = middle + 1 } else { high = middle }
    }
    guard low < footer.groupCount else { return nil }
    let place = footer.groupsAt + low * SegmentFooter.groupBytes
    try check(place, SegmentFooter.groupBytes)
    guard word(base, place) == UInt64(kind), word(base, place + 8) == group else { return nil }
    guard let first = Int(exactly: word(base, place + 16)), let count = Int(exactly: word(base, place + 24)),
      first <= footer.listCount, count <= footer.listCount - first
    else { throw .damaged(path: path, offset: place) }
    return Run(list: footer.listsAt + first * 4, first: 0, count: count)
  }

  @inline(__always) func row(_ index: Int, of run: Run) throws(StorageError) -> Int {
    guard let list = run.list else { return run.first + index }
    let place = list + index * 4
    try check(place, 4)
    let row = Int(half(base, place))
    guard row < footer.rowCount else { throw .damaged(path: path, offset: place) }
    return row
  }

  /// How many rows of a run have a sort value below `bound`, of which `start` are known to.
  func rank(_ bound: Int64, in run: Run, from start: Int = 0) throws(StorageError) -> Int {
    var low = start
    var step = 1
    // Boundaries lie close together: look near the last one first.
    while low + step <= run.count, try sort(row(low + step - 1, of: run)) < bound {
      low += step
      step *= 2
    }
    var high = min(low + step - 1, run.count)
    while low < high {
      let middle = (low + high) / 2
      if try sort(row(middle, of: run)) < bound { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds how many rows lie from each boundary up to the next. Boundaries rise.
  func addCounts(kind: UInt8, group: UInt64?, boundaries: [Int64], to counts: inout [Int]) throws(StorageError) {
    guard let run = try run(kind: kind, group: group) else { return }
    var previous = 0
    for (index, boundary) in boundaries.enumerated() {
      let rank = try rank(boundary, in: run, from: previous)
      if index > 0 { counts[index - 1] += rank - previous }
      previous = rank
    }
  }

  // MARK: What it says of others

  /// The rows of other segments that rows of this one, or deletions, took the place of.
  func kills() throws(StorageError) -> [RowPlace] {
    guard footer.killCount > 0 else { return [] }
    try check(footer.killsAt, footer.killCount * SegmentFooter.killBytes)
    return (0..<footer.killCount).map { index in
      let place = footer.killsAt + index * SegmentFooter.killBytes
      return RowPlace(segment: word(base, place), row: Int(truncatingIfNeeded: word(base, place + 8)))
    }
  }

  /// The manifest that came with it: what the store consisted of beside this segment.
  func manifest() throws(StorageError) -> Manifest {
    guard footer.manifestBytes > 0 else { throw .damaged(path: path, offset: footer.manifestAt) }
    try check(footer.manifestAt, footer.manifestBytes)
    return try Manifest(
      reading: UnsafeRawBufferPointer(start: base + footer.manifestAt, count: footer.manifestBytes), path: path)
  }
}
