import Foundation
import StorageTesting
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting

extension SimulationRun {
  /// A cursor goes forward, but for a store that was told to take a snapshot, and never beyond what the hub has given.
  func checkCursor(_ device: SimulatedDevice) {
    guard let life = device.life, !device.disk.isOff else { return }
    do {
      // Whom the hub lied to may go back to where it was.
      guard !ledger.hubLied, let cursor = try life.factory.makeLocalStore().syncCursor() else {
        device.cursor = 0
        return
      }
      if cursor < device.cursor, device.restoresToNotice > 0 {
        device.restoresToNotice -= 1
      } else if cursor < device.cursor {
        ledger.break_("\(device.name)'s cursor went back from \(device.cursor) to \(cursor)")
      }
      device.cursor = cursor
    } catch {
      // A store that cannot be read now is looked at later.
    }
  }

  /// What was reported to the person is in the store, at the hub, or in the journal; what they deleted is not shown.
  func check(_ device: SimulatedDevice) {
    guard let life = device.life else { return }
    do {
      let store = life.factory.makeLocalStore()
      let queue = try store.fetchPendingMutations()
      let journal = try store.fetchConflicts()
      try settleDoubt(device.number, queue) { try isShown($0, in: store) }
      var told = ledger.takenTexts
      for payload in queue.map(\.payload) + journal.map(\.payload) where !payload.isEmpty {
        told.formUnion(MutationEnvelope.texts(of: try WireJSON.decode([String: JSONValue].self, from: payload)))
      }
      // What the hub forgot is offered to it again, from what the device holds.
      if ledger.hubWasRestored { told.formUnion(try heldTexts(store)) }
      for saved in ledger.texts where saved.device == device.number && !saved.isReplaced && !told.contains(saved.text) {
        // A hub that was restored may have forgotten what was given up since.
        if ledger.hubWasRestored, saved.isGivenUp { continue }
        if ledger.hubLied { continue }
        ledger.break_(
          "\(saved.text), saved on \(device.name) for \(saved.key.id), is in no queue, no journal, and not at the hub")
      }
      if server == nil, ledger.oldDevices.isEmpty {
        for conflict in journal where !ledger.hadReason(for: conflict) {
          ledger.break_(
            "\(device.name) set \(conflict.operation) of \(conflict.entityId) aside without the hub's word: "
              + conflict.reason)
        }
      }
      // A deletion that the hub refused is undone, and the journal says so.
      for conflict in journal where conflict.operation == .delete {
        ledger.onRefusedDelete(Ledger.Key(kind: conflict.entityType, id: conflict.entityId), device: device.number)
      }
      for key in (ledger.deleted[device.number] ?? []).sorted()
      where try !ledger.hubLied && isShown(key, in: store) {
        ledger.break_("\(key.id), deleted on \(device.name), is shown there again")
      }
    } catch {
      if !device.disk.isOff { ledger.break_("\(device.name)'s store cannot be read: \(error)") }
    }
  }

