import TrendyModels
import TrendyPersistence
import TrendyProtocols
public import TrendySync
import TrendyTrips

extension DeviceRecord {
  /// Begins an action that consists of several saves and is undone as one step. All changes of the action must be made
  /// through the returned object.
  /// - Parameters:
  ///   - label: Text of the action, as in the command.
  ///   - isDivisible: Whether the changes are independent. If so, undo skips entities that have changed since and
  ///     restores all other entities.
  public func act(_ label: String, isDivisible: Bool = true) -> UndoableAction {
    UndoableAction(self, label: label, isDivisible: isDivisible)
  }

  /// Makes the changes of a user action in one save, as one undo step.
  /// - Parameters:
  ///   - label: Text of the action, as in the command.
  ///   - changes: New states of entities. Entities in `before` without a new state are deleted.
  ///   - before: Current states of the entities.
  ///   - merged: Ids of the types into which types are merged, by the id of the deleted type.
  ///   - isDivisible: See ``act(_:isDivisible:)``.
  /// - Throws: ``OutdatedDecisionError``, `RecorderError`, or errors from the store. Nothing is then changed.
  public func perform(
    _ label: String, _ changes: [AnyEntity], before: [AnyEntity] = [], merged: [String: String] = [:],
    isDivisible: Bool = false
  ) throws {
    let held = Dictionary(before.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    let kept = Set(changes.map(\.id))
    try perform(label, isDivisible: isDivisible) { save in
      for change in changes {
        if let old = held[change.id] { try save.turn(old, into: change) } else { try save.record(change) }
      }
      // Change places before their type is deleted (see `clearPlaces`).
      for gone in before where !kept.contains(gone.id) {
        if case .eventType(let type) = gone { try Self.clearPlaces(naming: type, save) }
        if let heir = merged[gone.id] {
          try save.delete(eventTypeId: gone.id, mergedInto: heir)
        } else {
          try save.delete(gone)
        }
      }
    }
  }

  /// Removes a type from the places that refer to it. The hub would do the same on receiving the deletion, but undo
  /// would then not know which places to restore.
  private static func clearPlaces(naming type: EventType, _ save: RecorderChanges) throws {
    for place in try save.store.fetchAllGeofences() {
      var cleared = place
      if place.eventTypeEntryId == type.id { cleared.eventTypeEntryId = nil }
      if place.eventTypeExitId == type.id { cleared.eventTypeExitId = nil }
      if cleared != place { try save.turn(.place(place), into: .place(cleared)) }
    }
  }

  /// Runs `body`, which makes changes, in one save and as one undo step.
  /// - Throws: ``OutdatedDecisionError`` if another process has saved anything since ``beginDecision()``. Nothing is
  ///   then written.
  @discardableResult
  public func perform<Result>(
    _ label: String, isDivisible: Bool = false, _ body: (RecorderChanges) throws -> Result
  ) throws -> Result {
    let result = try act(label, isDivisible: isDivisible).inOneSave { save in
      try checkDecision(in: save)
      return try body(save)
    }
    onChange()
    return result
  }

  /// Returns the steps that can be undone or redone.
  public func undoHistory() throws -> UndoHistory {
    let log = try UndoLog(dataStoreFactory.makeLocalStore())
    return UndoHistory(done: try log.done.compactMap(log.step), undone: try log.undone.compactMap(log.step))
  }

  /// Undoes the last step with new edits, which are merged like all other edits. Skips values that have been changed
  /// since.
  /// - Returns: The undone step.
  /// - Throws: ``UndoError``, or errors from the store.
  @discardableResult
  public func undo() throws -> UndoStep { try move(from: .done, to: .undone) }

  /// Redoes the step that was undone last.
  /// - Returns: The redone step.
  /// - Throws: ``UndoError``, or errors from the store.
  @discardableResult
  public func redo() throws -> UndoStep { try move(from: .undone, to: .done) }
}

// MARK: Undo and redo

extension DeviceRecord {
  private enum Move {
    case moved(UndoStep)
    case refused(UndoError)
    /// The step is an import, which is undone in several saves.
    case takeBack(ImportEntry, UndoStep)
  }

  private func move(from source: UndoLog.List, to destination: UndoLog.List) throws -> UndoStep {
    let outcome = try recorder.inOneSave { save in
      try save.beginWriting()
      var log = try UndoLog(save.localStore)
      return try move(from: source, to: destination, in: &log, save)
    }
    switch outcome {
    case .moved(let step):
      onChange()
      return step
    case .takeBack(let entry, var step):
      let undo = try undoImport(entry)
      step.left = undo.left
      step.wasSoAlready = undo.removed == 0 && undo.left.isEmpty
      return step
    case .refused(let error): throw error
    }
  }

