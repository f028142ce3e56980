import Foundation
import StorageTesting
import TrendyModels
import TrendyPersistence
import TrendySync
import TrendyTesting

/// User of a device. Performs one action, which is chosen by a number.
struct Editor {
  private let run: SimulationRun
  private let device: SimulatedDevice
  private var generator: SeededGenerator
  private let text: String
  private let isBeside: Bool

  init(run: SimulationRun, device: SimulatedDevice, choice: UInt64, text: String, isBeside: Bool) {
    self.run = run
    self.device = device
    generator = SeededGenerator(seed: choice)
    self.text = text
    self.isBeside = isBeside
  }

  mutating func edit() {
    guard let process = device.process else { return }
    let recorder = isBeside ? process.besideRecorder : process.recorder
    switch run.parameters.act(using: &generator) {
    case .makeType: make(.eventType, recorder, process)
    case .makeEvent: make(.event, recorder, process)
    case .makeRecord: make(anyRecordKind(), recorder, process)
    case .makeGeofence: make(.geofence, recorder, process)
    case .makeDefinition: make(.propertyDefinition, recorder, process)
    case .importEvent: importEvent(recorder, process)
    case .changeEvent: changeText(recorder, .event)
    case .changeType: changeType(recorder)
    case .changeGeofence: changeText(recorder, .geofence)
    case .changeDefinition: changeText(recorder, .propertyDefinition)
    case .changeRecord: changeText(recorder, anyRecordKind())
    case .setMood: setMood(recorder)
    case .clearMood: clearMood(recorder)
    case .moveEvent: moveEvent(recorder, process)
    case .setPlace: setPlace(recorder)
    case .clearNotes: clearNotes(recorder)
    case .deleteEvent: delete(recorder, .event)
    case .deleteType: delete(recorder, .eventType)
    case .deleteOther:
      delete(recorder, Bool.random(using: &generator) ? anyRecordKind() : .propertyDefinition)
    case .restore:
      if let key = run.ledger.allDeleted.sorted().randomElement(using: &generator) { restore(key, recorder) }
    case .restoreUnderDeletion: restoreUnderDeletion(recorder)
    case .decide: decide(recorder)
    }
  }

  /// Records many events in one save. Of thousands of events, only some are tracked individually. The final check
  /// compares all events with the hub.
  mutating func recordMany(_ count: Int) {
    guard let process = device.process, let type = heldType(process) else { return }
    let events = (0..<count).map { place in
      Event(
        id: "event-\(text)-\(place)", eventTypeId: type, timestamp: DeterministicDate.jan1_2024,
        notes: "\(text)-\(place)")
    }
    let isSure: Bool
    do {
      try process.recorder.record(events)
      isSure = true
    } catch is RecorderError {
      return
    } catch {
      isSure = false
    }
    run.tell("\(device.name) records \(count) events of \(type) in one save\(isSure ? "" : ", which fails")")
    if isSure { checkStamps(of: [events[0].id, events[count - 1].id], process) }
    for event in count > 1000 ? Array(events.prefix(20) + events.suffix(20)) : events {
      note(.text("notes", event.notes), Ledger.Key(kind: .event, id: event.id), over: [], isSure: isSure)
      remember(.event, event.id)
    }
  }

  private func checkStamps(of ids: [String], _ process: SimulatedDevice.ProcessRun) {
    guard let waiting = try? ids.flatMap({ try process.factory.makeLocalStore().pendingMutations(ofEntity: $0) }) else {
      return
    }
    let stamps = Set(waiting.flatMap(\.marks.values).map(\.stamp))
    if stamps.count > 1 { run.ledger.report(nil, "\(device.name) used several stamps in one save: \(stamps.sorted())") }
  }

  /// Returns the texts that the ledger considers seen: those in the entity and in the children that would be deleted
  /// with it.
  private func seenTexts(_ kind: MutationEntityType, _ id: String, withChildren: Bool) -> [String] {
    guard let store = device.process?.factory.makeLocalStore() else { return [] }
    do {
      var texts = [try store.simulatedText(Ledger.Key(kind: kind, id: id))].compactMap(\.self)
      if withChildren, kind == .eventType {
        texts += try store.events(in: nil, ofType: id, limit: nil).compactMap(\.notes)
        texts += try store.fetchAllPropertyDefinitions().filter { $0.eventTypeId == id }.map(\.label)
        texts += try store.fetchRecords(kind: .skip).filter { $0.fields["event_type_id"]?.stringValue == id }
          .compactMap { $0.fields["note"]?.stringValue }
      }
      return texts
    } catch {
      return []
    }
  }
}

