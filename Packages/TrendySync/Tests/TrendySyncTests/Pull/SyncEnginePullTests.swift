import Foundation
import Synchronization
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

@Suite("SyncEngine pulls", .timeLimit(.minutes(10)))
struct SyncEnginePullTests {
  private let device = Device()
  private var store: MockDataStore { device.store }

  private func entry(
    _ id: Int64, _ kind: MutationEntityType = .event, _ operation: String = "create", _ entityId: String = "evt-1",
    _ members: [String: JSONValue] = [:]
  ) -> ChangeEntry {
    var entry = APIModelFixture.makeChangeEntry(
      id: id, entityType: kind.rawValue, operation: operation, entityId: entityId)
    for (name, value) in members { entry.data?.rawData[name] = value }
    return entry
  }

  private func page(_ changes: [ChangeEntry], next: Int64, hasMore: Bool = false) -> Result<
    ChangeFeedResponse, any Error
  > {
    .success(APIModelFixture.makeChangeFeedResponse(changes: changes, nextCursor: next, hasMore: hasMore))
  }

  // MARK: Cursor

  /// Client that implements only the operations without versions. All other operations use the protocol's defaults.
  private struct WrappingClient: ForwardingNetworkClient {
    let base: MockNetworkClient
  }

  @Test func `a client with only the plain operations stays synced with a hub that sends its position`() async {
    let device = Device(cursor: nil, client: { WrappingClient(base: $0) })
    device.network.latestCursorToReturn = 10
    var page = APIModelFixture.makeChangeFeedResponse(changes: [], nextCursor: 11)
    page.position = HubPosition(head: 11, epochs: [HubEpoch(id: "e", first: 1)])
    device.network.changeFeedResponseToReturn = page
    await device.engine.performSync()
    #expect(await device.engine.lastFailure == nil)
    #expect(device.store.storedSyncCursor == 11)
    #expect(device.network.getLatestCursorCalls.count == 1, "one snapshot is enough")
  }

  @Test func `a pull reads page by page to the end, also across skipped entries`() async throws {
    device.seedType()
    device.seedEvent("evt-gone")
    try device.recorder.delete(eventId: "evt-gone")
    device.network.deleteEventResponses = [.failure(APIError.httpError(503))]
    device.network.getChangesResponses = [
      page([entry(11, .event, "create", "evt-gone")], next: 11, hasMore: true),
      page([entry(12, .event, "update", "evt-gone")], next: 12, hasMore: true),
      page([entry(13)], next: 13),
    ]
    await device.engine.performSync()
    #expect(device.network.getChangesCalls.map(\.cursor) == [10, 11, 12])
    #expect(device.network.getChangesCalls.map(\.limit) == [100, 500, 500])
    #expect(store.storedSyncCursor == 13)
    #expect(Set(store.storedEvents.keys) == ["evt-1"])
  }

  @Test func `a page and its cursor are stored in one save`() async throws {
    device.seedType()
    device.setFeed([entry(11), entry(12, .event, "create", "evt-2")], next: 12)
    let saves = store.saveCalls
    await device.engine.performSync()
    #expect(store.saveCalls == saves + 1)
    #expect(store.storedEvents.count == 2 && store.storedSyncCursor == 12)
    #expect(store.storedEvents["evt-1"]?.syncStatus == .synced)
  }

  @Test func `a page that cannot be saved stores neither rows nor cursor and reports the error`() async throws {
    device.seedType()
    device.network.getChangesResponses = [page([entry(11)], next: 11)]
    store.throwOnSave = TestError("disk full")
    await device.engine.performSync()
    #expect(store.storedEvents.isEmpty && store.storedSyncCursor == 10)
    #expect(await device.engine.state.errorWords.contains("disk full"))
    store.throwOnSave = nil
    device.network.getChangesResponses = [page([entry(11)], next: 11)]
    await device.engine.performSync()
    #expect(device.network.getChangesCalls.map(\.cursor) == [10, 10])
    #expect(store.storedEvents.count == 1 && store.storedSyncCursor == 11)
  }

  /// An open store whose files a restored backup has replaced fails permanently.
  @Test func `a unit of work that fails on reading is replaced`() async throws {
    await device.engine.performSync()
    let made = device.factory.makeDataStoreCalls
    store.throwOnFetchAll = TestError("replaced")
    await device.engine.performSync()
    #expect(await device.engine.state.errorWords.contains("replaced"))
    store.throwOnFetchAll = nil
    await device.engine.performSync()
    #expect(await !device.engine.state.isError)
    #expect(device.factory.makeDataStoreCalls > made)
  }

