import Foundation
import StorageTesting
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting

// MARK: Final checks after the last fault: all devices quiet, all stores equal to the hub, nothing lost
extension SimulationRun {
  /// Runs rounds on every device until all are quiet, then compares every store with the hub.
  func comeToRest() async {
    await stopDelivering()
    if areAgents { await comeToRestByThemselves() }
    // Cut power again: every acknowledged save must survive.
    hub.restart(losing: .unsynced)
    for device in devices {
      device.restart(losing: .unsynced)
      do throws(StorageError) { try device.begin() } catch {
        ledger.report(.savedDataIsDurable, "\(device.name)'s store cannot be opened after the last fault: \(error)")
      }
      check(device)
    }
    for round in 1...world.roundsToQuiet {
      // Longer than any circuit-breaker or retry delay.
      await clock.advance(by: .seconds(900))
      for device in devices {
        await device.process?.engine.performSync()
        let failure = await device.process?.engine.lastFailure
        tell("  \(device.name)'s final round \(round) ended: \(failure.map { "\($0)" } ?? "success")")
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
        // A store that cannot be read is not quiet.
        let cursor = try? process.factory.makeLocalStore().syncCursor()
      else { return false }
      guard let head = await head(), cursor == head else { return false }
    }
    return true
  }

  private var directClient: any NetworkClientProtocol {
    server?.client(device: 0) ?? InProcessClient(token: hub.tokens[0], server: hub.server)
  }

  private func head() async -> Int64? {
    // While the hub does not respond, its head is unknown.
    try? await directClient.getLatestCursor()
  }

  /// Checks that store and hub have the same digest for every kind, as `trendy doctor` does.
  private func compare(_ digest: SyncDigest, with entries: [ChangeEntry], on device: SimulatedDevice) {
    var sums: [String: KindSum] = [:]
    for entry in entries where !entry.isDelete {
      sums[entry.entityType, default: KindSum()].add(
        kind: entry.entityType, id: entry.entityId, version: entry.id, incarnation: entry.incarnation)
    }
    for kind in digest.differences(from: sums) {
      ledger.report(.storesConverge, "the digest of \(kind) on \(device.name) differs from the hub's")
    }
    if digest.missing > 0 {
      ledger.report(.storesConverge, "\(device.name) has \(digest.missing) entries without their rows")
    }
    // A row whose mutation was removed from the queue without marking the row as failed looks like a stray row.
    if digest.strays > 0, ledger.cleared.isEmpty {
      ledger.report(.storesConverge, "\(device.name) has \(digest.strays) rows without an entry or a mutation")
    }
  }

  /// Checks that an entity whose create was rejected is no longer visible after another device has deleted it.
  private func checkDeadStayHidden(_ failed: Set<Ledger.Key>, _ entries: [ChangeEntry], on device: SimulatedDevice) {
    guard !failed.isEmpty, ledger.readsOwnWrites, ledger.oldDevices.isEmpty else { return }
    let dead = Set(
      entries.filter(\.isDelete).compactMap { entry in
        MutationEntityType(rawValue: entry.entityType).map { Ledger.Key(kind: $0, id: entry.entityId) }
      })
    // Another device may have imported the same event under another type and deleted it.
    for key in failed.sorted() where dead.contains(key) && !NaturalIdentifier.isNatural(key.id) {
      ledger.report(
        .deletedStaysDeleted, "\(key.id) was deleted, but \(device.name) shows the rejected create")
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
        ledger.report(.cursorIsComplete, "the hub's head decreased from \(ledger.highestHead) to \(head)")
      }
      for device in devices {
        guard let process = device.process else {
          ledger.report(.savedDataIsDurable, "\(device.name) does not start after the last fault")
          continue
        }
        let store = process.factory.makeLocalStore()
        let queue = try store.fetchPendingMutations()
        if !queue.isEmpty {
          let failure = await process.engine.lastFailure.map { "\($0)" } ?? "none"
          ledger.report(
            .queueDropsNothing, "\(queue.count) mutations are still pending on \(device.name); last failure: \(failure)"
          )
        }
        let cursor = try store.syncCursor()
        if cursor != head {
          ledger.report(
            .cursorIsComplete, "\(device.name)'s cursor is \(cursor.map { "\($0)" } ?? "none"), the head is \(head)")
        }
        // A rejected change stays visible, marked as failed, until the user resolves the conflict.
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
        ledger.report(.deletedStaysDeleted, "\(key.id) was deleted but exists at the hub")
      }
    } catch {
      ledger.report(.savedDataIsDurable, "the final state cannot be read: \(error)")
    }
  }

