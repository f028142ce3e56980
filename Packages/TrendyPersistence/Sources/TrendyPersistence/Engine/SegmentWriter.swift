/// Writes a new segment from front to end. Rows come in the order of kind, sort value and key, each name once.
///
/// Nothing refers to the file before a manifest does; one that is not finished is removed.
final class SegmentWriter {
  private struct GroupName: Hashable, Comparable {
    var kind: UInt8
    var group: UInt64

    static func < (left: GroupName, right: GroupName) -> Bool { (left.kind, left.group) < (right.kind, right.group) }
  }

  /// The rows of a group in their order; of group 0, which is the whole kind, only the days.
  private struct Group {
    var rows: [UInt32] = []
    var rowCount = 0
    var days: [(day: Int32, first: UInt32)] = []

    mutating func add(sort: Int64) {
      let day = SegmentDays.day(sort)
      if days.last?.day != day { days.append((day, UInt32(rowCount))) }
      rowCount += 1
    }
  }

  private let log: Log
  private let path: String
  private let file: any OpenFile
  private let buffer = RecordMemory(zeroed: 1 << 20)
  private var filled = 0
  /// Where the buffer belongs in the file.
  private var position = 0
  private var checksums: [UInt64] = []
  private var footer: SegmentFooter
  private var offsets: [UInt32] = []
  private var hashes: [UInt32] = []
  private var groupNumbers: [GroupName: Int] = [:]
  private var groups: [Group] = []
  private var isFinished = false

  init(number: UInt64, storeID: UInt64, log: Log) throws(StorageError) {
    self.log = log
    let path = log.path(segment: number)
    self.path = path
    footer = SegmentFooter(number: number, storeID: storeID)
    // What an attempt left that was cut off; usually there is nothing.
    try? log.fileSystem.remove(path)
    file = try storing { () throws(FileSystemError) in
      let file = try log.fileSystem.open(path, .create)
      try file.truncate(to: 0)
      return file
    }
    let header = RecordMemory(zeroed: SegmentFooter.headerBytes)
    store(SegmentFooter.magic, header.base, 0)
    header.base.storeBytes(of: UInt32(StoreFormat.segmentVersion).littleEndian, toByteOffset: 8, as: UInt32.self)
    header.base.storeBytes(of: UInt32(SegmentFooter.headerBytes).littleEndian, toByteOffset: 12, as: UInt32.self)
    store(number, header.base, 16)
    store(storeID, header.base, 24)
    store(Checksum.xxh64(header.bytes(from: 0, count: 56)), header.base, 56)
    try add(header.bytes(from: 0, count: header.count))
  }

  deinit {
    // Only gives the room back early; what stays is removed by the next maintenance.
    if !isFinished { try? log.fileSystem.remove(path) }
  }

  var bytes: Int { position + filled }

  func add(record: UnsafeRawPointer) throws(StorageError) {
    let offset = bytes
    // Offsets are kept in eights, in 32 bits; rows in 32 bits.
    guard offset >> 3 <= Int(UInt32.max), offsets.count < Int(UInt32.max) - 1 else {
      throw .tooLarge(bytes: offset, limit: Int(UInt32.max) << 3)
    }
    let row = offsets.count
    let kind = RecordLayout.kind(record)
    let sort = RecordLayout.sort(record)
    let group = RecordLayout.group(record)
    offsets.append(UInt32(offset >> 3))
    hashes.append(Memtable.hash(kind, RecordLayout.key(record)))
    if let last = footer.kinds.indices.last, footer.kinds[last].kind == kind {
      footer.kinds[last].count += 1
      footer.kinds[last].greatest = sort
    } else {
      footer.kinds.append(.init(kind: kind, first: row, count: 1, least: sort, greatest: sort))
    }
    groups[number(of: GroupName(kind: kind, group: 0))].add(sort: sort)
    if group != 0 {
      let number = number(of: GroupName(kind: kind, group: group))
      groups[number].add(sort: sort)
      groups[number].rows.append(UInt32(row))
    }
    try add(UnsafeRawBufferPointer(start: record, count: RecordLayout.size(record)))
  }

  private func number(of name: GroupName) -> Int {
    if let number = groupNumbers[name] { return number }
    groupNumbers[name] = groups.count
    groups.append(Group())
    return groups.count - 1
  }

  /// Writes the indexes and the footer; the file and its name are durable on return.
  /// - Parameter manifest: what the store will consist of, without this segment.
  func finish(kills: [RowPlace], manifest: Manifest) throws(StorageError) -> SegmentReference {
    footer.rowCount = offsets.count
    footer.rowsEnd = bytes
    footer.offsetsAt = bytes
    try add(array: offsets)
    try align(to: SegmentNames.pieceBytes)
    footer.namesAt = bytes
    footer.nameCount = SegmentNames.pieces(for: hashes.count)
    let pieces = SegmentNames.encoded(hashes)
    try add(pieces.bytes(from: 0, count: footer.nameCount * SegmentNames.pieceBytes))
    let names = groupNumbers.sorted { $0.key < $1.key }
    footer.groupsAt = bytes
    footer.groupCount = names.count
    for (name, number) in names {
      let group = groups[number]
      try add(
        array: [
          UInt64(name.kind), name.group, UInt64(footer.listCount), UInt64(group.rows.count), UInt64(footer.dayCount),
          UInt64(group.days.count),
        ])
      footer.listCount += group.rows.count
      footer.dayCount += group.days.count
    }
    footer.listsAt = bytes
    for (_, number) in names { try add(array: groups[number].rows) }
    try align(to: 8)
    footer.daysAt = bytes
    for (_, number) in names {
      try add(array: groups[number].days.flatMap { [UInt32(bitPattern: $0.day), $0.first] })
    }
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
    // Twice: without it nothing of the file could be told from noise.
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

  // MARK: Bytes

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

  /// Writes what is in the buffer. Pages begin at multiples of their length in the part that has checksums; the buffer holds
  /// whole ones but at the end of that part.
  private func flush() throws(StorageError) {
    let bytes = buffer.bytes(from: 0, count: filled)
    var from = 0
    while from < bytes.count {
      let to = min(from + footer.pageBytes, bytes.count)
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
