/// How a chunk of the log begins (docs/format.md, "Chunk").
struct ChunkHeader: Hashable {
  static let bytes = 64
  static let magic: UInt64 = 0x676C_7964_6E65_7274  // "trendylg"

  var number: UInt64
  var epoch: UInt64
  var chunkBytes: Int
  var storeID: UInt64

  /// The epoch of a chunk follows from the store and its number, so that a group copied from elsewhere is not taken in.
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

  /// That of the chunk after another.
  init(after header: ChunkHeader, chunkBytes: Int) {
    self.init(number: header.number + 1, chunkBytes: chunkBytes, storeID: header.storeID)
  }

  /// As it lies in the file.
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

/// How one save lies in the log (docs/format.md, "Group").
struct GroupHeader: Hashable {
  static let bytes = 48
  /// Lengths are 32 bits; beyond this a save is refused.
  static let largest = 1 << 31

  var length: Int
  var count: Int
  var epoch: UInt64
  /// One more than that of the group before it, from 1.
  var sequence: UInt64
  /// The last group that its writer knew to be durable: a bad group up to here is damage, one after it a torn tail.
  var durable: UInt64
  /// The last group of its chunk: the log goes on in the next one.
  var isSeal: Bool
  /// Of a seal: a restore is about to put other rows in the place of all before. Who has the store open then opens it anew.
  var isReplacement = false

  /// The header at the start of `source`, if what it says of itself can be true of a group of this epoch.
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

  /// Whether the bytes of a group, header included, are as they were written and its records fill it.
  func isWhole(_ base: UnsafeRawPointer) -> Bool {
    guard word(base, 40) == Self.checksum(base, length: length, epoch: epoch) else { return false }
    var position = Self.bytes
    for _ in 0..<count {
      guard position + RecordLayout.headerBytes <= length else { return false }
      position += RecordLayout.size(base + position)
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

  /// That of a group that is whole.
  static func checksum(of base: UnsafeRawPointer) -> UInt64 { word(base, 40) }

  private static func checksum(_ base: UnsafeRawPointer, length: Int, epoch: UInt64) -> UInt64 {
    let head = Checksum.xxh64(UnsafeRawBufferPointer(start: base, count: 40), seed: epoch)
    return Checksum.xxh64(UnsafeRawBufferPointer(start: base + bytes, count: length - bytes), seed: head)
  }
}

/// What this program writes and reads.
enum StoreFormat {
  /// Version of the files of a store and of the rows in a backup.
  static let version = 1

  /// - Throws: ``StorageError/newerVersion(path:found:supported:)`` for a file of another version.
  static func check(_ found: Int, of path: String) throws(StorageError) {
    guard found == version else { throw .newerVersion(path: path, found: found, supported: version) }
  }

  /// Largest sequence, generation or file number that is read from a file: larger ones would overflow when they are increased, or
  /// as a part of a place in the queue.
  static let largestNumber: UInt64 = 1 << 40

  /// The number in a file's name; `nil` for text that is no number or one that is out of range.
  static func number(_ text: Substring) -> UInt64? { UInt64(text).flatMap { $0 <= largestNumber ? $0 : nil } }

  static func segmentName(_ number: UInt64) -> String { "segment-\(number)" }
  static func chunkName(_ number: UInt64) -> String { "log-\(number)" }
  static let spareName = "chunk.new"
  static let manifestName = "manifest"
  static let newManifestName = "manifest.new"
  static let lockName = "lock"
  static let maintenanceLockName = "maintenance"
  /// Of files that something else took the place of, with every byte they had.
  static let setAsidePrefix = "set-aside-"

  /// Whether a file of this name in the folder of a store is the store's, or may become so.
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

/// The high bit of each byte that is zero; perhaps also of one above a zero that is 1.
@inline(__always) func zeroBytes(_ word: UInt64) -> UInt64 {
  (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
}
