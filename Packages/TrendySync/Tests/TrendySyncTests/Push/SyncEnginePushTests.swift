import Foundation
import Synchronization
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

@Suite("SyncEngine pushes", .timeLimit(.minutes(10)))
struct SyncEnginePushTests {
  private let device = Device()
  private var store: MockDataStore { device.store }

  @Test func `an accepted mutation leaves the queue and its row becomes synced`() async throws {
    try device.recorder.record(EventTypeFixture.makeEventType())
    try device.record(events: 2)
    await device.engine.performSync()
    #expect(store.storedPendingMutations.isEmpty)
    #expect(store.storedEvents.values.allSatisfy { $0.syncStatus == .synced })
    #expect(store.storedEventTypes["type-1"]?.syncStatus == .synced)
    #expect(await device.engine.state == .idle)
    #expect(await device.engine.pendingCount == 0)
    #expect(await device.engine.lastSyncTime == device.clock.now)
  }

  @Test func `parents are sent before children, in the order of the queue`() async throws {
    try device.recorder.record(EventTypeFixture.makeEventType())
    try device.record(events: 1)
    await device.engine.performSync()
    let writes = device.network.operations.filter { $0 == .createEventTypeWithIdempotency || $0 == .createEventsBatch }
    #expect(writes == [.createEventTypeWithIdempotency, .createEventsBatch])
  }

  @Test func `120 events are sent in batches of 50, 50 and 20`() async throws {
    device.seedType()
    try device.record(events: 120)
    await device.engine.performSync()
    #expect(device.batchSizes == [50, 50, 20])
    #expect(store.storedPendingMutations.isEmpty)
  }

  @Test func `an invalid item in a batch does not affect the others`() async throws {
    device.seedType()
    try device.record(events: 3)
    let created = [0, 2].map { APIModelFixture.makeAPIEvent(id: newEventId($0)) }
    device.network.createEventsBatchResponses = [
      .success(
        APIModelFixture.makeBatchCreateEventsResponse(
          created: created, errors: [APIModelFixture.makeBatchError(index: 1, message: "ends before it begins")]))
    ]
    await device.engine.performSync()
    #expect(store.storedPendingMutations.isEmpty)
    #expect(store.storedEvents[newEventId(0)]?.syncStatus == .synced)
    #expect(store.storedEvents[newEventId(1)]?.syncStatus == .failed)
    #expect(store.storedEvents[newEventId(2)]?.syncStatus == .synced)
    let conflict = try #require(store.storedConflicts.first)
    #expect(store.storedConflicts.count == 1)
    #expect(conflict.entityId == newEventId(1) && conflict.reason.contains("ends before it begins"))
    #expect(try WireJSON.decode(CreateEventRequest.self, from: conflict.payload).id == newEventId(1))
  }

  @Test func `an event that the answer omits is sent again`() async throws {
    device.seedType()
    try device.record(events: 2)
    device.network.createEventsBatchResponses = [
      .success(
        APIModelFixture.makeBatchCreateEventsResponse(created: [APIModelFixture.makeAPIEvent(id: newEventId(0))]))
    ]
    await device.engine.performSync()
    #expect(store.storedPendingMutations.map(\.entityId) == [newEventId(1)])
    #expect(await device.engine.state.errorWords.contains("1 change is pending"))
    await device.engine.performSync()
    #expect(store.storedPendingMutations.isEmpty)
  }

  @Test func `a retry sends the same idempotency key and no two mutations share a key`() async throws {
    try device.recorder.record(EventTypeFixture.makeEventType(id: "type-1"))
    try device.recorder.record(EventTypeFixture.makeEventType(id: "type-2"))
    device.network.createEventTypeWithIdempotencyResponses = [.failure(APIError.networkError("cut off"))]
    await device.engine.performSync()
    await device.engine.performSync()
    let calls = device.network.createEventTypeWithIdempotencyCalls
    #expect(calls.map(\.request.id) == ["type-1", "type-1", "type-2"])
    #expect(calls[0].idempotencyKey == calls[1].idempotencyKey)
    #expect(calls[1].idempotencyKey != calls[2].idempotencyKey)
  }

