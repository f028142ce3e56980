/// What a store consists of: one small file, replaced as a whole (docs/format.md, "Manifest").
struct Manifest: Hashable {
  static let magic: UInt64 = 0x666D_7964_6E65_7274  // "trendymf"
  static let bytes = 56

  /// Rises with every replacement.
  var generation: UInt64
  /// Made by chance with the store.
  var storeID: UInt64
  /// The oldest chunk of the log that counts.
  var firstChunk: UInt64
  /// The sequence of the first group in it.
  var firstSequence: UInt64

  /// - Parameter path: for the error.
  init(reading source: UnsafeRawBufferPointer, path: String) throws(StorageError) {
    // Magic, version, length and the checksum at the end stay where they are in every version.
    guard source.count >= 24, let base = source.baseAddress, word(base, 0) == Self.magic,
      Int(half(base, 12)) == source.count,
      word(base, source.count - 8)
        == Checksum.xxh64(UnsafeRawBufferPointer(start: base, count: source.count - 8))
    else { throw .damaged(path: path, offset: 0) }
    let version = Int(half(base, 8))
    guard version <= StoreFormat.version else {
      throw .newerVersion(path: path, found: version, supported: StoreFormat.version)
    }
    guard source.count == Self.bytes else { throw .damaged(path: path, offset: 12) }
    generation = word(base, 16)
    storeID = word(base, 24)
    firstChunk = word(base, 32)
    firstSequence = word(base, 40)
  }

  init(generation: UInt64, storeID: UInt64, firstChunk: UInt64, firstSequence: UInt64) {
    self.generation = generation
    self.storeID = storeID
    self.firstChunk = firstChunk
    self.firstSequence = firstSequence
  }

  static func read(directory: String, fileSystem: any FileSystem) throws(StorageError) -> Manifest {
    let path = directory + "/" + StoreFormat.manifestName
    let file = try storing { () throws(FileSystemError) in try fileSystem.open(path, .read) }
    // More than any manifest of this version holds, so that what was appended shows.
    let buffer = RecordMemory(zeroed: 4096)
    let count = try storing { () throws(FileSystemError) in
      try file.read(into: UnsafeMutableRawBufferPointer(start: buffer.base, count: buffer.count), at: 0)
    }
    return try Manifest(reading: buffer.bytes(from: 0, count: count), path: path)
  }

  /// Puts this in place of the manifest there; durable on return. The caller holds the write lock.
  func replace(directory: String, fileSystem: any FileSystem) throws(StorageError) {
    let buffer = RecordMemory(zeroed: Self.bytes)
    let base = buffer.base
    store(Self.magic, base, 0)
    base.storeBytes(of: UInt32(StoreFormat.version).littleEndian, toByteOffset: 8, as: UInt32.self)
    base.storeBytes(of: UInt32(Self.bytes).littleEndian, toByteOffset: 12, as: UInt32.self)
    store(generation, base, 16)
    store(storeID, base, 24)
    store(firstChunk, base, 32)
    store(firstSequence, base, 40)
    store(Checksum.xxh64(buffer.bytes(from: 0, count: Self.bytes - 8)), base, Self.bytes - 8)
    let temporary = directory + "/" + StoreFormat.newManifestName
    try storing { () throws(FileSystemError) in
      let file = try fileSystem.open(temporary, .create)
      try file.truncate(to: 0)
      try file.write(buffer.bytes(from: 0, count: Self.bytes), at: 0)
      try file.synchronize()
      try fileSystem.rename(temporary, to: directory + "/" + StoreFormat.manifestName)
      try fileSystem.syncDirectory(directory)
    }
  }
}
