public import TrendyFoundation
public import TrendyPersistence

/// Result of a complete check of a store: its files, and the consistency of its rows.
public struct StoreCheckup: Hashable, Sendable {
  /// Totals and issues for all files.
  public private(set) var files = StoreVerification()
  /// All issues found.
  public private(set) var findings: [StoreIssue] = []

  /// Checks the store in a directory. Reports damage as an issue.
  /// - Throws: `StorageError` if the store cannot be checked.
  public init(storeDirectory: URL) throws(StorageError) {
    for store in Self.present(storeDirectory) {
      let seen = try StorageEngine.verify(directory: store.directory)
      files.records += seen.records
      files.files += seen.files
      files.bytes += seen.bytes
      files.cutBytes += seen.cutBytes
      files.findings += seen.findings
      files.setAside += seen.setAside.map { store.directory + "/" + $0 }
    }
    findings = files.findings
    // The rows can be checked only if the files are intact.
    if findings.isEmpty {
      findings = try LocalStore(engine: StorageEngine.open(directory: storeDirectory.path)).verify()
    }
  }

  /// Repairs a damaged store: copies intact rows to new files, and moves the old files aside.
  /// - Returns: A report on all parts of the store, with the user's entries from lost saves (without sync data). For
  ///   tracks, the report contains only the number of lost rows.
  /// - Throws: `StorageError`.
  public static func repair(storeDirectory: URL) throws(StorageError) -> RepairReport {
    var whole = RepairReport(wasDamaged: false, savesKept: 0)
    for store in present(storeDirectory) {
      var report = try StorageEngine.repair(directory: store.directory)
      if store.name != "record" { report.lostRows = [] }
      for index in report.lostSaves.indices {
        report.lostSaves[index].rows.removeAll { store.name != "record" || $0.isLearnedAgain || $0.isNote }
      }
      whole.wasDamaged = whole.wasDamaged || report.wasDamaged
      whole.savesKept += report.savesKept
      whole.lostSaves += report.lostSaves
      whole.rowsLost += report.rowsLost
      whole.lostRows += report.lostRows
      whole.setAside += report.setAside
    }
    return whole
  }

  /// Returns the record's store, even if it does not exist, and the other stores if they exist.
  private static func present(_ storeDirectory: URL) -> [StoreBackup.Store] {
    StoreParts(storeDirectory: storeDirectory).stores.filter { $0.name == "record" || isBegun($0) }
  }

  /// Whether a directory contains more than the lock file, which remains if creating a store failed on a full disk.
  private static func isBegun(_ store: StoreBackup.Store) -> Bool {
    // If the directory cannot be listed, include it so that the check reports the reason.
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: store.directory) else {
      return FileManager.default.fileExists(atPath: store.directory)
    }
    return names.contains { name in name == "manifest" || ["log-", "segment-"].contains { name.hasPrefix($0) } }
  }
}
