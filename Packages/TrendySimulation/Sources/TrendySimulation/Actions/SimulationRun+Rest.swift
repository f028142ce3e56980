import Foundation
import StorageTesting
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting

/// What must be so once the faults are over: all comes to rest, all stores agree with the hub, and nothing is lost.
extension SimulationRun {
  /// Lets every device make rounds until nothing is left to do, and holds all stores against the hub.
  func comeToRest() async {
    await stopDelivering()
    if areAgents { await comeToRestByThemselves() }
    // All power goes once more: what was reported is on the disks, or it was not true.
    hub.restart(losing: .unsynced)
    for device in devices {
      device.restart(losing: .unsynced)
      do throws(StorageError) { try device.begin() } catch {
        ledger.report(.savedDataIsDurable, "\(device.name)'s store does not open once the faults are over: \(error)")
      }
      check(device)
    }
    for round in 1...world.roundsToQuiet {
      // Longer than any breaker or delay lasts.
      await clock.advance(by: .seconds(900))
      for device in devices {
        await device.process?.engine.performSync()
        let failure = await device.process?.engine.lastFailure
        tell("  \(device.name)'s last round \(round) is over: \(failure.map { "\($0)" } ?? "all well")")
        checkCursor(device)
      }
      story.roundsToQuiet = round
      if await isQuiet() { break }
    }
    await checkQuiet()
    await checkCompanionsAtRest()
    await checkTrackersAtRest()
    await checkWebhookAtRest()
    await checkStreams()
  }

  func isQuiet() async -> Bool {
    for device in devices {
      guard let process = device.process, await process.engine.lastFailure == nil,
        await process.engine.pendingCount == 0,
        // One that cannot be read is not at rest.
        let cursor = try? process.factory.makeLocalStore().syncCursor()
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
      ledger.report(.storesConverge, "\(device.name) adds up \(kind) otherwise than the hub")
    }
    if digest.missing > 0 {
      ledger.report(.storesConverge, "\(device.name) holds \(digest.missing) entries without their rows")
    }
    // What was taken out of the queue and not marked looks like any other.
    if digest.strays > 0, ledger.cleared.isEmpty {
      ledger.report(.storesConverge, "\(device.name) shows \(digest.strays) rows that nobody gave it")
    }
  }

