/// Writes a segment sequentially. Rows must be added in order of kind, sort value and key, each key once.
///
/// The file is not listed in a manifest yet, and it is removed unless the segment is finished.
final class SegmentWriter {
  private let log: Log
  private let path: String
  private let file: any OpenFile
  /// Buffer with the length of a large memory page. It is written at offsets aligned to that length, so the page cache
  /// can use large pages, and random reads need fewer page tables.
  private let buffer = RowMemory(2 << 20)
  private var filled = 0
  /// Offset of the buffer in the file.
  private var position = 0
  private var checksums: [UInt64] = []
  private var footer: SegmentFooter
  private let offsets: Column<UInt32>
  private let hashes: Column<UInt32>
  private let days: Column<Int32>
  private let keyOrder: KeyOrder
  /// Number of each row's group, which is its index in ``groupNumbers`` plus one, or 0 for a row without a group.
  private let rowGroups: Column<UInt32>
  private let groupRows = Column<Int>()
  private let groupNumbers = GroupNumbers()
  /// Cache of recently used group numbers. Consecutive rows usually alternate between a few groups.
  private let lately: UnsafeMutablePointer<(name: GroupName, number: UInt32)>
  private static let latelyCount = 256
  private var kind: SegmentFooter.Kind?
  private var isFinished = false

  /// Creates the file and writes its header. `rows` is the expected number of rows, although more can be added.
  init(number: UInt64, storeID: UInt64, rows: Int = 0, log: Log) throws(StorageError) {
    self.log = log
    offsets = Column(capacity: rows)
    hashes = Column(capacity: rows)
    days = Column(capacity: rows)
    keyOrder = KeyOrder(capacity: rows)
    rowGroups = Column(capacity: rows)
    lately = .allocate(capacity: Self.latelyCount)
    lately.initialize(repeating: (GroupName(kind: 0, group: 0), 0), count: Self.latelyCount)
    let path = log.path(segment: number)
    self.path = path
    footer = SegmentFooter(number: number, storeID: storeID)
    // Remove the file from an interrupted attempt, if there is one.
    try? log.fileSystem.remove(path)
    file = try storing { () throws(FileSystemError) in
      let file = try log.fileSystem.open(path, .create)
      try file.truncate(to: 0)
      return file
    }
    let header = RowMemory(zeroed: SegmentFooter.headerBytes)
    store(SegmentFooter.magic, header.base, 0)
    header.base.storeBytes(of: UInt32(StoreFormat.version).littleEndian, toByteOffset: 8, as: UInt32.self)
    header.base.storeBytes(of: UInt32(SegmentFooter.headerBytes).littleEndian, toByteOffset: 12, as: UInt32.self)
    store(number, header.base, 16)
    store(storeID, header.base, 24)
    store(Checksum.xxh64(header.bytes(from: 0, count: 56)), header.base, 56)
    try add(header.bytes(from: 0, count: header.count))
  }

  deinit {
    lately.deallocate()
    // Free the space now rather than at the next maintenance.
    if !isFinished { try? log.fileSystem.remove(path) }
  }

  var bytes: Int { position + filled }

  func add(_ record: UnsafeRawPointer) throws(StorageError) {
    let offset = bytes
    // Offsets are stored in 32 bits as multiples of 8 bytes; row numbers have 32 bits.
    guard offset >> 3 <= Int(UInt32.max), offsets.count < Int(UInt32.max) - 1 else {
      throw .tooLarge(bytes: offset, limit: Int(UInt32.max) << 3)
    }
    let row = offsets.count
    let kind = RowLayout.kind(record)
    let sort = RowLayout.sort(record)
    let group = RowLayout.group(record)
    offsets.append(UInt32(offset >> 3))
    hashes.append(Memtable.hash(kind, RowLayout.key(record)))
    days.append(SegmentDayIndex.day(sort))
    rowGroups.append(group == 0 ? 0 : number(of: GroupName(kind: kind, group: group)))
    if self.kind?.kind != kind {
      endKind()
      self.kind = .init(kind: kind, first: row, count: 0, least: sort, greatest: sort)
    }
    self.kind?.count += 1
    keyOrder.append(RowLayout.key(record), row: UInt32(row))
    self.kind?.greatest = sort
    try add(UnsafeRawBufferPointer(start: record, count: RowLayout.size(record)))
  }

