extension StorageEngine {
  /// Repairs a damaged store: writes every intact save in the log and every intact row in the segments to a new
  /// generation, and sets the old files aside.
  ///
  /// An undamaged store is not changed. Open handles must be reopened after a repair. If a lost save had replaced or
  /// deleted a row, the row's previous version reappears. An interrupted repair can be repeated. `directory` must not
  /// end with a slash.
  /// - Throws: ``StorageError/newerVersion(path:found:supported:)``, or ``StorageError/damaged(path:offset:)`` if no
  ///   file contains the store id.
  public static func repair(
    directory: String, fileSystem: any FileSystem = PosixFileSystem(), options: Options = Options()
  ) throws(StorageError) -> RepairReport {
    let log = Log(directory: directory, fileSystem: fileSystem)
    // Prevents sealing and merging, which would remove files that must be set aside.
    let maintenanceLock = try storing { () throws(FileSystemError) in
      try fileSystem.open(directory + "/" + StoreFormat.maintenanceLockName, .create)
    }
    let lock = try log.openLock()
    defer { withExtendedLifetime((maintenanceLock, lock)) {} }  // closing the files releases the locks
    try log.take(maintenanceLock, atMost: options.lockTimeout)
    try log.take(lock, atMost: options.lockTimeout)
    let manifest = try readableManifest(log)
    if let manifest, try isSound(log, manifest: manifest) {
      let saves = try Log(directory: directory, fileSystem: fileSystem, manifest: manifest).read().report.saves
      return RepairReport(wasDamaged: false, savesKept: saves)
    }
    let names = try storing { () throws(FileSystemError) in try fileSystem.names(inDirectory: directory) }
    var salvage = try Salvage(log, names: names, manifest: manifest, mark: DurableEnd(of: lock))
    let rows = salvage.records()
    var next = Manifest(
      generation: max(salvage.generation, Salvage.highestNumber(names, prefix: "segment-")) + 1,
      storeID: salvage.storeID, firstChunk: Salvage.highestNumber(names, prefix: "log-") + 1,
      firstSequence: salvage.lastSequence + 1)
    try writeRows(rows, into: &next, log: log, options: options)
    withExtendedLifetime(salvage) {}  // `rows` points into its memory
    let setAside = try setAside(
      salvage, names: names, generation: next.generation, log: log, isManifestLost: manifest == nil)
    try next.replace(directory: directory, fileSystem: fileSystem)
    return RepairReport(
      wasDamaged: true, savesKept: salvage.savesKept, lostSaves: salvage.lostSaves, rowsLost: salvage.rowsLost,
      lostRows: salvage.lostRows, setAside: setAside)
  }

  static func readableManifest(_ log: Log) throws(StorageError) -> Manifest? {
    do {
      return try Manifest.read(directory: log.directory, fileSystem: log.fileSystem)
    } catch {
      switch error {
      case .damaged, .missing: return nil
      default: throw error
      }
    }
  }

  private static func isSound(_ log: Log, manifest: Manifest) throws(StorageError) -> Bool {
    var verification = StoreVerification()
    try verify(Log(directory: log.directory, fileSystem: log.fileSystem, manifest: manifest), &verification)
    return verification.findings.isEmpty
  }

  /// Writes a segment with the rows, and an empty chunk. No manifest refers to either of them yet.
  private static func writeRows(
    _ rows: Memtable, into next: inout Manifest, log: Log, options: Options
  ) throws(StorageError) {
    let chunk = ChunkHeader(number: next.firstChunk, chunkBytes: options.firstChunkBytes, storeID: next.storeID)
    _ = try log.createChunk(chunk, isWrittenOver: true)
    var writer: SegmentWriter?
    for kind in 0...UInt8.max {
      let records = rows.scan(kind: kind, group: nil, from: .min, to: .max, descending: false, limit: .max)
      guard !records.isEmpty else { continue }
      if writer == nil { writer = try SegmentWriter(number: next.generation, storeID: next.storeID, log: log) }
      for record in records { try writer?.add(record) }
    }
    if let writer { next.segments = [try writer.finish(kills: [], manifest: next)] }
  }

  /// Renames the old files. This must happen before the new manifest is in place, because maintenance then removes all
  /// files that it does not list. An interrupted repair recognizes the renamed files by their names.
  private static func setAside(
    _ salvage: Salvage, names: [String], generation: UInt64, log: Log, isManifestLost: Bool
  ) throws(StorageError) -> [String] {
    var renames = salvage.files
    if isManifestLost, names.contains(StoreFormat.manifestName) {
      renames.append((log.directory + "/" + StoreFormat.manifestName, StoreFormat.manifestName))
    }
    return try storing { () throws(FileSystemError) in
      var paths: [String] = []
      for (path, name) in renames {
        let isAside = path != log.directory + "/" + name
        let aside = isAside ? path : "\(log.directory)/\(StoreFormat.setAsidePrefix)\(generation)-\(name)"
        if !isAside { try log.fileSystem.rename(path, to: aside) }
        paths.append(aside)
      }
      try log.fileSystem.syncDirectory(log.directory)
      return paths
    }
  }
}