  /// Checks that every saved text still exists in an entity, a conflict entity or a device's journal. Texts that a user
  /// replaced or deleted after seeing them are exempt.
  private func checkNothingVanished(_ entries: [ChangeEntry]) throws {
    // Old versions send no base versions, so the hub cannot know what their users had seen. A text lost both at the hub
    // and on the device that wrote it existed nowhere else.
    let hasTwoBackups =
      ledger.hubWasRestored && (story.faults["store_restored"] ?? 0) + (story.faults["store_copied"] ?? 0) > 0
    guard ledger.oldDevices.isEmpty, !hasTwoBackups, !ledger.deviceLied else { return }
    var found: Set<String> = []
    var reportedIds: Set<String> = []
    for entry in entries where !entry.isDelete {
      let data = entry.data?.rawData ?? [:]
      found.formUnion(MutationEnvelope.texts(of: data))
      if entry.entityType == MutationEntityType.conflict.rawValue { found.formUnion(Self.texts(of: data)) }
    }
    for device in devices {
      for conflict in try device.process?.factory.makeLocalStore().fetchConflicts() ?? [] {
        // After a rejected move, the entity stays under its old parent and may be deleted together with that parent.
        // The journal names the entity, and a restore has its values.
        reportedIds.insert(conflict.entityId)
        if conflict.payload.isEmpty { continue }
        found.formUnion(
          MutationEnvelope.texts(of: try WireJSON.decode([String: JSONValue].self, from: conflict.payload)))
      }
    }
    // A retried value repeats its author's text.
    let seenAndReplaced = Set(ledger.texts.filter { !$0.isRestored && ($0.isReplaced || $0.isGivenUp) }.map(\.text))
    for saved in ledger.texts where !seenAndReplaced.contains(saved.text) && !found.contains(saved.text) {
      if reportedIds.contains(saved.key.id) { continue }
      ledger.report(
        .nothingVanishes,
        "\(saved.text), saved on \(deviceName(saved.device)) for \(saved.key.id), vanished before anyone had seen it")
    }
  }

  /// Checks that no entity refers to a deleted entity: children are deleted with their parent, and other references are
  /// cleared.
  private func checkReferences(_ entries: [ChangeEntry]) {
    guard !ledger.deviceLied else { return }
    let living = Set(entries.filter { !$0.isDelete }.map { "\($0.entityType) \($0.entityId)" })
    for entry in entries where !entry.isDelete && !entry.entityId.hasPrefix(SimulatedHub.unreadablePrefix) {
      for field in SyncedKind.named(entry.entityType)?.fields ?? [] {
        guard let kind = field.refersTo?.kind, let id = entry.data?.rawData[field.name]?.stringValue,
          !living.contains("\(kind) \(id)")
        else { continue }
        ledger.report(
          .childHasItsParent, "\(entry.entityId) refers to the \(kind) \(id), which is deleted at the hub")
      }
    }
  }

