/// How a segment says what lies where in it (docs/format.md, "Segment"). It is the end of the file, twice.
struct SegmentFooter {
  static let magic: UInt64 = 0x6773_7964_6E65_7274  // "trendysg"
  static let headerBytes = 64
  static let pageShift = 14
  static let pageBytes = 1 << pageShift
  static let fixedBytes = 160
  static let trailerBytes = 24
  static let kindBytes = 40
  static let groupBytes = 32
  static let killBytes = 16

  struct Kind: Hashable {
    var kind: UInt8
    /// The row it begins with.
    var first: Int
    var count: Int
    var least: Int64
    var greatest: Int64
  }

  /// Of the file: 2 or more.
  private(set) var version = StoreFormat.segmentVersion
  var number: UInt64
  var storeID: UInt64
  var rowCount = 0
  var rowsEnd = SegmentFooter.headerBytes
  var offsetsAt = 0
  var sortsAt = 0
  var slotsAt = 0
  var slotCount = 0
  var groupsAt = 0
  var groupCount = 0
  var listsAt = 0
  var listCount = 0
  var killsAt = 0
  var killCount = 0
  var manifestAt = 0
  var manifestBytes = 0
  /// Where the checksums of the pages before it lie.
  var checksumsAt = 0
  var kinds: [Kind] = []

  init(number: UInt64, storeID: UInt64) {
    self.number = number
    self.storeID = storeID
  }

  var pageCount: Int { Self.pages(checksumsAt) }
  var checksumsEnd: Int { checksumsAt + pageCount * 8 }
  var bytes: Int {
    Self.fixedBytes + kinds.count * Self.kindBytes + Self.trailerBytes
  }

  /// The checksum of a page; one that stands for another page, or belongs to another file, does not fit.
  func checksum(ofPage page: Int, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
    Checksum.xxh64(bytes, seed: storeID ^ number << 32 ^ UInt64(page))
  }

  /// From where on a name of this hash is looked for.
  @inline(__always) func slot(_ hash: UInt32) -> Int {
    // Version 2 meant the same and forgot that a shift binds before a product: all its names begin at 0.
    version > 2 ? Int((UInt64(hash) &* UInt64(slotCount)) >> 32) : 0
  }

  static func pages(_ bytes: Int) -> Int { (bytes + pageBytes - 1) >> pageShift }

  /// The footer as bytes, and its checksum, which stands at its end.
  func encoded() -> (memory: RecordMemory, checksum: UInt64) {
    let memory = RecordMemory(zeroed: bytes)
    let base = memory.base
    store(Self.magic, base, 0)
    base.storeBytes(of: UInt32(StoreFormat.segmentVersion).littleEndian, toByteOffset: 8, as: UInt32.self)
    base.storeBytes(of: UInt32(bytes).littleEndian, toByteOffset: 12, as: UInt32.self)
    store(number, base, 16)
    store(storeID, base, 24)
    let numbers = [
      rowCount, rowsEnd, offsetsAt, sortsAt, slotsAt, slotCount, groupsAt, groupCount, listsAt, listCount, killsAt,
      killCount, manifestAt, manifestBytes, checksumsAt, kinds.count,
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

  /// Looks for the first of the two footers, which are alike, when the last is damaged.
  init(salvaging source: UnsafeRawBufferPointer, path: String) throws(StorageError) {
    let damage = StorageError.damaged(path: path, offset: max(source.count - Self.trailerBytes, 0))
    guard let base = source.baseAddress else { throw damage }
    // Footers are at most about ten kilobytes, and a whole file is a multiple of 8.
    var end = source.count - source.count % 8
    let least = max(end - 65_536, Self.headerBytes + Self.trailerBytes)
    while end >= least {
      if word(base, end - 16) == Self.magic,
        let footer = try? SegmentFooter(reading: UnsafeRawBufferPointer(rebasing: source[..<end]), path: path)
      {  // else it only looks like one
        self = footer
        return
      }
      end -= 8
    }
    throw damage
  }

  /// - Parameters:
  ///   - source: the whole file.
  ///   - path: for the error.
  init(reading source: UnsafeRawBufferPointer, path: String) throws(StorageError) {
    let damage = StorageError.damaged(path: path, offset: max(source.count - Self.trailerBytes, 0))
    guard source.count >= Self.headerBytes + Self.fixedBytes + Self.trailerBytes, let start = source.baseAddress,
      word(start, source.count - 16) == Self.magic, let bytes = Int(exactly: word(start, source.count - 24)),
      bytes >= Self.fixedBytes + Self.trailerBytes, bytes <= source.count - Self.headerBytes
    else { throw damage }
    let end = source.count - bytes
    let base = start + end
    guard word(base, 0) == Self.magic, Int(half(base, 12)) == bytes,
      word(base, bytes - 8) == Checksum.xxh64(UnsafeRawBufferPointer(start: base, count: bytes - 8))
    else { throw damage }
    let version = Int(half(base, 8))
    guard version <= StoreFormat.version else {
      throw .newerVersion(path: path, found: version, supported: StoreFormat.version)
    }
    self.version = version
    number = word(base, 16)
    storeID = word(base, 24)
    var numbers: [Int] = []
    for index in 0..<16 {
      guard let number = Int(exactly: word(base, 32 + index * 8)), number <= source.count else { throw damage }
      numbers.append(number)
    }
    rowCount = numbers[0]
    rowsEnd = numbers[1]
    offsetsAt = numbers[2]
    sortsAt = numbers[3]
    slotsAt = numbers[4]
    slotCount = numbers[5]
    groupsAt = numbers[6]
    groupCount = numbers[7]
    listsAt = numbers[8]
    listCount = numbers[9]
    killsAt = numbers[10]
    killCount = numbers[11]
    manifestAt = numbers[12]
    manifestBytes = numbers[13]
    checksumsAt = numbers[14]
    let kindCount = numbers[15]
    // Each part lies behind the one before: then no look-up within its count leaves the file.
    guard bytes == Self.fixedBytes + kindCount * Self.kindBytes + Self.trailerBytes,
      Self.headerBytes <= rowsEnd, rowsEnd <= offsetsAt, offsetsAt + rowCount * 4 <= sortsAt,
      sortsAt + rowCount * 8 <= slotsAt, slotsAt + slotCount * 8 <= groupsAt,
      groupsAt + groupCount * Self.groupBytes <= listsAt, listsAt + listCount * 4 <= killsAt,
      killsAt + killCount * Self.killBytes <= manifestAt, manifestAt + manifestBytes <= checksumsAt
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
    // It stands there twice.
    guard checksumsEnd == end || checksumsEnd + bytes == end else { throw damage }
  }
}
