import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

@Suite("Snapshots in parts", .timeLimit(.minutes(10)))
struct SnapshotPartsTests {
  /// Seven entries in four parts: T U · E1 E2 · E3 E4 · E5.
  private static let entries: [ChangeEntry] =
    [.type("T", 1), .type("U", 2)] + (1...5).map { .event("E\($0)", Int64($0) + 2) }
  private static let allEvents: Set = ["E1", "E2", "E3", "E4", "E5"]

  private let hub = PartedHub(Self.entries)
  private let device: Device
  private var store: MockDataStore { device.store }

  init() {
    let hub = hub
    device = Device(cursor: nil, client: { PartedHubClient(base: $0, hub: hub) })
  }

  private var events: Set<String> { Set(store.storedEvents.keys) }
  private var cursor: Int64? { store.storedSyncCursor }

  private func restarted() -> SyncEngine {
    device.restarted(client: PartedHubClient(base: device.network, hub: hub))
  }

  /// Checks that the replica and the visible events equal the hub's entries.
  private func expectEverything(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let state = hub.state
    #expect(cursor == state.head, sourceLocation: sourceLocation)
    #expect(try store.syncMemory()?.snapshot == nil, sourceLocation: sourceLocation)
    for kind in [MutationEntityType.eventType, .event] {
      let living = state.entries.values.filter { $0.entityType == kind.rawValue && !$0.isDelete }
      let held = try store.fetchHeldEntries(kind: kind).filter { !$0.isDelete }
      #expect(
        Dictionary(uniqueKeysWithValues: held.map { ($0.entityId, $0.id) })
          == Dictionary(uniqueKeysWithValues: living.map { ($0.entityId, $0.id) }), sourceLocation: sourceLocation)
    }
    let living = state.entries.values.filter { $0.entityType == "event" && !$0.isDelete }
    #expect(events == Set(living.map(\.entityId)), sourceLocation: sourceLocation)
    for entry in living {
      #expect(
        store.storedEvents[entry.entityId]?.notes == entry.data?.rawData["notes"]?.stringValue,
        sourceLocation: sourceLocation)
    }
  }

  // MARK: Resuming

  @Test("a snapshot interrupted at any part is resumed after a restart", arguments: 0...3)
  func resumed(at part: Int) async throws {
    hub.set { $0.before[part] = { _ in throw APIError.networkError("gone") } }
    await device.engine.performSync()
    #expect(events == Set(Self.allEvents.sorted().prefix(max(0, 2 * part - 2))))
    #expect(cursor == nil)
    #expect(hub.takeParts() == Array([nil, "0.2.a", "3.4.a", "3.6.a"].prefix(part + 1)))

    await restarted().performSync()
    #expect(hub.takeParts() == Array([nil, "0.2.a", "3.4.a", "3.6.a"].dropFirst(part)))
    try expectEverything()
    #expect(hub.state.wholes == 0)
  }

  @Test("a part that cannot be saved is rolled back and the parts before it are kept", arguments: 0...3)
  func failedSave(at part: Int) async throws {
    let factory = device.factory
    hub.set { $0.before[part] = { _ in factory.mockStore.throwOnSave = APIError.networkError("full") } }
    await device.engine.performSync()
    store.throwOnSave = nil
    store.rollback()
    #expect(events == Set(Self.allEvents.sorted().prefix(max(0, 2 * part - 2))))
    #expect(cursor == nil)
    _ = hub.takeParts()
    await device.engine.performSync()
    #expect(hub.takeParts() == Array([nil, "0.2.a", "3.4.a", "3.6.a"].dropFirst(part)))
    try expectEverything()
  }

  @Test func `a snapshot interrupted by a rate limit resumes with the remaining parts`() async throws {
    for part in 1...3 { hub.set { $0.before[part] = { _ in throw rateLimit(retryAfter: .seconds(60)) } } }
    await device.engine.performSync()
    #expect(hub.takeParts() == [nil, "0.2.a"])
    #expect(await device.engine.state.isRateLimited)
    hub.set { $0.before = [:] }
    await device.engine.performSync()
    #expect(hub.takeParts() == ["0.2.a", "3.4.a", "3.6.a"])
    try expectEverything()
  }

  // MARK: Changes during a snapshot

  @Test("an entry changed by another device between two parts is stored in its final state", arguments: 1...3)
  func changed(before part: Int) async throws {
    hub.set {
      $0.before[part] = {
        $0.put(.event("E1", 8, notes: "first"))
        $0.put(.event("E5", 9, notes: "last"))
        $0.put(.type("T", 10, name: "Tea"))
      }
    }
    await device.engine.performSync()
    try expectEverything()
    #expect(store.storedEventTypes["T"]?.name == "Tea")
  }

  @Test("entities deleted or created between two parts are deleted or created on this device", arguments: 1...3)
  func deletedAndMade(before part: Int) async throws {
    hub.set {
      $0.before[part] = {
        $0.put(.tombstone(.event, "E1", 8))
        $0.put(.tombstone(.event, "E5", 9))
        $0.put(.type("V", 10))
        $0.put(.event("E6", 11, of: "V"))
        $0.put(.event("E2", 12, of: "V"))
        $0.put(.tombstone(.eventType, "U", 13))
      }
    }
    await device.engine.performSync()
    try expectEverything()
    #expect(store.storedEvents["E2"]?.eventTypeId == "V" && Set(store.storedEventTypes.keys) == ["T", "V"])
  }

  @Test("local edits made between two parts are kept and sent", arguments: 1...3)
  func editedHere(before part: Int) async throws {
    hub.set { $0.before[part] = { _ in throw APIError.networkError("gone") } }
    await device.engine.performSync()
    if part > 1 { try device.recorder.edit(eventId: "E1") { $0.notes = "mine" } }
    if part > 1 { try device.recorder.delete(eventId: "E2") }
    try device.recorder.record(EventFixture.makeEvent(id: "own", eventTypeId: "T"))
    hub.set { $0.before[part + 2] = { _ in throw APIError.networkError("gone again") } }
    await device.engine.performSync()
    #expect(store.storedEvents["own"] != nil)
    if part > 1 { #expect(store.storedEvents["E1"]?.notes == "mine" && store.storedEvents["E2"] == nil) }
    await device.engine.performSync()
    #expect(hub.state.pushed.map(\.entityId) == (part > 1 ? ["E1", "E2", "own"] : ["own"]))
    #expect(store.storedEvents["own"] != nil && store.storedEvents["E5"] != nil)
    if part > 1 {
      #expect(store.storedEvents["E1"]?.notes == "mine" && store.storedEvents["E2"] == nil)
      // The edit is based on the stored version, so it cannot overwrite a write that the user has not seen.
      #expect(hub.state.pushed.first?.marks[FieldVersion.others]?.version == 3)
    }
  }

  @Test func `an edit accepted while parts arrive stays visible until its entry arrives`() async throws {
    await device.engine.performSync()
    let (recorder, factory, part) = (device.recorder, device.factory, hub.state.parts.count + 2)
    hub.set { state in
      // Another process on the same store records and sends an edit that the feed does not contain yet.
      state.before[part] = { _ in
        try recorder.edit(eventId: "E1") { $0.notes = "mine" }
        let other = factory.makeDataStore()
        var sent = try #require(try other.fetchPendingMutations().first)
        try other.deletePendingMutation(sent)
        sent.acceptedVersion = 9
        try other.insertAcceptedMutation(sent)
        try other.save()
      }
    }
    await device.engine.forceFullResync()
    #expect(cursor == 7 && store.storedEvents["E1"]?.notes == "mine")
    #expect(try store.fetchAcceptedMutations().map(\.acceptedVersion) == [9])
  }

  @Test func `a parked entry that the snapshot does not contain is never shown`() async throws {
    hub.set { $0.put(.event("E6", 8, of: "later")) }
    await device.engine.performSync()
    #expect(store.storedParkedChanges.map(\.entityId) == ["E6"])
    hub.set { $0.forget(.event, "E6") }
    await device.engine.forceFullResync()
    hub.set { $0.put(.type("later", 9)) }
    await device.engine.performSync()
    #expect(store.storedEventTypes["later"] != nil && events == Self.allEvents)
  }

  // MARK: Full resyncs

  @Test("a resync removes an entity only when the hub is known not to have it", arguments: 1...3)
  func shownAllTheWhile(until part: Int) async throws {
    await device.engine.performSync()
    hub.set {
      $0.forget(.event, "E1")
      $0.forget(.eventType, "U")
      $0.put(.event("E2", 8, notes: "again"))
      $0.horizon = 8
    }
    _ = hub.takeParts()
    hub.set { $0.before[min(part, 2)] = { _ in throw APIError.networkError("gone") } }
    await device.engine.performSync()
    #expect(events == Self.allEvents && Set(store.storedEventTypes.keys) == ["T", "U"])
    #expect(cursor == 7)
    await restarted().performSync()
    try expectEverything()
    #expect(events == ["E2", "E3", "E4", "E5"] && Set(store.storedEventTypes.keys) == ["T"])
  }

  @Test func `an entity that a snapshot lacks leaves a tombstone that keeps later imports out`() async throws {
    let natural = "00000000-0000-8000-8000-000000000001"
    hub.set { $0.put(.event(natural, 8)) }
    await device.engine.performSync()
    hub.set { $0.before[$0.parts.count + 1] = { $0.forget(.event, natural) } }
    await device.engine.forceFullResync()
    #expect(store.storedEvents[natural] == nil)
    try device.recorder.record(EventFixture.makeEvent(id: natural, eventTypeId: "T"))
    #expect(store.storedEvents[natural] == nil)
  }

  @Test func `the deletion of a type is applied with the deletion of its last event`() async throws {
    await device.engine.performSync()
    hub.set { state in
      for number in 1...5 { state.put(.tombstone(.event, "E\(number)", Int64(number) + 7)) }
      state.put(.tombstone(.eventType, "T", 13))
      state.before[state.parts.count + 2] = { _ in throw APIError.networkError("gone") }
    }
    await device.engine.forceFullResync()
    #expect(store.storedEventTypes["T"] != nil && events == ["E3", "E4", "E5"])
    await device.engine.performSync()
    try expectEverything()
    #expect(Set(store.storedEventTypes.keys) == ["U"])
  }

  @Test func `a deleted type is removed with its events when the hub has purged them`() async throws {
    await device.engine.performSync()
    hub.set { state in
      for number in 1...5 { state.forget(.event, "E\(number)") }
      state.put(.tombstone(.eventType, "T", 13))
    }
    await device.engine.forceFullResync()
    try expectEverything()
    #expect(events.isEmpty && Set(store.storedEventTypes.keys) == ["U"])
  }

  @Test func `a resync restores a missing row even if its version is stored`() async throws {
    await device.engine.performSync()
    try store.deleteEvent(id: "E4")
    try store.save()
    await device.engine.forceFullResync()
    try expectEverything()
  }

  @Test func `entities that the hub lost are sent in the round whose resumed snapshot reveals the loss`() async throws {
    await device.engine.performSync()
    // A second snapshot is interrupted. The hub is then restored, to version 5.
    hub.set { $0.before[5] = { _ in throw APIError.networkError("gone") } }
    await device.engine.forceFullResync()
    #expect(try store.syncMemory()?.snapshot != nil)
    hub.set { state in
      state.entries = state.entries.filter { $0.value.id <= 5 }
      state.head = 5
      state.epochs = [HubEpoch(id: "a", first: 1), HubEpoch(id: "b", first: 6)]
    }
    await restarted().performSync()
    #expect(store.storedPendingMutations.isEmpty)
    #expect(hub.state.pushed.contains { $0.entityId == "E5" })
  }

  @Test func `a requested full resync begins at the first part even if a snapshot is in progress`() async throws {
    hub.set { $0.before[2] = { _ in throw APIError.networkError("gone") } }
    await device.engine.performSync()
    _ = hub.takeParts()
    await device.engine.forceFullResync()
    #expect(hub.takeParts().first == .some(nil))
    hub.set { $0.before[2] = { _ in throw APIError.networkError("gone") } }
    try store.requestResync()
    try store.save()
    await device.engine.performSync()
    try store.requestResync()
    try store.save()
    _ = hub.takeParts()
    await device.engine.performSync()
    #expect(hub.takeParts() == [nil, "0.2.a", "3.4.a", "3.6.a"])
    try expectEverything()
  }

  // MARK: Hub restarts and restores

  @Test("a hub that starts a new epoch between two parts sends the snapshot from the first part", arguments: 1...3)
  func startedAnew(before part: Int) async throws {
    hub.set { $0.before[part] = { $0.epochs.append(HubEpoch(id: "b", first: 8)) } }
    await device.engine.performSync()
    #expect(hub.takeParts().count == part + 4)
    try expectEverything()
  }

  @Test(
    "entities lost by a hub restore between two parts are offered again",
    arguments: 2...3, [0, 3])
  func restored(before part: Int, written: Int) async throws {
    hub.set { state in
      state.before[part] = { state in
        for number in 3...5 { state.forget(.event, "E\(number)") }
        state.head = 4
        state.epochs.append(HubEpoch(id: "b", first: 5))
        for number in 0..<written { state.put(.event("N\(number)", Int64(number) + 5)) }
      }
    }
    await device.engine.performSync()
    await device.engine.performSync()
    let offered = hub.state.pushed.map(\.entityId)
    #expect(offered == (part == 2 ? [] : ["E3", "E4"]))
    #expect(hub.state.pushed.allSatisfy { $0.operation == .create })
    // Only a complete snapshot reveals the lost entities.
    #expect(hub.state.wholes == 1)
    #expect(events.isSuperset(of: offered) && events.isSuperset(of: ["E1", "E2"]))
    #expect(events.isSuperset(of: (0..<written).map { "N\($0)" }))
    #expect(try store.syncMemory()?.snapshot == nil)
  }

  @Test func `an entry compacted between two parts is requested again`() async throws {
    hub.set { state in
      state.put(.tombstone(.event, "E6", 8))
      state.before[2] = { state in
        state.put(.tombstone(.event, "E1", 9))
        state.forget(.event, "E1")
        state.forget(.event, "E6")
        state.horizon = 9
      }
    }
    await device.engine.performSync()
    try expectEverything()
    #expect(events == ["E2", "E3", "E4", "E5"])
  }

  @Test func `maintenance runs during a snapshot of many parts`() async throws {
    hub.set { state in
      for number in 6...80 { state.put(.event("E\(number)", Int64(number) + 2)) }
    }
    await device.engine.performSync()
    try expectEverything()
    // The snapshot has 41 parts.
    #expect(device.factory.tidyUpCalls == 1)
  }

  @Test func `a hub that repeats the same part ends the round with an error`() async throws {
    struct StuckClient: ForwardingNetworkClient {
      let base: MockNetworkClient
      func checkHealth() async throws {}
      func snapshotPart(_ request: SnapshotRequest) async throws -> SnapshotPart {
        let position = HubPosition(head: 1, epochs: [HubEpoch(id: "a", first: 1)])
        return SnapshotPart(answer: .entries(HubSnapshot(position: position, entries: [])), spans: [], next: "same")
      }
    }
    let device = Device(cursor: nil, client: { StuckClient(base: $0) })
    await device.engine.performSync()
    #expect(await device.engine.state.isError)
  }
}