  private func endKind() {
    guard let kind else { return }
    footer.kinds.append(kind)
    keyOrder.endKind()
  }

  @inline(__always) private func number(of name: GroupName) -> UInt32 {
    let slot = Int(truncatingIfNeeded: name.group % UInt64(Self.latelyCount))
    if lately[slot].name != name { lately[slot] = (name, findNumber(of: name)) }
    let number = lately[slot].number
    groupRows[Int(number) - 1] += 1
    return number
  }

  @inline(never) private func findNumber(of name: GroupName) -> UInt32 {
    let number = groupNumbers.number(of: name)
    if Int(number) > groupRows.count { groupRows.append(0) }
    return number
  }

  /// Writes the indexes and the footer. When this returns, the file and its name are durable.
  /// - Parameters:
  ///   - kills: rows in older segments that this segment replaces.
  ///   - manifest: manifest of the new generation, which does not list this segment yet.
  func finish(kills: [RowPlace], manifest: Manifest) throws(StorageError) -> SegmentReference {
    endKind()
    footer.rowCount = offsets.count
    footer.rowsEnd = bytes
    footer.offsetsAt = bytes
    try add(offsets)
    try align(to: SegmentHashIndex.pieceBytes)
    footer.namesAt = bytes
    footer.nameCount = SegmentHashIndex.pieces(for: hashes.count)
    let pieces = SegmentHashIndex.encoded(hashes.elements, places: offsets.elements)
    try add(pieces.bytes(from: 0, count: footer.nameCount * SegmentHashIndex.pieceBytes))
    try addGroups()
    footer.killsAt = bytes
    footer.killCount = kills.count
    for kill in kills { try add(array: [kill.segment, UInt64(kill.row)]) }
    footer.manifestAt = bytes
    let copy = manifest.encoded()
    footer.manifestBytes = copy.count
    try add(copy.bytes(from: 0, count: copy.count))
    try align(to: 8)
    footer.checksumsAt = bytes
    try flush()
    let table = checksums
    try add(array: table)
    let (encoded, checksum) = footer.encoded()
    // Write two copies, because without a footer nothing in the file could be interpreted.
    for _ in 0..<2 { try add(encoded.bytes(from: 0, count: encoded.count)) }
    try flush()
    let file = file
    let log = log
    try storing { () throws(FileSystemError) in
      try file.synchronize()
      try log.fileSystem.syncDirectory(log.directory)
    }
    isFinished = true
    return SegmentReference(
      number: footer.number, fileBytes: position, rowCount: footer.rowCount, checksum: checksum)
  }

