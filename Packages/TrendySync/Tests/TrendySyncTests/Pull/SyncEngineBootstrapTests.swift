import Foundation
import Synchronization
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

@Suite("SyncEngine snapshots", .timeLimit(.minutes(10)))
struct SyncEngineBootstrapTests {
  private let device = Device(cursor: nil)
  private var store: MockDataStore { device.store }

  private func fillHub(_ network: MockNetworkClient, cursor: Int64 = 40) {
    network.eventTypesToReturn = [APIModelFixture.makeAPIEventType()]
    network.eventsToReturn = [APIModelFixture.makeAPIEvent()]
    network.geofencesToReturn = [APIModelFixture.makeAPIGeofence()]
    network.propertyDefinitionsToReturn = [APIModelFixture.makeAPIPropertyDefinition()]
    network.latestCursorToReturn = cursor
  }

  @Test(
    "a device without a cursor loads a snapshot and continues from the snapshot's cursor",
    arguments: [nil, 0] as [Int64?])
  func first(cursor: Int64?) async throws {
    let device = Device(cursor: cursor)
    fillHub(device.network)
    await device.engine.performSync()
    #expect(Set(device.store.storedEvents.keys) == ["evt-1"])
    #expect(Set(device.store.storedEventTypes.keys) == ["type-1"])
    #expect(Set(device.store.storedGeofences.keys) == ["geo-1"])
    #expect(Set(device.store.storedPropertyDefinitions.keys) == ["propdef-1"])
    #expect(device.store.storedEvents["evt-1"]?.syncStatus == .synced)
    #expect(device.store.storedSyncCursor == 40)
    #expect(device.network.getChangesCalls.map(\.cursor) == [40])
    #expect(await device.engine.state == .idle)
    await device.engine.performSync()
    #expect(device.network.getAllEventsCalls.count == 1)
  }

  @Test func `event types are stored before the entities that refer to them, in one save`() async throws {
    fillHub(device.network)
    await device.engine.performSync()
    // No placeholder type was created for a row that arrived before its type.
    #expect(store.storedEventTypes["type-1"]?.name == "Workout")
    #expect(store.storedEventTypes.count == 1 && store.storedParkedChanges.isEmpty)
    #expect(store.upsertEventTypeCalls.count == 1)
    #expect(store.saveCalls == 2, "the snapshot, and the page after it")
  }

  @Test(
    "a snapshot with a missing list changes nothing",
    arguments: [0, 1, 2, 3, 4])
  func halfway(failing list: Int) async throws {
    device.seedType("type-old")
    device.seedEvent("evt-old", type: "type-old")
    fillHub(device.network)
    let cutOff = APIError.networkError("cut off")
    switch list {
    case 0: device.network.getLatestCursorResponses = [.failure(cutOff)]
    // The first response goes to the health check.
    case 1: device.network.getEventTypesResponses = [.success([]), .failure(cutOff)]
    case 2: device.network.getPropertyDefinitionsResponses = [.failure(cutOff)]
    case 3: device.network.getAllEventsResponses = [.failure(cutOff)]
    default: device.network.getGeofencesResponses = [.failure(cutOff)]
    }
    await device.engine.performSync()
    #expect(Set(store.storedEvents.keys) == ["evt-old"] && Set(store.storedEventTypes.keys) == ["type-old"])
    #expect(store.storedSyncCursor == nil)
    #expect(await device.engine.state.isError)
    await device.engine.performSync()
    #expect(Set(store.storedEvents.keys) == ["evt-1"] && Set(store.storedEventTypes.keys) == ["type-1"])
    #expect(store.storedSyncCursor == 40)
  }

  @Test func `a snapshot that cannot be saved changes nothing`() async throws {
    device.seedType("type-old")
    fillHub(device.network)
    store.throwOnSave = TestError()
    await device.engine.performSync()
    #expect(Set(store.storedEventTypes.keys) == ["type-old"] && store.storedSyncCursor == nil)
    #expect(await device.engine.state.errorWords.hasPrefix("Cannot read or write the store"))
  }