extension Editor {
  private mutating func make(_ kind: MutationEntityType, _ recorder: Recorder, _ process: SimulatedDevice.ProcessRun) {
    guard hasRoom(for: kind) else { return changeText(recorder, kind) }
    switch kind {
    case .eventType: makeType(recorder)
    case .event: makeEvent(recorder, process)
    case .geofence: makeGeofence(recorder, process)
    case .propertyDefinition: makeDefinition(recorder, process)
    default: makeRecord(recorder, process, kind)
    }
  }

  private mutating func makeType(_ recorder: Recorder) {
    let id = "type-\(text)"
    let type = EventType(id: id, name: text, colorHex: "#102030", iconName: "cup")
    save("creates the type \(id)", .eventType, id, .text("name", text)) { try recorder.record(type) }
  }

  private mutating func makeEvent(_ recorder: Recorder, _ process: SimulatedDevice.ProcessRun) {
    guard let type = heldType(process) else { return }
    let id = "event-\(text)"
    let event = Event(id: id, eventTypeId: type, timestamp: DeterministicDate.jan1_2024, notes: text)
    save("creates the event \(id) of \(type)", .event, id, .text("notes", text)) { try recorder.record(event) }
  }

  /// Imports one of a few events that are the same on all devices.
  private mutating func importEvent(_ recorder: Recorder, _ process: SimulatedDevice.ProcessRun) {
    guard let type = heldType(process) else { return }
    let id = "00000000-0000-8000-8000-00000000000\(Int.random(in: 0..<6, using: &generator))"
    let event = Event(
      id: id, eventTypeId: type, timestamp: DeterministicDate.jan1_2024, notes: text, sourceType: .imported,
      externalId: id)
    // Importing an existing event adds nothing.
    defer { run.ledger.onGivenUp([text]) }
    save("imports \(id) as an event of \(type)", .event, id, .text("notes", text)) { try recorder.record(event) }
  }

  private mutating func makeGeofence(_ recorder: Recorder, _ process: SimulatedDevice.ProcessRun) {
    let id = "fence-\(text)"
    let fence = Geofence(id: id, name: text, latitude: 48, longitude: 11, eventTypeEntryId: heldType(process))
    save("creates the place \(id)", .geofence, id, .text("name", text)) { try recorder.record(fence) }
  }

  private mutating func anyRecordKind() -> MutationEntityType {
    [.vehicle, .tripRule, .setting, .skip].randomElement(using: &generator) ?? .vehicle
  }

  /// Creates a vehicle, a rule, a skip, or a setting whose id is the same on all devices.
  private mutating func makeRecord(
    _ recorder: Recorder, _ process: SimulatedDevice.ProcessRun, _ kind: MutationEntityType
  ) {
    var fields: [String: JSONValue] = [MergeOracle.textField(ofKind: kind.rawValue): .string(text)]
    var id = "\(kind.rawValue)-\(text)"
    switch kind {
    case .tripRule: fields.merge(["position": 1, "category": "private"]) { $1 }
    case .setting:
      id = "setting-\(Int.random(in: 0..<3, using: &generator))"
      fields["key"] = .string(id)
    case .skip:
      guard let type = heldType(process) else { return }
      fields.merge(
        ["event_type_id": .string(type), "from": "2024-01-01", "to": "2024-01-01"]) { $1 }
    default: break
    }
    let key = Ledger.Key(kind: kind, id: id)
    // A deleted setting is recreated under the same id.
    if kind == .setting { run.ledger.onRestored(key) }
    let record = SyncedRecord(id: id, kind: kind, fields: fields)
    save("creates the \(kind.rawValue) \(id)", kind, id, .text(MergeOracle.textField(ofKind: kind.rawValue), text)) {
      try recorder.record(record)
    }
  }

  private mutating func makeDefinition(_ recorder: Recorder, _ process: SimulatedDevice.ProcessRun) {
    guard let type = heldType(process) else { return }
    let id = "definition-\(text)"
    let definition = PropertyDefinition(id: id, eventTypeId: type, key: "key", label: text, propertyType: .text)
    save("creates the definition \(id) of \(type)", .propertyDefinition, id, .text("label", text)) {
      try recorder.record(definition)
    }
  }