  @Test(
    "status 409 for a duplicate create counts as success",
    arguments: [
      APIError.httpError(409),
      .problem(ProblemDetails(type: ProblemDetails.duplicateType, status: 409), retryAfter: nil),
    ])
  func duplicate(error: APIError) async throws {
    try device.recorder.record(EventTypeFixture.makeEventType())
    try device.record(events: 1)
    device.network.createEventTypeWithIdempotencyResponses = [.failure(error)]
    device.network.createEventsBatchResponses = [.failure(error)]
    await device.engine.performSync()
    #expect(store.storedPendingMutations.isEmpty && store.storedConflicts.isEmpty)
    #expect(store.storedEventTypes["type-1"]?.syncStatus == .synced)
    #expect(store.storedEvents[newEventId(0)]?.syncStatus == .synced)
    #expect(await device.engine.state == .idle)
  }

  @Test func `status 409 for another reason is a refusal`() async throws {
    try device.recorder.record(EventTypeFixture.makeEventType())
    device.network.createEventTypeWithIdempotencyResponses = [
      .failure(APIError.problem(ProblemDetails(type: "urn:trendy:error:invalid", status: 409), retryAfter: nil))
    ]
    await device.engine.performSync()
    #expect(store.storedConflicts.map(\.entityId) == ["type-1"])
    #expect(store.storedEventTypes["type-1"]?.syncStatus == .failed)
  }

  @Test func `a refused create of a deleted entity is not shown, nor are its children`() async throws {
    try device.recorder.record(EventTypeFixture.makeEventType())
    try device.record(events: 1)
    device.network.createEventTypeWithIdempotencyResponses = [
      .failure(APIError.problem(ProblemDetails(type: ProblemDetails.entityDeleted, status: 409), retryAfter: nil))
    ]
    device.network.createEventsBatchResponses = [
      .failure(APIError.problem(ProblemDetails(type: "urn:trendy:error:parent_deleted", status: 409), retryAfter: nil))
    ]
    await device.engine.performSync()
    #expect(store.storedConflicts.map(\.entityId).sorted() == [newEventId(0), "type-1"])
    #expect(store.storedEventTypes.isEmpty && store.storedEvents.isEmpty && store.storedPendingMutations.isEmpty)
  }

  @Test(
    "a temporary failure does not count as an attempt of a mutation",
    arguments: [
      APIError.networkError("no route"), .httpError(408), .httpError(425), .httpError(500), .httpError(503),
      .problem(ProblemDetails(status: 503), retryAfter: .seconds(7)),
    ])
  func transient(error: APIError) async throws {
    device.seedType()
    try device.record(events: 2)
    let waiting = store.storedPendingMutations
    device.network.createEventsBatchResponses = [.failure(error), .failure(error)]
    await device.engine.performSync()
    await device.engine.performSync()
    #expect(store.storedPendingMutations.map(\.id) == waiting.map(\.id))
    #expect(store.storedPendingMutations.map(\.payload) == waiting.map(\.payload))
    #expect(store.storedPendingMutations.allSatisfy { $0.attempts == 0 && $0.lastError == nil })
    #expect(await device.engine.state.errorWords.contains("2 changes are pending"))
    #expect(await device.engine.lastSyncTime == nil)
    await device.engine.performSync()
    #expect(store.storedPendingMutations.isEmpty)
  }

  @Test func `a temporarily failing push does not prevent the pull`() async throws {
    device.seedType()
    try device.record(events: 1)
    device.network.createEventsBatchResponses = [.failure(APIError.httpError(503))]
    device.setFeed([APIModelFixture.makeChangeEntry(id: 11, entityType: "geofence", entityId: "geo-1")], next: 11)
    await device.engine.performSync()
    #expect(store.storedGeofences["geo-1"] != nil && store.storedSyncCursor == 11)
  }

  @Test func `an unreadable answer is recorded with the first mutation and loses nothing`() async throws {
    device.seedType()
    try device.record(events: 2)
    device.network.createEventsBatchResponses = [.failure(APIError.decodingError("total: expected a whole number"))]
    await device.engine.performSync()
    let queue = store.storedPendingMutations
    #expect(queue.map(\.attempts) == [1, 0])
    #expect(queue[0].lastError?.contains("total") == true)
    #expect(await device.engine.state.isError)
  }

  @Test func `a failed health check prevents push and pull and loses nothing`() async throws {
    device.seedType()
    try device.record(events: 1)
    device.network.getEventTypesResponses = [.failure(APIError.networkError("no route"))]
    await device.engine.performSync()
    #expect(device.network.operations == [.getEventTypes])
    #expect(store.storedPendingMutations.count == 1 && store.storedPendingMutations[0].sequence == nil)
    #expect(store.storedEvents.count == 1 && store.storedSyncCursor == 10)
    #expect(await device.engine.state.errorWords.contains("1 change is pending"))
    #expect(await device.engine.isOffline)
    await device.engine.performSync()
    #expect(store.storedPendingMutations.isEmpty)
    #expect(await !device.engine.isOffline)
  }

