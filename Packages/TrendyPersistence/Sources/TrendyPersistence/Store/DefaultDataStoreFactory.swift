#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import Synchronization
public import TrendyProtocols

/// Makes units of work on the store in a folder; all share one open ``StorageEngine``.
///
/// Two factories on one folder, in one process or in two, see each other's saves.
public final class DefaultDataStoreFactory: DataStoreFactory {
  /// Where the store's files are.
  public let directory: String
  /// What opening found at the end of the log: whether the tail of a save that never finished was cut off.
  public let recovery: RecoveryReport
  private let fileSystem: any FileSystem
  private let options: StorageEngine.Options
  private let engine: Mutex<StorageEngine>

  /// Makes the folder if need be and opens the store.
  /// - Throws: ``StorageError``, for instance ``StorageError/damaged(path:offset:)``.
  public convenience init(directory: URL) throws {
    guard directory.isFileURL else { throw StorageError.notAFolder(path: directory.absoluteString) }
    var path = directory.path(percentEncoded: false)
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    try self.init(directory: path, fileSystem: PosixFileSystem())
  }

  /// The same on any file system. `directory` has no slash at its end; the generator gives a new store its identity.
  public init(
    directory: String, fileSystem: any FileSystem, options: StorageEngine.Options = .init(),
    generator: some RandomNumberGenerator = SystemRandomNumberGenerator()
  ) throws(StorageError) {
    var generator = generator
    let opened = try StorageEngine.open(
      directory: directory, fileSystem: fileSystem, options: options, generator: &generator)
    self.directory = directory
    self.fileSystem = fileSystem
    self.options = options
    recovery = opened.recovery
    engine = Mutex(opened)
  }

  /// One step of what keeps the store quick to open, if one is due: ``StorageEngine/maintain(sealingAll:)``.
  @discardableResult
  public func maintain(sealingAll sealsAll: Bool = false) throws(StorageError) -> Bool {
    let engine = engine.withLock { $0 }
    return try engine.maintain(sealingAll: sealsAll)
  }

  public func makeDataStore() -> any DataStoreProtocol { makeLocalStore() }

  /// As ``makeDataStore()``. After a sync that failed, the store is opened and read anew.
  public func makeLocalStore() -> LocalStore {
    engine.withLock { engine in
      do throws(StorageError) {
        if engine.isUsable { return LocalStore(engine: engine) }
        var generator = SystemRandomNumberGenerator()
        engine = try StorageEngine.open(
          directory: directory, fileSystem: fileSystem, options: options, generator: &generator)
        return LocalStore(engine: engine)
      } catch {
        return LocalStore(failure: error)
      }
    }
  }
}