  /// A create that was refused stays visible, but not one of an entity that somebody deleted.
  private func checkDeadStayHidden(_ failed: Set<Ledger.Key>, _ entries: [ChangeEntry], on device: SimulatedDevice) {
    guard !failed.isEmpty, ledger.readsOwnWrites, ledger.oldDevices.isEmpty else { return }
    let dead = Set(
      entries.filter(\.isDelete).compactMap { entry in
        MutationEntityType(rawValue: entry.entityType).map { Ledger.Key(kind: $0, id: entry.entityId) }
      })
    // What one device could not import under its type another may have imported under its own, and deleted.
    for key in failed.sorted() where dead.contains(key) && !NaturalIdentifier.isNatural(key.id) {
      ledger.report(
        .deletedStaysDeleted, "\(key.id) was deleted, and \(device.name) shows the create that the hub refused")
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
      var atHub = ShownRows()
      if let server {
        let contents = try await server.contents()
        atHub = ShownRows(contents)
        head = contents.cursor
      } else {
        atHub = ShownRows(entries)
        head = try await directClient.getLatestCursor()
      }
      if head < ledger.highestHead {
        ledger.report(.cursorIsComplete, "the hub stands at \(head) and had said \(ledger.highestHead)")
      }
      for device in devices {
        guard let process = device.process else {
          ledger.report(.savedDataIsDurable, "\(device.name) does not start though the faults are over")
          continue
        }
        let store = process.factory.makeLocalStore()
        let queue = try store.fetchPendingMutations()
        if !queue.isEmpty {
          let failure = await process.engine.lastFailure.map { "\($0)" } ?? "none"
          ledger.report(
            .queueDropsNothing, "\(queue.count) mutations still wait on \(device.name); last failure: \(failure)")
        }
        let cursor = try store.syncCursor()
        if cursor != head {
          ledger.report(
            .cursorIsComplete, "\(device.name)'s cursor is \(cursor.map { "\($0)" } ?? "none"), the head is \(head)")
        }
        // What the hub refused stays to be seen, marked as failed, until the person decides.
        let journalled = Set(try store.fetchConflicts().map { Ledger.Key(kind: $0.entityType, id: $0.entityId) })
        compare(try ShownRows(store), with: atHub, sparing: journalled, on: device)
        checkDeadStayHidden(try ShownRows(store).failed, entries, on: device)
        if !device.isOld { checkUnreadable(try store.fetchParkedChanges(), entries, on: device) }
        if server == nil, let digest = try store.syncDigest() { compare(digest, with: entries, on: device) }
        check(device)
      }
      if server == nil {
        try checkNothingVanished(entries)
        try checkOwnWords(entries)
        checkCauses(entries)
        checkReferences(entries)
        try checkStranger()
        try await checkHubsAgree(entries)
      }
      for key in ledger.allDeleted.sorted() where atHub.rows[key] != nil {
        ledger.report(.deletedStaysDeleted, "\(key.id) was deleted and lives at the hub")
      }
    } catch {
      ledger.report(.savedDataIsDurable, "what should be at rest cannot be read: \(error)")
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
      for conflict in try device.process?.factory.makeLocalStore().fetchConflicts() ?? [] {
        // A move that was refused leaves the entity where it was, to go with that: the journal names it, and a restore has its values.
        toldOf.insert(conflict.entityId)
        if conflict.payload.isEmpty { continue }
        found.formUnion(
          MutationEnvelope.texts(of: try WireJSON.decode([String: JSONValue].self, from: conflict.payload)))
      }
    }
    // Who writes again what was kept of a text says the same as whoever wrote it first.
    let seenAndReplaced = Set(ledger.texts.filter { !$0.isRestored && ($0.isReplaced || $0.isGivenUp) }.map(\.text))
    for saved in ledger.texts where !seenAndReplaced.contains(saved.text) && !found.contains(saved.text) {
      if toldOf.contains(saved.key.id) { continue }
      ledger.report(
        .nothingVanishes,
        "\(saved.text), saved on \(deviceName(saved.device)) for \(saved.key.id), vanished: nobody had seen it")
    }
  }

  /// No living entity refers to a deleted one: what hangs on it is deleted too, and other references are cleared.
  private func checkReferences(_ entries: [ChangeEntry]) {
    guard !ledger.deviceLied else { return }
    let living = Set(entries.filter { !$0.isDelete }.map { "\($0.entityType) \($0.entityId)" })
    for entry in entries where !entry.isDelete && !entry.entityId.hasPrefix(SimulatedHub.unreadablePrefix) {
      for field in SyncedKind.named(entry.entityType)?.fields ?? [] {
        guard let kind = field.refersTo?.kind, let id = entry.data?.rawData[field.name]?.stringValue,
          !living.contains("\(kind) \(id)")
        else { continue }
        ledger.report(
          .childHasItsParent, "\(entry.entityId) lives and refers to the \(kind) \(id), which is deleted at the hub")
      }
    }
  }

  /// Nobody is asked to decide between a value and one whose author had seen it.
  private func checkCauses(_ entries: [ChangeEntry]) {
    guard ledger.readsOwnWrites, ledger.oldDevices.isEmpty else { return }
    for entry in entries where entry.entityType == MutationEntityType.conflict.rawValue {
      let data = entry.data?.rawData ?? [:]
      guard data["reason"]?.stringValue == "overwritten", let kind = data["entity_type"]?.stringValue,
        let id = data["entity_id"]?.stringValue, data["field"]?.stringValue == MergeOracle.textField(ofKind: kind),
        let text = data["value"]?.stringValue, let mutation = data["mutation_id"]?.stringValue,
        let device = data["by"]?.stringValue, !ledger.mixed.contains(where: { $0.id == id })
      else { continue }
      if ledger.wasSeen(text, by: mutation, device: device) {
        ledger.report(
          .nothingVanishes, "a conflict was made of \(text) in \(id), which was replaced by someone who had seen it")
      }
    }
  }

