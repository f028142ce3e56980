import Synchronization

extension StoreBackup {
  /// What a restore did.
  public struct RestoreReport: Hashable, Sendable {
    public var summary: Summary
    /// Where what was there before is now: a backup of it, or, of a damaged store, its files. Empty if nothing was.
    public var kept: [String]

    public init(summary: Summary, kept: [String]) {
      self.summary = summary
      self.kept = kept
    }
  }

  /// Whether any of these stores holds something that a restore would put aside: a record, or files that are damaged.
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

  /// Puts what a backup holds in the place of what the stores hold. The backup is checked whole first; each store then changes in
  /// one step, or stays as it is. Programs that have one open go on with what it holds then; one that reads at the very moment gets
  /// ``StorageError/replaced(path:)`` and opens it anew.
  ///
  /// A store that the backup does not hold stays as it is. One that syncs is a copy from now on: the hub notices by its numbers
  /// (`device_forked`), and it goes on under a new identity; nothing that the hub has is lost.
  ///
  /// At `keptPath` a backup of what is there now is written first, if anything is; `nowMillis` is now, in milliseconds since
  /// 1970-01-01T00:00:00Z. `onProgress` may cancel until the first store has changed. From then on its answer does not count, as the
  /// stores of a backup belong together; nor does it once files of a damaged store were put aside, or a store was made.
  /// - Throws: ``StorageError/notABackup(path:offset:reason:)``, ``StorageError/wrongSignature(path:isSigned:)`` and
  ///   ``StorageError/newerVersion(path:found:supported:)`` before anything was touched; ``StorageError/cancelled(path:)``, then
  ///   every store is as it was.
  public static func restore(
    from path: String, to stores: [Store], keptIn keptPath: String, nowMillis: Int64, signedWith key: BackupKey? = nil,
    fileSystem: any FileSystem = PosixFileSystem(), options: StorageEngine.Options = .init(),
    onProgress: ProgressHandler = { _ in true }
  ) throws(StorageError) -> RestoreReport {
    let summary = try check(path, signedWith: key, fileSystem: fileSystem, onProgress: onProgress)
    if try isThere(keptPath, fileSystem) { throw .exists(path: keptPath) }
    let targets = stores.filter { summary.records[$0.name] != nil }
    guard !targets.isEmpty else {
      throw .notABackup(path: path, offset: BackupFormat.headerBytes, reason: "it holds other stores")
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
    // Nobody saves from here on: what is there when the backup of it is written is what is replaced.
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
        // What it holds is still in the stores, so that nobody misses it; if it cannot be removed it only takes room.
        if case .cancelled = error, !used.isEmpty { try? fileSystem.remove(keptPath) }
        throw error
      }
      mayCancel = false
    }
    replacements = []
    for store in targets {
      // Only removes what does not count any more, which the next maintenance does too.
      _ = try? StorageEngine.open(directory: store.directory, fileSystem: fileSystem, options: options).maintain()
    }
    return RestoreReport(summary: summary, kept: kept)
  }

  /// Makes a store in a new folder for each store of a backup that was checked, in one pass.
  /// - Parameters:
  ///   - path: the backup.
  ///   - key: the key with which the backup must be signed; `nil` to accept any.
  ///   - fileSystem: of the backup and of the new stores.
  ///   - options: of the new stores.
  ///   - onProgress: receives the progress; `false` cancels.
  ///   - directory: returns the folder for a store; throws for a name that the caller does not expect.
  /// - Throws: ``StorageError/exists(path:)`` for a folder that holds a store; then, as on any error, some stores may be there already.
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

  /// Gives the files of a damaged store other names: the folder is empty then, to who opens a store in it.
  private static func setAside(
    _ store: Store, _ fileSystem: any FileSystem, _ options: StorageEngine.Options
  ) throws(StorageError) -> [String] {
    let log = Log(directory: store.directory, fileSystem: fileSystem)
    let lock = try log.openLock()
    defer { withExtendedLifetime(lock) {} }  // the lock goes with its file
    try log.take(lock, atMost: options.lockTimeout)
    return try storing { () throws(FileSystemError) in
      let names = try fileSystem.names(inDirectory: store.directory)
      let number = StorageEngine.highestSetAside(names) + 1
      var paths: [String] = []
      // The manifest first: without it the rest still says that a store was here.
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

/// A new store that receives the rows of a backup as its only segment.
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
    // Numbers in the rows are below those of later saves.
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

/// A store that is about to hold other rows: nobody else writes, seals or merges as long as this is there.
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
  /// The caller has the write lock and that of maintenance.
  fileprivate func replaceAll(
    with reader: BackupReader, named wanted: String, onProgress: StoreBackup.ProgressHandler
  ) throws(StorageError) {
    // The manifest of this moment: since it was opened others may have sealed.
    try state.withLock { state throws(StorageError) -> Void in
      try state.reload(directory: directory, fileSystem: fileSystem)
    }
    let names = try storing { () throws(FileSystemError) in try fileSystem.names(inDirectory: directory) }
    var next = state.withLock { $0.generation.manifest }
    // Above what was set aside, so that a later repair does not take that for its own.
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
    // Whoever has the store open stands before this end of the log, and learns here that what it knows is past.
    try goOnInNewChunk(log, for: 0, isReplacement: true)
    state.withLock { state in
      next.firstChunk = state.tail.chunk.number
      // Places in the queue follow from these numbers: those of the restored rows are below all that are given from now on.
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
