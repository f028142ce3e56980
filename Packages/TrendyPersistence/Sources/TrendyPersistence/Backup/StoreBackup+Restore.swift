import Synchronization

extension StoreBackup {
  /// Result of a restore.
  public struct RestoreReport: Hashable, Sendable {
    /// Content of the backup that was restored.
    public var summary: Summary
    /// Paths that now hold the replaced content: a backup, or the renamed files of a damaged store. Empty if nothing
    /// was replaced.
    public var kept: [String]

    /// Creates a report.
    public init(summary: Summary, kept: [String]) {
      self.summary = summary
      self.kept = kept
    }
  }

  /// Returns whether a restore to these stores would replace content: rows or damaged files.
  public static func isUsed(
    _ stores: [Store], fileSystem: any FileSystem = PosixFileSystem(), options: StorageEngine.Options = .init()
  ) throws(StorageError) -> Bool {
    for store in stores {
      switch try condition(of: store, fileSystem, options) {
      case .none: break
      case .sound(let records): if records > 0 { return true }
      case .damaged: return true
      }
    }
    return false
  }

  /// Replaces the content of stores with the content of a backup.
  ///
  /// The whole backup is verified first. Then each store is replaced atomically; a store that cannot be replaced
  /// remains unchanged. Stores that are not in the backup are not touched. Programs that have a store open continue
  /// with the restored content. A read during the replacement may throw ``StorageError/replaced(path:)``, after which
  /// the store must be reopened.
  ///
  /// To the hub, a restored store looks like a copy of the device. The hub detects the repeated sequence numbers
  /// (`device_forked`), and the store continues under a new device identity. No data on the hub is lost.
  ///
  /// `onProgress` can cancel the restore until the first store has been replaced or created, or the files of a damaged
  /// store have been renamed. After that its result is ignored, so that a backup is never restored only in part.
  /// - Parameters:
  ///   - path: path of the backup.
  ///   - stores: stores to replace.
  ///   - keptPath: path for a backup of the current content, written before the restore if there is any content.
  ///   - nowMillis: current time in milliseconds since 1970-01-01T00:00:00Z.
  ///   - key: key that must have signed the backup, or `nil` to accept any backup.
  ///   - fileSystem: file system of the backup and the stores.
  ///   - options: sizes and timeouts.
  ///   - onProgress: receives the progress, and cancels the operation by returning `false`.
  /// - Throws: ``StorageError/notABackup(path:offset:reason:)``, ``StorageError/wrongSignature(path:isSigned:)`` and
  ///   ``StorageError/newerVersion(path:found:supported:)`` before any change; ``StorageError/exists(path:)`` if there
  ///   is a file at `keptPath`; ``StorageError/cancelled(path:)``, in which case every store is unchanged.
  public static func restore(
    from path: String, to stores: [Store], keptIn keptPath: String, nowMillis: Int64, signedWith key: BackupKey? = nil,
    fileSystem: any FileSystem = PosixFileSystem(), options: StorageEngine.Options = .init(),
    onProgress: ProgressHandler = { _ in true }
  ) throws(StorageError) -> RestoreReport {
    let summary = try check(path, signedWith: key, fileSystem: fileSystem, onProgress: onProgress)
    if try isThere(keptPath, fileSystem) { throw .exists(path: keptPath) }
    let targets = stores.filter { summary.records[$0.name] != nil }
    guard !targets.isEmpty else {
      throw .notABackup(path: path, offset: BackupFormat.headerBytes, reason: "no matching store")
    }
    var kept: [String] = []
    var used: [Store] = []
    var mayCancel = true
    for store in targets {
      switch try condition(of: store, fileSystem, options) {
      case .none: mayCancel = false
      case .sound(let records): if records > 0 { used.append(store) }
      case .damaged:
        mayCancel = false
        kept += try setAside(store, fileSystem, options)
      }
    }
    // The write locks prevent further saves, so the backup of the current content stays complete.
    var replacements: [Replacement] = []
    for store in targets { replacements.append(try Replacement(of: store, fileSystem, options)) }
    if !used.isEmpty {
      try write(used, to: keptPath, madeMillis: nowMillis, fileSystem: fileSystem, options: options) { progress in
        onProgress(progress) || !mayCancel
      }
      kept.append(keptPath)
    }
    for replacement in replacements {
      do throws(StorageError) {
        try replacement.carryOut(with: BackupReader(path: path, fileSystem: fileSystem)) { progress in
          onProgress(progress) || !mayCancel
        }
      } catch {
        // The stores still have their previous content, so its backup is not needed. If the backup cannot be removed,
        // it only takes up space.
        if case .cancelled = error, !used.isEmpty { try? fileSystem.remove(keptPath) }
        throw error
      }
      mayCancel = false
    }
    replacements = []
    for store in targets {
      // If this fails, the next maintenance run removes the obsolete files.
      _ = try? StorageEngine.open(directory: store.directory, fileSystem: fileSystem, options: options).maintain()
    }
    return RestoreReport(summary: summary, kept: kept)
  }