  /// Whatever the hub said, a resync from one that says the truth shows what that has, under what waits.
  private func checkHealed() async {
    for _ in 0..<3 {
      for device in devices { await device.process?.engine.forceFullResync() }
    }
    do {
      let entries = try await directEntries()
      let atHub = ShownRows(entries)
      for device in devices {
        guard let process = device.process else { continue }
        let store = process.factory.makeLocalStore()
        if let failure = await process.engine.lastFailure {
          ledger.report(nil, "\(device.name) does not sync after a hub's lies: \(failure)")
        }
        let journalled = Set(try store.fetchConflicts().map { Ledger.Key(kind: $0.entityType, id: $0.entityId) })
        compare(try ShownRows(store), with: atHub, sparing: journalled, on: device)
        if let digest = try store.syncDigest() { compare(digest, with: entries, on: device) }
      }
    } catch {
      ledger.report(.savedDataIsDurable, "what should be at rest after a hub's lies cannot be read: \(error)")
    }
  }

  /// Whatever the hub said, each device opens its store, shows it, and takes what its person records.
  private func checkAfterLies() async {
    for device in devices {
      guard let process = device.process else {
        ledger.report(.savedDataIsDurable, "\(device.name) does not start after a hub's lies")
        continue
      }
      let id = "after-lies-\(device.name)"
      do {
        let store = process.factory.makeLocalStore()
        _ = try ShownRows(store)
        try process.recorder.record(EventType(id: id, name: id, colorHex: "#102030", iconName: "ear"))
        try process.recorder.edit(eventTypeId: id) { $0.name = "\(id)-later" }
        if try store.findEventType(id: id)?.name != "\(id)-later" {
          ledger.report(nil, "\(device.name) does not show what is recorded after a hub's lies")
        }
        try process.recorder.delete(eventTypeId: id)
      } catch {
        ledger.report(nil, "\(device.name) cannot record after a hub's lies: \(error)")
      }
    }
  }

  /// What a newer version wrote lies here as it came, for the day on which it can be read.
  private func checkUnreadable(_ parked: [ChangeEntry], _ entries: [ChangeEntry], on device: SimulatedDevice) {
    func isUnreadable(_ entry: ChangeEntry) -> Bool { entry.entityId.hasPrefix("future-") }
    let kept = Dictionary(parked.filter(isUnreadable).map { ($0.entityId, $0.data) }) { first, _ in first }
    for entry in entries where isUnreadable(entry) && kept[entry.entityId] != entry.data {
      ledger.report(
        .unknownDataSurvives, "\(entry.entityId), which \(device.name) cannot read, is not kept there as it came")
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
      try devices.flatMap { try $0.process?.factory.makeLocalStore().fetchConflicts() ?? [] }.map(\.entityId))
    for (field, value) in ledger.ownWords where !journalled.contains(field.key.id) {
      guard let data = atHub[field.key] else { continue }
      let path = field.name.split(separator: ".").map(String.init)
      let present =
        path.count == 2
        ? data[path[0]]?.objectValue?[path[1]]?.objectValue?["value"]?.stringValue
        : data[field.name].flatMap { $0.stringValue ?? Goal($0)?.description }
      if present != value {
        ledger.report(
          .coalescingKeepsTheResult,
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

  private func compare(
    _ here: ShownRows, with hub: ShownRows, sparing journalled: Set<Ledger.Key>, on device: SimulatedDevice
  ) {
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
      case (nil, let truth?):
        ledger.report(.storesConverge, "\(key.id) is at the hub and not on \(device.name): \(truth)")
      case (let shown?, nil):
        ledger.report(.storesConverge, "\(key.id) is on \(device.name) and not at the hub: \(shown)")
      case (let shown?, let truth?):
        ledger.report(.storesConverge, "\(key.id) differs: on \(device.name) \(shown), at the hub \(truth)")
      case (nil, nil): break
      }
    }
  }
}
