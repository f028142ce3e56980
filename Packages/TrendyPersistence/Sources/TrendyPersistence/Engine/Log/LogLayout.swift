/// Header of a chunk of the log (docs/format.md, "Chunk").
struct ChunkHeader: Hashable {
  static let bytes = 64
  static let magic: UInt64 = 0x676C_7964_6E65_7274  // "trendylg"

  var number: UInt64
  var epoch: UInt64
  var chunkBytes: Int
  var storeID: UInt64

  /// Derives the chunk tag (`epoch`) from the store id and the chunk number. Groups copied from another chunk are thus
  /// rejected.
  init(number: UInt64, chunkBytes: Int, storeID: UInt64) {
    self.number = number
    self.chunkBytes = chunkBytes
    self.storeID = storeID
    epoch = withUnsafeBytes(of: number.littleEndian) { Checksum.xxh64($0, seed: storeID) }
  }

  enum Reading: Hashable {
    case valid(ChunkHeader)
    case otherVersion(Int)
    case bad
  }

  static func read(_ source: UnsafeRawBufferPointer) -> Reading {
    guard source.count >= bytes, let base = source.baseAddress, word(base, 0) == magic,
      word(base, 56) == Checksum.xxh64(UnsafeRawBufferPointer(start: base, count: 56))
    else { return .bad }
    let version = Int(half(base, 8))
    guard version == StoreFormat.version else { return .otherVersion(version) }
    guard let chunkBytes = Int(exactly: word(base, 32)), chunkBytes >= bytes, half(base, 12) == bytes,
      word(base, 16) <= StoreFormat.largestNumber
    else { return .bad }
    let header = ChunkHeader(number: word(base, 16), chunkBytes: chunkBytes, storeID: word(base, 40))
    guard header.epoch == word(base, 24) else { return .bad }
    return .valid(header)
  }

  init(after header: ChunkHeader, chunkBytes: Int) {
    self.init(number: header.number + 1, chunkBytes: chunkBytes, storeID: header.storeID)
  }

  var encoded: [UInt8] {
    Array(unsafeUninitializedCapacity: Self.bytes) { buffer, count in
      let base = UnsafeMutableRawPointer(buffer.baseAddress!)
      store(Self.magic, base, 0)
      base.storeBytes(of: UInt32(StoreFormat.version).littleEndian, toByteOffset: 8, as: UInt32.self)
      base.storeBytes(of: UInt32(Self.bytes).littleEndian, toByteOffset: 12, as: UInt32.self)
      store(number, base, 16)
      store(epoch, base, 24)
      store(UInt64(chunkBytes), base, 32)
      store(storeID, base, 40)
      store(0, base, 48)
      store(Checksum.xxh64(UnsafeRawBufferPointer(start: base, count: 56)), base, 56)
      count = Self.bytes
    }
  }
}

/// Header of a commit group, which contains one save (docs/format.md, "Group").
struct GroupHeader: Hashable {
  static let bytes = 48
  /// Exclusive upper bound for the length of a group in bytes, because the length field has 32 bits.
  static let largest = 1 << 31

  var length: Int
  var count: Int
  var epoch: UInt64
  /// Starts at 1 and increases by 1 with each group.
  var sequence: UInt64
  /// Highest sequence number that the writer knew to be durable. A broken group is damage if its number does not exceed
  /// this value. Otherwise the group is a torn tail.
  var durable: UInt64
  /// Whether this is the last group in its chunk. The log continues in the next chunk.
  var isSeal: Bool
  /// Whether this seal announces that a restore is replacing all rows before it. Other handles must then load the new
  /// generation.
  var isReplacement = false

