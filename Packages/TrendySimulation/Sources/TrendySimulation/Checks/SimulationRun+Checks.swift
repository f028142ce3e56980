import Foundation
import StorageTesting
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting

extension SimulationRun {
  /// Checks that the cursor of a device does not decrease unless a snapshot was requested.
  func checkCursor(_ device: SimulatedDevice) {
    guard let process = device.process, !device.disk.isOff else { return }
    do {
      guard !ledger.hubLied, let cursor = try process.factory.makeLocalStore().syncCursor() else {
        device.cursor = 0
        return
      }
      if cursor < device.cursor, device.restoresToNotice > 0 {
        device.restoresToNotice -= 1
      } else if cursor < device.cursor {
        ledger.report(.cursorIsComplete, "\(device.name)'s cursor went back from \(device.cursor) to \(cursor)")
      }
      device.cursor = cursor
    } catch {
      // An unreadable store is checked later.
    }
  }

  /// Checks that acknowledged saves are in the queue, at the hub or in the conflict journal, and that deleted entities
  /// are not visible.
  func check(_ device: SimulatedDevice) {
    guard let process = device.process else { return }
    do {
      let store = process.factory.makeLocalStore()
      let queue = try store.fetchPendingMutations()
      let journal = try store.fetchConflicts()
      try settleDoubt(device.number, queue) { try isShown($0, in: store) }
      var found = ledger.takenTexts
      for payload in queue.map(\.payload) + journal.map(\.payload) where !payload.isEmpty {
        found.formUnion(MutationEnvelope.texts(of: try WireJSON.decode([String: JSONValue].self, from: payload)))
      }
      // A restored hub receives missing entities again from the devices' replicas.
      if ledger.hubWasRestored { found.formUnion(try heldTexts(store)) }
      for saved in ledger.texts where saved.device == device.number && !saved.isReplaced && !found.contains(saved.text)
      {
        // After a restore, the hub may not know that the text was given up.
        if ledger.hubWasRestored, saved.isGivenUp { continue }
        if ledger.hubLied { continue }
        ledger.report(
          .recordedEditIsQueued,
          "\(saved.text), saved on \(device.name) for \(saved.key.id), is in no queue, no journal, and not at the hub")
      }
      if server == nil, ledger.oldDevices.isEmpty {
        for conflict in journal where !ledger.hadReason(for: conflict) {
          ledger.report(
            .nothingVanishes,
            "\(device.name) set \(conflict.operation) of \(conflict.entityId) aside without a reason from the hub: "
              + conflict.reason)
        }
      }
      for conflict in journal where conflict.operation == .delete {
        ledger.onRefusedDelete(Ledger.Key(kind: conflict.entityType, id: conflict.entityId), device: device.number)
      }
      for key in (ledger.deleted[device.number] ?? []).sorted()
      where try !ledger.hubLied && isShown(key, in: store) {
        ledger.report(.deletedStaysDeleted, "\(key.id), deleted on \(device.name), reappeared there")
      }
    } catch {
      if !device.disk.isOff { ledger.report(.savedDataIsDurable, "\(device.name)'s store cannot be read: \(error)") }
    }
  }

