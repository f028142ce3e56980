/// Writes, verifies and restores backups. A backup is a file with a consistent copy of one or more stores.
///
/// A backup contains rows rather than copies of files, so later versions can read it, and a damaged store cannot
/// produce a backup that looks complete. A concurrent save is included entirely or not at all.
///
/// ```swift
/// let stores = [StoreBackup.Store(name: "record", directory: "/home/me/.local/share/trendy")]
/// try StoreBackup.write(stores, to: "/mnt/stick/trendy.backup", madeMillis: now)
/// …
/// try StoreBackup.restore(
///   from: "/mnt/stick/trendy.backup", to: stores, keptIn: "/home/me/trendy.before", nowMillis: now)
/// ```
public enum StoreBackup: Sendable {
  /// A store and its name in a backup.
  public struct Store: Hashable, Sendable {
    /// Name of 1 to 80 letters, digits and `-`, `_`, `@`, `~`, `=`.
    public var name: String
    /// Path of the directory without a trailing slash.
    public var directory: String

    /// Creates a store description.
    public init(name: String, directory: String) {
      self.name = name
      self.directory = directory
    }
  }

  /// Content of a backup.
  public struct Summary: Hashable, Sendable {
    /// Time of the backup in milliseconds since 1970-01-01T00:00:00Z.
    public var madeMillis: Int64
    /// Length of the file in bytes.
    public var bytes: Int
    /// Number of rows, keyed by store name.
    public var records: [String: Int]

    /// Creates a summary.
    public init(madeMillis: Int64, bytes: Int, records: [String: Int]) {
      self.madeMillis = madeMillis
      self.bytes = bytes
      self.records = records
    }
  }

  /// Progress of a backup, a verification or a restore. Each step counts from 0 to its own total.
  public struct Progress: Hashable, Sendable {
    /// Step of a backup or restore operation.
    public enum Step: Hashable, Sendable {
      /// Writing the rows of the stores to a backup, counted in rows.
      case backingUp
      /// Verifying a backup, counted in bytes.
      case checking
      /// Restoring the store with this name, counted in bytes of the backup file.
      case restoring(store: String)
    }

    /// Current step.
    public var step: Step
    /// Amount completed, 0 to ``total``.
    public var done: Int
    /// Total for the step, in rows or bytes.
    public var total: Int

    /// Creates a progress value.
    public init(step: Step, done: Int, total: Int) {
      self.step = step
      self.done = done
      self.total = total
    }
  }

  /// Receives the progress after every block or about a thousand rows, and at the end of each step. Returning `false`
  /// cancels the operation, which then throws ``StorageError/cancelled(path:)``.
  public typealias ProgressHandler = (Progress) -> Bool

  /// Writes a durable backup of the stores. Directories without a store are skipped.
  ///
  /// The stores are not changed, and other handles can save at the same time. If the path is in a store's directory,
  /// the file must not have a name that the store uses, and only a backup can be replaced there.
  /// - Parameters:
  ///   - stores: stores to back up.
  ///   - path: path of the backup.
  ///   - madeMillis: current time in milliseconds since 1970-01-01T00:00:00Z.
  ///   - isReplacing: whether an existing file may be replaced.
  ///   - key: key for the signature (HMAC-SHA-256), or `nil` for an unsigned backup.
  ///   - fileSystem: file system of the stores and the backup.
  ///   - options: options for opening the stores.
  ///   - onProgress: receives the progress, and cancels the operation at any time by returning `false`.
  /// - Returns: content of the backup.
  /// - Throws: ``StorageError/exists(path:)``; ``StorageError/cancelled(path:)``; ``StorageError/busy(path:)`` while
  ///   another process is writing a backup with this name; ``StorageError/damaged(path:offset:)`` for a damaged store,
  ///   which must be repaired first; ``StorageError/missing(path:)`` if none of the directories contains a store.
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
      // Use a separate handle and never refresh it, so that all rows come from one consistent state.
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
        try RowPages.forEach { (from, to, limit) throws(StorageError) in
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

  /// Verifies a whole backup: its checksums and, if a key is given, its signature. Without a key, the origin of the
  /// backup is not verified.
  /// - Parameters:
  ///   - path: path of the backup.
  ///   - key: key that must have signed the backup, or `nil` to accept any backup.
  ///   - fileSystem: file system of the backup.
  ///   - onProgress: receives the progress, and cancels the operation at any time by returning `false`.
  /// - Returns: content of the backup.
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