  @Test func `status 401 ends the round and keeps everything`() async throws {
    device.seedType()
    try device.record(events: 1)
    device.network.createEventsBatchResponses = [.failure(APIError.httpError(401))]
    await device.engine.performSync()
    #expect(store.storedPendingMutations.count == 1 && store.storedEvents.count == 1)
    #expect(device.network.getChangesCalls.isEmpty)
    #expect(await device.engine.state.errorWords.contains("Pair the device again"))
  }

  // MARK: Size

  @Test func `status 413 halves the batch until it fits`() async throws {
    device.seedType()
    try device.record(events: 50)
    device.network.createEventsBatchResponses = [
      .failure(APIError.httpError(413)), .failure(APIError.httpError(413)),
    ]
    await device.engine.performSync()
    #expect(device.batchSizes == [50, 25, 12, 24, 14])
    #expect(store.storedPendingMutations.isEmpty)
  }

  @Test func `a mutation that is too large alone moves to the conflict journal`() async throws {
    device.seedType()
    try device.record(events: 2)
    device.network.createEventsBatchResponses = [
      .failure(APIError.httpError(413)), .failure(APIError.httpError(413)),
    ]
    await device.engine.performSync()
    #expect(store.storedConflicts.map(\.entityId) == [newEventId(0)])
    #expect(store.storedEvents[newEventId(0)]?.syncStatus == .failed)
    #expect(store.storedPendingMutations.isEmpty && store.storedEvents[newEventId(1)]?.syncStatus == .synced)
  }

  @Test func `a mutation that is too large leaves no gap in the sequence numbers`() async throws {
    let pushes = Mutex<[[PendingMutation]]>([])
    let device = Device(client: { base in
      VersionedClient(base: base) { mutations in
        pushes.withLock { $0.append(mutations) }
        if mutations.contains(where: { $0.entityId == newEventId(1) }) { throw APIError.httpError(413) }
        return mutations.map { _ in .accepted(version: nil) }
      }
    })
    device.seedType()
    try device.record(events: 4)
    await device.engine.performSync()
    let sent = pushes.withLock { $0.flatMap { $0 } }
    let last = try #require(sent.last?.device)
    #expect(sent.first?.device != last)
    #expect(sent.filter { $0.device == last }.map(\.sequence) == [1, 2])
    #expect(device.store.storedConflicts.map(\.entityId) == [newEventId(1)])
  }

  @Test func `a full record is sent the whole queue, since a later delete may free space`() async throws {
    let hub = FullHub(keeping: 100)
    let device = hub.device()
    device.seedType()
    try device.record(events: 100)
    await device.engine.performSync()
    for index in 100..<180 {
      try device.recorder.record(EventFixture.makeEvent(id: newEventId(index), eventTypeId: "type-1"))
    }
    for index in 0..<80 { try device.recorder.delete(eventId: newEventId(index)) }
    await device.engine.performSync()
    #expect(hub.pushes == [50, 50, 50, 160])
    #expect(device.store.storedPendingMutations.isEmpty)
    #expect(await device.engine.state == .idle)
  }