  @Test func `an invalid edit does not make the engine replace its unit of work`() async throws {
    await device.engine.performSync()
    let made = device.factory.makeDataStoreCalls
    let other = #"{"id":"other","event_type_id":"T","timestamp":"2024-01-01T00:00:00Z"}"#
    for payload in ["{", "[]", #"{"id":"E"}"#, other].map({ Data($0.utf8) }) {
      await #expect(throws: (any Error).self) {
        try await device.engine.queueMutation(entityType: .event, operation: .create, entityId: "E", payload: payload)
      }
    }
    await device.engine.performSync()
    #expect(device.factory.makeDataStoreCalls == made)
  }

  @Test func `the pages before a failed page are kept`() async throws {
    device.seedType()
    device.network.getChangesResponses = [
      page([entry(11)], next: 11, hasMore: true), .failure(APIError.networkError("cut off")),
    ]
    await device.engine.performSync()
    #expect(store.storedSyncCursor == 11 && store.storedEvents.count == 1)
    #expect(await device.engine.state.isError)
  }

  @Test func `the cursor survives a restart`() async throws {
    device.setFeed([], next: 25)
    await device.engine.performSync()
    await device.restarted().performSync()
    #expect(device.network.getChangesCalls.map(\.cursor) == [10, 25])
  }

  @Test("a page with a lower cursor is an error and changes nothing", arguments: [true, false])
  func neverBack(hasMore: Bool) async throws {
    device.seedType()
    device.network.getChangesResponses = [page([entry(5)], next: 9, hasMore: hasMore)]
    await device.engine.performSync()
    #expect(store.storedSyncCursor == 10 && store.storedEvents.isEmpty)
    #expect(await device.engine.state.errorWords.contains("from 10 to 9"))
    #expect(device.network.getChangesCalls.count == 1)
  }

  @Test func `a feed that announces more but does not advance is an error`() async throws {
    device.network.changeFeedResponseToReturn = APIModelFixture.makeChangeFeedResponse(nextCursor: 10, hasMore: true)
    await device.engine.performSync()
    #expect(device.network.getChangesCalls.count == 1)
    #expect(await device.engine.state.errorWords.contains("full resync"))
  }

  /// Hub with an endless feed: every page has a higher cursor but no new entries.
  private struct EndlessClient: ForwardingNetworkClient {
    let base: MockNetworkClient
    let changes: [ChangeEntry]
    func getChanges(since cursor: Int64, limit: Int) async throws -> ChangeFeedResponse {
      _ = try await base.getChanges(since: cursor, limit: limit)
      if base.getChangesCalls.count > 1000 { throw APIError.networkError("asked a thousand times") }
      return ChangeFeedResponse(changes: changes, nextCursor: cursor + 1, hasMore: true)
    }
  }

  @Test("an endless feed without new entries ends the round with an error", arguments: [false, true])
  func endless(repeatsItself: Bool) async throws {
    let changes = repeatsItself ? [entry(11)] : []
    let device = Device(client: { EndlessClient(base: $0, changes: changes) })
    device.seedType()
    await device.engine.performSync()
    #expect(device.network.getChangesCalls.count <= 101)
    #expect(await device.engine.state.errorWords.contains("without a new entry"))
    #expect(device.store.storedEvents.count == changes.count, "what came is kept")
    let reached = try #require(device.store.storedSyncCursor)
    #expect(reached > 10)
    await device.engine.performSync()
    #expect(try #require(device.store.storedSyncCursor) > reached, "the next round goes on from there")
  }

  @Test func `a page that arrives after another process has moved on changes nothing`() async throws {
    device.seedType()
    let others = store.otherUnits
    device.network.beforeAnswering = { operation in
      guard operation == .getChanges else { return }
      let unit = others.makeDataStore()
      try? unit.setSyncCursor(50)
      try? unit.save()
    }
    device.setFeed([entry(11)], next: 11)
    await device.engine.performSync()
    #expect(store.storedSyncCursor == 50 && store.storedEvents.isEmpty)
    #expect(await device.engine.state.errorWords.contains("Another process"))
  }

  // MARK: Pending edits

  @Test func `a pending edit stays visible over other devices' changes`() async throws {
    device.seedType()
    store.seedEvent(id: "evt-1", eventType: EventTypeFixture.makeEventType()) { $0.notes = "old" }
    try device.recorder.edit(eventId: "evt-1") { $0.notes = "mine" }
    device.network.updateEventResponses = [.failure(APIError.httpError(503))]
    device.setFeed([entry(11, .event, "update", "evt-1", ["notes": "theirs", "location_name": "theirs"])], next: 11)
    await device.engine.performSync()
    let event = try #require(store.storedEvents["evt-1"])
    #expect(event.notes == "mine" && event.locationName == "theirs" && event.syncStatus == .pending)
    await device.engine.performSync()
    #expect(store.storedEvents["evt-1"]?.syncStatus == .synced)
  }

  @Test(
    "after a lost answer the newer of the local and the remote value is shown",
    // An outcome without a version means that the entity already existed, so the create changed nothing.
    arguments: [(11, "theirs"), (12, "mine"), (13, "mine"), (nil, "theirs")] as [(Int64?, String)])
  func lostAnswer(version: Int64?, notes: String) async throws {
    let answers = Mutex<[MutationOutcome]?>(nil)
    let device = Device(client: { base in
      VersionedClient(base: base) { _ in
        guard let answer = answers.withLock({ $0 }) else { throw APIError.networkError("cut off") }
        return answer
      }
    })
    device.seedType()
    try device.recorder.record(EventFixture.makeEvent(notes: "mine"))
    // The hub has accepted the create, and another device has then changed the event.
    device.setFeed([entry(12, .event, "update", "evt-1", ["notes": "theirs"])], next: 12)
    await device.engine.performSync()
    #expect(device.store.storedEvents["evt-1"]?.notes == "mine", "what waits is shown on top")
    answers.withLock { $0 = [.accepted(version: version)] }
    await device.engine.performSync()
    #expect(device.store.storedEvents["evt-1"]?.notes == notes)
    #expect(device.store.storedEvents["evt-1"]?.syncStatus == .synced)
    #expect(device.store.storedParkedChanges.isEmpty)
  }

  @Test func `a remote delete wins and the refused edit moves to the conflict journal`() async throws {
    device.seedType()
    device.seedEvent()
    try device.recorder.edit(eventId: "evt-1") { $0.notes = "mine" }
    device.network.updateEventResponses = [.failure(APIError.httpError(503))]
    device.setFeed([entry(11, .event, "delete")], next: 11)
    await device.engine.performSync()
    #expect(store.storedEvents.isEmpty && store.storedPendingMutations.count == 1)
    device.network.updateEventResponses = [
      .failure(
        APIError.problem(
          ProblemDetails(type: "urn:trendy:error:entity_deleted", title: "Deleted", status: 409), retryAfter: nil))
    ]
    await device.engine.performSync()
    #expect(store.storedEvents.isEmpty && store.storedPendingMutations.isEmpty)
    let conflict = try #require(store.storedConflicts.first)
    #expect(conflict.reason.contains("Deleted"))
    #expect(try WireJSON.decode(UpdateEventRequest.self, from: conflict.payload).notes == .value("mine"))
  }

  @Test func `an entry keeps the fields that this version does not know`() async throws {
    device.seedType()
    device.setFeed([entry(11, .event, "create", "evt-1", ["mood": ["of": "tomorrow"]])], next: 11)
    await device.engine.performSync()
    #expect(store.storedEvents["evt-1"]?.unknownFields["mood"] == ["of": "tomorrow"])
  }

  // MARK: Deletes

  @Test("a remote delete removes the row", arguments: MutationEntityType.typed)
  func deletes(kind: MutationEntityType) async throws {
    let type = device.seedType()
    device.seedType("gone")
    device.seedEvent("gone")
    store.seedGeofence(id: "gone")
    store.seedPropertyDefinition(id: "gone", eventType: type)
    device.setFeed([entry(11, kind, "delete", "gone")], next: 11)
    await device.engine.performSync()
    let held: [MutationEntityType: Bool] = [
      .event: store.storedEvents["gone"] != nil, .eventType: store.storedEventTypes["gone"] != nil,
      .geofence: store.storedGeofences["gone"] != nil,
      .propertyDefinition: store.storedPropertyDefinitions["gone"] != nil,
    ]
    #expect(held.filter { !$0.value }.map(\.key) == [kind])
  }

  @Test func `a remote delete of a type removes the type's events`() async throws {
    device.seedType()
    device.seedType("type-2")
    device.seedEvent("evt-1")
    device.seedEvent("evt-2", type: "type-2")
    device.setFeed([entry(11, .eventType, "delete", "type-1")], next: 11)
    await device.engine.performSync()
    #expect(Set(store.storedEvents.keys) == ["evt-2"] && Set(store.storedEventTypes.keys) == ["type-2"])
  }

  @Test func `a remote delete of a type is parked while an event recorded under it is pending`() async throws {
    device.seedType()
    device.seedEvent("evt-settled")
    try device.record(events: 1)
    device.network.createEventsBatchResponses = [.failure(APIError.httpError(503))]
    device.setFeed([entry(11, .eventType, "delete", "type-1")], next: 11)
    await device.engine.performSync()
    #expect(store.storedEvents[newEventId(0)] != nil && store.storedEventTypes["type-1"] != nil)
    #expect(store.storedParkedChanges.map(\.id) == [11] && store.storedSyncCursor == 11)
    device.network.createEventsBatchResponses = [
      .success(
        APIModelFixture.makeBatchCreateEventsResponse(
          errors: [APIModelFixture.makeBatchError(message: "its type is deleted")]))
    ]
    await device.engine.performSync()
    #expect(store.storedEvents.isEmpty && store.storedEventTypes.isEmpty && store.storedParkedChanges.isEmpty)
    #expect(store.storedConflicts.map(\.entityId) == [newEventId(0)])
  }

  // MARK: Parking

  @Test func `an event that precedes its type is shown when a later page brings the type`() async throws {
    device.network.getChangesResponses = [
      page([entry(11, .event, "create", "evt-1", ["event_type_id": "type-late"])], next: 11, hasMore: true),
      page([entry(12, .eventType, "create", "type-late")], next: 12),
    ]
    await device.engine.performSync()
    #expect(store.storedEvents["evt-1"]?.eventTypeId == "type-late")
    #expect(store.storedParkedChanges.isEmpty)
  }

  @Test func `an event without its type is parked and the cursor advances`() async throws {
    let early = entry(11, .event, "create", "evt-1", ["event_type_id": "type-late"])
    device.setFeed([early], next: 11)
    await device.engine.performSync()
    #expect(store.storedEvents.isEmpty && store.storedParkedChanges == [early] && store.storedSyncCursor == 11)
    #expect(await device.engine.state == .idle)
    device.setFeed([entry(12, .eventType, "create", "type-late")], next: 12)
    await device.restarted().performSync()
    #expect(store.storedEvents.count == 1 && store.storedParkedChanges.isEmpty)
  }

  @Test func `a later entry replaces the parked one`() async throws {
    device.setFeed([entry(11, .event, "create", "evt-1", ["event_type_id": "type-late", "notes": "old"])], next: 11)
    await device.engine.performSync()
    device.setFeed(
      [
        entry(12, .event, "update", "evt-1", ["event_type_id": "type-late", "notes": "new"]),
        entry(13, .eventType, "create", "type-late"),
      ], next: 13)
    await device.engine.performSync()
    #expect(store.storedEvents["evt-1"]?.notes == "new" && store.storedParkedChanges.isEmpty)
  }

  @Test func `a delete removes the parked entry`() async throws {
    device.setFeed([entry(11, .event, "create", "evt-1", ["event_type_id": "type-late"])], next: 11)
    await device.engine.performSync()
    device.setFeed([entry(12, .event, "delete"), entry(13, .eventType, "create", "type-late")], next: 13)
    await device.engine.performSync()
    #expect(store.storedEvents.isEmpty && store.storedParkedChanges.isEmpty)
  }

  @Test func `unknown kinds and unreadable entries are parked and do not stop the pull`() async throws {
    device.seedType()
    let unknown = ChangeEntry(
      id: 11, entityType: "mood_ring", operation: "create", entityId: "m-1", data: ChangeEntryData(rawData: ["x": 1]))
    let unreadable = entry(12, .event, "create", "evt-bad", ["timestamp": "yesterday"])
    let other = entry(13, .event, "create", "evt-other", ["id": "evt-else"])
    device.setFeed([unknown, unreadable, other, entry(14)], next: 14)
    await device.engine.performSync()
    #expect(store.storedParkedChanges == [unknown, unreadable, other])
    #expect(Set(store.storedEvents.keys) == ["evt-1"] && store.storedSyncCursor == 14)
    #expect(await device.engine.state == .idle)
    device.setFeed([entry(15, .event, "update", "evt-bad")], next: 15)
    await device.engine.performSync()
    #expect(store.storedParkedChanges == [unknown, other] && store.storedEvents["evt-bad"] != nil)
  }

  // MARK: Status 401

  @Test func `a pull rejected with 401 reports that the device must be connected again`() async throws {
    device.network.getChangesResponses = [.failure(APIError.httpError(401))]
    await device.engine.performSync()
    #expect(await device.engine.state.errorWords.contains("Pair the device again"))
  }
}
