extension StorageEngine {
  /// Creates an empty store, unless another process has created it in the meantime.
  static func create(
    directory: String, fileSystem: any FileSystem, options: Options, storeID: UInt64
  ) throws(StorageError) {
    try storing { () throws(FileSystemError) in try fileSystem.createDirectory(directory) }
    let log = Log(directory: directory, fileSystem: fileSystem)
    let lock = try log.openLock()
    defer { withExtendedLifetime(lock) {} }  // closing the file releases the lock
    try log.take(lock, atMost: options.lockTimeout)
    do {
      _ = try Manifest.read(directory: directory, fileSystem: fileSystem)
      return
    } catch .missing {
      // No store yet.
    }
    try refuseToReplaceSaves(log)
    let header = ChunkHeader(number: 1, chunkBytes: options.firstChunkBytes, storeID: storeID)
    _ = try log.createChunk(header, isWrittenOver: true)
    let manifest = Manifest(generation: 1, storeID: storeID, firstChunk: 1, firstSequence: 1)
    try manifest.replace(directory: directory, fileSystem: fileSystem)
  }

  /// Throws ``StorageError/notFound(path:)`` if the directory contains no store, or
  /// ``StorageError/damaged(path:offset:)`` if it contains saves but no manifest. Returns if another process has
  /// created the store in the meantime.
  static func requireManifest(_ log: Log) throws(StorageError) {
    var failure = StorageError.notFound(path: log.directory)
    do {
      try refuseToReplaceSaves(log)
    } catch .missing {
      // The directory does not exist.
    } catch {
      failure = error
    }
    do {
      _ = try Manifest.read(directory: log.directory, fileSystem: log.fileSystem)
    } catch .missing {
      throw failure
    }
  }

  /// Throws if a directory without a manifest contains saves, because its manifest must have been lost. Otherwise the
  /// directory is new, or the creation of its store was interrupted.
  private static func refuseToReplaceSaves(_ log: Log) throws(StorageError) {
    let names = try storing { () throws(FileSystemError) in try log.fileSystem.names(inDirectory: log.directory) }
    if names.contains(where: { $0.hasPrefix("segment-") }) {
      throw .damaged(path: log.directory + "/" + StoreFormat.manifestName, offset: 0)
    }
    for name in names where name.hasPrefix("log-") {
      guard let number = StoreFormat.number(name.dropFirst(4)) else { continue }
      do throws(StorageError) {
        let (file, header, _) = try log.openChunk(number)
        let memory = RowMemory(zeroed: header.chunkBytes)
        _ = try storing { () throws(FileSystemError) in
          try file.read(into: UnsafeMutableRawBufferPointer(start: memory.base, count: memory.count), at: 0)
        }
        let isUsed = memory.bytes(from: ChunkHeader.bytes, count: memory.count - ChunkHeader.bytes).contains { $0 != 0 }
        if isUsed || number > 1 {
          throw StorageError.damaged(path: log.directory + "/" + StoreFormat.manifestName, offset: 0)
        }
      } catch .damaged(let path, _) where path == log.path(number) && number == 1 {
        // The chunk has no header because its creation was interrupted, so it contains no saves.
        continue
      }
    }
  }
}
