import Synchronization
import TrendyFoundation

/// Shares one open engine for a directory, and reopens it after a failed sync.
final class SharedEngine: Sendable {
  let directory: String
  let mode: StoreMode
  let fileSystem: any FileSystem
  let options: StorageEngine.Options
  private let engine: Mutex<StorageEngine>
  private let observers = CommitObservers()

  init(
    directory: String, mode: StoreMode, fileSystem: any FileSystem, options: StorageEngine.Options,
    generator: some RandomNumberGenerator
  ) throws(StorageError) {
    var generator = generator
    self.directory = directory
    self.mode = mode
    self.fileSystem = fileSystem
    self.options = options
    let opened = try StorageEngine.open(
      directory: directory, mode: mode, fileSystem: fileSystem, options: options, generator: &generator)
    opened.state.withLock { [observers] in $0.handle.observers = observers }
    engine = Mutex(opened)
  }

  /// Returns the path without a trailing slash.
  static func path(of directory: URL) throws(StorageError) -> String {
    guard directory.isFileURL else { throw StorageError.notAFolder(path: directory.absoluteString) }
    var path = directory.path(percentEncoded: false)
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  /// Current engine, which may be unusable after a failed sync.
  var present: StorageEngine { engine.withLock { $0 } }

  /// Returns a usable engine, reopening the store after a failed sync.
  func usable() throws(StorageError) -> StorageEngine {
    try engine.withLock { engine throws(StorageError) in
      if !engine.isUsable {
        // The store existed before, so creating an empty store would only hide the loss.
        let existing: StoreMode = mode == .createIfMissing ? .mustExist : mode
        engine = try StorageEngine.open(directory: directory, mode: existing, fileSystem: fileSystem, options: options)
        engine.state.withLock { $0.handle.observers = observers }
      }
      return engine
    }
  }

  /// Runs `body` with a usable engine. If a restore or a failed sync has made the engine unusable in the meantime, runs
  /// `body` again with a new engine.
  func retrying<Result>(_ body: (StorageEngine) throws(StorageError) -> Result) throws(StorageError) -> Result {
    let engine = try usable()
    do { return try body(engine) } catch {
      guard !engine.isUsable else { throw error }
      return try body(usable())
    }
  }

  /// Returns a new unit of work on a usable engine.
  func makeLocalStore() -> LocalStore {
    do throws(StorageError) {
      return LocalStore(engine: try usable())
    } catch {
      return LocalStore(failure: error)
    }
  }

  /// Returns a stream that signals that any handle may have saved.
  func addObserver() throws(StorageError) -> AsyncStream<Void> {
    try observers.add { [fileSystem, directory] onChange throws(StorageError) in
      try storing { () throws(FileSystemError) in try fileSystem.watch(directory: directory, onChange: onChange) }
    }
  }

  /// Acquires the lock that permits syncing, or returns `nil` if it is held elsewhere. Each call opens the file again,
  /// because to the kernel all locks taken through one open file have the same owner.
  func lockForSync() throws(StorageError) -> (any OpenFile)? {
    guard mode != .readOnly else { throw .openedReadOnly(path: directory) }
    let path = directory + "/sync.lock"
    return try storing { () throws(FileSystemError) in
      let file = try fileSystem.open(path, .create)
      return try file.tryLock() ? file : nil
    }
  }
}
