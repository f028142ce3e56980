import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTrips

extension DeviceRecord {
  /// Carries out what a person does, in one save, so that it can be taken back.
  /// - Parameters:
  ///   - label: what is done, in the words of the command.
  ///   - changes: each entity as it is to be; one of `before` that is not among them is deleted.
  ///   - before: those that are there now.
  ///   - isDivisible: whether the changes have nothing to do with each other: what is changed again by then stays, and the rest is
  ///     taken back.
  public func perform(
    _ label: String, _ changes: [Undoable], before: [Undoable] = [], isDivisible: Bool = false
  ) throws {
    let log = UndoLog(storeDirectory: directory)
    try log.exclusively { try perform(label, changes, before: before, isDivisible: isDivisible, in: log) }
    onChange()
  }

  private func perform(
    _ label: String, _ changes: [Undoable], before: [Undoable], isDivisible: Bool, in log: UndoLog
  ) throws {
    let held = Dictionary(before.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    let kept = Set(changes.map(\.id))
    var steps: [UndoStep.Change] = []
    for change in changes {
      steps.append(
        UndoStep.Change(
          kind: change.kind, id: change.id, before: try held[change.id]?.value, after: try change.value))
    }
    for gone in before where !kept.contains(gone.id) {
      steps.append(UndoStep.Change(kind: gone.kind, id: gone.id, before: try gone.value, after: nil))
    }
    // A log that cannot be read or written must not keep a person from working; what it held is lost to undo, and to nothing else.
    let loaded = (try? log.load()) ?? UndoHistory()
    var history = loaded
    history.done.append(UndoStep(label: label, date: clock.now, changes: steps, isDivisible: isDivisible ? true : nil))
    history.undone = []
    try? log.save(history, before: loaded)  // as above
    try recorder.inOneSave { save in
      for change in changes {
        if let old = held[change.id] { try save.turn(old, into: change) } else { try save.record(change) }
      }
      // An event type takes along what is told next.
      for gone in before where !kept.contains(gone.id) { try save.delete(gone) }
    }
  }

  /// The last things that were done and taken back.
  /// - Throws: ``UndoError/unreadable(path:)``.
  public func undoHistory() throws -> UndoHistory { try UndoLog(storeDirectory: directory).load() }

  /// Takes the last thing back.
  /// - Returns: what it was.
  /// - Throws: ``UndoError``, and what the store says.
  @discardableResult
  public func undo() throws -> UndoStep {
    try move(from: \.done, to: \.undone, turning: { ($0.after, $0.before) }, orThrow: .nothing)
  }

  /// Does again what was taken back last.
  /// - Returns: what it was.
  /// - Throws: ``UndoError``, and what the store says.
  @discardableResult
  public func redo() throws -> UndoStep {
    try move(from: \.undone, to: \.done, turning: { ($0.before, $0.after) }, orThrow: .nothingUndone)
  }

  private typealias Turn = (UndoStep.Change) -> (present: JSONValue?, target: JSONValue?)

  private func move(
    from source: WritableKeyPath<UndoHistory, [UndoStep]>, to destination: WritableKeyPath<UndoHistory, [UndoStep]>,
    turning turn: Turn, orThrow nothing: UndoError
  ) throws -> UndoStep {
    let log = UndoLog(storeDirectory: directory)
    let step = try log.exclusively {
      let loaded = try log.load()
      var history = loaded
      while let step = history[keyPath: source].last {
        let place = history[keyPath: source].endIndex - 1
        do {
          let outcome = try carryOut(log.whole(step), turn)
          // What was done to it at other times can be taken back as well.
          try log.rename(outcome.renamed, in: &history)
          var moved = history[keyPath: source].remove(at: place)
          if outcome.isTurned { history[keyPath: destination].append(moved) }
          try log.save(history, before: loaded)
          moved.left = outcome.left
          if outcome.isTurned { return moved }
        } catch let error as UndoError {
          // It is left as it is, and does not stand before what was done earlier.
          history[keyPath: source].remove(at: place)
          try log.save(history, before: loaded)
          throw error
        }
      }
      throw nothing
    }
    onChange()
    return step
  }

  private struct Outcome {
    /// Whether there was anything to do.
    var isTurned = false
    /// The new ids of what came back under others.
    var renamed: [String: String] = [:]
    /// Ids of what was changed since.
    var left: [String] = []
  }

  private func carryOut(_ step: UndoStep, _ turn: Turn) throws -> Outcome {
    var outcome = Outcome()
    outcome.isTurned = try recorder.inOneSave { save in
      var open: [(change: UndoStep.Change, now: Undoable?, target: JSONValue?)] = []
      for change in step.changes {
        let (present, target) = turn(change)
        let now = try Undoable.held(change.kind, id: change.id, in: save.store)
        let value = try now?.value
        if value == target { continue }
        guard value == present else {
          outcome.left.append(change.id)
          continue
        }
        open.append((change, now, target))
      }
      guard outcome.left.isEmpty || step.isDivisible == true && !open.isEmpty else {
        throw UndoError.changedSince(label: step.label)
      }
      open.sort { $0.change.rank < $1.change.rank }
      // They go along, or move out before.
      let ids = Set(open.map(\.change.id))
      for case (let change, .some, nil) in open where change.kind == .eventType {
        let events = try save.store.events(in: nil, ofType: change.id, limit: ids.count + 1)
        guard events.allSatisfy({ ids.contains($0.id) }) else { throw UndoError.inUse(label: step.label) }
      }
      for case (let change, nil, var target?) in open {
        target.rename(outcome.renamed)
        let id = try bringBack(change, target, save)
        if id != change.id { outcome.renamed[change.id] = id }
      }
      for case (let change, let now?, let target?) in open {
        try save.turn(now, into: Undoable(change.kind, id: change.id, target))
      }
      for case (_, let now?, nil) in open.reversed() { try save.delete(now) }
      return !open.isEmpty
    }
    return outcome
  }

  /// Gives what was deleted another life; under a new id only where that cannot be, as while its deletion is on its way.
  private func bringBack(_ change: UndoStep.Change, _ value: JSONValue, _ save: RecorderChanges) throws -> String {
    do {
      try save.restore(change.kind, id: change.id)
      if let now = try Undoable.held(change.kind, id: change.id, in: save.store) {
        try save.turn(now, into: Undoable(change.kind, id: change.id, value))
        return change.id
      }
    } catch RecorderError.notHeld {
      // No hub has heard of it, or remembers what it was: it is made as it was made first.
      if try save.record(Undoable(change.kind, id: change.id, value)) { return change.id }
    } catch is RecorderError {}
    let id = makeID()
    try save.record(Undoable(change.kind, id: id, value))
    if change.kind == .vehicle {
      for trip in try save.store.trips(in: nil) where trip.vehicleId == change.id {
        try save.edit(eventId: trip.event.id) {
          $0.properties[TripRecord.PropertyKey.vehicle.rawValue]?.value = .string(id)
        }
      }
    }
    return id
  }
}

extension UndoStep.Change {
  /// What others refer to comes first.
  fileprivate var rank: Int { SyncedKind.named(kind.rawValue)?.rank ?? .max }
}
