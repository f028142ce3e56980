public import TrendyFoundation
public import TrendyProtocols

/// Creates units of work on the store in a directory. All of them share one open ``StorageEngine``.
///
/// Factories for the same directory, in one or more processes, see each other's saves.
public final class DefaultDataStoreFactory: DataStoreFactory {
  /// Path of the store's directory.
  public var directory: String { folder.directory }
  /// State of the end of the log when the store was opened.
  public let recovery: RecoveryReport
  private let folder: SharedEngine

  /// Opens the store in a directory. By default a missing store and its directory are created.
  /// - Throws: ``StorageError``, for example ``StorageError/notFound(path:)``.
  public convenience init(
    directory: URL, mode: StoreMode = .createIfMissing, fileSystem: any FileSystem = PosixFileSystem()
  ) throws {
    try self.init(directory: SharedEngine.path(of: directory), mode: mode, fileSystem: fileSystem)
  }

  /// Opens a store on any file system. `directory` must not end with a slash; `generator` provides the id for a new
  /// store.
  public init(
    directory: String, mode: StoreMode = .createIfMissing, fileSystem: any FileSystem,
    options: StorageEngine.Options = .init(), generator: some RandomNumberGenerator = SystemRandomNumberGenerator()
  ) throws(StorageError) {
    folder = try SharedEngine(
      directory: directory, mode: mode, fileSystem: fileSystem, options: options, generator: generator)
    recovery = folder.present.recovery
  }

  /// Performs one step of maintenance if one is due; see ``StorageEngine/maintain(sealingAll:mergingFrom:)``.
  @discardableResult
  public func maintain(
    sealingAll sealsAll: Bool = false, mergingFrom minSegments: Int = 0
  ) throws(StorageError) -> Bool {
    try folder.present.maintain(sealingAll: sealsAll, mergingFrom: minSegments)
  }

  /// Discards the mapped pages of the store's files from memory; see ``StorageEngine/releaseMemory()``.
  public func releaseMemory() { folder.present.releaseMemory() }

  /// Performs a step of ``maintain(sealingAll:mergingFrom:)``.
  public func performMaintenance() throws { try maintain() }

  /// Acquires the kernel's lock on `sync.lock` in the store's directory.
  /// - Returns: the lock, which is held while it is referenced, or `nil` if another holder has it.
  /// - Throws: ``StorageError`` if the file cannot be opened.
  public func lockForSync() throws -> (any Sendable)? { try folder.lockForSync() }

  /// Returns a new unit of work; see ``makeLocalStore()``.
  public func makeDataStore() -> any DataStoreProtocol { makeLocalStore() }

  /// Returns a new unit of work. Reopens the store after a failed sync; if that fails, every call to the unit throws
  /// the error.
  public func makeLocalStore() -> LocalStore { folder.makeLocalStore() }

  /// Watches the directory while at least one observer exists, which takes one thread and on Linux one file descriptor.
  /// - Throws: ``StorageError``, for example if the system's limit of watches is reached.
  public func makeObserver() throws -> (any StoreObserver)? { try StoreCommitObserver(folder) }
}
