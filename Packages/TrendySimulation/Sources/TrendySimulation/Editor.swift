import Foundation
import TrendyModels
import TrendyPersistence
import TrendySync
import TrendyTesting

/// A person at a device, who does one thing, decided by a number.
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
    guard let life = device.life else { return }
    let recorder = isBeside ? life.besideRecorder : life.recorder
    switch Int.random(in: 0..<100, using: &generator) {
    case ..<10: makeType(recorder)
    case ..<30: makeEvent(recorder, life)
    case ..<32: makeVehicle(recorder)
    case ..<37: makeGeofence(recorder, life)
    case ..<42: makeDefinition(recorder, life)
    case ..<50: importEvent(recorder, life)
    case ..<70: changeText(recorder, .event)
    case ..<75: changeText(recorder, .eventType)
    case ..<78: changeText(recorder, .geofence)
    case ..<80: changeText(recorder, .propertyDefinition)
    case ..<81: changeText(recorder, .vehicle)
    case ..<85: setMood(recorder)
    case ..<86: clearMood(recorder)
    case ..<90: moveEvent(recorder, life)
    case ..<92: clearNotes(recorder)
    case ..<96: delete(recorder, .event)
    case ..<97: delete(recorder, .eventType)
    case ..<98:
      delete(recorder, [.geofence, .vehicle, .propertyDefinition].randomElement(using: &generator) ?? .geofence)
    default: restore(recorder)
    }
  }

  /// As the ledger knows it: what is shown in the entity, and in what would go with it.
  private func seenTexts(_ kind: MutationEntityType, _ id: String, withChildren: Bool) -> [String] {
    guard let store = device.life?.factory.makeLocalStore() else { return [] }
    do {
      var texts = [try store.simulatedText(Ledger.Key(kind: kind, id: id))].compactMap(\.self)
      if withChildren, kind == .eventType {
        texts += try store.events(in: nil, ofType: id, limit: nil).compactMap(\.notes)
        texts += try store.fetchAllPropertyDefinitions().filter { $0.eventTypeId == id }.map(\.label)
      }
      return texts
    } catch {
      // A disk without power shows nothing.
      return []
    }
  }
}

extension Editor {
  private mutating func makeType(_ recorder: Recorder) {
    let id = "type-\(text)"
    let type = EventType(id: id, name: text, colorHex: "#102030", iconName: "cup")
    save("makes the type \(id)", .eventType, id, .text("name", text)) { try recorder.record(type) }
  }

  private mutating func makeEvent(_ recorder: Recorder, _ life: SimulatedDevice.Life) {
    guard let type = heldType(life) else { return }
    let id = "event-\(text)"
    let event = Event(id: id, eventTypeId: type, timestamp: DeterministicDate.jan1_2024, notes: text)
    save("makes the event \(id) of \(type)", .event, id, .text("notes", text)) { try recorder.record(event) }
  }

  /// The same few things are imported everywhere.
  private mutating func importEvent(_ recorder: Recorder, _ life: SimulatedDevice.Life) {
    guard let type = heldType(life) else { return }
    let id = "00000000-0000-8000-8000-00000000000\(Int.random(in: 0..<6, using: &generator))"
    let event = Event(
      id: id, eventTypeId: type, timestamp: DeterministicDate.jan1_2024, notes: text, sourceType: .imported,
      externalId: id)
    // Whoever imports what is there already has nothing new to say.
    defer { run.ledger.onGivenUp([text]) }
    save("imports \(id) as an event of \(type)", .event, id, .text("notes", text)) { try recorder.record(event) }
  }

  private mutating func makeGeofence(_ recorder: Recorder, _ life: SimulatedDevice.Life) {
    let id = "fence-\(text)"
    let fence = Geofence(id: id, name: text, latitude: 48, longitude: 11, eventTypeEntryId: heldType(life))
    save("makes the geofence \(id)", .geofence, id, .text("name", text)) { try recorder.record(fence) }
  }

  private mutating func makeVehicle(_ recorder: Recorder) {
    let id = "vehicle-\(text)"
    let vehicle = SyncedRecord(id: id, kind: .vehicle, fields: ["name": .string(text)])
    save("makes the vehicle \(id)", .vehicle, id, .text("name", text)) { try recorder.record(vehicle) }
  }

  private mutating func makeDefinition(_ recorder: Recorder, _ life: SimulatedDevice.Life) {
    guard let type = heldType(life) else { return }
    let id = "definition-\(text)"
    let definition = PropertyDefinition(id: id, eventTypeId: type, key: "key", label: text, propertyType: .text)
    save("makes the definition \(id) of \(type)", .propertyDefinition, id, .text("label", text)) {
      try recorder.record(definition)
    }
  }

