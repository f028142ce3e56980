import Foundation
import TrendyAgent
import TrendyInterchange
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting

/// User who runs commands, which can be undone and redone, and restores deleted entities.
struct CommandUser {
  let run: SimulationRun
  let device: SimulatedDevice
  let text: String
  private var generator: SeededGenerator

  init(run: SimulationRun, device: SimulatedDevice, choice: UInt64, text: String) {
    self.run = run
    self.device = device
    self.text = text
    generator = SeededGenerator(seed: choice)
  }

  mutating func act() {
    guard let process = device.process else { return }
    let record = DeviceRecord(
      directory: URL(filePath: "/nowhere"), dataStoreFactory: process.factory, recorder: process.recorder,
      clock: device.clock)
    let before: ShownFields
    do { before = try ShownFields(process.factory.makeLocalStore()) } catch {
      return run.tell("\(device.name): no command can run because the store cannot be read")
    }
    do {
      switch Int.random(in: 0..<20, using: &generator) {
      case ..<6: try check(record.undo(), isUndo: true, before, shown(record))
      case ..<9: try check(record.redo(), isUndo: false, before, shown(record))
      case 9: try restore(record, before)
      case 10: try importTable(record, before)
      default: try perform(record, before)
      }
    } catch let error as RecorderError {
      expectUnchanged(record, before, "\(error)")
    } catch let error as UndoError {
      if case .changedSince(let label, let left) = error { checkLeft(left, of: label, before) }
      expectUnchanged(record, before, "\(error)")
    } catch {
      run.tell("\(device.name): a command fails: \(error)")
      onDoubt(before)
    }
  }
}

extension CommandUser {
  private typealias Body = (RecorderChanges) throws -> Void

  private mutating func perform(_ record: DeviceRecord, _ before: ShownFields) throws {
    guard let body = try Int.random(in: 0..<12, using: &generator) == 0 ? decision(record) : command(before) else {
      return
    }
    try record.perform(text, isDivisible: Bool.random(using: &generator), body)
    onCommand(text, before, try shown(record))
  }

  /// Body of a random command, or `nil` if there is no suitable entity.
  private mutating func command(_ shown: ShownFields) -> Body? {
    let text = text
    let type = any(.eventType, shown)
    let events = someEvents(shown)
    switch Int.random(in: 0..<14, using: &generator) {
    case 0:
      return { try $0.record(EventType(id: "type-\(text)", name: text, colorHex: "#102030", iconName: "cup")) }
    case 1...4: return type.map { makeEvents(ofType: $0) }
    case 5, 6: return { save in for id in events { try save.edit(eventId: id) { $0.notes = "\(text)-\(id)" } } }
    case 7:
      let mood = Bool.random(using: &generator) ? PropertyValue(type: .text, value: .string(text)) : nil
      return { save in for id in events { try save.edit(eventId: id) { $0.properties["mood"] = mood } } }
    case 8: return { save in for id in events { try save.delete(.event, id: id) } }
    case 9:
      guard let type else { return nil }
      return { save in for id in events { try save.edit(eventId: id) { $0.eventTypeId = type } } }
    case 10: return type.flatMap { merge($0, shown) }
    case 11:
      guard let type else { return nil }
      let isRename = Bool.random(using: &generator)
      return { save in
        if isRename {
          try save.edit(eventTypeId: type) { $0.name = text }
        } else {
          try save.delete(.eventType, id: type)
        }
      }
    case 12: return placeCommand(type, events, shown)
    default:
      if let vehicle = any(.vehicle, shown), Bool.random(using: &generator) {
        return { try $0.delete(.vehicle, id: vehicle) }
      }
      return { try $0.record(SyncedRecord(id: "vehicle-\(text)", kind: .vehicle, fields: ["name": .string(text)])) }
    }
  }

  private mutating func makeEvents(ofType type: String) -> Body {
    let text = text
    let count = Int.random(in: 1...3, using: &generator)
    return { save in
      for number in 0..<count {
        try save.record(
          Event(
            id: "event-\(text)-\(number)", eventTypeId: type, timestamp: DeterministicDate.jan1_2024,
            notes: "\(text)-\(number)"))
      }
    }
  }