  /// What must be so at every moment, also in the middle of a round: a person reads what they wrote, and nothing is shown without
  /// the type that it belongs to.
  func checkMoment(_ device: SimulatedDevice) {
    guard let life = device.life, !device.disk.isOff, !ledger.hubLied else { return }
    do {
      let store = life.factory.makeLocalStore()
      let types = Set(try store.fetchAllEventTypes().map(\.id))
      for event in try store.fetchAllEvents() where !types.contains(event.eventTypeId) {
        ledger.break_("\(device.name) shows \(event.id) without its type \(event.eventTypeId)")
      }
      for definition in try store.fetchAllPropertyDefinitions() where !types.contains(definition.eventTypeId) {
        ledger.break_("\(device.name) shows \(definition.id) without its type \(definition.eventTypeId)")
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
        // A deletion of an earlier life, which the hub will refuse, takes nothing from the later one.
        if said.isDeleted, isShown, !ledger.restored.contains(key) {
          ledger.break_("\(device.name) shows \(key.id), whose deletion waits there")
        }
        if let text = said.text, isShown, let shown = try store.simulatedText(key), shown != text,
          !NaturalIdentifier.isNatural(key.id)
        {
          ledger.break_("\(device.name) shows \(shown) in \(key.id), where \(text) waits to be sent")
        }
      }
      guard ledger.readsOwnWrites else { return }
      // What the hub refused is shown as it was, and the journal has the rest.
      let journalled = Set(try store.fetchConflicts().map(\.entityId))
      for (key, texts) in ledger.ownTexts(device.number).sorted(by: { $0.key < $1.key })
      where texts.count > 1 && !journalled.contains(key.id) && !ledger.mixed.contains(key) {
        // A plain operation's delete carries no words for whoever restores it; any other has them while it waits.
        if ledger.restored.contains(key), device.isOld || own[key]?.isDeleted == true { continue }
        // Of its edits nobody can tell which was made first: one that arrives once more is the later.
        if device.isOld, story.faults["request_repeated_late"] != nil { continue }
        guard let shown = try store.simulatedText(key), texts.dropLast().contains(shown) else { continue }
        ledger.break_("\(device.name) wrote \(texts[texts.count - 1]) into \(key.id), and shows \(shown) again")
      }
      // An entity without a parent that nobody deleted is shown from the moment it was saved.
      for (key, texts) in ledger.ownTexts(device.number).sorted(by: { $0.key < $1.key })
      where Self.kindsOfTheirOwn.contains(key.kind) && !journalled.contains(key.id) && !ledger.mixed.contains(key) {
        guard !ledger.everDeleted.contains(key), try store.simulatedText(key) == nil else { continue }
        ledger.break_("\(device.name) wrote \(texts[texts.count - 1]) into \(key.id), and shows nothing of it")
      }
    } catch {
      // A store that cannot be read now is looked at later.
    }
  }

  private func heldTexts(_ store: LocalStore) throws -> [String] {
    try store.fetchAllEvents().compactMap(\.notes) + store.fetchAllEventTypes().map(\.name)
      + store.fetchAllGeofences().map(\.name) + store.fetchAllPropertyDefinitions().map(\.label)
      + [.vehicle, .tripRule, .setting, .skip].flatMap { try store.fetchRecords(kind: $0) }
      .flatMap { MutationEnvelope.texts(of: $0.fields) }
      + store.fetchRecords(kind: .conflict).flatMap { Self.texts(of: $0.fields) }
  }