  /// A push contains at most 500 mutations. The creates that precede the deletes already reach this limit.
  @Test func `a full record gets deletes ahead of more creates than fit into a push`() async throws {
    let hub = FullHub(keeping: 600)
    let device = hub.device()
    device.seedType()
    try device.record(events: 600)
    await device.engine.performSync()
    for index in 0..<600 {
      try device.store.insertHeldEntry(
        APIModelFixture.makeChangeEntry(id: Int64(index + 1), entityId: newEventId(index)))
    }
    try device.record(events: 550, from: 600)
    for index in 0..<550 { try device.recorder.delete(eventId: newEventId(index)) }
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.isEmpty)
    #expect(await device.engine.state == .idle)
    #expect(hub.kept == Set((550..<1150).map { newEventId($0) }))
  }

  /// In a different order, these mutations would have a different effect.
  @Test func `a move to another type and a later delete keep their order in a full record`() async throws {
    let hub = FullHub(keeping: 1)
    let device = hub.device()
    device.seedType()
    device.seedType("type-2")
    try device.record(events: 1)
    await device.engine.performSync()
    try device.store.insertHeldEntry(APIModelFixture.makeChangeEntry(id: 1, entityId: newEventId(0)))
    try device.record(events: 520, from: 1)
    try device.recorder.edit(eventId: newEventId(0)) { $0.eventTypeId = "type-2" }
    try device.recorder.delete(eventId: newEventId(0))
    let order = device.store.storedPendingMutations.map(\.id)
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.map(\.id) == order)
    #expect(await device.engine.state.isError)
  }

  @Test func `a record that stays full gets two pushes a round and the queue is kept`() async throws {
    let hub = FullHub(keeping: 0)
    let device = hub.device()
    device.seedType()
    try device.record(events: 60)
    for _ in 0..<2 { await device.engine.performSync() }
    #expect(hub.pushes == [50, 60, 50, 60])
    #expect(device.store.storedPendingMutations.count == 60)
    #expect(await device.engine.state.isError)
  }

  @Test func `the search for free space ends if the hub rejects large pushes`() async throws {
    let hub = FullHub(keeping: 0, tooMany: 100)
    let device = hub.device()
    device.seedType()
    try device.record(events: 120)
    await device.engine.performSync()
    #expect(hub.pushes == [50, 120, 60])
    #expect(device.store.storedPendingMutations.count == 120)
  }

  @Test(
    "a timeout halves the next batch, which grows again after a success",
    arguments: [APIError.timedOut("hub.example"), .httpError(408), .httpError(504)])
  func timeouts(error: APIError) async throws {
    device.seedType()
    try device.record(events: 100)
    device.network.createEventsBatchResponses = [.failure(error)]
    await device.engine.performSync()
    await device.engine.performSync()
    #expect(device.batchSizes == [50, 25, 50, 25])
  }

  // MARK: Sequence numbers

  @Test func `sequence number and identity are saved before a push is sent`() async throws {
    device.seedType()
    try device.record(events: 2)
    let others = store.otherUnits
    let seen = Mutex<[PendingMutation]>([])
    device.network.beforeAnswering = { operation in
      guard operation == .createEventsBatch else { return }
      let queue = try? others.makeDataStore().fetchPendingMutations()
      seen.withLock { $0 = queue ?? [] }
    }
    await device.engine.performSync()
    let sent = seen.withLock { $0 }
    #expect(sent.map(\.sequence) == [1, 2])
    let identity = try #require(store.storedSyncIdentity)
    #expect(sent.allSatisfy { $0.device == identity.device })
    #expect(identity.lastSequence == 2)
    #expect(UUIDv7(identity.device) != nil)
  }

  @Test func `a sequence number is assigned once and numbering continues after a restart`() async throws {
    device.seedType()
    try device.record(events: 1)
    device.network.createEventsBatchResponses = [.failure(APIError.httpError(503))]
    await device.engine.performSync()
    let sent = try #require(store.storedPendingMutations.first)
    try device.recorder.record(EventFixture.makeEvent(id: "evt-later"))
    let restarted = device.restarted()
    device.network.createEventsBatchResponses = [.failure(APIError.httpError(503))]
    await restarted.performSync()
    #expect(store.storedPendingMutations.first == sent)
    #expect(store.storedPendingMutations.map(\.sequence) == [1, 2])
    #expect(Set(store.storedPendingMutations.map(\.device)).count == 1)
  }

  @Test func `an edit of a sent entity is queued separately and sent later`() async throws {
    device.seedType()
    try device.record(events: 1)
    device.network.createEventsBatchResponses = [.failure(APIError.networkError("cut off"))]
    await device.engine.performSync()
    try device.recorder.edit(eventId: newEventId(0)) { $0.notes = "after" }
    #expect(store.storedPendingMutations.map(\.operation) == [.create, .update])
    await device.engine.performSync()
    #expect(device.network.createEventsBatchCalls.last?.events.first?.notes == "Test event")
    #expect(device.network.updateEventCalls.map(\.request) == [UpdateEventRequest(notes: .value("after"))])
  }

  @Test func `an edit made while its entity is being sent is neither lost nor merged`() async throws {
    device.seedType()
    try device.record(events: 1)
    let engine = device.engine
    let payload = try WireJSON.encode(UpdateEventRequest(notes: .value("meanwhile")))
    device.network.beforeAnswering = { operation in
      guard operation == .createEventsBatch else { return }
      try? await engine.queueMutation(
        entityType: .event, operation: .update, entityId: newEventId(0), payload: payload)
    }
    await device.engine.performSync()
    #expect(device.network.createEventsBatchCalls.map(\.events.first?.notes) == ["Test event"])
    #expect(device.network.updateEventCalls.map(\.request) == [UpdateEventRequest(notes: .value("meanwhile"))])
    #expect(store.storedEvents[newEventId(0)]?.notes == "meanwhile")
    #expect(store.storedPendingMutations.isEmpty)
  }

  @Test func `a push that cannot be saved as sent is not sent`() async throws {
    device.seedType()
    try device.record(events: 1)
    store.throwOnSave = TestError("disk full")
    await device.engine.performSync()
    #expect(device.network.createEventsBatchCalls.isEmpty)
    #expect(await device.engine.state.errorWords.contains("disk full"))
    store.throwOnSave = nil
    #expect(store.storedPendingMutations.map(\.sequence) == [nil])
    await device.engine.performSync()
    #expect(store.storedPendingMutations.isEmpty)
  }

  @Test func `a push whose outcomes cannot be saved is repeated`() async throws {
    device.seedType()
    try device.record(events: 1)
    let factory = device.factory
    device.network.beforeAnswering = { operation in
      // The engine does not save while its request is in progress.
      if operation == .createEventsBatch { factory.mockStore.throwOnSave = TestError("disk full") }
    }
    await device.engine.performSync()
    #expect(store.storedPendingMutations.count == 1)
    store.throwOnSave = nil
    device.network.beforeAnswering = nil
    await device.engine.performSync()
    #expect(store.storedPendingMutations.isEmpty && device.batchSizes == [1, 1])
  }

  // MARK: Refusals

  @Test func `a refused create and its unsent dependents move to the conflict journal`() async throws {
    let device = Device(
      configuration: SyncConfiguration(batchSize: 1),
      client: { base in
        VersionedClient(base: base) { mutations in
          mutations.map {
            $0.entityId == "type-bad"
              ? .refused(ProblemDetails(title: "Not a name", status: 422)) : .accepted(version: nil)
          }
        }
      })
    device.seedType("type-good")
    try device.recorder.record(EventTypeFixture.makeEventType(id: "type-bad"))
    try device.recorder.record(EventFixture.makeEvent(id: "evt-bad", eventTypeId: "type-bad"))
    try device.recorder.record(EventFixture.makeEvent(id: "evt-good", eventTypeId: "type-good"))
    await device.engine.performSync()
    #expect(device.store.storedConflicts.map(\.entityId).sorted() == ["evt-bad", "type-bad"])
    #expect(device.store.storedConflicts.allSatisfy { $0.reason.contains("Not a name") })
    #expect(device.store.storedEvents["evt-bad"]?.syncStatus == .failed)
    #expect(device.store.storedEvents["evt-good"]?.syncStatus == .synced)
    #expect(device.store.storedPendingMutations.isEmpty)
    #expect(await device.engine.state == .idle)
  }

  @Test func `a refused update does not affect other updates of its entity`() async throws {
    let device = Device(client: { base in
      VersionedClient(base: base) { mutations in
        mutations.enumerated().map {
          $0.offset == 0 ? .refused(ProblemDetails(title: "No", status: 422)) : .accepted(version: 20)
        }
      }
    })
    device.seedType()
    device.seedType("type-2")
    device.seedEvent()
    try device.recorder.edit(eventId: "evt-1") { $0.eventTypeId = "type-2" }
    try device.recorder.edit(eventId: "evt-1") { $0.notes = "kept" }
    await device.engine.performSync()
    #expect(device.store.storedConflicts.count == 1)
    #expect(device.store.storedPendingMutations.isEmpty)
  }

  @Test func `a refused edit stays visible after a later edit is accepted, until it is resolved`() async throws {
    let words = Mutex<[MutationOutcome]>([
      .refused(ProblemDetails(title: "No", status: 422)), .accepted(version: nil), .accepted(version: nil),
    ])
    let device = Device(client: { base in
      VersionedClient(base: base) { mutations in mutations.map { _ in words.withLock { $0.removeFirst() } } }
    })
    device.seedType()
    device.seedEvent()
    try device.recorder.edit(eventId: "evt-1") { $0.notes = "refused" }
    await device.engine.performSync()
    try device.recorder.edit(eventId: "evt-1") { $0.locationName = "accepted" }
    await device.engine.performSync()
    #expect(device.store.storedEvents["evt-1"]?.syncStatus == .failed)
    #expect(device.store.storedEvents["evt-1"]?.notes == "refused")
    let conflict = try #require(device.store.storedConflicts.first)
    try device.recorder.retryConflict(id: conflict.id)
    await device.engine.performSync()
    #expect(device.store.storedEvents["evt-1"]?.syncStatus == .synced && device.store.storedConflicts.isEmpty)
  }

  @Test func `a refused delete restores the entity by a snapshot in the same round`() async throws {
    device.seedType()
    device.seedEvent()
    try device.recorder.delete(eventId: "evt-1")
    device.network.deleteEventResponses = [.failure(APIError.httpError(403))]
    device.network.eventTypesToReturn = [APIModelFixture.makeAPIEventType()]
    device.network.eventsToReturn = [APIModelFixture.makeAPIEvent()]
    device.network.latestCursorToReturn = 12
    await device.engine.performSync()
    #expect(store.storedEvents["evt-1"]?.syncStatus == .synced)
    #expect(store.storedTombstones.isEmpty && store.storedConflicts.map(\.operation) == [.delete])
    #expect(store.storedSyncCursor == 12)
  }

  @Test func `clearing the queue moves its mutations to the conflict journal`() async throws {
    device.seedType()
    try device.record(events: 2)
    device.network.createEventsBatchResponses = [.failure(APIError.httpError(503))]
    await device.engine.performSync()
    #expect(await device.engine.clearPendingMutations() == 2)
    #expect(store.storedPendingMutations.isEmpty && store.storedSyncIdentity == nil)
    #expect(store.storedConflicts.map(\.entityId) == [newEventId(0), newEventId(1)])
    #expect(try WireJSON.decode(CreateEventRequest.self, from: store.storedConflicts[1].payload).id == newEventId(1))
    #expect(store.storedEvents.values.allSatisfy { $0.syncStatus == .failed })
    #expect(await device.engine.pendingCount == 0)
    #expect(await device.engine.clearPendingMutations() == 0)
  }

  @Test func `clearing the queue can leave the state of the rows unchanged`() async throws {
    device.seedType()
    try device.record(events: 1)
    #expect(await device.engine.clearPendingMutations(markEntitiesFailed: false) == 1)
    #expect(store.storedEvents[newEventId(0)]?.syncStatus == .pending)
  }

  @Test func `a refused event can be recorded again as a create`() async throws {
    device.seedType()
    try device.record(events: 1)
    device.network.createEventsBatchResponses = [
      .success(APIModelFixture.makeBatchCreateEventsResponse(errors: [APIModelFixture.makeBatchError()]))
    ]
    await device.engine.performSync()
    try device.recorder.record(EventFixture.makeEvent(id: newEventId(0), notes: "mended"))
    #expect(store.storedPendingMutations.map(\.operation) == [.create])
  }
}

