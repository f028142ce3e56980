import TrendyAgent
import TrendyModels
import TrendyPersistence
import TrendySync

/// Visible state of the entities that a command changed, before and after the command.
struct CarriedOut {
  var before: ShownFields
  var after: ShownFields

  var keys: Set<Ledger.Key> { Set(before.rows.keys).union(after.rows.keys) }

  func names(_ id: String) -> Bool {
    keys.contains { $0.id == id }
      || [before, after].contains { $0.rows.values.contains { $0.values.contains(.string(id)) } }
  }
}

// MARK: Undo and redo: the visible state is compared with the state before and after the command
extension CommandUser {
  /// Checks an undo or redo step. The entities must have their state before the command (undo) or after it (redo),
  /// except for fields that have been changed since.
  func check(_ step: UndoStep, isUndo: Bool, _ before: ShownFields, _ now: ShownFields) {
    let act = "\(device.name) \(isUndo ? "undoes" : "redoes") \(step.label)"
    let changed = before.changes(to: now)
    run.tell("\(act), which changes \(words(changed))\(step.left.isEmpty ? "" : "; left: \(step.left.map(\.id))")")
    note(before, now)
    let name = step.importID ?? step.label
    guard let done = device.commands[name] else { return }
    // The next redo or undo switches between the current state and the state before this step.
    device.commands[name] =
      isUndo
      ? CarriedOut(before: now.only(changed), after: before.only(changed))
      : CarriedOut(before: before.only(changed), after: now.only(changed))
    let (present, target) = isUndo ? (done.after.rows, done.before.rows) : (done.before.rows, done.after.rows)
    let newNames = newNames(of: target, before, now)
    let left = Dictionary(grouping: step.left) { Ledger.Key(kind: $0.kind, id: $0.id) }
    for key in done.keys.sorted() {
      let new = newNames[key.id].map { Ledger.Key(kind: key.kind, id: $0) } ?? key
      if let fault = fault(
        was: before.rows[key], present: present[key], target: target[key]?.renamed(newNames).withoutDeletedTypes(now),
        now: now.rows[new], left: left[key].map { Set($0.flatMap(\.fields)) },
        isShownType: { now.rows[Ledger.Key(kind: .eventType, id: $0)] != nil })
      {
        run.ledger.report(.undoRestoresTheRecord, "\(act), and \(key.id) \(fault)")
      }
    }
    for key in changed.subtracting(done.keys).sorted()
    where !newNames.values.contains(key.id) && !isShownWithItsType(key, before, now) {
      run.ledger.report(.undoRestoresTheRecord, "\(act), and \(key.id) is changed as well")
    }
    // Entities with a new id are no longer tracked.
    for name in newNames.keys { device.commands = device.commands.filter { !$0.value.names(name) } }
  }

  /// Whether the entity was recorded by another device under a type that was deleted here and is visible again.
  func isShownWithItsType(_ key: Ledger.Key, _ before: ShownFields, _ now: ShownFields) -> Bool {
    guard before.rows[key] == nil, let type = now.rows[key]?["event_type_id"]?.stringValue else { return false }
    return before.rows[Ledger.Key(kind: .eventType, id: type)] == nil
  }

  /// New ids of entities that could not be restored under their own ids, because their deletion is still pending.
  private func newNames(
    of target: [Ledger.Key: EntityFields], _ before: ShownFields, _ now: ShownFields
  ) -> [String: String] {
    let new = now.rows.filter { before.rows[$0.key] == nil }
    var names: [String: String] = [:]
    for (key, fields) in target where before.rows[key] == nil && now.rows[key] == nil {
      let field = MergeOracle.textField(ofKind: key.kind.rawValue)
      names[key.id] = new.first { $0.key.kind == key.kind && $0.value[field] == fields[field] }?.key.id
    }
    return names
  }

