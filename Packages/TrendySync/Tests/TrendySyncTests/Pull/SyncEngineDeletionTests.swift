import Synchronization
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Checks that a feed that still contains deleted entities does not restore them.
@Suite("SyncEngine and local deletes", .timeLimit(.minutes(10)))
struct SyncEngineDeletionTests {
  static let kinds = MutationEntityType.typed

  /// Returns a device that has just deleted its only entity of this kind.
  private func device(
    deleting kind: MutationEntityType, client: (MockNetworkClient) -> any NetworkClientProtocol = { $0 }
  ) throws -> Device {
    let device = Device(client: client)
    let type = device.seedType()
    switch kind {
    case .event:
      device.seedEvent("gone")
      try device.recorder.delete(eventId: "gone")
    case .eventType:
      device.seedType("gone")
      try device.recorder.delete(eventTypeId: "gone")
    case .geofence:
      device.store.seedGeofence(id: "gone")
      try device.recorder.delete(geofenceId: "gone")
    case .propertyDefinition:
      device.store.seedPropertyDefinition(id: "gone", eventType: type)
      try device.recorder.delete(propertyDefinitionId: "gone")
    default: preconditionFailure("\(kind) has no type of its own")
    }
    device.store.resetRecords()
    return device
  }

  private func entry(_ kind: MutationEntityType, id: Int64) -> ChangeEntry {
    APIModelFixture.makeChangeEntry(id: id, entityType: kind.rawValue, entityId: "gone")
  }

  private func isHeld(_ kind: MutationEntityType, _ device: Device) -> Bool {
    switch kind {
    case .event: device.store.storedEvents["gone"] != nil
    case .eventType: device.store.storedEventTypes["gone"] != nil
    case .geofence: device.store.storedGeofences["gone"] != nil
    case .propertyDefinition: device.store.storedPropertyDefinitions["gone"] != nil
    default: false
    }
  }

  private func upserts(_ kind: MutationEntityType, _ device: Device) -> Int {
    switch kind {
    case .event: device.store.upsertEventCalls.count
    case .eventType: device.store.upsertEventTypeCalls.count
    case .geofence: device.store.upsertGeofenceCalls.count
    case .propertyDefinition: device.store.upsertPropertyDefinitionCalls.count
    default: 0
    }
  }

  private func failDelete(_ kind: MutationEntityType, _ device: Device) {
    let busy: Result<Void, any Error> = .failure(APIError.httpError(503))
    switch kind {
    case .event: device.network.deleteEventResponses = [busy]
    case .eventType: device.network.deleteEventTypeResponses = [busy]
    case .geofence: device.network.deleteGeofenceResponses = [busy]
    case .propertyDefinition: device.network.deletePropertyDefinitionResponses = [busy]
    default: preconditionFailure("\(kind) has no call of its own")
    }
  }

  @Test("an entity with a pending delete is not restored by the feed", arguments: kinds)
  func whileWaiting(kind: MutationEntityType) async throws {
    let device = try device(deleting: kind)
    failDelete(kind, device)
    device.setFeed([entry(kind, id: 11)], next: 11)
    await device.engine.performSync()
    #expect(!isHeld(kind, device) && upserts(kind, device) == 0)
    #expect(device.store.storedSyncCursor == 11, "the cursor passes what is skipped")
    #expect(device.store.storedPendingMutations.count == 1)
  }