  /// Of a value that was overwritten or buried.
  private static func texts(of conflict: [String: JSONValue]) -> [String] {
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

  // MARK: Once the faults are over

  /// Lets every device make rounds until nothing is left to do, and holds all stores against the hub.
  func comeToRest() async {
    if areAgents { await comeToRestByThemselves() }
    // All power goes once more: what was reported is on the disks, or it was not true.
    hub.restart(losing: .unsynced)
    for device in devices {
      device.restart(losing: .unsynced)
      do throws(StorageError) { try device.begin() } catch {
        ledger.break_("\(device.name)'s store does not open once the faults are over: \(error)")
      }
      check(device)
    }
    for round in 1...world.roundsToQuiet {
      // Longer than any breaker or delay lasts.
      await clock.advance(by: .seconds(900))
      for device in devices {
        await device.life?.engine.performSync()
        let failure = await device.life?.engine.lastFailure
        tell("  \(device.name)'s last round \(round) is over: \(failure.map { "\($0)" } ?? "all well")")
        checkCursor(device)
      }
      story.roundsToQuiet = round
      if await isQuiet() { break }
    }
    await checkQuiet()
    await checkCompanionsAtRest()
    await checkStreams()
  }

  func isQuiet() async -> Bool {
    for device in devices {
      guard let life = device.life, await life.engine.lastFailure == nil, await life.engine.pendingCount == 0,
        // One that cannot be read is not at rest.
        let cursor = try? life.factory.makeLocalStore().syncCursor()
      else { return false }
      guard let head = await head(), cursor == head else { return false }
    }
    return true
  }

  /// With nothing on the way.
  private var directClient: any NetworkClientProtocol {
    server?.client(device: 0) ?? InProcessClient(token: hub.tokens[0], server: hub.server)
  }

  private func head() async -> Int64? {
    // A hub that does not answer is at no head.
    try? await directClient.getLatestCursor()
  }

  /// What `trendy doctor` would say: that the two agree, in every kind.
  private func compare(_ digest: SyncDigest, with entries: [ChangeEntry], on device: SimulatedDevice) {
    var sums: [String: KindSum] = [:]
    for entry in entries where !entry.isDelete {
      sums[entry.entityType, default: KindSum()].add(
        kind: entry.entityType, id: entry.entityId, version: entry.id, incarnation: entry.incarnation)
    }
    for kind in digest.differences(from: sums) {
      ledger.break_("\(device.name) adds up \(kind) otherwise than the hub")
    }
    if digest.missing > 0 { ledger.break_("\(device.name) holds \(digest.missing) entries without their rows") }
    // What was taken out of the queue and not marked looks like any other.
    if digest.strays > 0, ledger.cleared.isEmpty {
      ledger.break_("\(device.name) shows \(digest.strays) rows that nobody gave it")
    }
  }

  private func checkQuiet() async {
    if ledger.hubLied {
      await checkHealed()
      return await checkAfterLies()
    }
    do {
      let entries = try await directEntries()
      let head: Int64
      var atHub = Rows()
      if let server {
        let contents = try await server.contents()
        atHub = Rows(contents)
        head = contents.cursor
      } else {
        atHub = Rows(entries)
        head = try await directClient.getLatestCursor()
      }
      if head < ledger.highestHead { ledger.break_("the hub stands at \(head) and had said \(ledger.highestHead)") }
      for device in devices {
        guard let life = device.life else {
          ledger.break_("\(device.name) does not start though the faults are over")
          continue
        }
        let store = life.factory.makeLocalStore()
        let queue = try store.fetchPendingMutations()
        if !queue.isEmpty {
          let failure = await life.engine.lastFailure.map { "\($0)" } ?? "none"
          ledger.break_("\(queue.count) mutations still wait on \(device.name); last failure: \(failure)")
        }
        let cursor = try store.syncCursor()
        if cursor != head {
          ledger.break_("\(device.name)'s cursor is \(cursor.map { "\($0)" } ?? "none"), the head is \(head)")
        }
        // What the hub refused stays to be seen, marked as failed, until the person decides.
        let journalled = Set(try store.fetchConflicts().map { Ledger.Key(kind: $0.entityType, id: $0.entityId) })
        compare(try Rows(store), with: atHub, sparing: journalled, on: device)
        if !device.isOld { checkUnreadable(try store.fetchParkedChanges(), entries, on: device) }
        if server == nil, let digest = try store.syncDigest() { compare(digest, with: entries, on: device) }
        check(device)
      }
      if server == nil {
        try checkNothingVanished(entries)
        try checkOwnWords(entries)
        checkCauses(entries)
        try checkStranger()
        try await checkHubsAgree(entries)
      }
      for key in ledger.allDeleted.sorted() where atHub.rows[key] != nil {
        ledger.break_("\(key.id) was deleted and lives at the hub")
      }
    } catch {
      ledger.break_("what should be at rest cannot be read: \(error)")
    }
  }

  /// Every text that was saved, and that nobody who saw it wrote over or deleted, is found somewhere: shown, in a conflict that all
  /// devices see, or in a journal.
  private func checkNothingVanished(_ entries: [ChangeEntry]) throws {
    // What an old version writes comes without the version that its author knew; what was lost from the hub and from the device that
    // wrote it was nowhere else.
    let hasTwoBackups =
      ledger.hubWasRestored && (story.faults["store_restored"] ?? 0) + (story.faults["store_copied"] ?? 0) > 0
    guard ledger.oldDevices.isEmpty, !hasTwoBackups, !ledger.deviceLied else { return }
    var found: Set<String> = []
    var toldOf: Set<String> = []
    for entry in entries where !entry.isDelete {
      let data = entry.data?.rawData ?? [:]
      found.formUnion(MutationEnvelope.texts(of: data))
      if entry.entityType == MutationEntityType.conflict.rawValue { found.formUnion(Self.texts(of: data)) }
    }
    for device in devices {
      for conflict in try device.life?.factory.makeLocalStore().fetchConflicts() ?? [] {
        // A move that was refused leaves the entity where it was, to go with that: the journal names it, and a restore has its values.
        toldOf.insert(conflict.entityId)
        if conflict.payload.isEmpty { continue }
        found.formUnion(
          MutationEnvelope.texts(of: try WireJSON.decode([String: JSONValue].self, from: conflict.payload)))
      }
    }
    // Who writes again what was kept of a text says the same as whoever wrote it first.
    let seenAndReplaced = Set(ledger.texts.filter { $0.isReplaced || $0.isGivenUp }.map(\.text))
    for saved in ledger.texts where !seenAndReplaced.contains(saved.text) && !found.contains(saved.text) {
      if toldOf.contains(saved.key.id) { continue }
      ledger.break_(
        "\(saved.text), saved on \(deviceName(saved.device)) for \(saved.key.id), vanished: nobody had seen it")
    }
  }

  /// Nobody is asked to decide between a value and one whose author had seen it.
  private func checkCauses(_ entries: [ChangeEntry]) {
    guard ledger.readsOwnWrites, ledger.oldDevices.isEmpty else { return }
    for entry in entries where entry.entityType == MutationEntityType.conflict.rawValue {
      let data = entry.data?.rawData ?? [:]
      guard data["reason"]?.stringValue == "overwritten", let kind = data["entity_type"]?.stringValue,
        let id = data["entity_id"]?.stringValue, data["field"]?.stringValue == Judge.textField(ofKind: kind),
        let text = data["value"]?.stringValue, let mutation = data["mutation_id"]?.stringValue,
        let device = data["by"]?.stringValue, !ledger.mixed.contains(where: { $0.id == id })
      else { continue }
      if ledger.wasSeen(text, by: mutation, device: device) {
        ledger.break_("a conflict was made of \(text) in \(id), which was replaced by someone who had seen it")
      }
    }
  }

  /// Whatever the hub said, a resync from one that says the truth shows what that has, under what waits.
  private func checkHealed() async {
    for _ in 0..<3 {
      for device in devices { await device.life?.engine.forceFullResync() }
    }
    do {
      let entries = try await directEntries()
      let atHub = Rows(entries)
      for device in devices {
        guard let life = device.life else { continue }
        let store = life.factory.makeLocalStore()
        if let failure = await life.engine.lastFailure {
          ledger.break_("\(device.name) does not sync after a hub's lies: \(failure)")
        }
        let journalled = Set(try store.fetchConflicts().map { Ledger.Key(kind: $0.entityType, id: $0.entityId) })
        compare(try Rows(store), with: atHub, sparing: journalled, on: device)
        if let digest = try store.syncDigest() { compare(digest, with: entries, on: device) }
      }
    } catch {
      ledger.break_("what should be at rest after a hub's lies cannot be read: \(error)")
    }
  }

  /// Whatever the hub said, each device opens its store, shows it, and takes what its person records.
  private func checkAfterLies() async {
    for device in devices {
      guard let life = device.life else {
        ledger.break_("\(device.name) does not start after a hub's lies")
        continue
      }
      let id = "after-lies-\(device.name)"
      do {
        let store = life.factory.makeLocalStore()
        _ = try Rows(store)
        try life.recorder.record(EventType(id: id, name: id, colorHex: "#102030", iconName: "ear"))
        try life.recorder.edit(eventTypeId: id) { $0.name = "\(id)-later" }
        if try store.findEventType(id: id)?.name != "\(id)-later" {
          ledger.break_("\(device.name) does not show what is recorded after a hub's lies")
        }
        try life.recorder.delete(eventTypeId: id)
      } catch {
        ledger.break_("\(device.name) cannot record after a hub's lies: \(error)")
      }
    }
  }

  /// What a newer version wrote lies here as it came, for the day on which it can be read.
  private func checkUnreadable(_ parked: [ChangeEntry], _ entries: [ChangeEntry], on device: SimulatedDevice) {
    func isUnreadable(_ entry: ChangeEntry) -> Bool { entry.entityId.hasPrefix("future-") }
    let kept = Dictionary(parked.filter(isUnreadable).map { ($0.entityId, $0.data) }) { first, _ in first }
    for entry in entries where isUnreadable(entry) && kept[entry.entityId] != entry.data {
      ledger.break_("\(entry.entityId), which \(device.name) cannot read, is not kept there as it came")
    }
  }

  /// What one device alone wrote reads as its person said last: an edit that was merged with others, or sent again, says the same.
  private func checkOwnWords(_ entries: [ChangeEntry]) throws {
    let atHub = Dictionary(
      entries.filter { !$0.isDelete }.compactMap { entry in
        MutationEntityType(rawValue: entry.entityType).map {
          (Ledger.Key(kind: $0, id: entry.entityId), entry.data?.rawData ?? [:])
        }
      }
    ) { first, _ in first }
    // What was set aside has its words in the journal.
    let journalled = Set(
      try devices.flatMap { try $0.life?.factory.makeLocalStore().fetchConflicts() ?? [] }.map(\.entityId))
    for (field, value) in ledger.ownWords where !journalled.contains(field.key.id) {
      guard let data = atHub[field.key] else { continue }
      let path = field.name.split(separator: ".").map(String.init)
      let present =
        path.count == 2
        ? data[path[0]]?.objectValue?[path[1]]?.objectValue?["value"]?.stringValue
        : data[field.name].flatMap { $0.stringValue ?? Goal($0)?.description }
      if present != value {
        ledger.break_(
          "\(field.name) of \(field.key.id) reads \(present ?? "nothing"), and whoever wrote it alone said "
            + (value ?? "nothing"))
      }
    }
  }

  func directEntries() async throws -> [ChangeEntry] {
    if server != nil { return [] }
    switch try await directClient.snapshot(for: nil) {
    case .entries(let snapshot): return snapshot.entries
    case .lists: return []
    }
  }

  private func hangs(_ row: String, on type: Ledger.Key) -> Bool {
    type.kind == .eventType && row.contains("\"event_type_id\":\"\(type.id)\"")
  }

  private func compare(_ here: Rows, with hub: Rows, sparing journalled: Set<Ledger.Key>, on device: SimulatedDevice) {
    for key in Set(here.rows.keys).union(hub.rows.keys).sorted() {
      let (shown, truth) = (here.rows[key], hub.rows[key])
      if shown == truth { continue }
      // An old version does not know every kind.
      if device.isOld, !MutationEntityType.typed.contains(key.kind) { continue }
      // Plain operations give its delete no version to tell a later restoration by: it shows that with its next snapshot.
      if device.isOld, shown == nil, let truth, ledger.restored.contains(where: { $0 == key || hangs(truth, on: $0) }) {
        continue
      }
      // To what it made and asks again it is answered as at first; a deletion between does not come after its snapshot.
      if device.isOld, truth == nil, ledger.deletedPlainly.contains(key) { continue }
      if ledger.cleared.contains(key) || (journalled.contains(key) && here.failed.contains(key)) { continue }
      switch (shown, truth) {
      case (nil, let truth?): ledger.break_("\(key.id) is at the hub and not on \(device.name): \(truth)")
      case (let shown?, nil): ledger.break_("\(key.id) is on \(device.name) and not at the hub: \(shown)")
      case (let shown?, let truth?):
        ledger.break_("\(key.id) differs: on \(device.name) \(shown), at the hub \(truth)")
      case (nil, nil): break
      }
    }
  }
}

/// Everything that is shown, in words that two sides can be compared by.
private struct Rows {
  var rows: [Ledger.Key: String] = [:]
  var failed: Set<Ledger.Key> = []

