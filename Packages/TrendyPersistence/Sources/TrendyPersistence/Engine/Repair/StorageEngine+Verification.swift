extension StorageEngine {
  /// Verifies a store: every checksum, the manifest, the log's sequence numbers, and every index against the rows.
  ///
  /// The store is not changed, and other handles can save at the same time. To verify the content of rows on a device,
  /// use ``LocalStore/verify()``. `directory` must not end with a slash.
  /// - Returns: the result. Damage is reported as a finding rather than thrown.
  /// - Throws: ``StorageError`` if the store cannot be read: it is missing, inaccessible, or of a newer version.
  public static func verify(
    directory: String, fileSystem: any FileSystem = PosixFileSystem(), options: Options = Options()
  ) throws(StorageError) -> StoreVerification {
    var log = Log(directory: directory, fileSystem: fileSystem)
    let verification = try look(&log)
    // A save or maintenance may have changed the files in the meantime, so verify again under the write lock.
    guard !verification.findings.isEmpty, let lock = try? log.openLock() else {
      return verification  // the lock requires write permission
    }
    defer { withExtendedLifetime(lock) {} }  // closing the file releases the lock
    try log.take(lock, atMost: options.lockTimeout)
    return try look(&log)
  }

  private static func look(_ log: inout Log) throws(StorageError) -> StoreVerification {
    let (directory, fileSystem) = (log.directory, log.fileSystem)
    let names = try storing { () throws(FileSystemError) in try fileSystem.names(inDirectory: directory) }
    var verification = StoreVerification()
    verification.setAside = names.filter { $0.hasPrefix(StoreFormat.setAsidePrefix) || $0.hasPrefix("cut-") }
    if let manifest = try readableManifest(log) {
      log.manifest = manifest
      try verify(log, &verification)
      return verification
    }
    guard names.contains(where: { $0 == StoreFormat.manifestName || $0.hasPrefix("log-") || $0.hasPrefix("segment-") })
    else { throw .missing(path: directory + "/" + StoreFormat.manifestName) }
    verification.findings = try findingsWithoutManifest(log, names: names)
    return verification
  }

  private static func findingsWithoutManifest(_ log: Log, names: [String]) throws(StorageError) -> [StoreIssue] {
    let path = log.directory + "/" + StoreFormat.manifestName
    let what = names.contains(StoreFormat.manifestName) ? "damaged" : "missing"
    var finding = StoreIssue(
      kind: .damage, path: path, offset: 0, what: what, advice: StoreIssue.repairAdvice)
    do throws(StorageError) {
      _ = try Salvage(log, names: names, manifest: nil, mark: nil)
    } catch {
      guard case .damaged = error else { throw error }
      finding.advice =
        "No file identifies the store any more. Restore a backup: trendy restore FILE."
    }
    return [finding]
  }

  static func verify(_ log: Log, _ verification: inout StoreVerification) throws(StorageError) {
    let manifest = log.manifest
    // Read the lock file before the log. Otherwise it could confirm saves made after the log was read.
    let lock = try? log.fileSystem.open(log.lockPath, .read)  // `nil` if the file is missing
    let mark = lock.flatMap { DurableEnd(of: $0) }
    for reference in manifest.segments {
      verification.files += 1
      verification.bytes += reference.fileBytes
      verification.findings += try findings(of: reference, log: log)
    }
    var logAlone = log
    logAlone.manifest.segments = []
    do throws(StorageError) {
      let recovered = try logAlone.read()
      verification.files += Int(recovered.state.tail.chunk.number - manifest.firstChunk) + 1
      verification.bytes += recovered.state.tail.logBytes
      switch recovered.tail {
      case .clean: break
      case .torn(let bytes): verification.cutBytes = bytes
      case .damaged(let path, let offset): throw .damaged(path: path, offset: offset)
      }
      if let mark, mark.isAhead(of: recovered.state.tail.sequence, in: manifest) {
        verification.findings.append(
          StoreIssue(
            kind: .damage, path: recovered.report.path, offset: recovered.report.offset,
            what: mark.sequence - recovered.state.tail.sequence == 1
              ? "the log ends here, but a later save was confirmed"
              : "the log ends here, but \(mark.sequence - recovered.state.tail.sequence) later saves were confirmed",
            advice: StoreIssue.repairAdvice + " The data of these saves is lost unless a backup contains it."))
      }
      if verification.findings.isEmpty { try verifyTogether(log, &verification) }
    } catch {
      guard case .damaged(let path, let offset) = error else { throw error }
      verification.findings += try findings(ofDamagedLog: log, path: path, offset: offset)
    }
  }

  private static func findings(of reference: SegmentReference, log: Log) throws(StorageError) -> [StoreIssue] {
    do throws(StorageError) {
      return try Segment(number: reference.number, storeID: log.manifest.storeID, log: log, reference: reference)
        .findings()
    } catch {
      guard case .damaged(let path, let offset) = error else { throw error }
      let names = try storing { () throws(FileSystemError) in
        try log.fileSystem.names(inDirectory: log.directory)
      }
      let isThere = names.contains(StoreFormat.segmentName(reference.number))
      let what =
        isThere ? "damaged footer" : "missing; it contained \(reference.rowCount) rows"
      return [
        StoreIssue(kind: .damage, path: path, offset: offset, what: what, advice: StoreIssue.repairAdvice)
      ]
    }
  }

  private static func findings(
    ofDamagedLog log: Log, path: String, offset: Int
  ) throws(StorageError) -> [StoreIssue] {
    let names = try storing { () throws(FileSystemError) in try log.fileSystem.names(inDirectory: log.directory) }
    var holes: [LostSaves] = []
    do throws(StorageError) {
      holes = try Salvage(log, names: names, manifest: log.manifest, mark: nil).lostSaves
    } catch {
      switch error {
      // A damaged segment has its own finding, and files removed by maintenance are not needed.
      case .damaged, .missing: break
      default: throw error
      }
    }
    let isThere = names.contains { path == "\(log.directory)/\($0)" }
    // Report the missing chunk rather than the saves lost with it.
    if !isThere { holes = [] }
    var findings = holes.map { hole in
      StoreIssue(
        kind: .damage, path: hole.path, offset: hole.offset,
        what: hole.numbers.count == 1
          ? "save \(hole.numbers.lowerBound) is damaged"
          : "\(hole.numbers.count) saves from \(hole.numbers.lowerBound) on are damaged",
        advice: StoreIssue.repairAdvice)
    }
    if !findings.contains(where: { $0.path == path && $0.offset == offset }) {
      findings.append(
        StoreIssue(
          kind: .damage, path: path, offset: offset, what: isThere ? "damaged" : "missing",
          advice: StoreIssue.repairAdvice))
    }
    return findings
  }

  /// Checks that each key has at most one live row, and that the stored counts match the rows.
  private static func verifyTogether(_ log: Log, _ verification: inout StoreVerification) throws(StorageError) {
    let state = try log.read().state
    defer { withExtendedLifetime(state) {} }  // the tables point into its memory
    let tables = state.generation.tables
    try tables.settleAll()
    for layer in tables.segments.layers {
      var doubled = 0
      for row in 0..<layer.segment.footer.rowCount where !layer.isSuperseded(row) {
        let record = try layer.segment.record(row)
        let (kind, key) = (RowLayout.kind(record), RowLayout.key(record))
        let found = try tables.segments.find(kind: kind, key: key)
        if found?.layer !== layer || found?.record != record || tables.memtable.find(kind: kind, key: key) != nil {
          doubled += 1
        }
      }
      if doubled > 0 {
        verification.findings.append(
          StoreIssue(
            kind: .index, path: layer.segment.path, what: "\(doubled) rows are also stored elsewhere",
            advice: StoreIssue.repairAdvice))
      }
    }
    for kind in 0...UInt8.max {
      let rows = try tables.scan(
        kind: kind, group: nil, from: .min, to: .max, descending: false, limit: .max)
      var groups: [UInt64: Int] = [:]
      for row in rows { groups[RowLayout.group(row), default: 0] += 1 }
      groups[0] = nil
      var isRight = try tables.count(kind: kind, group: nil) == rows.count
      for (group, count) in groups where isRight { isRight = try tables.count(kind: kind, group: group) == count }
      verification.records += rows.count
      if !isRight {
        verification.findings.append(
          StoreIssue(
            kind: .index, path: log.directory, what: "the row count of kind \(kind) is wrong",
            advice: StoreIssue.repairAdvice))
      }
    }
  }
}
