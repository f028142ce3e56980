import Synchronization
import TrendyModels
import TrendyPersistence
import TrendyProtocols
public import TrendySync

/// One user action in one save or several, undone as one step.
///
/// The undo data is part of each save. A process killed between two saves leaves a partial action, which can be undone.
/// The saves must not overlap.
public final class UndoableAction: Sendable {
  private let record: DeviceRecord
  /// Text of the action, as in the command.
  private let label: String
  /// Whether the changes are independent: undo then skips entities that have changed since and restores the others.
  private let isDivisible: Bool
  /// Number of the undo entry; `nil` before the first change.
  private let number = Mutex<Int64?>(nil)

  init(_ record: DeviceRecord, label: String, isDivisible: Bool) {
    self.record = record
    self.label = label
    self.isDivisible = isDivisible
  }

  /// Makes changes in one save that is part of the action; see `Recorder.inOneSave`.
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
      // Changes have no order, so they are sorted to make the stored data reproducible.
      .sorted { ($0.kind.rawValue, $0.id) < ($1.kind.rawValue, $1.id) }
    guard !changes.isEmpty else { return number }
    var log = try UndoLog(store)
    if let number, try log.extend(number, with: changes) { return number }
    let step = UndoStep(label: label, date: record.clock.now)
    return try log.append(step, isDivisible: isDivisible, changes)
  }
}

extension RecorderChanges {
  /// The unit's store; a ``DeviceRecord`` always uses a `LocalStore`.
  var localStore: LocalStore {
    guard let store = store as? LocalStore else {
      preconditionFailure("expected a unit of a device's record, found \(store)")
    }
    return store
  }
}
