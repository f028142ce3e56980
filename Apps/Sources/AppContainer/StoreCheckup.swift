#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyPersistence

/// What a look through a whole store found: its files, and what the rows say of each other.
public struct StoreCheckup: Hashable, Sendable {
  public let files: StoreVerification
  /// Everything that is wrong.
  public let findings: [StoreFinding]

  /// - Throws: `StorageError` for a store that cannot be looked through at all; damage is a finding.
  public init(storeDirectory: URL) throws(StorageError) {
    files = try StorageEngine.verify(directory: storeDirectory.path)
    // Rows can only be read where the files can.
    findings = files.findings.isEmpty ? try Self.rowFindings(storeDirectory) : files.findings
  }

  private static func rowFindings(_ storeDirectory: URL) throws(StorageError) -> [StoreFinding] {
    try LocalStore(engine: StorageEngine.open(directory: storeDirectory.path)).verify()
  }

  /// Makes a damaged store usable: all that is whole goes into new files, the old ones are set aside.
  public static func repair(storeDirectory: URL) throws(StorageError) -> RepairReport {
    try StorageEngine.repair(directory: storeDirectory.path)
  }
}