  /// Moves the events of one type to another and deletes the type.
  private mutating func merge(_ type: String, _ shown: ShownFields) -> Body? {
    guard let other = any(.eventType, shown), other != type else { return nil }
    return { save in
      for event in try save.store.events(in: nil, ofType: type, limit: nil) {
        try save.edit(eventId: event.id) { $0.eventTypeId = other }
      }
      try save.delete(.eventType, id: type)
    }
  }

  private mutating func placeCommand(_ type: String?, _ events: [String], _ shown: ShownFields) -> Body {
    let text = text
    if let place = any(.geofence, shown) {
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: return { try $0.delete(.geofence, id: place) }
      case 1: return { save in for id in events { try save.edit(eventId: id) { $0.geofenceId = place } } }
      default: break
      }
    }
    return {
      try $0.record(Geofence(id: "fence-\(text)", name: text, latitude: 48, longitude: 11, eventTypeEntryId: type))
    }
  }

  private mutating func decision(_ record: DeviceRecord) throws -> Body? {
    guard let conflict = try record.recorder.openConflicts().randomElement(using: &generator) else { return nil }
    let isRetry = Bool.random(using: &generator)
    let key = Ledger.Key(kind: conflict.entityType, id: conflict.entityId)
    run.ledger.onDecided(
      MutationEnvelope.texts(of: conflict.kept) + MutationEnvelope.texts(of: ["value": conflict.kept["*"] ?? .null]),
      of: key)
    // Resolving a conflict may restore the entity.
    run.ledger.onRestored(key)
    run.tell("\(device.name) resolves a conflict of \(key.id)")
    return { save in
      if isRetry { try save.retryConflict(id: conflict.id) } else { try save.dropConflict(id: conflict.id) }
    }
  }

  /// Imports the same table, or part of it, on every device.
  private mutating func importTable(_ record: DeviceRecord, _ before: ShownFields) throws {
    guard let format = InterchangeFormat.named("csv") else { preconditionFailure("the CSV format is missing") }
    let rows = (0..<Int.random(in: 1...4, using: &generator)).map {
      "Gym,2024-01-01T08:0\($0):00Z,row \($0)\n"
    }.joined()
    let report = try record.importRecords(
      ByteInput(Array("type,start,note\n\(rows)".utf8)), as: format,
      ImportRequest(
        source: text, options: ImportOptions(zone: .utc, now: device.clock.now), fingerprint: text))
    let after = try shown(record)
    // Events that other devices recorded under the type become visible with it but are not part of the import.
    let own = after.only(
      Set(
        after.rows.keys.filter {
          after.text($0)?.hasPrefix("row ") == true || !isShownWithItsType($0, before, after)
        }))
    onCommand(report.id ?? text, before, own)
  }

  private mutating func restore(_ record: DeviceRecord, _ before: ShownFields) throws {
    let deleted = try record.deleted([.event, .eventType, .geofence]).sorted { $0.id < $1.id }
    guard let one = deleted.randomElement(using: &generator) else { return }
    try record.restore(text, [one])
    run.tell("\(device.name) restores \(one.id)")
    let after = try shown(record)
    if after != before, after.rows[Ledger.Key(kind: one.kind, id: one.id)] == nil {
      run.ledger.report(.undoRestoresTheRecord, "\(device.name) restores \(one.id), but does not show it")
    }
    onCommand(text, before, after)
  }

  private mutating func any(_ kind: MutationEntityType, _ shown: ShownFields) -> String? {
    shown.rows.keys.filter { $0.kind == kind }.sorted().randomElement(using: &generator)?.id
  }

  private mutating func someEvents(_ shown: ShownFields) -> [String] {
    let keys = shown.rows.keys.filter { $0.kind == .event }.sorted().shuffled(using: &generator)
    return keys.prefix(Int.random(in: 1...3, using: &generator)).map(\.id)
  }
}
