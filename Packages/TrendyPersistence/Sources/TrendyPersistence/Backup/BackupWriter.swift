import TrendyModels

/// Writes a backup sequentially to a temporary file and renames the file once it is durable.
final class BackupWriter {
  private let path: String
  private let fileSystem: any FileSystem
  private let file: any OpenFile
  private var buffer = RowMemory(zeroed: BackupFormat.usualBlock)
  private var filled = BackupFormat.blockHeaderBytes
  private var position = 0
  private var checksum: UInt64
  private(set) var records = 0
  private var isFinished = false
  private var authenticator: MessageAuthenticator?

  private var temporaryPath: String { path + ".part" }
  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  init(path: String, madeMillis: Int64, key: BackupKey?, fileSystem: any FileSystem) throws(StorageError) {
    self.path = path
    authenticator = key.map { MessageAuthenticator(key: $0.bytes) }
    self.fileSystem = fileSystem
    file = try Self.begin(path + ".part", fileSystem)
    let header = RowMemory(zeroed: BackupFormat.headerBytes)
    store(BackupFormat.magic, header.base, 0)
    header.base.storeBytes(of: UInt32(BackupFormat.version).littleEndian, toByteOffset: 8, as: UInt32.self)
    header.base.storeBytes(of: UInt32(BackupFormat.headerBytes).littleEndian, toByteOffset: 12, as: UInt32.self)
    store(UInt64(StoreFormat.version), header.base, 16)
    store(UInt64(bitPattern: madeMillis), header.base, 24)
    checksum = Checksum.xxh64(header.bytes(from: 0, count: 56))
    store(checksum, header.base, 56)
    try write(header.bytes(from: 0, count: header.count))
  }

  /// Creates an empty file and locks it against other writers of the same backup until it is closed.
  private static func begin(_ path: String, _ fileSystem: any FileSystem) throws(StorageError) -> any OpenFile {
    while true {
      let file = try storing { () throws(FileSystemError) in try fileSystem.open(path, .create) }
      guard try storing({ () throws(FileSystemError) in try file.tryLock() }) else { throw .busy(path: path) }
      // Try again with a new file if another writer has finished and renamed this file before releasing its lock.
      guard try storing({ () throws(FileSystemError) in try file.isInPlace() }) else { continue }
      try storing { () throws(FileSystemError) in try file.truncate(to: 0) }
      return file
    }
  }

  deinit {
    // Free the space. Readers ignore the temporary file.
    if !isFinished { try? fileSystem.remove(temporaryPath) }
  }

  func begin(store name: String, lastSequence: UInt64) throws(StorageError) {
    precondition(BackupFormat.isStoreName(name), "invalid store name in a backup: \(name)")
    let content = RowMemory(zeroed: (8 + name.utf8.count + 7) & ~7)
    store(lastSequence, content.base, 0)
    for (index, byte) in name.utf8.enumerated() {
      content.base.storeBytes(of: byte, toByteOffset: 8 + index, as: UInt8.self)
    }
    try append(content.bytes(from: 0, count: content.count))
    try flush(.store)
  }

  func add(_ record: Row) throws(StorageError) {
    let size = RowLayout.size(payloadCount: record.payloadCount)
    if filled + size > buffer.count {
      try flush(.records)
      if BackupFormat.blockHeaderBytes + size > buffer.count {
        buffer = RowMemory(zeroed: BackupFormat.blockHeaderBytes + size)
      }
    }
    let target = buffer.base + filled
    target.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    record.withPayload {
      RowLayout.write(
        to: target, kind: record.kind, key: record.key, sort: record.sort, group: record.group, isDeletion: false,
        payload: $0)
    }
    filled += size
    records += 1
  }

  func endStore() throws(StorageError) { try flush(.records) }

  /// Completes the backup. When this returns, the backup is durable under its final name.
  /// - Returns: the length of the backup in bytes.
  func finish() throws(StorageError) -> Int {
    let content = RowMemory(zeroed: 8)
    store(UInt64(records), content.base, 0)
    try append(content.bytes(from: 0, count: 8))
    try flush(.end)
    if let code = authenticator?.code() {
      try code.withUnsafeBufferPointer { bytes throws(StorageError) in try append(UnsafeRawBufferPointer(bytes)) }
      try flush(.signature)
    }
    let (file, fileSystem, path, temporary) = (file, fileSystem, path, temporaryPath)
    try storing { () throws(FileSystemError) in
      try file.synchronize()
      try fileSystem.rename(temporary, to: path)
      try fileSystem.syncDirectory(Self.folder(of: path))
    }
    isFinished = true
    return position
  }

  private func append(_ content: UnsafeRawBufferPointer) throws(StorageError) {
    if filled + content.count > buffer.count {
      preconditionFailure("\(content.count) bytes do not fit after \(filled) in a block of \(buffer.count)")
    }
    if let base = content.baseAddress { (buffer.base + filled).copyMemory(from: base, byteCount: content.count) }
    filled += content.count
  }

  private func flush(_ kind: BackupFormat.BlockKind) throws(StorageError) {
    guard filled > BackupFormat.blockHeaderBytes else { return }
    buffer.base.storeBytes(of: UInt32(filled).littleEndian, as: UInt32.self)
    buffer.base.storeBytes(of: kind.rawValue.littleEndian, toByteOffset: 4, as: UInt32.self)
    store(UInt64(position), buffer.base, 8)
    checksum = BackupFormat.checksum(buffer.bytes(from: 0, count: filled), before: checksum)
    store(checksum, buffer.base, 16)
    try write(buffer.bytes(from: 0, count: filled))
    filled = BackupFormat.blockHeaderBytes
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    let (file, offset) = (file, position)
    try storing { () throws(FileSystemError) in try file.write(bytes, at: offset) }
    authenticator?.update(bytes)
    position += bytes.count
  }
}
