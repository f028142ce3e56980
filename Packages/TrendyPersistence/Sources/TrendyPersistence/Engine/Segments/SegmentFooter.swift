/// Footer of a segment, with the offset of each part (docs/format.md, "Segment"). A file ends with two identical
/// footers.
struct SegmentFooter {
  static let magic: UInt64 = 0x6773_7964_6E65_7274  // "trendysg"
  static let headerBytes = 64
  static let trailerBytes = 24
  static let kindBytes = 40
  static let killBytes = 16
  static let dayBytes = 8
  static let groupBytes = 48
  /// Binary logarithm of the page length. Each page has a checksum.
  static let pageShift = 12
  static let pageBytes = 1 << pageShift
  private static let fixedBytes = 168
  /// Length of a footer without kinds.
  private static let minBytes = fixedBytes + trailerBytes

  /// Rows of one kind. A class for the same reason as ``SegmentReference``.
  final class Kind {
    let kind: UInt8
    let first: Int
    var count: Int
    let least: Int64
    var greatest: Int64

    init(kind: UInt8, first: Int, count: Int, least: Int64, greatest: Int64) {
      self.kind = kind
      self.first = first
      self.count = count
      self.least = least
      self.greatest = greatest
    }
  }

  var number: UInt64
  var storeID: UInt64
  var rowCount = 0
  var rowsEnd = SegmentFooter.headerBytes
  var offsetsAt = 0
  var namesAt = 0
  var nameCount = 0
  var groupsAt = 0
  var groupCount = 0
  var listsAt = 0
  var listCount = 0
  var daysAt = 0
  var dayCount = 0
  var killsAt = 0
  var killCount = 0
  var manifestAt = 0
  var manifestBytes = 0
  /// Offset of the page checksums, which cover everything before them.
  var checksumsAt = 0
  var kinds: [Kind] = []

  init(number: UInt64, storeID: UInt64) {
    self.number = number
    self.storeID = storeID
  }

  var pageCount: Int { (checksumsAt + Self.pageBytes - 1) >> Self.pageShift }
  private var checksumsEnd: Int { checksumsAt + pageCount * 8 }
  private var bytes: Int { Self.fixedBytes + kinds.count * Self.kindBytes + Self.trailerBytes }

  /// Returns the checksum of a page. It depends on the segment and the page number, so a misplaced page does not match.
  func checksum(ofPage page: Int, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
    Checksum.xxh64(bytes, seed: storeID ^ number << 32 ^ UInt64(page))
  }

  func encoded() -> (memory: RowMemory, checksum: UInt64) {
    let memory = RowMemory(zeroed: bytes)
    let base = memory.base
    store(Self.magic, base, 0)
    base.storeBytes(of: UInt32(StoreFormat.version).littleEndian, toByteOffset: 8, as: UInt32.self)
    base.storeBytes(of: UInt32(bytes).littleEndian, toByteOffset: 12, as: UInt32.self)
    store(number, base, 16)
    store(storeID, base, 24)
    let numbers = [
      rowCount, rowsEnd, offsetsAt, namesAt, nameCount, groupsAt, groupCount, listsAt, listCount, daysAt, dayCount,
      killsAt, killCount, manifestAt, manifestBytes, checksumsAt, kinds.count,
    ]
    for (index, number) in numbers.enumerated() { store(UInt64(number), base, 32 + index * 8) }
    var position = Self.fixedBytes
    for kind in kinds {
      store(UInt64(kind.kind), base, position)
      store(UInt64(kind.first), base, position + 8)
      store(UInt64(kind.count), base, position + 16)
      store(UInt64(bitPattern: kind.least), base, position + 24)
      store(UInt64(bitPattern: kind.greatest), base, position + 32)
      position += Self.kindBytes
    }
    store(UInt64(bytes), base, position)
    store(Self.magic, base, position + 8)
    let checksum = Checksum.xxh64(memory.bytes(from: 0, count: position + 16))
    store(checksum, base, position + 16)
    return (memory, checksum)
  }

