/// One file with everything that stores hold at one moment: what they would need to go on elsewhere, or here after a loss.
///
/// It holds the rows and not the files, so that a damaged store makes no backup that looks whole, and every later version can
/// read it. What a save in another process does meanwhile is in it whole or not at all.
///
/// ```swift
/// let stores = [StoreBackup.Store(name: "record", directory: "/home/me/.local/share/trendy")]
/// try StoreBackup.write(stores, to: "/mnt/stick/trendy.backup", madeMillis: now)
/// …
/// try StoreBackup.restore(from: "/mnt/stick/trendy.backup", to: stores, keptIn: "/home/me/trendy.before")
/// ```
public enum StoreBackup: Sendable {
  /// A store by the name that it has in a backup.
  public struct Store: Hashable, Sendable {
    /// 1 to 80 letters, digits and `-`, `_`, `@`, `~`, `=`.
    public var name: String
    /// The folder, without a slash at its end.
    public var directory: String

    public init(name: String, directory: String) {
      self.name = name
      self.directory = directory
    }
  }

  /// What is in a backup.
  public struct Summary: Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var madeMillis: Int64
    /// Length of the file.
    public var bytes: Int
    /// How many records of each store, by name.
    public var records: [String: Int]

    public init(madeMillis: Int64, bytes: Int, records: [String: Int]) {
      self.madeMillis = madeMillis
      self.bytes = bytes
      self.records = records
    }
  }

  /// How far a backup, its check or a restore has come. Each step counts from 0 to its own total.
  public struct Progress: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
      /// Records of the stores are written into a backup; counted in records.
      case backingUp
      /// A backup is read to its end, to see that it is whole; counted in bytes of its file.
      case checking
      /// Records of a backup take the place of what the store with this name holds; counted in bytes of the backup.
      case restoring(store: String)
    }

    public var step: Step
    /// 0 to ``total``.
    public var done: Int
    public var total: Int

    public init(step: Step, done: Int, total: Int) {
      self.step = step
      self.done = done
      self.total = total
    }
  }

  /// Called about every thousand records, and at the end of a step, with the progress so far. Returning `false` cancels the work, which then throws
  /// ``StorageError/cancelled(path:)``.
  public typealias ProgressHandler = (Progress) -> Bool

  /// Writes what the stores hold into a file; it is there whole, and on the disk, or not at all. A folder without a store is left
  /// out; others may save meanwhile, and no store is changed.
  ///
  /// `madeMillis` is now, in milliseconds since 1970-01-01T00:00:00Z; `isReplacing` says whether a file that is there may go. In the
  /// folder of a store nothing but a backup may, and no backup gets a name that the store has for files of its own. With a `key` the
  /// backup is signed (HMAC-SHA-256). `onProgress` may cancel it at any time.
  /// - Throws: ``StorageError/exists(path:)``; ``StorageError/cancelled(path:)``; ``StorageError/busy(path:)`` while another writes a backup of this name;
  ///   ``StorageError/damaged(path:offset:)`` for a store that is not whole: repair it first; ``StorageError/missing(path:)`` when
  ///   there is no store at all.
  @discardableResult
  public static func write(
    _ stores: [Store], to path: String, madeMillis: Int64, isReplacing: Bool = false, signedWith key: BackupKey? = nil,
    fileSystem: any FileSystem = PosixFileSystem(), options: StorageEngine.Options = .init(),
    onProgress: ProgressHandler = { _ in true }
  ) throws(StorageError) -> Summary {
    guard try isFree(path, isReplacing: isReplacing, fileSystem) else { throw .exists(path: path) }
    var engines: [(name: String, engine: StorageEngine)] = []
    for store in stores {
      guard try isThere(store.directory + "/" + StoreFormat.manifestName, fileSystem) else { continue }
      // Of its own, and never refreshed: what it shows is one moment.
      let engine = try StorageEngine.open(directory: store.directory, fileSystem: fileSystem, options: options)
      engines.append((store.name, engine))
    }
    guard !engines.isEmpty else { throw .missing(path: stores.first?.directory ?? path) }
    let writer = try BackupWriter(path: path, madeMillis: madeMillis, key: key, fileSystem: fileSystem)
    var total = 0
    for (_, engine) in engines {
      for kind in 0...UInt8.max { total += try engine.count(kind: kind) }
    }
    func report() throws(StorageError) {
      guard onProgress(Progress(step: .backingUp, done: writer.records, total: total)) else {
        throw .cancelled(path: path)
      }
    }
    var records: [String: Int] = [:]
    for (name, engine) in engines {
      let before = writer.records
      try writer.begin(store: name, lastSequence: engine.nextSequence() - 1)
      for kind in 0...UInt8.max {
        try RecordPages.forEach { (from, to, limit) throws(StorageError) in
          try engine.scan(kind: kind, from: from, to: to, limit: limit)
        } body: { record throws(StorageError) in
          try writer.add(record)
          if writer.records % progressInterval == 0 { try report() }
        }
      }
      try report()
      try writer.endStore()
      records[name] = writer.records - before
    }
    return Summary(madeMillis: madeMillis, bytes: try writer.finish(), records: records)
  }

  private static let progressInterval = 1024

  /// Reads a backup to its end and verifies its checksums, and with a `key` its signature. Without one, the content may have been
  /// written by anybody. `onProgress` may cancel it at any time.
  /// - Throws: ``StorageError/notABackup(path:offset:reason:)``, ``StorageError/wrongSignature(path:isSigned:)``,
  ///   ``StorageError/newerVersion(path:found:supported:)``, ``StorageError/cancelled(path:)``.
  public static func check(
    _ path: String, signedWith key: BackupKey? = nil, fileSystem: any FileSystem = PosixFileSystem(),
    onProgress: ProgressHandler = { _ in true }
  ) throws(StorageError) -> Summary {
    let reader = try BackupReader(path: path, fileSystem: fileSystem)
    var records: [String: Int] = [:]
    var current = ""
    try reader.read(signedWith: key) { name, _ in
      current = name
      records[name] = 0
    } onRecord: { _ in
      records[current, default: 0] += 1
    } onBlock: { done throws(StorageError) in
      let progress = Progress(step: .checking, done: done, total: reader.bytes)
      guard onProgress(progress) else { throw .cancelled(path: path) }
    }
    return Summary(madeMillis: reader.madeMillis, bytes: reader.bytes, records: records)
  }

  /// Whether a backup may have this place. What cannot be read to tell is an error.
  private static func isFree(
    _ path: String, isReplacing: Bool, _ fileSystem: any FileSystem
  ) throws(StorageError) -> Bool {
    let isThere = try isThere(path, fileSystem)
    if isThere && !isReplacing { return false }
    let folder = BackupWriter.folder(of: path)
    guard try Self.isThere(folder + "/" + StoreFormat.manifestName, fileSystem) else { return true }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    if StoreFormat.isOwnName(name) { return false }
    guard isThere else { return true }
    do {
      _ = try BackupReader(path: path, fileSystem: fileSystem)
      return true
    } catch {
      switch error {
      case .newerVersion: return true
      case .notABackup: return false
      default: throw error
      }
    }
  }

  static func isThere(_ path: String, _ fileSystem: any FileSystem) throws(StorageError) -> Bool {
    do throws(FileSystemError) {
      _ = try fileSystem.open(path, .read)
      return true
    } catch {
      if case .missing = StorageError(error) { return false }
      throw StorageError(error)
    }
  }
}
