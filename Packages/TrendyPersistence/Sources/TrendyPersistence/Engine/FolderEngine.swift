import Synchronization
import TrendyFoundation

/// The one open engine of a folder, for all who share it; after a sync that failed a new one, read anew.
final class FolderEngine: Sendable {
  let directory: String
  let fileSystem: any FileSystem
  let options: StorageEngine.Options
  private let engine: Mutex<StorageEngine>

  /// The generator gives a new store its identity.
  init(
    directory: String, fileSystem: any FileSystem, options: StorageEngine.Options,
    generator: some RandomNumberGenerator
  ) throws(StorageError) {
    var generator = generator
    self.directory = directory
    self.fileSystem = fileSystem
    self.options = options
    engine = Mutex(
      try StorageEngine.open(directory: directory, fileSystem: fileSystem, options: options, generator: &generator))
  }

  /// Without the slash at its end.
  static func path(of directory: URL) throws(StorageError) -> String {
    guard directory.isFileURL else { throw StorageError.notAFolder(path: directory.absoluteString) }
    var path = directory.path(percentEncoded: false)
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  /// The engine as it is, also after a sync that failed.
  var present: StorageEngine { engine.withLock { $0 } }

  func usable() throws(StorageError) -> StorageEngine {
    try engine.withLock { engine throws(StorageError) in
      if !engine.isUsable {
        engine = try StorageEngine.open(directory: directory, fileSystem: fileSystem, options: options)
      }
      return engine
    }
  }

  /// Opened for each holder: what one has open twice, the kernel takes for one.
  func lockForSync() throws(StorageError) -> (any OpenFile)? {
    let path = directory + "/sync.lock"
    return try storing { () throws(FileSystemError) in
      let file = try fileSystem.open(path, .create)
      return try file.tryLock() ? file : nil
    }
  }
}