  init() {}

  /// What devices of this version can read of it.
  init(_ entries: [ChangeEntry]) {
    for entry in entries where !entry.isDelete {
      guard let data = entry.data, let kind = MutationEntityType(rawValue: entry.entityType) else { continue }
      switch kind {
      case .eventType: take(readable(data, as: APIEventType.self).map { EventType($0) })
      case .event: take(readable(data, as: APIEvent.self).map { Event($0) })
      case .geofence: take(readable(data, as: APIGeofence.self).map { Geofence($0) })
      case .propertyDefinition: take(readable(data, as: APIPropertyDefinition.self).map { PropertyDefinition($0) })
      case .vehicle, .tripRule, .setting, .skip:
        take(kind, entry.entityId, data.rawData, isFailed: false)
      default: break
      }
    }
  }

  /// Nothing where it cannot be read.
  private func readable<Value: Decodable>(_ data: ChangeEntryData, as type: Value.Type) -> [Value] {
    (try? data.decode(type)).map { [$0] } ?? []
  }

  init(_ snapshot: Snapshot) {
    take(snapshot.eventTypes.map { EventType($0) })
    take(snapshot.events.map { Event($0) })
    take(snapshot.geofences.map { Geofence($0) })
    take(snapshot.propertyDefinitions.map { PropertyDefinition($0) })
  }

