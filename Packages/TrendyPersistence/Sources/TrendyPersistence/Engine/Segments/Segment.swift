/// Manifest entry for a segment, sufficient to recognize the file.
///
/// A class, because all arrays of objects share one runtime type. Instantiating the type of an array of structs would
/// take a tenth of the time to open a store.
final class SegmentReference: Hashable, Sendable {
  static let bytes = 32

  let number: UInt64
  let fileBytes: Int
  let rowCount: Int
  /// Last eight bytes of the file.
  let checksum: UInt64

  init(number: UInt64, fileBytes: Int, rowCount: Int, checksum: UInt64) {
    self.number = number
    self.fileBytes = fileBytes
    self.rowCount = rowCount
    self.checksum = checksum
  }

  static func == (left: SegmentReference, right: SegmentReference) -> Bool {
    left.number == right.number && left.fileBytes == right.fileBytes && left.rowCount == right.rowCount
      && left.checksum == right.checksum
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(checksum)
  }
}

struct RowPlace: Hashable, Sendable {
  var segment: UInt64
  var row: Int
}

/// Immutable, memory-mapped file of rows, ordered by kind, sort value and key, with their indexes.
///
/// Opening a segment verifies only the footer. Each page is verified when it is first read. Not thread-safe.
final class Segment {
  let number: UInt64
  let path: String
  let footer: SegmentFooter
  let mapping: any MappedFile
  let pin: RowPin
  let base: UnsafeRawPointer
  /// Bit set of the kinds that have rows.
  private let kinds: SIMD4<UInt64>
  /// Bit set of the verified pages.
  private let checked: RowMemory
  private let checkedBits: UnsafeMutablePointer<UInt64>
  private var checkCount = 0
  /// Number of pages read in each 2 MiB piece of the file, as 32-bit integers. Allocated after ``fewPages`` pages.
  private var read: RowMemory?