  @Test func `an expired cursor leads to a snapshot in the same round and keeps the queue`() async throws {
    let device = Device(cursor: 10)
    device.seedType("type-old")
    device.seedType()
    try device.record(events: 1)
    fillHub(device.network)
    device.network.createEventsBatchResponses = [.failure(APIError.httpError(503))]
    device.network.getChangesResponses = [.failure(APIError.httpError(410))]
    await device.engine.performSync()
    #expect(device.network.getChangesCalls.map(\.cursor) == [10, 40])
    #expect(Set(device.store.storedEventTypes.keys) == ["type-1"])
    #expect(device.store.storedPendingMutations.count == 1)
  }

  @Test func `the round after a failed snapshot begins with the snapshot`() async throws {
    // If the round began with another request, a hub that allows one request a minute would never receive the snapshot
    // request.
    let device = Device(cursor: 10)
    device.seedType()
    try device.record(events: 1)
    fillHub(device.network)
    device.network.createEventsBatchResponses = [.failure(rateLimit)]
    device.network.getChangesResponses = [.failure(APIError.httpError(410))]
    device.network.getLatestCursorResponses = [.failure(rateLimit)]
    await device.engine.performSync()
    #expect(device.network.operations.suffix(2) == [.getChanges, .getLatestCursor])
    let before = device.network.operations.count
    await device.engine.performSync()
    #expect(device.network.operations.dropFirst(before).first { $0 != .getEventTypes } == .getLatestCursor)
    #expect(device.network.getChangesCalls.map(\.cursor) == [10, 40])
    #expect(await device.engine.lastFailure == nil)
    #expect(device.store.storedPendingMutations.isEmpty)
  }

  @Test func `a feed that still reports an expired cursor after a snapshot is an error`() async throws {
    let device = Device(cursor: 10)
    device.network.getChangesResponses = Array(repeating: .failure(APIError.httpError(410)), count: 9)
    await device.engine.performSync()
    #expect(device.network.getChangesCalls.count == 2)
    #expect(await device.engine.state.isError)
  }