  private mutating func changeText(_ recorder: Recorder, _ kind: MutationEntityType) {
    guard let id = any(kind) else { return }
    let text = text
    let field = MergeOracle.textField(ofKind: kind.rawValue)
    save("writes \(text) into \(id)", kind, id, .text(field, text)) {
      switch kind {
      case .event: try recorder.edit(eventId: id) { $0.notes = text }
      case .eventType: try recorder.edit(eventTypeId: id) { $0.name = text }
      case .geofence: try recorder.edit(geofenceId: id) { $0.name = text }
      case .propertyDefinition: try recorder.edit(propertyDefinitionId: id) { $0.label = text }
      default: try recorder.edit(kind, id: id) { $0.fields[field] = .string(text) }
      }
      return true
    }
  }

  private mutating func moveEvent(_ recorder: Recorder, _ process: SimulatedDevice.ProcessRun) {
    guard let id = any(.event), let type = heldType(process) else { return }
    save("moves \(id) to \(type)", .event, id, .member("event_type_id", type)) {
      try recorder.edit(eventId: id) { $0.eventTypeId = type }
      return true
    }
  }

  /// Sets the place of an event. If the place was deleted, its name remains.
  private mutating func setPlace(_ recorder: Recorder) {
    guard let id = any(.event), let place = any(.geofence) else { return }
    save("puts \(id) at \(place)", .event, id, .member("geofence_id", place)) {
      try recorder.edit(eventId: id) { $0.geofenceId = place }
      return true
    }
  }

  private mutating func changeType(_ recorder: Recorder) {
    if Bool.random(using: &generator) { setGoal(recorder) } else { changeText(recorder, .eventType) }
  }

  private mutating func setGoal(_ recorder: Recorder) {
    guard let id = any(.eventType) else { return }
    let amount = Int.random(in: 1...1000, using: &generator)
    let goal = amount > 750 ? nil : Goal(amount > 500 ? .atMost : .atLeast, amount, per: .week)
    let words = goal.map { "sets the goal \($0) of \(id)" } ?? "removes the goal of \(id)"
    save(words, .eventType, id, .member("goal", goal?.description)) {
      try recorder.edit(eventTypeId: id) { $0.goal = goal }
      return true
    }
  }

  private mutating func clearNotes(_ recorder: Recorder) {
    guard let id = any(.event) else { return }
    save("clears the notes of \(id)", .event, id, .text("notes", nil)) {
      try recorder.edit(eventId: id) { $0.notes = nil }
      return true
    }
  }

  private mutating func setMood(_ recorder: Recorder) {
    guard let id = any(.event) else { return }
    let text = text
    save("sets the mood of \(id) to \(text)", .event, id, .member("properties.mood", text)) {
      try recorder.edit(eventId: id) { $0.properties["mood"] = PropertyValue(type: .text, value: .string(text)) }
      return true
    }
  }

  private mutating func clearMood(_ recorder: Recorder) {
    guard let id = any(.event) else { return }
    save("clears the mood of \(id)", .event, id, .member("properties.mood", nil)) {
      try recorder.edit(eventId: id) { $0.properties["mood"] = nil }
      return true
    }
  }

  /// Restores a deleted event while another user, who knows of the deletion, deletes the event's type. Neither user has
  /// seen the other's change.
  private mutating func restoreUnderDeletion(_ recorder: Recorder) {
    let deleted = (try? recorder.deleted(.event)) ?? []
    let candidates: [(DeletedEntity, SimulatedDevice)] = deleted.sorted { $0.id < $1.id }.flatMap { one in
      run.devices.filter { other in
        guard other.number != device.number, let type = one.event?.eventTypeId,
          let store = other.process?.factory.makeLocalStore()
        else { return false }
        return isShown(.eventType, type, in: store) && !isShown(.event, one.id, in: store)
      }.map { (one, $0) }
    }
    guard let (one, other) = candidates.randomElement(using: &generator), let type = one.event?.eventTypeId,
      let others = other.process?.recorder
    else { return }
    let deleting = Editor(run: run, device: other, choice: generator.next(), text: text, isBeside: false)
    deleting.delete(.eventType, type, others)
    restore(Ledger.Key(kind: .event, id: one.id), recorder)
  }

