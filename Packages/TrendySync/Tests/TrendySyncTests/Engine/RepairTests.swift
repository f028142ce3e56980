import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

@Suite("Repair", .timeLimit(.minutes(10)))
struct RepairTests {
  private let hub: HubDouble
  private let device: Device
  private var store: MockDataStore { device.store }

  init() {
    let hub = HubDouble()
    self.hub = hub
    device = Device(cursor: nil, client: { VersionedHubClient(base: $0, hub: hub) })
  }

  private let present: [ChangeEntry] = [.type("T", 1), .event("E", 2, notes: "one"), .event("F", 3, notes: "two")]

  private func begin() async {
    hub.set { $0.snapshot = present }
    await device.engine.performSync()
  }

  /// Sets the entries that the hub sends when its feed is read from the beginning.
  private func list(_ entries: [ChangeEntry]) { hub.set { $0.pages = [entries] } }

  private func alter(_ change: (any DataStoreProtocol) throws -> Void) throws {
    let unit = device.factory.makeDataStore()
    try change(unit)
    try unit.save()
  }

  private func sums(_ entries: [ChangeEntry]) -> [String: KindSum] {
    var sums: [String: KindSum] = [:]
    for entry in entries where !entry.isDelete {
      sums[entry.entityType, default: KindSum()].add(
        kind: entry.entityType, id: entry.entityId, version: entry.id, incarnation: entry.incarnation)
    }
    return sums
  }

  // MARK: Digest

  @Test func `the digests of store and hub agree, also with pending and parked entries`() async throws {
    #expect(try store.syncDigest() == nil, "nothing is held yet")
    let early = ChangeEntry.event("early", 4, of: "late type")
    hub.set {
      $0.snapshot = present + [early, .tombstone(.event, "dead", 4)]
      $0.head = 4
    }
    await device.engine.performSync()
    try device.recorder.edit(eventId: "E") { $0.notes = "mine" }
    try device.recorder.delete(eventId: "F")
    let digest = try #require(try store.syncDigest())
    #expect(digest.cursor == 4 && digest.missing == 0 && digest.strays == 0)
    #expect(digest.differences(from: sums(present + [early])).isEmpty)
    #expect(digest.differences(from: sums(present)) == ["event"])
    #expect(digest.differences(from: sums([.event("E", 2)])) == ["event", "event_type"])
  }

  @Test(
    "an alteration of the store changes the digest of its kind only",
    arguments: ["version", "life", "row", "copy", "stray"])
  func altered(how: String) async throws {
    await begin()
    try alter { unit in
      var held = try #require(try unit.heldEntry(kind: .event, id: "F"))
      switch how {
      case "version": held = .event("F", 2)
      case "life": held.incarnation = 1
      case "row": try unit.deleteEvent(id: "F")
      case "copy": try unit.deleteHeldEntry(kind: .event, id: "F")
      default:
        try unit.upsertEvent(id: "stray") {
          $0.eventTypeId = "T"
          $0.syncStatus = .synced
        }
      }
      if how == "version" || how == "life" { try unit.insertHeldEntry(held) }
    }
    let digest = try #require(try store.syncDigest())
    #expect(digest.differences(from: sums(present)) == (how == "stray" ? [] : ["event"]))
    #expect(digest.missing == (how == "row" ? 1 : 0))
    #expect(digest.strays == (how == "stray" || how == "copy" ? 1 : 0))

    try alter { try $0.requestResync() }
    try device.recorder.edit(eventId: "E") { $0.notes = "waits" }
    hub.set { $0.pushErrors = [.networkError("no route")] }
    await device.engine.performSync()
    #expect(hub.state.snapshots == 2)
    let healed = try #require(try store.syncDigest())
    #expect(healed.differences(from: sums(present)).isEmpty && healed.missing == 0 && healed.strays == 0)
    #expect(store.storedEvents["E"]?.notes == "waits" && store.storedEvents["F"]?.notes == "two")
    #expect(store.storedPendingMutations.count == 1)
  }

  // MARK: Offering missing entities

  @Test func `missing entities are offered before pending edits, with their author and stamp`() async throws {
    await begin()
    try device.recorder.edit(eventId: "F") { $0.notes = "waits" }
    list([.type("T", 1), .event("E", 2)])
    #expect(try await device.engine.requeueMissing() == 1)
    let queue = store.storedPendingMutations
    #expect(queue.map(\.entityId) == ["F", "F"] && queue.map(\.operation) == [.create, .update])
    let fields = try FieldChange.changes(of: queue[0])
    #expect(fields["notes"]?.value == "two", "as the hub gave it, under the edit that waits")
    #expect(fields["notes"]?.author == "other" && fields["notes"]?.stamp == 30 && fields["notes"]?.base == 0)
    #expect(store.storedEvents["F"]?.notes == "waits")
    await device.engine.performSync()
    #expect(hub.state.batches.flatMap { $0.mutations.map(\.operation) } == [.create, .update])
    #expect(store.storedPendingMutations.isEmpty)
  }