  @Test("an entity restored by a later write than the delete, whose answer was lost, is shown", arguments: kinds)
  func restoredMeanwhile(kind: MutationEntityType) async throws {
    let isAnswered = Mutex(false)
    let device = try device(
      deleting: kind,
      client: { base in
        VersionedClient(base: base) { mutations in
          guard isAnswered.withLock({ $0 }) else { throw APIError.httpError(503) }
          return mutations.map { _ in .accepted(version: 11) }
        }
      })
    device.setFeed([entry(kind, id: 12)], next: 12)
    await device.engine.performSync()
    #expect(!isHeld(kind, device), "the delete may be the later one")
    #expect(device.store.storedSyncCursor == 12)
    isAnswered.withLock { $0 = true }
    device.setFeed([], next: 12)
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.isEmpty)
    #expect(isHeld(kind, device))
    #expect(device.store.storedParkedChanges.isEmpty)
  }

  @Test("an entity with a pending delete is not restored after a restart", arguments: kinds)
  func afterRestart(kind: MutationEntityType) async throws {
    let device = try device(deleting: kind)
    failDelete(kind, device)
    await device.engine.performSync()
    failDelete(kind, device)
    device.setFeed([entry(kind, id: 11)], next: 11)
    await device.restarted().performSync()
    #expect(!isHeld(kind, device) && upserts(kind, device) == 0)
  }

  @Test("an acknowledged delete keeps its entity out until the cursor reaches the delete's version", arguments: kinds)
  func untilTheVersion(kind: MutationEntityType) async throws {
    let device = try device(
      deleting: kind,
      client: { base in VersionedClient(base: base) { $0.map { _ in .accepted(version: 15) } } })
    // The feed is long, and each pull is interrupted before its end.
    device.network.getChangesResponses = [
      .success(APIModelFixture.makeChangeFeedResponse(changes: [entry(kind, id: 11)], nextCursor: 11, hasMore: true)),
      .failure(APIError.networkError("cut off")),
      .success(APIModelFixture.makeChangeFeedResponse(changes: [entry(kind, id: 12)], nextCursor: 12)),
    ]
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.isEmpty)
    #expect(device.store.storedTombstones.map(\.version) == [15])
    await device.restarted().performSync()
    #expect(!isHeld(kind, device) && upserts(kind, device) == 0)
    #expect(!device.store.storedTombstones.isEmpty, "12 is below 15")
    device.setFeed([], next: 15)
    await device.engine.performSync()
    #expect(device.store.storedTombstones.isEmpty)
  }

  @Test("a delete acknowledged without a version keeps its entity out until the next complete pull", arguments: kinds)
  func untilACompletePull(kind: MutationEntityType) async throws {
    let device = try device(deleting: kind)
    device.network.getChangesResponses = [
      .success(APIModelFixture.makeChangeFeedResponse(changes: [entry(kind, id: 11)], nextCursor: 11, hasMore: true)),
      .failure(APIError.networkError("cut off")),
      .success(APIModelFixture.makeChangeFeedResponse(changes: [entry(kind, id: 12)], nextCursor: 12, hasMore: true)),
      .success(APIModelFixture.makeChangeFeedResponse(changes: [entry(kind, id: 13)], nextCursor: 13)),
    ]
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.isEmpty, "the delete is acknowledged")
    #expect(device.store.storedTombstones.count == 1)
    await device.restarted().performSync()
    #expect(!isHeld(kind, device) && upserts(kind, device) == 0)
    #expect(device.store.storedTombstones.isEmpty && device.store.storedSyncCursor == 13)
  }

  @Test("a delete queued without a tombstone keeps its entity out", arguments: kinds)
  func withoutGuard(kind: MutationEntityType) async throws {
    let device = Device()
    device.seedType()
    device.store.seedPendingMutation(entityType: kind, entityId: "gone", operation: .delete)
    device.setFeed([entry(kind, id: 11)], next: 11)
    await device.engine.performSync()
    #expect(!isHeld(kind, device) && upserts(kind, device) == 0)
  }

  @Test("another device can create the deleted entity again", arguments: kinds)
  func againElsewhere(kind: MutationEntityType) async throws {
    let device = try device(deleting: kind)
    await device.engine.performSync()
    device.setFeed([entry(kind, id: 20)], next: 20)
    await device.engine.performSync()
    #expect(isHeld(kind, device))
  }

  @Test func `a write above the delete's version restores the entity before the cursor has passed`() async throws {
    let device = try device(
      deleting: .event, client: { base in VersionedClient(base: base) { $0.map { _ in .accepted(version: 15) } } })
    device.setFeed([entry(.event, id: 15), entry(.event, id: 16)], next: 16)
    await device.engine.performSync()
    #expect(device.store.storedEvents["gone"] != nil && device.store.upsertEventCalls.count == 1)
  }

  @Test func `the deleted entity can be recorded again on this device`() async throws {
    let device = try device(deleting: .event)
    await device.engine.performSync()
    try device.recorder.record(EventFixture.makeEvent(id: "gone", notes: "again"))
    device.setFeed(
      [APIModelFixture.makeChangeEntry(id: 11, operation: "delete", entityId: "gone"), entry(.event, id: 12)], next: 12)
    await device.engine.performSync()
    #expect(device.network.createEventsBatchCalls.flatMap(\.events).map(\.id) == ["gone"])
    #expect(device.store.storedEvents["gone"]?.syncStatus == .synced)
    #expect(device.store.storedPendingMutations.isEmpty)
  }

  @Test func `an unsent new create of a deleted entity survives the echo of its delete`() async throws {
    let device = Device(configuration: SyncConfiguration(batchSize: 1))
    device.seedType()
    device.seedEvent("gone")
    try device.recorder.delete(eventId: "gone")
    await device.engine.performSync()
    try device.record(events: 1)
    try device.recorder.record(EventFixture.makeEvent(id: "gone", notes: "again"))
    device.network.createEventsBatchResponses = [.failure(APIError.httpError(503))]
    device.setFeed([APIModelFixture.makeChangeEntry(id: 11, operation: "delete", entityId: "gone")], next: 11)
    await device.engine.performSync()
    #expect(device.store.storedEvents["gone"]?.notes == "again")
    #expect(device.store.storedPendingMutations.count == 2)
  }

  @Test func `events of a deleted type stay hidden while the delete is pending`() async throws {
    let device = Device()
    device.seedType()
    device.seedType("gone")
    device.seedEvent("evt-1", type: "gone")
    try device.recorder.delete(eventTypeId: "gone")
    device.network.deleteEventTypeResponses = [.failure(APIError.httpError(503))]
    device.store.resetRecords()
    var moved = APIModelFixture.makeChangeEntry(id: 11, entityId: "evt-1")
    moved.data?.rawData["event_type_id"] = "gone"
    device.setFeed([moved], next: 11)
    await device.engine.performSync()
    #expect(device.store.storedEvents.isEmpty && device.store.upsertEventCalls.isEmpty)
    #expect(device.store.storedTombstones.count == 2, "no delete of its own, so it waits for that of its type")
    device.setFeed([APIModelFixture.makeChangeEntry(id: 12, operation: "delete", entityId: "evt-1")], next: 12)
    await device.engine.performSync()
    #expect(device.store.storedTombstones.isEmpty && device.store.storedParkedChanges.isEmpty)
  }

  @Test("an event moved to another type before its type was deleted here is kept", arguments: [10, nil] as [Int64?])
  func movedOutInTime(cursor: Int64?) async throws {
    let device = Device(cursor: cursor)
    device.seedType()
    device.seedType("gone")
    device.seedEvent("evt-1", type: "gone")
    try device.recorder.delete(eventTypeId: "gone")
    device.network.deleteEventTypeResponses = [.failure(APIError.httpError(503))]
    // In the snapshot and in the feed, the event already has the type `type-1`.
    device.network.eventTypesToReturn = [
      APIModelFixture.makeAPIEventType(), APIModelFixture.makeAPIEventType(id: "gone"),
    ]
    device.network.eventsToReturn = [APIModelFixture.makeAPIEvent(id: "evt-1")]
    device.network.latestCursorToReturn = 10
    device.setFeed([APIModelFixture.makeChangeEntry(id: 11, operation: "update", entityId: "evt-1")], next: 11)
    await device.engine.performSync()
    #expect(device.store.storedEvents["evt-1"]?.eventTypeId == "type-1")
    #expect(device.store.storedEventTypes["gone"] == nil)
  }

  @Test func `a delete of an entity that the hub does not have succeeds`() async throws {
    let device = try device(deleting: .event)
    device.network.deleteEventResponses = [.failure(APIError.httpError(404))]
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.isEmpty && device.store.storedConflicts.isEmpty)
  }

  /// Trip whose id is a hash of its natural key, so that an import recreates the same id.
  private let trip = Event(
    id: "97f5264b-1dbe-804e-9147-2072a2089afe", eventTypeId: "type-1", timestamp: DeterministicDate.jan1_2024,
    sourceType: .trip)

  @Test func `an import does not restore an event deleted on another device`() async throws {
    let device = Device()
    device.seedType()
    device.seedEvent(trip.id)
    device.setFeed(
      [APIModelFixture.makeChangeEntry(id: 11, operation: "delete", entityId: trip.id, deletedAt: trip.timestamp)],
      next: 11)
    await device.engine.performSync()
    #expect(try !device.recorder.record(trip))
    #expect(device.store.storedEvents.isEmpty)
    #expect(device.store.storedPendingMutations.isEmpty)
  }

  @Test func `an import does not restore an event deleted on this device, even long after`() async throws {
    let device = Device()
    device.seedType()
    device.seedEvent(trip.id)
    try device.recorder.delete(eventId: trip.id)
    for cursor in 11...13 as ClosedRange<Int64> {
      device.setFeed([], next: cursor)
      await device.engine.performSync()
    }
    #expect(try !device.recorder.record(trip))
    #expect(device.store.storedEvents.isEmpty)
  }

  @Test func `a full resync keeps an event deleted until a newer write restores it`() async throws {
    let device = Device()
    device.seedType()
    device.network.eventTypesToReturn = [APIModelFixture.makeAPIEventType()]
    device.seedEvent(trip.id)
    try device.recorder.delete(eventId: trip.id)
    await device.engine.performSync()
    device.network.latestCursorToReturn = 20
    await device.engine.forceFullResync()
    #expect(try !device.recorder.record(trip))
    device.setFeed(
      [
        APIModelFixture.makeChangeEntry(
          id: 21, entityId: trip.id, data: try ChangeEntryData(trip.createRequest))
      ], next: 21)
    await device.engine.performSync()
    #expect(device.store.storedEvents[trip.id] != nil)
  }

  @Test func `an event deleted elsewhere stays deleted when the answer to its create arrives late`() async throws {
    let lost = Counter()
    let device = Device(
      cursor: nil,
      client: { network in
        VersionedClient(base: network) { mutations in
          if lost.next() == 0 { throw APIError.timedOut("no answer") }
          return mutations.map { _ in .accepted(version: 12) }
        }
      })
    device.seedType()
    try device.recorder.record(EventFixture.makeEvent(id: "gone", eventTypeId: "type-1"))
    // The create was accepted at version 12 and another device deleted the event at 13. This device has seen neither.
    device.network.eventTypesToReturn = [APIModelFixture.makeAPIEventType()]
    device.network.latestCursorToReturn = 13
    await device.engine.performSync()
    #expect(device.store.storedEvents["gone"] != nil && device.store.storedPendingMutations.count == 1)
    await device.engine.performSync()
    #expect(device.store.storedEvents["gone"] == nil)
    #expect(device.store.storedPendingMutations.isEmpty && device.store.storedParkedChanges.isEmpty)
  }

  @Test func `the delete of an event whose imported create is refused is still sent`() async throws {
    let natural = "00000000-0000-8000-8000-000000000004"
    let pushes = Counter()
    // A batch size of 1 keeps the delete unsent until the create is refused.
    let device = Device(
      configuration: SyncConfiguration(batchSize: 1),
      client: { network in
        VersionedClient(base: network) { mutations in
          switch pushes.next() {
          case 0: throw APIError.timedOut("no answer")
          case 1: mutations.map { _ in .refused(ProblemDetails(status: 409)) }
          default: mutations.map { _ in .tryLater(retryAfter: nil) }
          }
        }
      })
    device.seedType()
    try device.recorder.record(EventFixture.makeEvent(id: natural, eventTypeId: "type-1"))
    await device.engine.performSync()
    try device.recorder.delete(eventId: natural)
    await device.engine.performSync()
    #expect(device.store.storedConflicts.map(\.operation) == [.create])
    #expect(device.store.storedPendingMutations.map(\.operation) == [.delete])
    #expect(device.store.storedTombstones.map(\.entityId) == [natural])
  }

  @Test func `an event is kept when its move to a deleted type is refused`() async throws {
    let device = Device(client: { network in
      VersionedClient(base: network) { $0.map { _ in .refused(ProblemDetails(status: 409)) } }
    })
    device.seedType("old")
    device.seedType("new")
    device.seedEvent("evt-1", type: "old")
    try device.recorder.edit(eventId: "evt-1") { $0.eventTypeId = "new" }
    // At the hub the event has its old type, and the feed has no newer entry for it.
    device.network.eventTypesToReturn = [APIModelFixture.makeAPIEventType(id: "old")]
    device.network.eventsToReturn = [APIModelFixture.makeAPIEvent(id: "evt-1", eventTypeId: "old")]
    device.network.latestCursorToReturn = 12
    await device.engine.performSync()
    #expect(device.store.storedEvents["evt-1"]?.eventTypeId == "old")
    #expect(device.store.storedEventTypes["new"] == nil)
    #expect(device.store.storedConflicts.map(\.operation) == [.update])
  }
}

private final class Counter: Sendable {
  private let value = Mutex(-1)
  func next() -> Int {
    value.withLock {
      $0 += 1
      return $0
    }
  }
}