  private func move(
    from source: UndoLog.List, to destination: UndoLog.List, in log: inout UndoLog, _ save: RecorderChanges
  ) throws -> Move {
    while let number = log.numbers(source).last {
      guard var step = try log.step(number) else {
        try log.drop(number)
        continue
      }
      if let id = step.importID {
        if let entry = try ImportHistory(save.localStore).entry(id), entry.undone == nil {
          return .takeBack(entry, step)
        }
        try log.drop(number)
        continue
      }
      let outcome: Outcome
      do {
        outcome = try carryOut(log.changes(number), of: step, isDivisible: log.isDivisible(number), save)
      } catch let error as UndoError {
        // Nothing has been changed. Remove the step so that it does not block earlier steps.
        try log.drop(number)
        return .refused(error)
      }
      let back = try save.localStore.entityChanges().compactMap { try UndoChange(takingBack: $0) }
        .sorted { ($0.kind.rawValue, $0.id) < ($1.kind.rawValue, $1.id) }
      step.left = outcome.left
      step.wasSoAlready = back.isEmpty
      if back.isEmpty {
        try log.drop(number)
      } else {
        try log.move(number, to: destination, replacing: back)
      }
      // Update the other steps, which may contain the old ids of recreated entities.
      try log.rename(outcome.renamed)
      return .moved(step)
    }
    return .refused(source == .done ? .nothing : .nothingUndone)
  }

  private struct Outcome {
    /// New ids of entities that could not be restored under their old ids.
    var renamed: [String: String] = [:]
    var left: [UndoStep.Left] = []
  }

  private struct OpenChange {
    var kind: MutationEntityType
    var id: String
    var now: AnyEntity?
    var target: JSONValue?

    var rank: Int { SyncedKind.named(kind.rawValue)?.rank ?? .max }
  }

  /// Makes the changes of a step and returns the skipped entities and new ids. With `isDivisible`, entities that have
  /// changed since are skipped.
  /// - Throws: ``UndoError``, before anything is changed.
  private func carryOut(
    _ changes: [UndoChange], of step: UndoStep, isDivisible: Bool, _ save: RecorderChanges
  ) throws -> Outcome {
    var outcome = Outcome()
    var open: [OpenChange] = []
    // Types that are restored together with their events.
    let types = Set(changes.lazy.filter { $0.kind == .eventType && $0.isReturn }.map(\.id))
    func isDeleted(_ type: String) throws -> Bool {
      try !types.contains(type) && save.store.findEventType(id: type) == nil
    }
    for change in changes {
      let (opened, left) = try Self.look(at: change, in: save.store, isDeletedType: isDeleted)
      if let opened { open.append(opened) }
      if let left { outcome.left.append(left) }
    }
    guard outcome.left.isEmpty || isDivisible && !open.isEmpty else {
      throw UndoError.changedSince(label: step.label, left: outcome.left)
    }
    open.sort { ($0.rank, $0.id) < ($1.rank, $1.id) }
    // A type can be deleted only if all of its children are deleted or moved in the same step.
    let ids = Set(open.map(\.id))
    for change in open where change.kind == .eventType && change.target == nil {
      guard try !save.store.hasChildren(ofType: change.id, besides: ids) else {
        throw UndoError.inUse(label: step.label)
      }
    }
    for change in open where change.now == nil {
      guard let target = change.target else { continue }
      let (id, others) = try bringBack(change, UndoChange.renamed(target, outcome.renamed), save)
      if id != change.id { outcome.renamed[change.id] = id }
      if !others.isEmpty { outcome.left.append(UndoStep.Left(kind: change.kind, id: id, fields: others)) }
    }
    for change in open {
      guard let now = change.now, let target = change.target else { continue }
      try save.turn(
        now, into: AnyEntity(change.kind, id: change.id, UndoChange.renamed(target, outcome.renamed)))
    }
    for change in open.reversed() where change.target == nil {
      guard let now = change.now else { continue }
      if change.kind == .eventType, let heir = try Self.heir(of: change.id, in: open) {
        try save.delete(eventTypeId: change.id, mergedInto: heir)
      } else {
        try save.delete(now)
      }
    }
    return outcome
  }

  /// Returns the type into which a step merges another type: the type to which the step moves the events.
  private static func heir(of typeId: String, in changes: [OpenChange]) throws -> String? {
    for change in changes where change.kind == .event {
      guard case .event(let event)? = change.now, event.eventTypeId == typeId else { continue }
      if let heir = change.target?.objectValue?["event_type_id"]?.stringValue, heir != typeId { return heir }
    }
    return nil
  }

