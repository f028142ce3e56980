import TrendyModels

/// Reads a backup block by block and verifies each checksum before using the data.
struct BackupReader {
  /// Time of the backup in milliseconds since 1970-01-01T00:00:00Z.
  let madeMillis: Int64
  let bytes: Int
  let path: String
  private let file: any OpenFile
  private let firstChecksum: UInt64
  private let header: RowMemory

  init(path: String, fileSystem: any FileSystem) throws(StorageError) {
    self.path = path
    file = try storing { () throws(FileSystemError) in try fileSystem.open(path, .read) }
    let file = file
    bytes = try storing { () throws(FileSystemError) in try file.size() }
    header = RowMemory(zeroed: BackupFormat.headerBytes)
    let count = try Self.read(file, header, count: header.count, at: 0)
    guard count >= 8, word(header.base, 0) == BackupFormat.magic else {
      throw .notABackup(path: path, offset: 0, reason: "unknown file type")
    }
    guard count == header.count, half(header.base, 12) == UInt32(BackupFormat.headerBytes) else {
      throw .notABackup(path: path, offset: min(count, 12), reason: "truncated or altered header")
    }
    firstChecksum = word(header.base, 56)
    guard Checksum.xxh64(header.bytes(from: 0, count: 56)) == firstChecksum else {
      throw .notABackup(path: path, offset: 0, reason: "altered header")
    }
    let version = Int(half(header.base, 8))
    guard version == BackupFormat.version else {
      throw .newerVersion(path: path, found: version, supported: BackupFormat.version)
    }
    try StoreFormat.check(Int(clamping: word(header.base, 16)), of: path)
    madeMillis = Int64(bitPattern: word(header.base, 24))
  }

  /// Reads the whole file.
  /// - Parameters:
  ///   - key: key that must have signed the backup, or `nil` to accept any backup.
  ///   - onStore: called at the start of each store, after its name was found to be valid and unique.
  ///   - onRecord: called with each row in order of kind, sort value and key. The row is valid during the call.
  ///   - onBlock: called with the number of bytes read so far.
  /// - Throws: ``StorageError/notABackup(path:offset:reason:)``, ``StorageError/wrongSignature(path:isSigned:)``, or an
  ///   error thrown by a closure.
  func read(
    signedWith key: BackupKey? = nil,
    onStore: (_ name: String, _ lastSequence: UInt64) throws(StorageError) -> Void,
    onRecord: (UnsafeRawPointer) throws(StorageError) -> Void,
    onBlock: (_ done: Int) throws(StorageError) -> Void
  ) throws(StorageError) {
    var buffer = RowMemory(zeroed: BackupFormat.usualBlock)
    var position = BackupFormat.headerBytes
    var checksum = firstChecksum
    var records = 0
    var names: Set<String> = []
    var previous: RowMemory?
    var hasEnded = false
    var authenticator = key.map { MessageAuthenticator(key: $0.bytes) }
    authenticator?.update(header.bytes(from: 0, count: header.count))
    while true {
      let length = try block(at: position, into: &buffer, after: &checksum)
      guard let kind = BackupFormat.BlockKind(rawValue: half(buffer.base, 4)) else {
        throw damage(position, "unknown kind of block")
      }
      let content = buffer.bytes(
        from: BackupFormat.blockHeaderBytes, count: length - BackupFormat.blockHeaderBytes)
      guard !hasEnded || kind == .signature else { throw damage(position, "data after the end") }
      switch kind {
      case .store:
        guard content.count > 8, let base = content.baseAddress else { throw damage(position, "store without a name") }
        let name = String(decoding: content[8...].prefix { $0 != 0 }, as: UTF8.self)
        guard BackupFormat.isStoreName(name) else { throw damage(position, "invalid store name") }
        guard names.insert(name).inserted else { throw damage(position, "duplicate store") }
        guard word(base, 0) <= BackupFormat.largestSequence else {
          throw damage(position, "sequence number out of range")
        }
        previous = nil
        try onStore(name, word(base, 0))
      case .records:
        guard !names.isEmpty else { throw damage(position, "rows without a store") }
        records += try forEachRecord(content, at: position, after: &previous, onRecord)
      case .end:
        guard let base = content.baseAddress, content.count == 8, word(base, 0) == UInt64(records) else {
          throw damage(position, "wrong number of rows")
        }
        hasEnded = true
        guard position + length < bytes else {
          guard key == nil else { throw .wrongSignature(path: path, isSigned: false) }
          try onBlock(bytes)
          return
        }
      case .signature:
        guard hasEnded, content.count == BackupFormat.signatureBytes else {
          throw damage(position, "unknown kind of signature")
        }
        guard position + length == bytes else { throw damage(position + length, "data after the end") }
        if let authenticator, !MessageAuthenticator.isEqual(authenticator.code(), Array(content)) {
          throw .wrongSignature(path: path, isSigned: true)
        }
        try onBlock(bytes)
        return
      }
      authenticator?.update(buffer.bytes(from: 0, count: length))
      position += length
      try onBlock(position)
    }
  }

  private func damage(_ offset: Int, _ reason: String) -> StorageError {
    .notABackup(path: path, offset: offset, reason: reason)
  }

  private func block(
    at position: Int, into buffer: inout RowMemory, after checksum: inout UInt64
  ) throws(StorageError) -> Int {
    let header = BackupFormat.blockHeaderBytes
    let cut = damage(bytes, "truncated file")
    guard try Self.read(file, buffer, count: header, at: position) == header else { throw cut }
    let length = Int(half(buffer.base, 0))
    guard length > header, length & 7 == 0, length <= BackupFormat.largestBlock,
      word(buffer.base, 8) == UInt64(position)
    else { throw damage(position, "altered block header") }
    guard length <= bytes - position else { throw cut }
    if length > buffer.count { buffer = RowMemory(zeroed: length) }
    guard try Self.read(file, buffer, count: length, at: position) == length else { throw cut }
    let found = BackupFormat.checksum(buffer.bytes(from: 0, count: length), before: checksum)
    guard found == word(buffer.base, 16) else { throw damage(position, "checksum mismatch") }
    checksum = found
    return length
  }

  private func forEachRecord(
    _ content: UnsafeRawBufferPointer, at position: Int, after previous: inout RowMemory?,
    _ body: (UnsafeRawPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Int {
    guard let base = content.baseAddress else { return 0 }
    var offset = 0
    var count = 0
    var last = previous.map { UnsafeRawPointer($0.base) }
    while offset < content.count {
      let record = base + offset
      guard offset + RowLayout.headerBytes <= content.count, offset + RowLayout.size(record) <= content.count,
        !RowLayout.isDeletion(record), last.map({ ScanOrder.isBelowInSegment($0, record) }) ?? true
      else { throw damage(position, "rows out of order") }
      try body(record)
      last = record
      offset += RowLayout.size(record)
      count += 1
    }
    // Copy the last header for the order check, because the next block overwrites this memory.
    if let last {
      let copy = RowMemory(zeroed: RowLayout.headerBytes)
      copy.base.copyMemory(from: last, byteCount: RowLayout.headerBytes)
      previous = copy
    }
    return count
  }

  private static func read(
    _ file: any OpenFile, _ memory: RowMemory, count: Int, at offset: Int
  ) throws(StorageError) -> Int {
    try storing { () throws(FileSystemError) in
      try file.read(into: UnsafeMutableRawBufferPointer(start: memory.base, count: count), at: offset)
    }
  }
}
