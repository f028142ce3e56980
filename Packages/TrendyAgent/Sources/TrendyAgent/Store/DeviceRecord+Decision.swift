import Synchronization
import TrendyPersistence
import TrendySync

/// Error thrown if another process has changed the record since the data for a change was read. Nothing was written.
public struct OutdatedDecisionError: Error, Hashable, Sendable {
  public init() {}
}

extension DeviceRecord {
  /// Begins a decision: a series of reads that determine what the next ``perform(_:isDivisible:_:)`` writes. Has no
  /// effect while a decision is in progress.
  ///
  /// If another process has saved anything since, `perform` throws ``OutdatedDecisionError``, and the caller reads and
  /// decides again. A check such as "this name is free" is therefore still valid when the change is saved, although no
  /// lock is held while the program waits for the user.
  ///
  /// - Throws: `StorageError`.
  public func beginDecision() throws {
    let position = try dataStoreFactory.makeLocalStore().position()
    decisionStart.withLock { $0 = $0 ?? position }
  }

  /// Ends the decision. Checks, under the write lock, that no process has saved anything since the decision began.
  func checkDecision(in save: RecorderChanges) throws {
    let start = decisionStart.withLock { start in
      defer { start = nil }
      return start
    }
    guard let start else { return }
    try save.beginWriting()
    guard try save.localStore.position() == start else { throw OutdatedDecisionError() }
  }
}
