import Synchronization
import TrendyModels
import TrendyPersistence
import TrendyProtocols
public import TrendySync

/// User action that consists of one or more saves and is undone as one step.
///
/// Each save includes its undo data, so that a partial action can be undone if the process is killed between two saves.
/// The saves must not overlap.
public final class UndoableAction: Sendable {
  private let record: DeviceRecord
  private let label: String
  /// Whether the changes are independent. If so, undo skips entities that have changed since and restores all other
  /// entities.
  private let isDivisible: Bool
  /// Number of the undo entry, or `nil` before the first change.
  private let number = Mutex<Int64?>(nil)

  init(_ record: DeviceRecord, label: String, isDivisible: Bool) {
    self.record = record
    self.label = label
    self.isDivisible = isDivisible
  }

  /// Makes changes in one save that becomes part of the action (see `Recorder.inOneSave`).
  public func inOneSave<Result>(_ body: (RecorderChanges) throws -> Result) throws -> Result {
    let known = number.withLock { $0 }
    var written = known
    let result = try record.recorder.inOneSave { save in
      let result = try body(save)
      written = try note(save.localStore, known)
      return result
    }
    number.withLock { $0 = written }
    return result
  }

  private func note(_ store: LocalStore, _ number: Int64?) throws -> Int64? {
    let changes = try store.entityChanges().compactMap { try UndoChange(takingBack: $0) }
      // Sort the changes, which have no order, to make the stored data reproducible.
      .sorted { ($0.kind.rawValue, $0.id) < ($1.kind.rawValue, $1.id) }
    guard !changes.isEmpty else { return number }
    var log = try UndoLog(store)
    if let number, try log.extend(number, with: changes) { return number }
    let step = UndoStep(label: label, date: record.clock.now)
    return try log.append(step, isDivisible: isDivisible, changes)
  }
}

extension RecorderChanges {
  /// Store of the unit of work. In a ``DeviceRecord``, always a `LocalStore`.
  var localStore: LocalStore {
    guard let store = store as? LocalStore else {
      preconditionFailure("expected a unit of a device's record, found \(store)")
    }
    return store
  }
}
