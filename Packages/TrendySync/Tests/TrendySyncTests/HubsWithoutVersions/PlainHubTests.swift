import Foundation
import Synchronization
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Rare sequences of events with a hub that sends no versions.
@Suite("A hub without versions", .timeLimit(.minutes(10)))
struct PlainHubTests {
  @Test func `a create that the hub answers with duplicate shows the hub's values`() async throws {
    let device = Device(cursor: nil)
    // The hub accepted this create earlier, and another device renamed the type. This store was then restored from a
    // backup.
    try device.recorder.record(EventTypeFixture.makeEventType(id: "T", name: "old"))
    device.network.createEventTypeWithIdempotencyResponses = [
      .failure(APIError.httpError(504)),
      .failure(APIError.problem(ProblemDetails(type: ProblemDetails.duplicateType, status: 409), retryAfter: nil)),
    ]
    device.network.eventTypesToReturn = [APIModelFixture.makeAPIEventType(id: "T", name: "new")]
    device.network.latestCursorToReturn = 9
    await device.engine.performSync()
    #expect(device.store.storedEventTypes["T"]?.name == "old", "it waits")
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.isEmpty)
    #expect(device.store.storedEventTypes["T"]?.name == "new")
    #expect(device.store.storedParkedChanges.isEmpty)
  }

  @Test("a 64-bit cursor is stored and sent back unchanged", arguments: [1 << 53, 1 << 62, Int64.max - 1, .max])
  func largeCursor(_ cursor: Int64) async throws {
    let device = Device(cursor: 10)
    device.seedType("T")
    device.network.getChangesResponses = [
      .success(APIModelFixture.makeChangeFeedResponse(nextCursor: cursor))
    ]
    for _ in 0..<3 { await device.engine.performSync() }
    #expect(device.network.getChangesCalls.map(\.cursor) == [10, cursor, cursor])
    #expect(device.store.storedSyncCursor == cursor)
    #expect(device.store.storedEventTypes.keys.sorted() == ["T"], "no snapshot was taken")
    #expect(await device.engine.state == .idle)
  }

  @Test(
    "a delete accepted at an invalid version keeps older entries out", arguments: [0, -1, .min] as [Int64])
  func deleteAcceptedAtNoVersion(_ version: Int64) async throws {
    let device = Device(cursor: 10, client: { VersionClient(base: $0, version: version) })
    device.seedType()
    device.seedEvent("E")
    try device.recorder.delete(eventId: "E")
    device.network.getChangesResponses = [
      .success(
        APIModelFixture.makeChangeFeedResponse(
          changes: [APIModelFixture.makeResurrectingChangeEntry(id: 11, entityId: "E")], nextCursor: 11))
    ]
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.isEmpty)
    #expect(device.store.storedEvents.isEmpty)
  }

  @Test("a page with entries in any order applies the last write of each entity", arguments: 0..<6)
  func pageInAnyOrder(permutation: Int) async throws {
    let device = Device(cursor: 10)
    device.seedType()
    func entry(_ id: Int64, _ operation: String, _ entityId: String, notes: String = "") -> ChangeEntry {
      var entry = APIModelFixture.makeChangeEntry(id: id, operation: operation, entityId: entityId)
      entry.data?.rawData["notes"] = .string(notes)
      return entry
    }
    var writes = [
      entry(11, "create", "E", notes: "first"), entry(12, "update", "E", notes: "last"), entry(13, "create", "gone"),
      entry(14, "delete", "gone"),
    ]
    var generator = SeededGenerator(seed: UInt64(permutation))
    writes.shuffle(using: &generator)
    device.network.getChangesResponses = [
      .success(APIModelFixture.makeChangeFeedResponse(changes: writes, nextCursor: 14))
    ]
    await device.engine.performSync()
    #expect(device.store.storedEvents.mapValues(\.notes) == ["E": "last"], "\(writes.map(\.id))")
  }

  private struct VersionClient: ForwardingNetworkClient {
    let base: MockNetworkClient
    let version: Int64
    func push(_ mutations: [PendingMutation]) async throws -> [MutationOutcome] {
      mutations.map { _ in .accepted(version: version) }
    }
  }

  @Test func `dropping a refused edit brings the hub's value back`() async throws {
    let device = Device(cursor: 10)
    device.seedType("T")
    try device.recorder.edit(eventTypeId: "T") { $0.name = "refused" }
    let problem = ProblemDetails(type: "urn:trendy:error:invalid", title: "No", status: 422)
    device.network.updateEventTypeResponses = [.failure(APIError.problem(problem, retryAfter: nil))]
    device.network.eventTypesToReturn = [APIModelFixture.makeAPIEventType(id: "T", name: "Coffee")]
    device.network.latestCursorToReturn = 10
    await device.engine.performSync()
    #expect(device.store.storedEventTypes["T"]?.name == "refused")
    try device.recorder.dropConflict(id: #require(device.recorder.openConflicts().first?.id))
    await device.engine.performSync()
    #expect(device.store.storedEventTypes["T"]?.name == "Coffee")
    #expect(device.store.storedEventTypes["T"]?.syncStatus == .synced)
  }

  @Test func `a delete cleared from the queue can be retried before a snapshot has restored its row`() async throws {
    let device = Device(cursor: 10)
    device.seedType("T")
    try device.recorder.delete(eventTypeId: "T")
    await device.engine.clearPendingMutations()
    #expect(device.store.storedEventTypes["T"] == nil, "only a snapshot says what the hub has")
    try device.recorder.retryConflict(id: #require(device.recorder.openConflicts().first?.id))
    #expect(device.store.storedPendingMutations.map(\.operation) == [.delete])
    #expect(device.store.storedConflicts.isEmpty)
  }

  @Test(
    "deleting a type deletes its skips, even before the first snapshot",
    arguments: [10, nil] as [Int64?])
  func goesWithItsType(cursor: Int64?) throws {
    let device = Device(cursor: cursor)
    device.seedType("T")
    device.seedType("U")
    for (id, type) in [("gone", "T"), ("stays", "U")] {
      try device.recorder.record(
        SyncedRecord(
          id: id, kind: .skip,
          fields: [
            "event_type_id": .string(type), "from": "2024-01-01", "to": "2024-01-31",
          ]))
    }
    try device.recorder.delete(eventTypeId: "T")
    #expect(try device.factory.makeDataStore().fetchRecords(kind: .skip).map(\.id) == ["stays"])
  }

  @Test("an event moved to a type that is then deleted stays hidden", arguments: [10, nil] as [Int64?])
  func movedToDeletedType(cursor: Int64?) async throws {
    let device = Device(cursor: cursor)
    device.seedType("old")
    device.seedType("gone")
    device.seedEvent("evt-1", type: "old")
    try device.recorder.edit(eventId: "evt-1") { $0.eventTypeId = "gone" }
    try device.recorder.delete(eventTypeId: "gone")
    device.network.updateEventResponses = [.failure(APIError.httpError(503))]
    device.network.eventTypesToReturn = [APIModelFixture.makeAPIEventType(id: "old")]
    device.network.eventsToReturn = [APIModelFixture.makeAPIEvent(id: "evt-1", eventTypeId: "old")]
    device.network.latestCursorToReturn = 11
    var changed = APIModelFixture.makeChangeEntry(id: 11, operation: "update", entityId: "evt-1")
    changed.data?.rawData["event_type_id"] = "old"
    device.setFeed([changed], next: 11)
    await device.engine.performSync()
    #expect(device.store.storedEvents["evt-1"] == nil)
    #expect(device.store.storedPendingMutations.count == 2)
  }

  @Test func `an unsent event stays hidden with its deleted type when the feed reports the event as deleted`()
    async throws
  {
    let device = Device(cursor: 10, configuration: SyncConfiguration(batchSize: 1))
    device.seedType("T")
    // The push of this create fails, so the event is not sent.
    try device.recorder.record(EventTypeFixture.makeEventType(id: "first"))
    device.network.createEventTypeWithIdempotencyResponses = [.failure(APIError.networkError("lost"))]
    try device.record(events: 1, type: "T")
    let id = try #require(device.store.storedPendingMutations.last?.entityId)
    try device.recorder.delete(eventTypeId: "T")
    #expect(device.store.storedEvents.isEmpty)
    device.setFeed([APIModelFixture.makeChangeEntry(id: 11, operation: "delete", entityId: id)], next: 11)
    await device.engine.performSync()
    #expect(try device.store.syncCursor() == 11)
    #expect(device.store.storedEvents.isEmpty && device.store.storedEventTypes["T"] == nil)
    #expect(device.store.storedPendingMutations.map(\.operation) == [.create, .create, .delete])
  }

  @Test func `a refused edit is not shown while the create of its entity is pending`() async throws {
    let device = Device(cursor: nil)
    let isRefused = Mutex(false)
    let engine = device.restarted(
      client: VersionedClient(base: device.network) { mutations in
        guard isRefused.withLock({ $0 }) else { throw APIError.networkError("lost") }
        return mutations.map {
          $0.operation == .update
            ? .refused(ProblemDetails(type: "urn:trendy:error:invalid", title: "No", status: 422))
            : .tryLater(retryAfter: nil)
        }.reversed().reversed()
      })
    try device.recorder.record(EventTypeFixture.makeEventType(id: "T", name: "made"))
    await engine.performSync()
    try device.recorder.edit(eventTypeId: "T") { $0.name = "edited" }
    isRefused.withLock { $0 = true }
    await engine.performSync()
    let waits = device.store.storedPendingMutations.map(\.operation)
    #expect(device.store.storedConflicts.map(\.operation) == [.update] && waits == [.create])
    #expect(device.store.storedEventTypes["T"]?.name == "made")
  }
}