  /// Checks conditions that must hold even during a sync round: users see their own writes, and no child is visible
  /// without its type.
  func checkMoment(_ device: SimulatedDevice) {
    guard let process = device.process, !device.disk.isOff, !ledger.hubLied else { return }
    do {
      let store = process.factory.makeLocalStore()
      let types = Set(try store.fetchAllEventTypes().map(\.id))
      for event in try store.fetchAllEvents() where !types.contains(event.eventTypeId) {
        ledger.report(.childHasItsParent, "\(device.name) shows \(event.id) without its type \(event.eventTypeId)")
      }
      for definition in try store.fetchAllPropertyDefinitions() where !types.contains(definition.eventTypeId) {
        ledger.report(
          .childHasItsParent, "\(device.name) shows \(definition.id) without its type \(definition.eventTypeId)")
      }
      var own: [Ledger.Key: (text: String?, isDeleted: Bool)] = [:]
      for mutation in try store.fetchPendingMutations() {
        let key = Ledger.Key(kind: mutation.entityType, id: mutation.entityId)
        if mutation.operation == .delete {
          own[key] = (nil, true)
        } else if mutation.payload.isEmpty {
          own[key] = (nil, false)
        } else {
          let texts = MutationEnvelope.texts(of: try WireJSON.decode([String: JSONValue].self, from: mutation.payload))
          own[key] = (texts.first ?? own[key]?.text, false)
        }
      }
      for (key, said) in own.sorted(by: { $0.key < $1.key }) {
        let isShown = try isShown(key, in: store)
        // A deletion of an earlier incarnation, which the hub will reject, does not hide the later incarnation.
        if said.isDeleted, isShown, !ledger.restored.contains(key) {
          ledger.report(.deletedStaysDeleted, "\(device.name) shows \(key.id), whose deletion is pending there")
        }
        if let text = said.text, isShown, let shown = try store.simulatedText(key), shown != text,
          !NaturalIdentifier.isNatural(key.id)
        {
          ledger.report(
            .ownWritesAreVisible, "\(device.name) shows \(shown) in \(key.id), where \(text) is pending")
        }
      }
      guard ledger.readsOwnWrites else { return }
      let journalled = Set(try store.fetchConflicts().map(\.entityId))
      for (key, texts) in ledger.ownTexts(device.number).sorted(by: { $0.key < $1.key })
      where texts.count > 1 && !journalled.contains(key.id) && !ledger.mixed.contains(key) {
        // A plain REST delete contains no text for a later restore. Other deletes keep the text while they are pending.
        if ledger.restored.contains(key), device.isOld || own[key]?.isDeleted == true { continue }
        // If a request is repeated late, the order of an old version's edits is ambiguous.
        if device.isOld, story.faults["request_repeated_late"] != nil { continue }
        // After a restore, the last text can also be among the earlier texts.
        guard let shown = try store.simulatedText(key), shown != texts.last, texts.contains(shown) else { continue }
        ledger.report(
          .ownWritesAreVisible,
          "\(device.name) wrote \(texts[texts.count - 1]) into \(key.id)but shows \(shown) again")
      }
      // An entity without a parent is visible as soon as it is saved, unless a user deletes it.
      for (key, texts) in ledger.ownTexts(device.number).sorted(by: { $0.key < $1.key })
      where Self.kindsOfTheirOwn.contains(key.kind) && !journalled.contains(key.id) && !ledger.mixed.contains(key) {
        guard !ledger.everDeleted.contains(key), try store.simulatedText(key) == nil else { continue }
        ledger.report(
          .ownWritesAreVisible, "\(device.name) wrote \(texts[texts.count - 1]) into \(key.id), and shows nothing of it"
        )
      }
    } catch {
      // An unreadable store is checked later.
    }
  }

  private func heldTexts(_ store: LocalStore) throws -> [String] {
    try store.fetchAllEvents().compactMap(\.notes) + store.fetchAllEventTypes().map(\.name)
      + store.fetchAllGeofences().map(\.name) + store.fetchAllPropertyDefinitions().map(\.label)
      + [.vehicle, .tripRule, .setting, .skip].flatMap { try store.fetchRecords(kind: $0) }
      .flatMap { MutationEnvelope.texts(of: $0.fields) }
      + store.fetchRecords(kind: .conflict).flatMap { Self.texts(of: $0.fields) }
  }

  /// Texts of a conflict entity, for an overwritten value or a deleted entity.
  static func texts(of conflict: [String: JSONValue]) -> [String] {
    [conflict["value"]?.stringValue].compactMap(\.self)
      + MutationEnvelope.texts(of: conflict["value"]?.objectValue ?? [:])
  }

  private static let kindsOfTheirOwn: Set<MutationEntityType> = [.eventType, .geofence, .vehicle, .tripRule]

  private func isShown(_ key: Ledger.Key, in store: LocalStore) throws -> Bool {
    switch key.kind {
    case .event: try store.findEvent(id: key.id) != nil
    case .eventType: try store.findEventType(id: key.id) != nil
    case .geofence: try store.findGeofence(id: key.id) != nil
    case .propertyDefinition: try store.findPropertyDefinition(id: key.id) != nil
    default: try store.findRecord(kind: key.kind, id: key.id) != nil
    }
  }
}

extension LocalStore {
  func simulatedText(_ key: Ledger.Key) throws -> String? {
    switch key.kind {
    case .event: try findEvent(id: key.id)?.notes
    case .eventType: try findEventType(id: key.id)?.name
    case .geofence: try findGeofence(id: key.id)?.name
    case .propertyDefinition: try findPropertyDefinition(id: key.id)?.label
    default:
      try findRecord(kind: key.kind, id: key.id)?.fields[MergeOracle.textField(ofKind: key.kind.rawValue)]?.stringValue
    }
  }
}