  /// Opens a segment and verifies its footer.
  /// - Parameters:
  ///   - number: number of the segment.
  ///   - storeID: required id of the store, or `nil` to accept any.
  ///   - log: directory and file system of the store.
  ///   - reference: manifest entry to check the file against, if there is one.
  ///   - path: path of the file, if it differs from the segment's usual name.
  init(
    number: UInt64, storeID: UInt64?, log: Log, reference: SegmentReference?, path: String? = nil
  ) throws(StorageError) {
    let path = path ?? log.path(segment: number)
    let file: any OpenFile
    do {
      file = try storing { () throws(FileSystemError) in try log.fileSystem.open(path, .read) }
    } catch .missing(let path) {
      throw .damaged(path: path, offset: 0)  // the manifest lists it
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
    pin = RowPin(memories: [], mapping: mapping)
    self.base = base
    var kinds = SIMD4<UInt64>.zero
    for kind in footer.kinds { kinds[Int(kind.kind >> 6)] |= 1 << UInt64(kind.kind & 63) }
    self.kinds = kinds
    let words = (footer.pageCount + 63) / 64
    checked = RowMemory(zeroed: words * 8)
    checkedBits = checked.base.bindMemory(to: UInt64.self, capacity: words)
  }

  /// Opens a segment for a repair without a manifest entry. If the last footer is damaged, the first footer is used.
  convenience init(salvaging number: UInt64, path: String, log: Log) throws(StorageError) {
    try self.init(number: number, storeID: nil, log: log, reference: nil, path: path)
  }

  var reference: SegmentReference {
    SegmentReference(
      number: number, fileBytes: fileBytes, rowCount: footer.rowCount, checksum: word(base, fileBytes - 8))
  }

  var fileBytes: Int { mapping.bytes.count }

  // MARK: Pages

  /// Verifies the pages that contain a range of bytes. Required before those bytes are used.
  @inline(__always) func check(_ offset: Int, _ count: Int) throws(StorageError) {
    var page = offset >> SegmentFooter.pageShift
    let last = (offset + count - 1) >> SegmentFooter.pageShift
    while page <= last {
      if !isChecked(page) { try checkPage(page) }
      page += 1
    }
  }

  @inline(__always) private func isChecked(_ page: Int) -> Bool {
    checkedBits[page &>> 6] &>> UInt64(page & 63) & 1 != 0
  }

  @inline(never) func checkPage(_ page: Int) throws(StorageError) {
    guard isWhole(page) else { throw .damaged(path: path, offset: page << SegmentFooter.pageShift) }
    checkCount += 1
    if checkCount > Self.fewPages { foresee(page) }
  }

  /// Returns whether the checksum of a page matches, and if so marks the page as verified.
  private func isWhole(_ page: Int) -> Bool {
    let from = page << SegmentFooter.pageShift
    let to = min(from + SegmentFooter.pageBytes, footer.checksumsAt)
    guard
      footer.checksum(ofPage: page, UnsafeRawBufferPointer(start: base + from, count: to - from))
        == word(base, footer.checksumsAt + page * 8)
    else { return false }
    checkedBits[page >> 6] |= 1 << UInt64(page & 63)
    return true
  }

  /// Number of pages read before prefetching begins. Opening a store and a few lookups stay below it.
  private static let fewPages = 64
  /// Length in bytes of a piece, the unit of prefetching. On first access the system maps only 16 pages. Mapping a
  /// whole piece costs as much as a few such accesses.
  private static let pieceBytes = 2 << 20
  /// Number of pages read in a piece that indicates sequential reading. Scattered lookups stay below it.
  private static let fewPagesOfPiece: UInt32 = 16

  /// Prefetches the piece around a page once 16 of its pages have been read, and verifies the rest of the piece once a
  /// quarter of them have been read.
  ///
  /// Applies only to readers that have read many pages, because they are likely to read most of the file. Reading
  /// consecutive pages takes a third of the time of reading scattered pages, so prefetching at most doubles the time
  /// spent so far.
  private func foresee(_ page: Int) {
    let piece = page << SegmentFooter.pageShift / Self.pieceBytes
    let read = read ?? RowMemory(zeroed: (fileBytes / Self.pieceBytes + 1) * 4)
    self.read = read
    let count = read.base.load(fromByteOffset: piece * 4, as: UInt32.self) + 1
    read.base.storeBytes(of: count, toByteOffset: piece * 4, as: UInt32.self)
    let pagesOfPiece = Self.pieceBytes >> SegmentFooter.pageShift
    if count == Self.fewPagesOfPiece {
      mapping.bringIn(piece * Self.pieceBytes..<min((piece + 1) * Self.pieceBytes, fileBytes))
    } else if count == pagesOfPiece / 4 {
      for page in piece * pagesOfPiece..<min((piece + 1) * pagesOfPiece, footer.pageCount) where !isChecked(page) {
        _ = isWhole(page)  // a damaged page is reported when it is read
      }
    }
  }

  /// Discards the pages before a row from memory, for sequential readers that no longer need them.
  func letGo(before record: UnsafeRawPointer) { mapping.letGo(0..<record - base) }

  func letGo() { mapping.letGo(0..<fileBytes) }

  func checkAll() throws(StorageError) {
    for page in 0..<footer.pageCount where !isChecked(page) { try checkPage(page) }
  }

  // MARK: Rows

  /// The bytes of consecutive rows are consecutive too, so their pages are verified together.
  func records(_ rows: Range<Int>, descending: Bool) throws(StorageError) -> [UnsafeRawPointer] {
    guard !rows.isEmpty else { return [] }
    try check(footer.offsetsAt + rows.lowerBound * 4, rows.count * 4)
    let first = try record(rows.lowerBound) - base
    let last = try record(rows.upperBound - 1) - base
    guard first <= last else { throw .damaged(path: path, offset: footer.offsetsAt + rows.lowerBound * 4) }
    let end = last + RowLayout.size(base + last)
    try check(first, end - first)
    let (base, offsets) = (base, base + footer.offsetsAt)
    var failed: Int?
    let records = [UnsafeRawPointer](unsafeUninitializedCapacity: rows.count) { places, count in
      for index in 0..<rows.count {
        let row = descending ? rows.upperBound - 1 - index : rows.lowerBound + index
        let offset = Int(half(offsets, row * 4)) * 8
        guard offset >= first, offset <= last, offset + RowLayout.size(base + offset) <= end else {
          failed = row
          break
        }
        places.initializeElement(at: index, to: base + offset)
        count += 1
      }
    }
    if let failed { throw .damaged(path: path, offset: footer.offsetsAt + failed * 4) }
    return records
  }

  /// Returns the bytes of a row, valid while ``mapping`` is alive.
  @inline(__always) func record(_ row: Int) throws(StorageError) -> UnsafeRawPointer {
    try record(at: offset(of: row), saidAt: footer.offsetsAt + row * 4)
  }

  @inline(__always) private func offset(of row: Int) throws(StorageError) -> Int {
    let place = footer.offsetsAt + row * 4
    try check(place, 4)
    return Int(half(base, place)) * 8
  }

  @inline(__always) private func record(at offset: Int, saidAt place: Int) throws(StorageError) -> UnsafeRawPointer {
    guard offset >= SegmentFooter.headerBytes, offset + RowLayout.headerBytes <= footer.rowsEnd else {
      throw .damaged(path: path, offset: place)
    }
    try check(offset, RowLayout.headerBytes)
    let size = RowLayout.size(base + offset)
    guard offset + size <= footer.rowsEnd else { throw .damaged(path: path, offset: offset) }
    try check(offset, size)
    return base + offset
  }

  /// Returns the index of the row at an address in the mapping.
  func row(of record: UnsafeRawPointer) throws(StorageError) -> Int {
    let wanted = record - base
    var low = 0
    var high = footer.rowCount - 1
    while low < high {
      let middle = (low + high) / 2
      if try offset(of: middle) < wanted { low = middle + 1 } else { high = middle }
    }
    guard try offset(of: low) == wanted else { throw .damaged(path: path, offset: footer.offsetsAt + low * 4) }
    return low
  }

  func sort(_ row: Int) throws(StorageError) -> Int64 { RowLayout.sort(try record(row)) }

  // MARK: Lookup by key

  @inline(__always) func holds(_ kind: UInt8) -> Bool { kinds[Int(kind >> 6)] >> UInt64(kind & 63) & 1 != 0 }

  func find(kind: UInt8, key: RowKey) throws(StorageError) -> UnsafeRawPointer? {
    guard footer.nameCount > 0, holds(kind) else { return nil }
    let hash = Memtable.hash(kind, key)
    var piece = SegmentHashIndex.piece(hash, of: footer.nameCount)
    for _ in 0..<footer.nameCount {
      let place = footer.namesAt + piece * SegmentHashIndex.pieceBytes
      try check(place, SegmentHashIndex.pieceBytes)
      var look = SegmentHashIndex.Probe(base + place, hash: hash)
      while let found = look.next() {
        if found == 0 { continue }  // an empty slot matches a hash byte of 0
        let record = try record(at: found * 8, saidAt: place)
        if RowLayout.kind(record) == kind && RowLayout.key(record) == key { return record }
      }
      guard look.goesOn else { return nil }
      piece = piece + 1 == footer.nameCount ? 0 : piece + 1
    }
    return nil
  }

  // MARK: Runs

  struct Run {
    /// Offset of the list of row indexes, or `nil` if the rows are consecutive from `first`.
    fileprivate var list: Int?
    fileprivate var first: Int
    var count: Int
    fileprivate(set) var days: SegmentDayIndex
  }

  func rows(ofKind kind: UInt8) -> Range<Int> {
    footer.kinds.first { $0.kind == kind }.map { $0.first..<$0.first + $0.count } ?? 0..<0
  }

  func run(kind: UInt8, group: UInt64?) throws(StorageError) -> Run? {
    guard let kindRows = footer.kinds.first(where: { $0.kind == kind }) else { return nil }
    // The entry for the whole kind has group key 0.
    let entry = try self.entry(kind: kind, group: group ?? 0)
    guard let group else {
      guard let place = entry else { throw .damaged(path: path, offset: footer.groupsAt) }
      let days = try days(at: place, rowCount: kindRows.count)
      return Run(list: nil, first: kindRows.first, count: kindRows.count, days: days)
    }
    guard let place = entry, group != 0 else { return nil }
    return try groupRun(at: place)
  }

  /// Returns the rows of a group. `place` is the offset of the group's entry.
  func groupRun(at place: Int) throws(StorageError) -> Run {
    guard let first = Int(exactly: word(base, place + 16)), let count = Int(exactly: word(base, place + 24)),
      first <= footer.listCount, count <= footer.listCount - first
    else { throw .damaged(path: path, offset: place) }
    return Run(
      list: footer.listsAt + first * 4, first: 0, count: count, days: try days(at: place, rowCount: count))
  }

  /// Returns the offset of a group's entry, or `nil` if the group has no rows in this segment.
  ///
  /// Uses interpolation search. Group keys are evenly distributed hashes, so three probes replace about twenty in a
  /// binary search.
  func entry(kind: UInt8, group: UInt64) throws(StorageError) -> Int? {
    func name(_ index: Int) throws(StorageError) -> (kind: UInt8, group: UInt64) {
      let place = footer.groupsAt + index * SegmentFooter.groupBytes
      try check(place, SegmentFooter.groupBytes)
      return (UInt8(truncatingIfNeeded: word(base, place)), word(base, place + 8))
    }
    var low = 0
    var high = footer.groupCount
    // Group keys of the entries just before `low` and at `high`, if those entries belong to the kind.
    var below: UInt64?
    var above: UInt64?
    var looks = 0
    while low < high {
      var middle = (low + high) / 2
      // Many wrong guesses mean that the keys are not evenly distributed, so fall back to binary search.
      if looks < Self.maxGuesses, let below, let above, group > below, above > below {
        let share = (above - below).dividingFullWidth((group - below).multipliedFullWidth(by: UInt64(high - low)))
          .quotient
        middle = min(low + Int(truncatingIfNeeded: share), high - 1)
      }
      looks += 1
      let other = try name(middle)
      if other < (kind, group) {
        low = middle + 1
        below = other.kind == kind ? other.group : nil
      } else {
        high = middle
        above = other.kind == kind ? other.group : nil
      }
    }
    guard low < footer.groupCount else { return nil }
    return try name(low) == (kind, group) ? footer.groupsAt + low * SegmentFooter.groupBytes : nil
  }

  private static let maxGuesses = 24

  private func days(at place: Int, rowCount: Int) throws(StorageError) -> SegmentDayIndex {
    guard let first = Int(exactly: word(base, place + 32)), let count = Int(exactly: word(base, place + 40)),
      first <= footer.dayCount, count <= footer.dayCount - first
    else { throw .damaged(path: path, offset: place) }
    let days = footer.daysAt + first * SegmentFooter.dayBytes
    if count > 0 { try check(days, count * SegmentFooter.dayBytes) }
    return SegmentDayIndex(base + days, count: count, rowCount: rowCount)
  }

  @inline(__always) func row(_ index: Int, of run: Run) throws(StorageError) -> Int {
    guard let list = run.list else { return run.first + index }
    let place = list + index * 4
    try check(place, 4)
    let row = Int(half(base, place))
    guard row < footer.rowCount else { throw .damaged(path: path, offset: place) }
    return row
  }

  /// Returns the row indexes of part of a run, or `nil` if the run is a list of individual rows.
  func rows(_ indices: Range<Int>, of run: Run) -> Range<Int>? {
    run.list == nil ? run.first + indices.lowerBound..<run.first + indices.upperBound : nil
  }

  func rank(_ bound: Int64, in run: Run) throws(StorageError) -> Int {
    try rank(bound, in: run, within: run.days.ranks(of: bound))
  }

  private func rank(_ bound: Int64, in run: Run, within ranks: ClosedRange<Int>) throws(StorageError) -> Int {
    var low = ranks.lowerBound
    var high = ranks.upperBound
    while low < high {
      let middle = (low + high) / 2
      if try sort(row(middle, of: run)) < bound { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func addCounts(
    kind: UInt8, group: UInt64?, boundaries: SortBoundaries, to counts: inout [Int]
  ) throws(StorageError) {
    guard let run = try run(kind: kind, group: group) else { return }
    try run.days.addCounts(boundaries, to: &counts) { bound, ranks throws(StorageError) in
      try rank(bound, in: run, within: ranks)
    }
  }

  func daysFit(_ run: Run) throws(StorageError) -> Bool {
    var index = -1
    for place in 0..<run.count {
      let day = SegmentDayIndex.day(try sort(row(place, of: run)))
      if index >= 0, run.days.day(index) == day { continue }
      index += 1
      guard index < run.days.count, run.days.day(index) == day, run.days.first(index) == place else { return false }
    }
    return index + 1 == run.days.count
  }

  // MARK: Replaced rows and manifest

  /// Returns the rows in older segments that this segment replaces or deletes.
  func kills() throws(StorageError) -> [RowPlace] {
    guard footer.killCount > 0 else { return [] }
    try check(footer.killsAt, footer.killCount * SegmentFooter.killBytes)
    return (0..<footer.killCount).map { index in
      let place = footer.killsAt + index * SegmentFooter.killBytes
      return RowPlace(segment: word(base, place), row: Int(truncatingIfNeeded: word(base, place + 8)))
    }
  }

  /// Returns the segment's copy of the manifest that was current when the segment was written. That manifest does not
  /// list this segment.
  func manifest() throws(StorageError) -> Manifest {
    guard footer.manifestBytes > 0 else { throw .damaged(path: path, offset: footer.manifestAt) }
    try check(footer.manifestAt, footer.manifestBytes)
    return try Manifest(
      reading: UnsafeRawBufferPointer(start: base + footer.manifestAt, count: footer.manifestBytes), path: path)
  }
}