  @Test func `unsent edits stay in the queue and stay visible`() async throws {
    device.seedType()
    device.seedType("type-old")
    store.seedEvent(id: "evt-1", eventType: EventTypeFixture.makeEventType()) { $0.notes = "old" }
    try device.recorder.edit(eventId: "evt-1") { $0.notes = "mine" }
    try device.recorder.record(EventFixture.makeEvent(id: "evt-new"))
    try device.recorder.record(EventFixture.makeEvent(id: "evt-orphan", eventTypeId: "type-old"))
    let waiting = store.storedPendingMutations.map(\.id)
    fillHub(device.network)
    device.network.eventsToReturn = [APIModelFixture.makeAPIEvent(notes: "theirs", locationName: "theirs")]
    device.network.updateEventResponses = [.failure(APIError.httpError(503))]
    device.network.createEventsBatchResponses = [.failure(APIError.httpError(503))]
    await device.engine.performSync()
    #expect(store.storedPendingMutations.map(\.id) == waiting)
    #expect(store.storedEvents["evt-1"]?.notes == "mine" && store.storedEvents["evt-1"]?.locationName == "theirs")
    #expect(store.storedEvents["evt-new"]?.syncStatus == .pending)
    #expect(store.storedEvents["evt-orphan"] != nil && store.storedEventTypes["type-old"] != nil)
    #expect(
      store.storedParkedChanges.filter(\.isDeletion).map(\.entityId).sorted() == ["evt-new", "evt-orphan", "type-old"],
      "the type goes when the hub has judged the event; of what was sent the answer says whether it was there and is gone"
    )
    #expect(store.storedSyncCursor == 40)
  }

  @Test func `a temporarily failing push does not prevent the first snapshot`() async throws {
    device.seedType()
    try device.record(events: 1)
    fillHub(device.network)
    device.network.createEventsBatchResponses = [.failure(rateLimit)]
    await device.engine.performSync()
    #expect(Set(store.storedEvents.keys) == ["evt-1", newEventId(0)])
    #expect(await device.engine.state.isRateLimited)
  }

  @Test func `entities of every kind that the snapshot lacks are removed`() async throws {
    let type = device.seedType("type-old")
    device.seedEvent("evt-old", type: "type-old")
    store.seedGeofence(id: "geo-old")
    store.seedPropertyDefinition(id: "def-old", eventType: type)
    fillHub(device.network)
    await device.engine.performSync()
    #expect(Set(store.storedEventTypes.keys) == ["type-1"] && Set(store.storedEvents.keys) == ["evt-1"])
    #expect(Set(store.storedGeofences.keys) == ["geo-1"])
    #expect(Set(store.storedPropertyDefinitions.keys) == ["propdef-1"])
  }

  @Test func `a pending delete keeps its entity out of the snapshot`() async throws {
    device.seedType()
    device.seedEvent()
    try device.recorder.delete(eventId: "evt-1")
    fillHub(device.network)
    device.network.deleteEventResponses = [.failure(APIError.httpError(503))]
    await device.engine.performSync()
    #expect(store.storedEvents.isEmpty && store.storedTombstones.count == 1)
  }

  @Test(
    "after a lost answer an entity in the snapshot is shown only if its delete has a lower version",
    arguments: [30, 41] as [Int64])
  func restoredMeanwhile(version: Int64) async throws {
    let isAnswered = Mutex(false)
    let device = Device(client: { base in
      VersionedClient(base: base) { mutations in
        guard isAnswered.withLock({ $0 }) else { throw APIError.httpError(503) }
        return mutations.map { _ in .accepted(version: version) }
      }
    })
    device.seedType()
    device.seedEvent()
    try device.recorder.delete(eventId: "evt-1")
    fillHub(device.network)
    await device.engine.forceFullResync()
    #expect(device.store.storedEvents.isEmpty && device.store.storedSyncCursor == 40)
    isAnswered.withLock { $0 = true }
    device.setFeed([], next: max(40, version))
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.isEmpty && device.store.storedParkedChanges.isEmpty)
    #expect(device.store.storedEvents.isEmpty == (version > 40))
  }

  @Test func `a pending delete of a type keeps its children out of the snapshot`() async throws {
    device.seedType()
    device.seedEvent()
    try device.recorder.delete(eventTypeId: "type-1")
    fillHub(device.network)
    device.network.deleteEventTypeResponses = [.failure(APIError.httpError(503))]
    await device.engine.performSync()
    #expect(store.storedEvents.isEmpty && store.storedEventTypes.isEmpty)
    #expect(store.storedPropertyDefinitions.isEmpty)
    #expect(
      Set(store.storedParkedChanges.map(\.entityId)) == ["type-1", "propdef-1", "evt-1"],
      "the answer to the delete says which of the two is the later")
  }

  @Test func `an event whose type is only in the feed is parked until the type arrives`() async throws {
    fillHub(device.network)
    device.network.eventsToReturn.append(APIModelFixture.makeAPIEvent(id: "evt-2", eventTypeId: "type-2"))
    device.setFeed(
      [APIModelFixture.makeChangeEntry(id: 41, entityType: "event_type", entityId: "type-2")], next: 41)
    await device.engine.performSync()
    #expect(store.storedEvents["evt-2"]?.eventTypeId == "type-2" && store.storedParkedChanges.isEmpty)
  }

  @Test func `a full resync replaces the replica and keeps the queue`() async throws {
    let device = Device(cursor: 10)
    device.seedType("type-old")
    device.seedType()
    try device.record(events: 1)
    fillHub(device.network)
    device.network.createEventsBatchResponses = [.failure(APIError.httpError(503))]
    await device.engine.forceFullResync()
    #expect(Set(device.store.storedEventTypes.keys) == ["type-1"])
    #expect(Set(device.store.storedEvents.keys) == ["evt-1", newEventId(0)])
    #expect(device.store.storedPendingMutations.count == 1 && device.store.storedSyncCursor == 40)
  }

  @Test func `skipping to the latest cursor loads a snapshot`() async throws {
    let device = Device(cursor: 10)
    fillHub(device.network)
    #expect(try await device.engine.skipToLatestCursor() == 40)
    #expect(device.store.storedSyncCursor == 40 && device.store.storedEvents["evt-1"] != nil)
    #expect(device.network.getChangesCalls.isEmpty)
    #expect(await device.engine.state == .idle)
  }

  @Test func `a failed skip throws its error and changes nothing`() async throws {
    let device = Device(cursor: 10)
    device.seedType("type-old")
    device.network.getAllEventsResponses = [.failure(APIError.networkError("cut off"))]
    await #expect(throws: APIError.networkError("cut off")) { try await device.engine.skipToLatestCursor() }
    #expect(device.store.storedSyncCursor == 10 && device.store.storedEventTypes["type-old"] != nil)
    #expect(await device.engine.state.isError)
  }
}

extension ChangeEntry {
  fileprivate var isDeletion: Bool { operation == "delete" }
}
