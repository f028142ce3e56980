public import TrendyFoundation
public import TrendyPersistence

/// What a look through a whole store found: its files, and what the rows say of each other.
public struct StoreCheckup: Hashable, Sendable {
  public private(set) var files = StoreVerification()
  /// Everything that is wrong.
  public private(set) var findings: [StoreFinding] = []

  /// - Throws: `StorageError` for a store that cannot be looked through at all; damage is a finding.
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
    // Rows can only be read where the files can.
    if findings.isEmpty {
      findings = try LocalStore(engine: StorageEngine.open(directory: storeDirectory.path)).verify()
    }
  }

  /// Makes what is damaged usable: all that is whole goes into new files, the old ones are set aside.
  /// - Returns: what was done to all that is there. Of a lost save it names what a person entered, not what sync noted
  ///   beside it; of tracks it counts what was lost, and names nothing.
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

  /// The record, there or not, and what there is beside it.
  private static func present(_ storeDirectory: URL) -> [StoreBackup.Store] {
    StoreParts(storeDirectory: storeDirectory).stores.filter { $0.name == "record" || isBegun($0) }
  }

  /// Whether a folder has more than the lock, which alone is left where a full disk kept a store from being made.
  private static func isBegun(_ store: StoreBackup.Store) -> Bool {
    // A folder that cannot be listed is looked through, which says why.
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: store.directory) else {
      return FileManager.default.fileExists(atPath: store.directory)
    }
    return names.contains { name in name == "manifest" || ["log-", "segment-"].contains { name.hasPrefix($0) } }
  }
}