  /// Unpacks each store in a backup into a new directory, in one pass over the file.
  /// - Parameters:
  ///   - path: path of the backup.
  ///   - key: key that must have signed the backup, or `nil` to accept any backup.
  ///   - fileSystem: file system of the backup and the new stores.
  ///   - options: options for the new stores.
  ///   - onProgress: receives the progress, and cancels the operation by returning `false`.
  ///   - directory: returns the directory for a store, or throws if the name is unexpected.
  /// - Throws: ``StorageError/exists(path:)`` if a directory already contains a store. Some stores may have been
  ///   created before an error is thrown.
  public static func unpack(
    _ path: String, signedWith key: BackupKey? = nil, fileSystem: any FileSystem = PosixFileSystem(),
    options: StorageEngine.Options = .init(), onProgress: ProgressHandler = { _ in true },
    into directory: (_ name: String) throws(StorageError) -> String
  ) throws(StorageError) {
    let reader = try BackupReader(path: path, fileSystem: fileSystem)
    var current: UnpackedStore?
    var name = ""
    try reader.read(signedWith: key) { (next, lastSequence) throws(StorageError) in
      try current?.finish()
      name = next
      current = try UnpackedStore(
        in: directory(next), lastSequence: lastSequence, fileSystem: fileSystem, options: options)
    } onRecord: { record throws(StorageError) in
      try current?.add(record)
    } onBlock: { done throws(StorageError) in
      let progress = Progress(step: .restoring(store: name), done: done, total: reader.bytes)
      guard onProgress(progress) else { throw .cancelled(path: path) }
    }
    try current?.finish()
  }

  private enum Condition {
    case none
    case sound(records: Int)
    case damaged
  }

  private static func condition(
    of store: Store, _ fileSystem: any FileSystem, _ options: StorageEngine.Options
  ) throws(StorageError) -> Condition {
    do throws(StorageError) {
      let seen = try StorageEngine.verify(directory: store.directory, fileSystem: fileSystem, options: options)
      return seen.findings.isEmpty ? .sound(records: seen.records) : .damaged
    } catch {
      guard case .missing = error else { throw error }
      return .none
    }
  }

  private static func isStoreFile(_ name: String) -> Bool {
    name == StoreFormat.manifestName
      || ["log-", "segment-"].contains { name.hasPrefix($0) && StoreFormat.number(name.dropFirst($0.count)) != nil }
  }

  /// Renames the files of a damaged store, so that a new store can be created in the directory.
  private static func setAside(
    _ store: Store, _ fileSystem: any FileSystem, _ options: StorageEngine.Options
  ) throws(StorageError) -> [String] {
    let log = Log(directory: store.directory, fileSystem: fileSystem)
    let lock = try log.openLock()
    defer { withExtendedLifetime(lock) {} }  // closing the file releases the lock
    try log.take(lock, atMost: options.lockTimeout)
    return try storing { () throws(FileSystemError) in
      let names = try fileSystem.names(inDirectory: store.directory)
      let number = StorageEngine.highestSetAside(names) + 1
      var paths: [String] = []
      // Rename the manifest first: if the process stops before renaming the other files, those files still show that
      // there was a store.
      for name in names.filter(isStoreFile).sorted(by: { $0 == StoreFormat.manifestName && $1 != $0 }) {
        let aside = "\(store.directory)/\(StoreFormat.setAsidePrefix)\(number)-\(name)"
        try fileSystem.rename(store.directory + "/" + name, to: aside)
        paths.append(aside)
      }
      try fileSystem.syncDirectory(store.directory)
      return paths
    }
  }
}

/// New store with a single segment that receives the rows from a backup.
private struct UnpackedStore {
  private let directory: String
  private let fileSystem: any FileSystem
  private var manifest: Manifest
  private var writer: SegmentWriter?

