import Synchronization
import TrendyModels
import TrendyPersistence
import TrendyProtocols
public import TrendySync

/// One thing that a person does, in one save or several, so that it can be taken back as one.
///
/// What turns it back is saved with what it does: a program that is killed between two saves leaves an act that is done half, and
/// can be taken back. Its saves follow one another.
public final class Act: Sendable {
  private let record: DeviceRecord
  /// What is done, in the words of the command.
  private let label: String
  /// Whether its changes have nothing to do with each other: what is changed again by then stays, and the rest is taken back.
  private let isDivisible: Bool
  /// Of its entry; `nil` as long as it has changed nothing.
  private let number = Mutex<Int64?>(nil)

  init(_ record: DeviceRecord, label: String, isDivisible: Bool) {
    self.record = record
    self.label = label
    self.isDivisible = isDivisible
  }

  /// As `Recorder.inOneSave`.
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
      // No order of rows is promised, and what is written is the same each time.
      .sorted { ($0.kind.rawValue, $0.id) < ($1.kind.rawValue, $1.id) }
    guard !changes.isEmpty else { return number }
    var log = try UndoLog(store)
    if let number, try log.extend(number, with: changes) { return number }
    let step = UndoStep(label: label, date: record.clock.now)
    return try log.append(step, isDivisible: isDivisible, changes)
  }
}

extension RecorderChanges {
  /// A ``DeviceRecord`` makes its units in files.
  var localStore: LocalStore {
    guard let store = store as? LocalStore else { preconditionFailure("a unit of a device's record: \(store)") }
    return store
  }
}