  /// Returns the error in an entity's state after an undo or redo step, or `nil`.
  /// - Parameters:
  ///   - was: Visible state before the step.
  ///   - present: State that the step replaces.
  ///   - target: State that the step should establish.
  ///   - now: Visible state after the step.
  ///   - left: Fields that the step reports as unchanged, an empty set for the whole entity, or `nil` if it reports
  ///     nothing.
  ///   - isShownType: Returns whether an event type is visible.
  private func fault(
    was: EntityFields?, present: EntityFields?, target: EntityFields?, now: EntityFields?, left: Set<String>?,
    isShownType: (String) -> Bool
  ) -> String? {
    switch (was, target) {
    case (nil, nil): return now == nil ? nil : "appeared"
    case (nil, let target?):
      // A deleted entity stays deleted, even if it was also changed in other ways.
      if present != nil { return now != nil ? "reappeared" : left == nil ? "is missing without a report" : nil }
      guard let now else { return left == nil ? "was not restored" : nil }
      // Changes that other devices made while the entity was deleted are kept.
      let others = Set(now.keys).union(target.keys).filter { now[$0] != target[$0] }
      return others == left ?? []
        ? nil : "was restored with other values: \(now.difference(from: target)); left: \(left ?? [])"
    case (let was?, nil):
      guard left == nil else { return now == was ? nil : "was reported as unchanged but changed" }
      if was != present { return "was changed meanwhile but not reported" }
      return now == nil ? nil : "was not removed"
    case (let was?, let target?):
      guard let present else {
        if now != was { return "was restored by another user and then changed" }
        return was == target || left != nil ? nil : "was restored by another user but not reported"
      }
      for name in Set(present.keys).union(target.keys).sorted() where present[name] != target[name] {
        let isOpen =
          was[name] == target[name]
          || was[name] == present[name]
            // An event is not moved back to a type that has been deleted since.
            && (name != "event_type_id" || target[name]?.stringValue.map(isShownType) == true)
        if isOpen == (left?.contains(name) == true) {
          return
            "has \(name), which was \(isOpen ? "not " : "")changed meanwhile and is \(isOpen ? "" : "not ")reported"
        }
        if let now, now[name] == (isOpen ? target : was)[name] { continue }
        return "has other values: \((now ?? [:]).difference(from: target))"
      }
      return nil
    }
  }

  /// Checks that the entities reported as unchanged have indeed been changed since the command.
  func checkLeft(_ left: [UndoStep.Left], of label: String, _ shown: ShownFields) {
    guard let done = device.commands[label] else { return }
    for left in left {
      let key = Ledger.Key(kind: left.kind, id: left.id)
      let now = shown.rows[key]
      if left.fields.isEmpty ? now == done.after.rows[key] && now == done.before.rows[key] : now == nil {
        run.ledger.report(
          .undoRestoresTheRecord,
          "\(device.name) leaves \(key.id) of \(label) unchanged, although it was not edited since")
      }
    }
  }

  func expectUnchanged(_ record: DeviceRecord, _ before: ShownFields, _ error: String) {
    // A powered-off disk cannot be read.
    guard let now = try? shown(record), now != before else { return }
    run.ledger.report(
      .undoRestoresTheRecord,
      "\(device.name) changes \(words(before.changes(to: now))) by a failed command: \(error)")
  }

  func shown(_ record: DeviceRecord) throws -> ShownFields {
    try ShownFields(record.dataStoreFactory.makeLocalStore())
  }

  private func words(_ keys: Set<Ledger.Key>) -> String {
    keys.isEmpty ? "nothing" : keys.sorted().map(\.id).joined(separator: ", ")
  }
}

// MARK: The ledger

extension CommandUser {
  func onCommand(_ name: String, _ before: ShownFields, _ after: ShownFields) {
    let changed = before.changes(to: after)
    guard !changed.isEmpty else { return }
    run.tell("\(device.name) carries out the command \(name), which changes \(words(changed))")
    device.commands[name] = CarriedOut(before: before.only(changed), after: after.only(changed))
    note(before, after)
  }

  private func note(_ before: ShownFields, _ after: ShownFields) {
    for key in before.changes(to: after).sorted() {
      let (old, new) = (before.text(key), after.text(key))
      // After an undo, a replaced text can reappear.
      run.ledger.onMixed(key)
      if after.rows[key] == nil {
        run.ledger.onGivenUp([old].compactMap(\.self))
        run.ledger.onDelete(key, device: device.number, isSure: false)
        continue
      }
      if before.rows[key] == nil {
        if run.ledger.everDeleted.contains(key) { run.ledger.onRestored(key) }
        if run.made[key.kind]?.contains(key.id) != true { run.made[key.kind, default: []].append(key.id) }
      }
      // The new type is no longer in the queue, so only this device's conflict journal contains the old value.
      if !run.ledger.cleared.isEmpty, before.rows[key]?["event_type_id"] != after.rows[key]?["event_type_id"] {
        run.ledger.onGivenUp([old].compactMap(\.self))
      }
      guard old != new else { continue }
      run.ledger.onGivenUp([old].compactMap(\.self))
      // No payload contains a restored text.
      let isFollowed = new?.hasPrefix(text) == true && !NaturalIdentifier.isNatural(key.id)
      run.ledger.onText(
        new ?? "", over: [old].compactMap(\.self), key: key, device: device.number, isSure: isFollowed)
    }
  }

  /// Handles a failed save, whose changes may still be durable.
  func onDoubt(_ before: ShownFields) {
    for key in before.rows.keys.sorted() {
      run.ledger.onMixed(key)
      run.ledger.onDelete(key, device: device.number, isSure: false)
      run.ledger.onGivenUp([before.text(key)].compactMap(\.self))
    }
    for key in run.ledger.everDeleted { run.ledger.onRestored(key) }
    // The failed save may have been an undo that took effect. A later redo may then differ from the report.
    device.commands = [:]
  }
}