  /// Writes the group entries, the row lists and the day index.
  ///
  /// Each kind has two additional entries: group 0, which has only days, and ``KeyOrder/group`` with its rows in key
  /// order.
  private func addGroups() throws(StorageError) {
    let order = groupsInOrder()
    // For each group, the index where its next row is stored in the lists.
    let places = Column<Int>(zeros: order.count)
    var listed = 0
    for number in order.elements.lazy.map(Int.init) {
      places[number] = listed
      listed += groupRows[number]
    }
    let lists = Column<UInt32>(zeros: listed)
    for row in 0..<rowGroups.count where rowGroups[row] != 0 {
      let number = Int(rowGroups[row]) - 1
      lists[places[number]] = UInt32(row)
      places[number] += 1
    }
    footer.groupsAt = bytes
    footer.groupCount = order.count + footer.kinds.count * 2
    let dayEntries = Column<UInt32>()
    var keyed = listed
    var numbers = order.elements[...]
    for (kind, counts) in zip(footer.kinds, keyOrder.counts) {
      func add(group: UInt64, rows: some Sequence<Int>, listing count: Int) throws(StorageError) {
        let firstDay = dayEntries.count / 2
        addDays(of: rows, to: dayEntries)
        try self.add(
          array: [
            UInt64(kind.kind), group, UInt64(footer.listCount), UInt64(count), UInt64(firstDay),
            UInt64(dayEntries.count / 2 - firstDay),
          ])
        footer.listCount += count
      }
      try add(group: 0, rows: kind.first..<kind.first + kind.count, listing: 0)
      while let number = numbers.first.map(Int.init), groupNumbers.names[number].kind == kind.kind {
        let own = lists.elements[footer.listCount..<footer.listCount + groupRows[number]]
        try add(group: groupNumbers.names[number].group, rows: own.lazy.map(Int.init), listing: own.count)
        numbers.removeFirst()
      }
      try self.add(
        array: [
          UInt64(kind.kind), KeyOrder.group, UInt64(keyed), UInt64(counts.all), UInt64(counts.versionSeven),
          UInt64(counts.otherUUIDs),
        ])
      keyed += counts.all
    }
    footer.listCount += keyOrder.rows.count
    footer.listsAt = bytes
    try add(lists)
    try add(keyOrder.rows)
    try align(to: 8)
    footer.daysAt = bytes
    footer.dayCount = dayEntries.count / 2
    try add(dayEntries)
  }

  /// Returns the group numbers minus one, ordered by kind and group key. Numbers are assigned kind by kind, so each
  /// kind is sorted separately.
  private func groupsInOrder() -> Column<UInt32> {
    let names = groupNumbers.names
    let order = Column<UInt32>(capacity: names.count)
    var first = 0
    while first < names.count {
      let end = names[first...].firstIndex { $0.kind != names[first].kind } ?? names.count
      var groups = (first..<end).map { (group: names[$0].group, number: UInt32($0)) }
      groups.sort { $0.group < $1.group }
      for group in groups { order.append(group.number) }
      first = end
    }
    return order
  }

  private func addDays(of rows: some Sequence<Int>, to entries: Column<UInt32>) {
    var last: Int32?
    var before: UInt32 = 0
    for row in rows {
      if days[row] != last {
        last = days[row]
        entries.append(UInt32(bitPattern: days[row]))
        entries.append(before)
      }
      before += 1
    }
  }

  // MARK: Bytes

  private func add<Element>(_ column: Column<Element>) throws(StorageError) {
    #if _endian(big)
      try add(array: Array(column.elements))
    #else
      try add(UnsafeRawBufferPointer(column.elements))
    #endif
  }

  private func add<Element: FixedWidthInteger>(array: [Element]) throws(StorageError) {
    #if _endian(big)
      let array = array.map(\.littleEndian)
    #endif
    try array.withUnsafeBufferPointer { elements throws(StorageError) in
      try add(UnsafeRawBufferPointer(elements))
    }
  }

  private func align(to multiple: Int) throws(StorageError) {
    let rest = -bytes & (multiple - 1)
    if rest > 0 { try add(array: [UInt8](repeating: 0, count: rest)) }
  }

  private func add(_ source: UnsafeRawBufferPointer) throws(StorageError) {
    guard let base = source.baseAddress else { return }
    var done = 0
    while done < source.count {
      let count = min(source.count - done, buffer.count - filled)
      (buffer.base + filled).copyMemory(from: base + done, byteCount: count)
      filled += count
      done += count
      if filled == buffer.count { try flush() }
    }
  }

  /// Writes the buffer and computes its page checksums. The buffer contains whole pages, except at the end of the
  /// checksummed part.
  private func flush() throws(StorageError) {
    let bytes = buffer.bytes(from: 0, count: filled)
    var from = 0
    while from < bytes.count {
      let to = min(from + SegmentFooter.pageBytes, bytes.count)
      checksums.append(
        footer.checksum(ofPage: checksums.count, UnsafeRawBufferPointer(rebasing: bytes[from..<to])))
      from = to
    }
    let file = file
    let offset = position
    try storing { () throws(FileSystemError) in try file.write(bytes, at: offset) }
    position += filled
    filled = 0
  }
}