  /// Splits a change into the part that can be made and the part to skip, each of which may be `nil`. References to
  /// deleted types are skipped. `isDeletedType` returns whether a type is deleted and this step does not restore it.
  private static func look(
    at change: UndoChange, in store: any DataStoreProtocol, isDeletedType: (String) throws -> Bool
  ) throws -> (open: OpenChange?, left: UndoStep.Left?) {
    let now = try AnyEntity.held(change.kind, id: change.id, in: store)
    let value = try now?.value
    var left = UndoStep.Left(kind: change.kind, id: change.id)
    let typeFields = typeFields(of: change.kind)
    switch change.turn {
    case .remove(let fingerprint):
      guard let value else { return (nil, nil) }
      guard value.fingerprint == fingerprint else { return (nil, left) }
      return (OpenChange(kind: change.kind, id: change.id, now: now), nil)
    case .bringBack(let target):
      guard let value else {
        var members = target.objectValue ?? [:]
        for field in typeFields {
          guard let type = members[field.name]?.stringValue, try isDeletedType(type) else { continue }
          left.isTypeDeleted = left.isTypeDeleted || field.refersTo?.onDelete == .cascade
          members.removeValue(forKey: field.name)
        }
        if left.isTypeDeleted { return (nil, left) }
        return (OpenChange(kind: change.kind, id: change.id, target: .object(members)), nil)
      }
      return (nil, value.fingerprint == target.fingerprint ? nil : left)
    case .change(let fields):
      guard let value else { return (nil, left) }
      var members = value.fields(of: change.kind)
      var isChanged = false
      for (name, pair) in fields where members[name] != pair.target {
        if members[name] != pair.present {
          left.fields.append(name)
        } else if typeFields.contains(where: { $0.name == name }), let type = pair.target?.stringValue,
          try isDeletedType(type)
        {
          left.fields.append(name)
          left.isTypeDeleted = true
        } else {
          members[name] = pair.target
          isChanged = true
        }
      }
      left.fields.sort()
      let target = JSONValue(fields: members, of: change.kind)
      return (
        isChanged ? OpenChange(kind: change.kind, id: change.id, now: now, target: target) : nil,
        left.fields.isEmpty ? nil : left
      )
    }
  }

  /// Restores a deleted entity. If a restore is impossible, for example because the deletion is in transit, creates the
  /// entity under a new id.
  /// - Returns: The id of the entity, and the fields that other devices have written since the deletion.
  private func bringBack(
    _ change: OpenChange, _ value: JSONValue, _ save: RecorderChanges
  ) throws -> (id: String, others: [String]) {
    // Conflicts in this device's journal are not synced, so store the conflict again.
    if case let entity = try AnyEntity(change.kind, id: change.id, value), case .conflict = entity {
      try save.record(entity)
      return (change.id, [])
    }
    do {
      try save.restore(change.kind, id: change.id)
      if let now = try AnyEntity.held(change.kind, id: change.id, in: save.store) {
        return (change.id, try Self.settle(now, as: value, save))
      }
    } catch RecorderError.notHeld {
      // The hub never received the entity or no longer has its values, so recreate it.
      if try save.record(AnyEntity(change.kind, id: change.id, value)) { return (change.id, []) }
    } catch is RecorderError {}
    let id = makeID()
    try save.record(AnyEntity(change.kind, id: id, value))
    if change.kind == .vehicle {
      for trip in try save.store.trips(in: nil) where trip.vehicleId == change.id {
        try save.edit(eventId: trip.event.id) {
          $0.properties[TripRecord.PropertyKey.vehicle.rawValue]?.value = .string(id)
        }
      }
    }
    return (id, [])
  }

  /// Returns a restored entity to its state before the deletion, except for fields that other devices have written
  /// since. Returns the names of these fields.
  ///
  /// A reference to a type that no longer exists is restored to its value before the deletion.
  private static func settle(_ now: AnyEntity, as value: JSONValue, _ save: RecorderChanges) throws -> [String] {
    let (own, typeFields) = (value.fields(of: now.kind), typeFields(of: now.kind).map(\.name))
    var members = try now.value.fields(of: now.kind)
    var others: [String] = []
    for name in Set(own.keys).union(members.keys) where own[name] != members[name] {
      let type = members[name]?.stringValue
      if typeFields.contains(name), try type.map({ try save.store.findEventType(id: $0) == nil }) ?? true {
        members[name] = own[name]
      } else {
        others.append(name)
      }
    }
    try save.turn(now, into: AnyEntity(now.kind, id: now.id, JSONValue(fields: members, of: now.kind)))
    return others.sorted()
  }

  private static func typeFields(of kind: MutationEntityType) -> [SyncedKind.Field] {
    SyncedKind.named(kind.rawValue)?.fields.filter { $0.refersTo?.kind == SyncedKind.eventType.name } ?? []
  }
}