  private func restore(_ key: Ledger.Key, _ recorder: Recorder) {
    do {
      guard try recorder.restore(key.kind, id: key.id) else { return }
      run.ledger.onRestored(key)
      noteRestoredText(of: key)
      run.tell("\(device.name) restores \(key.id)")
    } catch is RecorderError {
      // The entity is not on this device, or its parent is deleted.
    } catch {
      run.ledger.onRestored(key)
      run.tell("\(device.name) restores \(key.id), which fails: \(error)")
    }
  }

  /// Resolves a conflict: discards the value, writes it again, or chooses the user's own value.
  private mutating func decide(_ recorder: Recorder) {
    guard let conflict = (try? recorder.openConflicts())?.randomElement(using: &generator) else { return }
    let key = Ledger.Key(kind: conflict.entityType, id: conflict.entityId)
    let kept =
      MutationEnvelope.texts(of: conflict.kept) + MutationEnvelope.texts(of: ["value": conflict.kept["*"] ?? .null])
    let mine = Bool.random(using: &generator)
    let isRetry: Bool
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: isRetry = false
    case 1: isRetry = true
    default: isRetry = conflict.mine.map { ($0 == .kept) == mine } ?? true
    }
    // The user sees the lost value next to the current value.
    let seen =
      seenTexts(key.kind, key.id, withChildren: conflict.origin == .journal(.delete))
      + MutationEnvelope.texts(of: conflict.present)
    let words = "\(device.name) \(isRetry ? "writes" : "discards") the lost value of \(key.id)"
    do {
      if isRetry { try recorder.retryConflict(id: conflict.id) } else { try recorder.dropConflict(id: conflict.id) }
      run.tell(words)
      onDecision(conflict, key, kept, seen, isRetry: isRetry, isSure: true)
    } catch is RecorderError {
      // The parent is deleted, so the conflict remains.
    } catch {
      run.tell("\(words), which fails: \(error)")
      onDecision(conflict, key, kept, seen, isRetry: isRetry, isSure: false)
    }
  }

  /// Tracks the text of an entity whose restore is pending. If the restore only removed a pending deletion from the
  /// queue, nothing is restored at the hub.
  private func noteRestoredText(of key: Ledger.Key) {
    guard let store = process?.factory.makeLocalStore(),
      (try? store.pendingMutations(ofEntity: key.id))?.contains(where: { $0.operation == .restore }) == true,
      let text = (try? store.simulatedText(key)).flatMap(\.self)
    else { return }
    run.ledger.onRestoredText(text, of: key, device: device.number)
  }

  private func onDecision(
    _ conflict: OpenConflict, _ key: Ledger.Key, _ kept: [String], _ seen: [String], isRetry: Bool, isSure: Bool
  ) {
    run.ledger.onDecided(kept, of: key)
    if conflict.origin == .journal(.restore), !isRetry { run.ledger.onDiscardedRestore(of: key) }
    // A user who discards a rejected deletion wants the entity to exist.
    if conflict.origin == .journal(.delete), !isRetry { run.ledger.onRefusedDelete(key, device: device.number) }
    guard isRetry else { return }
    if conflict.origin == .journal(.delete) {
      run.ledger.onGivenUp(seen)
      return run.ledger.onDelete(key, device: device.number, isSure: isSure)
    }
    run.ledger.onRestored(key)
    let field = MergeOracle.textField(ofKind: key.kind.rawValue)
    guard let value = conflict.kept[field] else { return }
    run.ledger.onGivenUp(seen)
    let text = value.stringValue ?? ""
    run.ledger.onText(text, over: seen, key: key, device: device.number, isSure: isSure && !text.isEmpty)
    guard isSure, let shown = (try? process?.factory.makeLocalStore().simulatedText(key)).flatMap(\.self) else {
      return
    }
    if !text.isEmpty, shown != text, !NaturalIdentifier.isNatural(key.id) {
      run.ledger.report(
        .ownWritesAreVisible, "\(text) was written again into \(key.id) on \(device.name), but \(shown) is visible")
    }
  }

  private var process: SimulatedDevice.ProcessRun? { device.process }

  private mutating func delete(_ recorder: Recorder, _ kind: MutationEntityType) {
    if let id = any(kind) { delete(kind, id, recorder) }
  }

  private func delete(_ kind: MutationEntityType, _ id: String, _ recorder: Recorder) {
    let key = Ledger.Key(kind: kind, id: id)
    let seen = seenTexts(kind, id, withChildren: true)
    // A restored store may not know that it has sent a create, and then drops the create without sending a delete.
    let waits = (try? process?.factory.makeLocalStore().pendingMutations(ofEntity: id)) ?? []
    let isSure = !(run.ledger.wentBack.contains(device.number) && waits.contains { $0.operation == .create })
    do {
      let wasThere =
        switch kind {
        case .event: try recorder.delete(eventId: id)
        case .eventType: try recorder.delete(eventTypeId: id)
        case .geofence: try recorder.delete(geofenceId: id)
        case .propertyDefinition: try recorder.delete(propertyDefinitionId: id)
        default: try recorder.delete(kind, id: id)
        }
      guard wasThere else { return }
      run.ledger.onGivenUp(seen)
      run.ledger.onDelete(key, device: device.number, isSure: isSure)
      run.tell("\(device.name) deletes \(id)")
    } catch {
      run.ledger.onGivenUp(seen)
      run.ledger.onDelete(key, device: device.number, isSure: false)
      run.tell("\(device.name) deletes \(id), which fails: \(error)")
    }
  }

  private enum Word {
    /// Tracked text of the entity, or `nil` to clear the text.
    case text(_ field: String, String?)
    case member(_ field: String, String?)
  }

  private func save(
    _ words: String, _ kind: MutationEntityType, _ id: String, _ word: Word, _ body: () throws -> Bool
  ) {
    let key = Ledger.Key(kind: kind, id: id)
    let seen: [String] = if case .text = word { seenTexts(kind, id, withChildren: false) } else { [] }
    do {
      guard try body() else { return }
      run.ledger.onGivenUp(seen)
      run.tell("\(device.name) \(words)")
      note(word, key, over: seen, isSure: true)
      remember(kind, id)
    } catch is RecorderError {
      // The entity is not on this device.
    } catch {
      run.tell("\(device.name) \(words), which fails: \(error)")
      // The save may still be durable.
      run.ledger.onGivenUp(seen)
      note(word, key, over: seen, isSure: false)
      remember(kind, id)
    }
  }

  private func note(_ word: Word, _ key: Ledger.Key, over seen: [String], isSure: Bool) {
    let (field, value): (String, String?)
    switch word {
    case .text(let name, let text):
      (field, value) = (name, text)
      // Clearing replaces the text without a new text to track.
      run.ledger.onText(text ?? "", over: seen, key: key, device: device.number, isSure: isSure && text != nil)
    case .member(let name, let member): (field, value) = (name, member)
    }
    // An imported event keeps the values from the first import.
    if NaturalIdentifier.isNatural(key.id) { return }
    run.ledger.onWord(field, of: key, value, device: device.number, isSure: isSure)
  }

  private func remember(_ kind: MutationEntityType, _ id: String) {
    if run.made[kind]?.contains(id) != true { run.made[kind, default: []].append(id) }
  }

  /// Whether the user creates another entity instead of editing one.
  private func hasRoom(for kind: MutationEntityType) -> Bool {
    guard run.parameters.most < .max, let store = process?.factory.makeLocalStore() else { return true }
    return (run.made[kind] ?? []).count { isShown(kind, $0, in: store) } < run.parameters.most
  }

  /// Whether an entity is visible. If the store cannot be read although the disk has power, reports a violation.
  private func isShown(_ kind: MutationEntityType, _ id: String, in store: LocalStore) -> Bool {
    do {
      return try store.simulatedText(Ledger.Key(kind: kind, id: id)) != nil
    } catch {
      if !device.disk.isOff {
        run.ledger.report(.savedDataIsDurable, "\(device.name)'s store cannot be read: \(error)")
      }
      return false
    }
  }

  /// Returns one of the newest entities, preferably one that is visible on this device.
  private mutating func any(_ kind: MutationEntityType) -> String? {
    let made = run.made[kind]?.suffix(run.parameters.newest) ?? []
    var id: String?
    for _ in 0..<3 {
      id = made.randomElement(using: &generator)
      guard let id, let store = process?.factory.makeLocalStore() else { break }
      if isShown(kind, id, in: store) { break }
    }
    return id
  }

  private mutating func heldType(_ process: SimulatedDevice.ProcessRun) -> String? {
    guard let id = any(.eventType) else { return nil }
    return (try? process.factory.makeLocalStore().findEventType(id: id)) != nil ? id : nil
  }
}