  init(
    in directory: String, lastSequence: UInt64, fileSystem: any FileSystem, options: StorageEngine.Options
  ) throws(StorageError) {
    self.directory = directory
    self.fileSystem = fileSystem
    if try StoreBackup.isThere(directory + "/" + StoreFormat.manifestName, fileSystem) {
      throw .exists(path: directory)
    }
    var generator = SystemRandomNumberGenerator()
    try StorageEngine.create(
      directory: directory, fileSystem: fileSystem, options: options, storeID: generator.next())
    manifest = try Manifest.read(directory: directory, fileSystem: fileSystem)
    manifest.generation += 1
    manifest.firstSequence = max(manifest.firstSequence, lastSequence + 1)
  }

  mutating func add(_ record: UnsafeRawPointer) throws(StorageError) {
    if writer == nil {
      let log = Log(directory: directory, fileSystem: fileSystem, manifest: manifest)
      writer = try SegmentWriter(number: manifest.generation, storeID: manifest.storeID, log: log)
    }
    try writer?.add(record)
  }

  mutating func finish() throws(StorageError) {
    if let writer { manifest.segments = [try writer.finish(kills: [], manifest: manifest)] }
    try manifest.replace(directory: directory, fileSystem: fileSystem)
  }
}

/// Store that is about to be replaced. While this object exists, no other handle can save, seal or merge.
private final class Replacement {
  private let store: StoreBackup.Store
  private let engine: StorageEngine
  private let maintenanceLock: any OpenFile
  private let transaction: WriteTransaction

  init(
    of store: StoreBackup.Store, _ fileSystem: any FileSystem, _ options: StorageEngine.Options
  ) throws(StorageError) {
    self.store = store
    engine = try StorageEngine.open(directory: store.directory, fileSystem: fileSystem, options: options)
    maintenanceLock = try storing { () throws(FileSystemError) in
      try fileSystem.open(store.directory + "/" + StoreFormat.maintenanceLockName, .create)
    }
    try Log(directory: store.directory, fileSystem: fileSystem).take(maintenanceLock, atMost: options.lockTimeout)
    transaction = try engine.beginWrite()
  }

  deinit { transaction.rollback() }

  func carryOut(with reader: BackupReader, onProgress: StoreBackup.ProgressHandler) throws(StorageError) {
    try engine.replaceAll(with: reader, named: store.name, onProgress: onProgress)
  }
}

extension StorageEngine {
  /// Replaces all rows with the rows of one store in a backup. Requires the write lock and the maintenance lock.
  fileprivate func replaceAll(
    with reader: BackupReader, named wanted: String, onProgress: StoreBackup.ProgressHandler
  ) throws(StorageError) {
    // Other handles may have sealed the log since this handle was opened.
    try state.withLock { state throws(StorageError) -> Void in
      try state.reload(directory: directory, fileSystem: fileSystem)
    }
    let names = try storing { () throws(FileSystemError) in try fileSystem.names(inDirectory: directory) }
    var next = state.withLock { $0.generation.manifest }
    // The generation must exceed the numbers of all files set aside earlier. Otherwise a later repair could mistake
    // those files for current files.
    next.generation = max(next.generation, Self.highestSetAside(names)) + 1
    next.segments = []
    let log = Log(directory: directory, fileSystem: fileSystem, manifest: next)
    var writer: SegmentWriter?
    var isWanted = false
    var lastSequence: UInt64 = 0
    try reader.read { (name, sequence) throws(StorageError) in
      isWanted = name == wanted
      if isWanted { lastSequence = sequence }
    } onRecord: { record throws(StorageError) in
      guard isWanted else { return }
      if writer == nil {
        writer = try SegmentWriter(number: next.generation, storeID: next.storeID, log: log)
      }
      try writer?.add(record)
    } onBlock: { done throws(StorageError) in
      let progress = StoreBackup.Progress(step: .restoring(store: wanted), done: done, total: reader.bytes)
      guard onProgress(progress) else { throw .cancelled(path: reader.path) }
    }
    // Other handles read up to this seal, which shows that the store is being replaced.
    try goOnInNewChunk(log, for: 0, isReplacement: true)
    state.withLock { state in
      next.firstChunk = state.tail.chunk.number
      // Queue positions are derived from sequence numbers, so later saves need higher numbers than the restored rows.
      next.firstSequence = max(state.tail.sequence, lastSequence) + 1
    }
    if let writer { next.segments = [try writer.finish(kills: [], manifest: next)] }
    try next.replace(directory: directory, fileSystem: fileSystem)
  }

  static func highestSetAside(_ names: [String]) -> UInt64 {
    names.compactMap { name in
      guard name.hasPrefix(StoreFormat.setAsidePrefix) else { return nil }
      return StoreFormat.number(name.dropFirst(StoreFormat.setAsidePrefix.count).prefix { $0 != "-" })
    }.max() ?? 0
  }
}