  /// Checks that no conflict was created for a value that its replacing author had seen.
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
          .nothingVanishes, "a conflict was created for \(text) in \(id), although its author had seen it")
      }
    }
  }

  /// Checks that after corrupted responses a resync restores the hub's state below the pending mutations.
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
          ledger.report(nil, "\(device.name) does not sync after corrupted responses: \(failure)")
        }
        let journalled = Set(try store.fetchConflicts().map { Ledger.Key(kind: $0.entityType, id: $0.entityId) })
        compare(try ShownRows(store), with: atHub, sparing: journalled, on: device)
        if let digest = try store.syncDigest() { compare(digest, with: entries, on: device) }
      }
    } catch {
      ledger.report(.savedDataIsDurable, "the state after corrupted responses cannot be read: \(error)")
    }
  }

  /// Checks that after corrupted responses every device opens its store and records new entities.
  private func checkAfterLies() async {
    for device in devices {
      guard let process = device.process else {
        ledger.report(.savedDataIsDurable, "\(device.name) does not start after corrupted responses")
        continue
      }
      let id = "after-lies-\(device.name)"
      do {
        let store = process.factory.makeLocalStore()
        _ = try ShownRows(store)
        try process.recorder.record(EventType(id: id, name: id, colorHex: "#102030", iconName: "ear"))
        try process.recorder.edit(eventTypeId: id) { $0.name = "\(id)-later" }
        if try store.findEventType(id: id)?.name != "\(id)-later" {
          ledger.report(nil, "\(device.name) does not show an entity recorded after corrupted responses")
        }
        try process.recorder.delete(eventTypeId: id)
      } catch {
        ledger.report(nil, "\(device.name) cannot record after corrupted responses: \(error)")
      }
    }
  }

  /// Checks that entries from a newer version are stored unchanged until they can be read.
  private func checkUnreadable(_ parked: [ChangeEntry], _ entries: [ChangeEntry], on device: SimulatedDevice) {
    func isUnreadable(_ entry: ChangeEntry) -> Bool { entry.entityId.hasPrefix("future-") }
    let kept = Dictionary(parked.filter(isUnreadable).map { ($0.entityId, $0.data) }) { first, _ in first }
    for entry in entries where isUnreadable(entry) && kept[entry.entityId] != entry.data {
      ledger.report(
        .unknownDataSurvives, "\(entry.entityId), which \(device.name) cannot read, is not stored there unchanged")
    }
  }

  /// Checks values that only one device wrote: after coalesced and repeated edits, the last edit must have won.
  private func checkOwnWords(_ entries: [ChangeEntry]) throws {
    let atHub = Dictionary(
      entries.filter { !$0.isDelete }.compactMap { entry in
        MutationEntityType(rawValue: entry.entityType).map {
          (Ledger.Key(kind: $0, id: entry.entityId), entry.data?.rawData ?? [:])
        }
      }
    ) { first, _ in first }
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
          "\(field.name) of \(field.key.id) is \(present ?? "nothing"), but its only author wrote "
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
      if device.isOld, !MutationEntityType.typed.contains(key.kind) { continue }
      // An old version does not know at which version it deleted an entity, so it does not recognise a later restore.
      // The entity reappears with the next snapshot.
      if device.isOld, shown == nil, let truth, ledger.restored.contains(where: { $0 == key || hangs(truth, on: $0) }) {
        continue
      }
      // If an old version repeats a create, the hub returns the first outcome. The device misses a deletion in between,
      // because snapshots for old versions contain no deletions.
      if device.isOld, truth == nil, ledger.deletedPlainly.contains(key) { continue }
      if ledger.cleared.contains(key) || (journalled.contains(key) && here.failed.contains(key)) { continue }
      switch (shown, truth) {
      case (nil, let truth?):
        ledger.report(.storesConverge, "\(key.id) is at the hub but not on \(device.name): \(truth)")
      case (let shown?, nil):
        ledger.report(.storesConverge, "\(key.id) is on \(device.name) but not at the hub: \(shown)")
      case (let shown?, let truth?):
        ledger.report(.storesConverge, "\(key.id) differs: on \(device.name) \(shown), at the hub \(truth)")
      case (nil, nil): break
      }
    }
  }
}