/// Hub that stores a limited number of entries and accepts or refuses each push as a whole.
private final class FullHub: Sendable {
  private let most: Int
  private let tooMany: Int
  private let content = Mutex<(entries: Set<String>, pushes: [Int])>(([], []))

  /// Creates a hub that stores `most` entries and refuses pushes of `tooMany` or more mutations with status 413.
  init(keeping most: Int, tooMany: Int = .max) { (self.most, self.tooMany) = (most, tooMany) }

  var pushes: [Int] { content.withLock { $0.pushes } }

  var kept: Set<String> { content.withLock { $0.entries } }

  func device() -> Device {
    Device(client: { base in VersionedClient(base: base) { [self] in try judge($0) } })
  }

  private func judge(_ mutations: [PendingMutation]) throws -> [MutationOutcome] {
    try content.withLock { content in
      content.pushes.append(mutations.count)
      if mutations.count >= tooMany { throw APIError.httpError(413) }
      var entries = content.entries
      for mutation in mutations {
        if mutation.operation == .delete {
          entries.remove(mutation.entityId)
        } else {
          entries.insert(mutation.entityId)
        }
      }
      guard entries.count <= max(most, content.entries.count) else {
        throw APIError.problem(
          ProblemDetails(type: "urn:trendy:error:quota_exceeded", status: 507), retryAfter: .seconds(60))
      }
      content.entries = entries
      return mutations.map { _ in .accepted(version: nil) }
    }
  }
}