  /// Reads a header. Returns `nil` if its tag, length or sequence numbers are invalid for this chunk.
  static func read(_ base: UnsafeRawPointer, available: Int, epoch: UInt64) -> GroupHeader? {
    guard available >= bytes, word(base, 8) == epoch else { return nil }
    let length = Int(half(base, 0))
    guard length >= bytes, length & 7 == 0, length <= available, word(base, 16) <= StoreFormat.largestNumber,
      word(base, 24) < word(base, 16)
    else { return nil }
    return GroupHeader(
      length: length, count: Int(half(base, 4)), epoch: epoch, sequence: word(base, 16), durable: word(base, 24),
      isSeal: half(base, 32) & 1 != 0, isReplacement: half(base, 32) & 2 != 0)
  }

  /// Returns whether the checksum and the row lengths of the group at `base` are valid.
  func isWhole(_ base: UnsafeRawPointer) -> Bool {
    guard word(base, 40) == Self.checksum(base, length: length, epoch: epoch) else { return false }
    var position = Self.bytes
    for _ in 0..<count {
      guard position + RowLayout.headerBytes <= length else { return false }
      position += RowLayout.size(base + position)
      guard position <= length else { return false }
    }
    return position == length
  }

  func write(to base: UnsafeMutableRawPointer) {
    base.storeBytes(of: UInt32(length).littleEndian, as: UInt32.self)
    base.storeBytes(of: UInt32(count).littleEndian, toByteOffset: 4, as: UInt32.self)
    store(epoch, base, 8)
    store(sequence, base, 16)
    store(durable, base, 24)
    store((isSeal ? 1 : 0) | (isReplacement ? 2 : 0), base, 32)
    store(Self.checksum(base, length: length, epoch: epoch), base, 40)
  }

  static func checksum(of base: UnsafeRawPointer) -> UInt64 { word(base, 40) }

  private static func checksum(_ base: UnsafeRawPointer, length: Int, epoch: UInt64) -> UInt64 {
    let head = Checksum.xxh64(UnsafeRawBufferPointer(start: base, count: 40), seed: epoch)
    return Checksum.xxh64(UnsafeRawBufferPointer(start: base + bytes, count: length - bytes), seed: head)
  }
}

enum StoreFormat {
  /// Version of the store files and of the rows in a backup.
  static let version = 1

  /// Throws ``StorageError/newerVersion(path:found:supported:)`` if a file has any other version.
  static func check(_ found: Int, of path: String) throws(StorageError) {
    guard found == version else { throw .newerVersion(path: path, found: found, supported: version) }
  }

  /// Largest sequence, generation or file number accepted from a file. Larger numbers could overflow when they are
  /// incremented or used in a queue position.
  static let largestNumber: UInt64 = 1 << 40

  /// Parses the number in a file name. Returns `nil` if the number is malformed or too large.
  static func number(_ text: Substring) -> UInt64? { UInt64(text).flatMap { $0 <= largestNumber ? $0 : nil } }

  static func segmentName(_ number: UInt64) -> String { "segment-\(number)" }
  static func chunkName(_ number: UInt64) -> String { "log-\(number)" }
  static let spareName = "chunk.new"
  static let manifestName = "manifest"
  static let newManifestName = "manifest.new"
  static let lockName = "lock"
  static let maintenanceLockName = "maintenance"
  /// Name prefix for replaced files, which are preserved unchanged.
  static let setAsidePrefix = "set-aside-"

  static func isOwnName(_ name: String) -> Bool {
    [spareName, manifestName, newManifestName, lockName, maintenanceLockName].contains(name)
      || ["segment-", "log-", setAsidePrefix].contains { name.hasPrefix($0) }
  }
}

@inline(__always) func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
  UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
}

@inline(__always) func half(_ base: UnsafeRawPointer, _ offset: Int) -> UInt32 {
  UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
}

@inline(__always) func store(_ value: UInt64, _ base: UnsafeMutableRawPointer, _ offset: Int) {
  base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
}

/// Returns a word with the high bit set in each zero byte. The bit may also be set in a byte of value 1 above a zero
/// byte.
@inline(__always) func zeroBytes(_ word: UInt64) -> UInt64 {
  (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
}