  /// Reads the last intact footer in a file whose end is damaged.
  init(salvaging source: UnsafeRawBufferPointer, path: String) throws(StorageError) {
    let damage = StorageError.damaged(path: path, offset: max(source.count - Self.trailerBytes, 0))
    guard let base = source.baseAddress else { throw damage }
    // A footer has at most about 10 KB, and the length of an intact file is a multiple of 8.
    var end = source.count - source.count % 8
    let least = max(end - 65_536, Self.headerBytes + Self.trailerBytes)
    while end >= least {
      if word(base, end - 16) == Self.magic,
        let footer = try? SegmentFooter(reading: UnsafeRawBufferPointer(rebasing: source[..<end]), path: path)
      {  // otherwise the magic number is a coincidence
        self = footer
        return
      }
      end -= 8
    }
    throw damage
  }

  init(reading source: UnsafeRawBufferPointer, path: String) throws(StorageError) {
    let damage = StorageError.damaged(path: path, offset: max(source.count - Self.trailerBytes, 0))
    guard source.count >= Self.headerBytes + Self.minBytes, let start = source.baseAddress,
      word(start, source.count - 16) == Self.magic, let bytes = Int(exactly: word(start, source.count - 24)),
      bytes >= Self.minBytes, bytes <= source.count - Self.headerBytes
    else { throw damage }
    let end = source.count - bytes
    let base = start + end
    guard word(base, 0) == Self.magic, Int(half(base, 12)) == bytes,
      word(base, bytes - 8) == Checksum.xxh64(UnsafeRawBufferPointer(start: base, count: bytes - 8))
    else { throw damage }
    try StoreFormat.check(Int(half(base, 8)), of: path)
    number = word(base, 16)
    storeID = word(base, 24)
    guard number <= StoreFormat.largestNumber else { throw damage }
    // A number out of range becomes -1. All numbers are checked together below.
    var place = 32
    func next() -> Int {
      defer { place += 8 }
      return Int(exactly: word(base, place)) ?? -1
    }
    rowCount = next()
    rowsEnd = next()
    offsetsAt = next()
    namesAt = next()
    nameCount = next()
    groupsAt = next()
    groupCount = next()
    listsAt = next()
    listCount = next()
    daysAt = next()
    dayCount = next()
    killsAt = next()
    killCount = next()
    manifestAt = next()
    manifestBytes = next()
    checksumsAt = next()
    let kindCount = next()
    guard (0...bytes).contains(kindCount), bytes == Self.fixedBytes + kindCount * Self.kindBytes + Self.trailerBytes,
      isInOrder(within: source.count)
    else { throw damage }
    var position = Self.fixedBytes
    for _ in 0..<kindCount {
      let kind = Kind(
        kind: UInt8(truncatingIfNeeded: word(base, position)), first: Int(truncatingIfNeeded: word(base, position + 8)),
        count: Int(truncatingIfNeeded: word(base, position + 16)),
        least: Int64(bitPattern: word(base, position + 24)), greatest: Int64(bitPattern: word(base, position + 32)))
      guard kind.first >= 0, kind.count > 0, kind.first <= rowCount, kind.count <= rowCount - kind.first else {
        throw damage
      }
      kinds.append(kind)
      position += Self.kindBytes
    }
    guard checksumsEnd == end || checksumsEnd + bytes == end else { throw damage }
  }

  /// Whether the parts follow one another without overlap, so that accesses within their counts stay inside the file.
  private func isInOrder(within fileBytes: Int) -> Bool {
    var end = Self.headerBytes
    func follows(_ start: Int, _ count: Int, _ size: Int) -> Bool {
      guard end <= start, start <= fileBytes, (0...fileBytes).contains(count) else { return false }
      end = start + count * size
      return true
    }
    let begins = (0...fileBytes).contains(rowCount) && follows(rowsEnd, 0, 0) && follows(offsetsAt, rowCount, 4)
    let hasNames =
      follows(namesAt, nameCount, SegmentHashIndex.pieceBytes) && follows(groupsAt, groupCount, Self.groupBytes)
    let hasLists = follows(listsAt, listCount, 4) && follows(daysAt, dayCount, Self.dayBytes)
    let hasRest = follows(killsAt, killCount, Self.killBytes) && follows(manifestAt, manifestBytes, 1)
    return begins && hasNames && hasLists && hasRest && follows(checksumsAt, 0, 0)
  }
}
