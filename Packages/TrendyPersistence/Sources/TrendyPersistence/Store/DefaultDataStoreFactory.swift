public import TrendyFoundation
public import TrendyProtocols

/// Makes units of work on the store in a folder; all share one open ``StorageEngine``.
///
/// Two factories on one folder, in one process or in two, see each other's saves.
public final class DefaultDataStoreFactory: DataStoreFactory {
  /// Where the store's files are.
  public var directory: String { folder.directory }
  /// What opening found at the end of the log: whether the tail of a save that never finished was cut off.
  public let recovery: RecoveryReport
  private let folder: FolderEngine

  /// Makes the folder if need be and opens the store.
  /// - Throws: ``StorageError``, for instance ``StorageError/damaged(path:offset:)``.
  public convenience init(directory: URL, fileSystem: any FileSystem = PosixFileSystem()) throws {
    try self.init(directory: FolderEngine.path(of: directory), fileSystem: fileSystem)
  }

  /// The same on any file system. `directory` has no slash at its end; the generator gives a new store its identity.
  public init(
    directory: String, fileSystem: any FileSystem, options: StorageEngine.Options = .init(),
    generator: some RandomNumberGenerator = SystemRandomNumberGenerator()
  ) throws(StorageError) {
    folder = try FolderEngine(
      directory: directory, fileSystem: fileSystem, options: options, generator: generator)
    recovery = folder.present.recovery
  }

  /// One step of what keeps the store quick to open, if one is due: ``StorageEngine/maintain(sealingAll:mergingFrom:)``.
  @discardableResult
  public func maintain(
    sealingAll sealsAll: Bool = false, mergingFrom leastSegments: Int = 0
  ) throws(StorageError) -> Bool {
    try folder.present.maintain(sealingAll: sealsAll, mergingFrom: leastSegments)
  }

  /// Lets go of what is in memory of the store's files: ``StorageEngine/releaseMemory()``.
  public func releaseMemory() { folder.present.releaseMemory() }

  /// A step of ``maintain(sealingAll:mergingFrom:)``.
  public func tidyUp() throws { try maintain() }

  /// The lock is the kernel's, on the file `sync.lock` in the store's folder.
  /// - Throws: ``StorageError`` where that cannot be opened.
  public func lockForSync() throws -> (any Sendable)? { try folder.lockForSync() }

  public func makeDataStore() -> any DataStoreProtocol { makeLocalStore() }

  /// As ``makeDataStore()``. After a sync that failed, the store is opened and read anew.
  public func makeLocalStore() -> LocalStore {
    do throws(StorageError) {
      return LocalStore(engine: try folder.usable())
    } catch {
      return LocalStore(failure: error)
    }
  }
}
