public import TrendyFoundation

/// Rows of a track log, stored in a separate ``StorageEngine`` in a directory.
public final class TrackFolder: TrackRows {
  private let folder: SharedEngine

  /// Opens the log in a directory. Creates the log and the directory if they are missing.
  /// - Throws: ``StorageError``, for example ``StorageError/damaged(path:offset:)``.
  public convenience init(directory: URL) throws {
    try self.init(directory: SharedEngine.path(of: directory), fileSystem: PosixFileSystem())
  }

  /// Opens or creates a log on any file system. `directory` must not end with a slash; `generator` provides the id for
  /// a new log.
  public init(
    directory: String, fileSystem: any FileSystem, options: StorageEngine.Options = .init(),
    generator: some RandomNumberGenerator = SystemRandomNumberGenerator()
  ) throws(StorageError) {
    folder = try SharedEngine(
      directory: directory, mode: .createIfMissing, fileSystem: fileSystem, options: options, generator: generator)
  }

  public func read<Result>(_ body: (any TrackRowReading) throws -> Result) throws -> Result {
    let engine = try folder.usable()
    try engine.refresh()
    return try body(EngineRows(engine: engine))
  }

  public func write<Result>(_ body: (any TrackRowWriting) throws -> Result) throws -> Result {
    let transaction = try folder.usable().beginWrite()
    do {
      let result = try body(TransactionRows(transaction: transaction))
      try transaction.commit()
      return result
    } catch {
      transaction.rollback()
      throw error
    }
  }

  /// Runs `body` while holding the lock on the file `reader`.
  /// - Throws: ``StorageError/busy(path:)`` if another process does not release the lock in time, and errors thrown by
  ///   `body`.
  public func withReader<Result>(_ body: () throws -> Result) throws -> Result {
    let path = folder.directory + "/reader"
    let fileSystem = folder.fileSystem
    let lock = try storing { () throws(FileSystemError) in try fileSystem.open(path, .create) }
    try fileSystem.take(lock, of: path, atMost: folder.options.lockTimeout)
    defer { withExtendedLifetime(lock) {} }  // closing the file releases the lock
    return try body()
  }

  public func maintain(sealingAll sealsAll: Bool) throws -> Bool {
    try folder.usable().maintain(sealingAll: sealsAll)
  }
}

private struct EngineRows: TrackRowReading {
  let engine: StorageEngine

  func row(kind: UInt8, key: RowKey) throws -> TrackRow? { try engine.get(kind: kind, key: key).map(TrackRow.init) }

  func rows(
    kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, isDescending: Bool, limit: Int
  ) throws -> [TrackRow] {
    try engine.scan(kind: kind, group: group, from: lower, to: upper, descending: isDescending, limit: limit)
      .map(TrackRow.init)
  }
}

private struct TransactionRows: TrackRowWriting {
  let transaction: WriteTransaction

  func row(kind: UInt8, key: RowKey) throws -> TrackRow? {
    try transaction.get(kind: kind, key: key).map(TrackRow.init)
  }

  func rows(
    kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, isDescending: Bool, limit: Int
  ) throws -> [TrackRow] {
    try transaction.scan(kind: kind, group: group, from: lower, to: upper, descending: isDescending, limit: limit)
      .map(TrackRow.init)
  }

  func put(_ row: TrackRow) throws {
    try transaction.put(kind: row.kind, key: row.key, sort: row.sort, group: row.group, payload: row.payload)
  }

  func delete(kind: UInt8, key: RowKey) throws { transaction.delete(kind: kind, key: key) }
}