  init(_ store: LocalStore) throws {
    take(try store.fetchAllEventTypes())
    take(try store.fetchAllEvents())
    take(try store.fetchAllGeofences())
    take(try store.fetchAllPropertyDefinitions())
    for kind in [MutationEntityType.vehicle, .tripRule, .setting, .skip] {
      for record in try store.fetchRecords(kind: kind) {
        take(kind, record.id, record.fields, isFailed: record.syncStatus == .failed)
      }
    }
  }

  private mutating func take(
    _ kind: MutationEntityType, _ id: String, _ fields: [String: JSONValue], isFailed: Bool
  ) {
    let key = Ledger.Key(kind: kind, id: id)
    if isFailed { failed.insert(key) }
    rows[key] = fields.filter { SyncedKind.named(kind.rawValue)?.field($0.key) != nil && !$0.value.isNull }
      .sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
  }

  private mutating func take<Entity: SyncedEntity>(_ entities: [Entity]) {
    for var entity in entities {
      let key = Ledger.Key(kind: Entity.entityType, id: entity.id)
      if entity.syncStatus == .failed { failed.insert(key) }
      entity.syncStatus = .synced
      // In the order of its members: the same value, the same words. What cannot be written down would equal nothing.
      let document = (try? WireJSON.encode(entity.createRequest)).map { String(decoding: $0, as: UTF8.self) } ?? "?"
      if rows.updateValue(document, forKey: key) != nil { rows[key] = "twice: \(document)" }
    }
  }
}

extension LocalStore {
  /// The text that a person of a story left in an entity, as it is shown.
  func simulatedText(_ key: Ledger.Key) throws -> String? {
    switch key.kind {
    case .event: try findEvent(id: key.id)?.notes
    case .eventType: try findEventType(id: key.id)?.name
    case .geofence: try findGeofence(id: key.id)?.name
    case .propertyDefinition: try findPropertyDefinition(id: key.id)?.label
    default:
      try findRecord(kind: key.kind, id: key.id)?.fields[Judge.textField(ofKind: key.kind.rawValue)]?.stringValue
    }
  }
}