  private mutating func changeText(_ recorder: Recorder, _ kind: MutationEntityType) {
    guard let id = any(kind) else { return }
    let text = text
    let field =
      switch kind {
      case .event: "notes"
      case .propertyDefinition: "label"
      default: "name"
      }
    save("writes \(text) into \(id)", kind, id, .text(field, text)) {
      switch kind {
      case .event: try recorder.edit(eventId: id) { $0.notes = text }
      case .eventType: try recorder.edit(eventTypeId: id) { $0.name = text }
      case .geofence: try recorder.edit(geofenceId: id) { $0.name = text }
      case .propertyDefinition: try recorder.edit(propertyDefinitionId: id) { $0.label = text }
      default: try recorder.edit(kind, id: id) { $0.fields["name"] = .string(text) }
      }
      return true
    }
  }

  private mutating func moveEvent(_ recorder: Recorder, _ life: SimulatedDevice.Life) {
    guard let id = any(.event), let type = heldType(life) else { return }
    save("moves \(id) to \(type)", .event, id, .member("event_type_id", type)) {
      try recorder.edit(eventId: id) { $0.eventTypeId = type }
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
    save("says \(text) of the mood in \(id)", .event, id, .member("properties.mood", text)) {
      try recorder.edit(eventId: id) { $0.properties["mood"] = PropertyValue(type: .text, value: .string(text)) }
      return true
    }
  }

  private mutating func clearMood(_ recorder: Recorder) {
    guard let id = any(.event) else { return }
    save("takes the mood out of \(id)", .event, id, .member("properties.mood", nil)) {
      try recorder.edit(eventId: id) { $0.properties["mood"] = nil }
      return true
    }
  }

  /// Gives something that somebody deleted, most often an event, another life.
  private mutating func restore(_ recorder: Recorder) {
    guard let key = run.ledger.allDeleted.sorted().randomElement(using: &generator) else { return }
    do {
      guard try recorder.restore(key.kind, id: key.id) else { return }
      run.ledger.onRestored(key)
      run.tell("\(device.name) restores \(key.id)")
    } catch is RecorderError {
      // It is not held here, or what it belongs to is deleted.
    } catch {
      run.ledger.onRestored(key)
      run.tell("\(device.name) restores \(key.id), which fails: \(error)")
    }
  }

  private mutating func delete(_ recorder: Recorder, _ kind: MutationEntityType) {
    guard let id = any(kind) else { return }
    let key = Ledger.Key(kind: kind, id: id)
    let seen = seenTexts(kind, id, withChildren: true)
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
      run.ledger.onDelete(key, device: device.number, isSure: true)
      run.tell("\(device.name) deletes \(id)")
    } catch {
      run.ledger.onGivenUp(seen)
      run.ledger.onDelete(key, device: device.number, isSure: false)
      run.tell("\(device.name) deletes \(id), which fails: \(error)")
    }
  }

  /// What an edit leaves in an entity.
  private enum Word {
    /// The text that it shows and by which it is followed, `nil` where that is cleared.
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
      note(word, key, isSure: true)
      remember(kind, id)
    } catch is RecorderError {
      // It is not held here.
    } catch {
      run.tell("\(device.name) \(words), which fails: \(error)")
      // Power may have gone after the bytes were down: then it is there all the same.
      run.ledger.onGivenUp(seen)
      note(word, key, isSure: false)
      remember(kind, id)
    }
  }

  private func note(_ word: Word, _ key: Ledger.Key, isSure: Bool) {
    let (field, value): (String, String?)
    switch word {
    case .text(let name, let text):
      (field, value) = (name, text)
      // What is cleared replaces the text, and leaves none to follow.
      run.ledger.onText(text ?? "", key: key, device: device.number, isSure: isSure && text != nil)
    case .member(let name, let member): (field, value) = (name, member)
    }
    // What was imported says what the first import said.
    if NaturalIdentifier.isNatural(key.id) { return }
    run.ledger.onWord(field, of: key, value, device: device.number, isSure: isSure)
  }

  private func remember(_ kind: MutationEntityType, _ id: String) {
    if run.made[kind]?.contains(id) != true { run.made[kind, default: []].append(id) }
  }

  private mutating func any(_ kind: MutationEntityType) -> String? {
    run.made[kind]?.randomElement(using: &generator)
  }

  /// An event type that this device shows.
  private mutating func heldType(_ life: SimulatedDevice.Life) -> String? {
    for _ in 0..<4 {
      guard let id = any(.eventType) else { return nil }
      // A disk without power shows nothing.
      if (try? life.factory.makeLocalStore().findEventType(id: id)) != nil { return id }
    }
    return nil
  }
}