  @Test func `nothing is offered to a hub that has everything`() async throws {
    await begin()
    list(present)
    #expect(try await device.engine.requeueMissing() == 0)
    list(present + [.tombstone(.event, "G", 4)])
    #expect(try await device.engine.requeueMissing() == 0)
    #expect(store.storedPendingMutations.isEmpty && hub.state.batches.isEmpty)
  }

  @Test func `fields that the hub has in an older state and deletions that it lacks are offered`() async throws {
    hub.set { $0.snapshot = [.type("T", 1), .event("E", 3, notes: "new"), .tombstone(.event, "F", 2)] }
    await device.engine.performSync()
    list([.type("T", 1), .event("E", 2, notes: "old"), .event("F", 1)])
    #expect(try await device.engine.requeueMissing() == 2)
    let queue = store.storedPendingMutations
    #expect(queue.map(\.entityId) == ["E", "F"] && queue.map(\.operation) == [.update, .delete])
    #expect(try FieldChange.changes(of: queue[0])["notes"]?.base == 2 && queue[1].base == 1)
  }

  @Test func `rows without a stored entry and accepted mutations that the hub lacks are offered`() async throws {
    await begin()
    try alter { try $0.deleteHeldEntry(kind: .event, id: "F") }
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T", notes: "new"))
    hub.set { $0.pullErrors = [.networkError("no route")] }
    await device.engine.performSync()
    #expect(try store.fetchAcceptedMutations().map(\.entityId) == ["new"])
    list([.type("T", 1), .event("E", 2)])
    #expect(try await device.engine.requeueMissing() == 2)
    let queue = store.storedPendingMutations
    #expect(queue.map(\.entityId) == ["F", "new"] && queue.allSatisfy { $0.operation == .create })
    #expect(try store.fetchAcceptedMutations().isEmpty && store.storedEvents["new"]?.notes == "new")
  }

  @Test func `a hub that cannot be listed or has another history changes nothing`() async throws {
    await begin()
    hub.set { $0.pullErrors = [.networkError("no route")] }
    await #expect(throws: APIError.networkError("no route")) { try await device.engine.requeueMissing() }
    hub.set { $0.epochs = [HubEpoch(id: "another", first: 0)] }
    list([])
    #expect(try await device.engine.requeueMissing() == 0, "the next round sees to it")
    #expect(store.storedPendingMutations.isEmpty)
  }

  // MARK: Duplicates

  @Test func `an event that adds nothing to another of its type and time is a duplicate`() throws {
    func event(
      _ id: String, _ notes: String?, minute: Int = 0, type: String = "T", external: String? = nil,
      properties: [String: PropertyValue] = [:]
    ) -> Event {
      Event(
        id: id, eventTypeId: type, timestamp: DeterministicDate.jan1_2024.addingTimeInterval(Double(minute) * 60),
        notes: notes, sourceType: external == nil ? .manual : .imported, externalId: external, properties: properties)
    }
    let mood: [String: PropertyValue] = ["mood": PropertyValue(type: .number, value: 3)]
    let found = try Duplicates.find(among: [
      event("a", nil), event("b", "oat", properties: mood), event("c", "oat"), event("d", "soy"),
      event("e", nil, minute: 1), event("f", nil, minute: 1, type: "U"),
      event("g", "one", minute: 2, external: "x"), event("h", "two", minute: 2, external: "x"),
      event("i", "one", minute: 2, external: "y"),
    ])
    #expect(found.map(\.kept.id) == ["b", "g"])
    #expect(found.map { $0.doubles.map(\.id) } == [["c", "a"], []])
    #expect(found.map { $0.differing.map(\.id) } == [[], ["h"]], "both were edited: for a person to decide")
  }

  @Test func `a store without versions offers its whole record to a hub that lost its data`() throws {
    let device = Device()
    device.seedType("T")
    device.seedEvent("kept", type: "T")
    try device.store.insertTombstone(Tombstone(entityType: .event, entityId: "gone", version: 4))
    try device.store.save()
    try device.recorder.edit(eventId: "kept") { $0.notes = "new" }
    try device.recorder.offerWithoutVersions()
    #expect(
      try device.store.firstPendingMutations(9).map { "\($0.operation.rawValue) \($0.entityId)" }.sorted() == [
        "create T", "create kept", "delete gone", "update kept",
      ])
    #expect(try device.store.firstPendingMutations(9).last?.operation == .update)
    #expect(try device.store.syncCursor() == nil)
  }

  @Test func `a store that has versions or was never synced offers nothing automatically`() throws {
    let device = Device(cursor: nil)
    device.seedType("T")
    try device.recorder.offerWithoutVersions()
    #expect(device.store.storedPendingMutations.isEmpty)
    device.store.storedSyncCursor = 5
    try device.store.setSyncMemory(SyncMetadata(generation: 1))
    try device.store.save()
    try device.recorder.offerWithoutVersions()
    #expect(device.store.storedPendingMutations.isEmpty)
  }
}
