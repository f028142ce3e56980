/// Small file that lists the segments and the first chunk of a generation. Always replaced as a whole (docs/format.md,
/// "Manifest").
struct Manifest: Hashable {
  static let magic: UInt64 = 0x666D_7964_6E65_7274  // "trendymf"
  private static let segmentsAt = 56
  /// Length of a manifest without segments.
  static let bytes = segmentsAt + 8
  /// Maximum number of segments in a manifest. Merging keeps the actual number far lower.
  static let maxSegments = 1000

  var generation: UInt64
  /// Random id, chosen when the store was created.
  var storeID: UInt64
  /// Number of the first chunk of the log. Older chunks are obsolete.
  var firstChunk: UInt64
  /// Sequence number of the first group in that chunk.
  var firstSequence: UInt64
  /// Segments, which together contain all rows older than the log.
  var segments: [SegmentReference] = []

  /// Decodes a manifest from the whole file. `path` is used in errors.
  /// - Throws: ``StorageError/damaged(path:offset:)`` or ``StorageError/newerVersion(path:found:supported:)``.
  init(reading source: UnsafeRawBufferPointer, path: String) throws(StorageError) {
    // The magic number, version, length and final checksum have the same offsets in every version.
    guard source.count >= 24, let base = source.baseAddress, word(base, 0) == Self.magic,
      Int(half(base, 12)) == source.count,
      word(base, source.count - 8)
        == Checksum.xxh64(UnsafeRawBufferPointer(start: base, count: source.count - 8))
    else { throw .damaged(path: path, offset: 0) }
    try StoreFormat.check(Int(half(base, 8)), of: path)
    let count = source.count >= Self.bytes ? word(base, 48) : .max
    guard count <= Self.maxSegments, source.count == Self.bytes + Int(count) * SegmentReference.bytes else {
      throw .damaged(path: path, offset: 12)
    }
    generation = word(base, 16)
    storeID = word(base, 24)
    firstChunk = word(base, 32)
    firstSequence = word(base, 40)
    guard [generation, firstChunk, firstSequence].allSatisfy({ (1...StoreFormat.largestNumber).contains($0) }) else {
      throw .damaged(path: path, offset: 16)
    }
    for index in 0..<Int(count) {
      let place = Self.segmentsAt + index * SegmentReference.bytes
      guard word(base, place) <= StoreFormat.largestNumber, let fileBytes = Int(exactly: word(base, place + 8)),
        let rowCount = Int(exactly: word(base, place + 16))
      else { throw .damaged(path: path, offset: place) }
      segments.append(
        SegmentReference(
          number: word(base, place), fileBytes: fileBytes, rowCount: rowCount, checksum: word(base, place + 24)))
    }
  }

  init(generation: UInt64, storeID: UInt64, firstChunk: UInt64, firstSequence: UInt64) {
    self.generation = generation
    self.storeID = storeID
    self.firstChunk = firstChunk
    self.firstSequence = firstSequence
  }

  static func read(directory: String, fileSystem: any FileSystem) throws(StorageError) -> Manifest {
    try open(directory: directory, fileSystem: fileSystem).manifest
  }

  /// Reads the manifest.
  /// - Returns: the manifest and its open file, which stays at its path until the manifest is replaced.
  static func open(
    directory: String, fileSystem: any FileSystem
  ) throws(StorageError) -> (manifest: Manifest, file: any OpenFile) {
    let path = directory + "/" + StoreFormat.manifestName
    let file = try storing { () throws(FileSystemError) in try fileSystem.open(path, .read) }
    // Try a small buffer first, then one larger than any valid manifest, so that appended bytes are noticed.
    for bytes in [2048, Self.bytes + 8 + Self.maxSegments * SegmentReference.bytes] {
      let buffer = RowMemory(zeroed: bytes)
      let count = try storing { () throws(FileSystemError) in
        try file.read(into: UnsafeMutableRawBufferPointer(start: buffer.base, count: buffer.count), at: 0)
      }
      if count < bytes { return (try Manifest(reading: buffer.bytes(from: 0, count: count), path: path), file) }
    }
    throw .damaged(path: path, offset: 12)
  }

  func encoded() -> RowMemory {
    let bytes = Self.bytes + segments.count * SegmentReference.bytes
    let buffer = RowMemory(zeroed: bytes)
    let base = buffer.base
    store(Self.magic, base, 0)
    base.storeBytes(of: UInt32(StoreFormat.version).littleEndian, toByteOffset: 8, as: UInt32.self)
    base.storeBytes(of: UInt32(bytes).littleEndian, toByteOffset: 12, as: UInt32.self)
    store(generation, base, 16)
    store(storeID, base, 24)
    store(firstChunk, base, 32)
    store(firstSequence, base, 40)
    store(UInt64(segments.count), base, 48)
    for (index, segment) in segments.enumerated() {
      let place = Self.segmentsAt + index * SegmentReference.bytes
      store(segment.number, base, place)
      store(UInt64(segment.fileBytes), base, place + 8)
      store(UInt64(segment.rowCount), base, place + 16)
      store(segment.checksum, base, place + 24)
    }
    store(Checksum.xxh64(buffer.bytes(from: 0, count: bytes - 8)), base, bytes - 8)
    return buffer
  }

  /// Replaces the manifest durably. Requires the write lock.
  func replace(directory: String, fileSystem: any FileSystem) throws(StorageError) {
    let buffer = encoded()
    let temporary = directory + "/" + StoreFormat.newManifestName
    try storing { () throws(FileSystemError) in
      let file = try fileSystem.open(temporary, .create)
      try file.truncate(to: 0)
      try file.write(buffer.bytes(from: 0, count: buffer.count), at: 0)
      try file.synchronize()
      try fileSystem.rename(temporary, to: directory + "/" + StoreFormat.manifestName)
      try fileSystem.syncDirectory(directory)
    }
  }
}
