import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Use of the engine by apps, and faults between the engine and its hub.
@Suite("SyncEngine in use", .timeLimit(.minutes(10)))
struct EngineUseTests {
  // MARK: Faults on the network

  @Test(
    "a captive portal's page is an error that loses no data",
    arguments: ["health", "push", "pull"])
  func captivePortal(at place: String) async throws {
    let device = Device()
    device.seedType()
    try device.record(events: 2)
    let portal = APIError.decodingError("expected a JSON document, found \"<html>\"")
    switch place {
    case "health": device.network.getEventTypesResponses = [.failure(portal)]
    case "push": device.network.createEventsBatchResponses = [.failure(portal)]
    default: device.network.getChangesResponses = [.failure(portal)]
    }
    await device.engine.performSync()
    guard case .unusable(let words) = await device.engine.lastFailure else {
      Issue.record("\(String(describing: await device.engine.lastFailure))")
      return
    }
    #expect(words.contains("<html>"))
    #expect(await device.engine.state.isError)
    #expect(device.store.storedEvents.count == 2 && device.store.storedSyncCursor == 10)
    #expect(device.store.storedPendingMutations.count == (place == "pull" ? 0 : 2))
    await device.engine.performSync()
    #expect(await device.engine.state == .idle)
    #expect(await device.engine.lastFailure == nil)
    #expect(device.store.storedPendingMutations.isEmpty)
  }

  @Test("a failed health check ends the round", arguments: [500, 502, 503, 504])
  func downAtTheHealthCheck(status: Int) async throws {
    let device = Device()
    device.seedType()
    try device.record(events: 1)
    device.network.getEventTypesResponses = [.failure(APIError.httpError(status))]
    await device.engine.performSync()
    #expect(device.network.operations == [.getEventTypes])
    guard case .busy = await device.engine.lastFailure else {
      Issue.record("\(String(describing: await device.engine.lastFailure))")
      return
    }
    #expect(device.store.storedPendingMutations.first?.attempts == 0, "it counts against no mutation")
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.isEmpty)
  }

  @Test func `each round begins with exactly one health check`() async throws {
    let device = Device()
    device.seedType()
    for round in 1...3 {
      try device.recorder.record(EventFixture.makeEvent(id: "e\(round)", eventTypeId: "type-1"))
      let before = device.network.operations.count
      await device.engine.performSync()
      let asked = Array(device.network.operations[before...])
      #expect(asked.first == .getEventTypes && asked.count { $0 == .getEventTypes } == 1)
      #expect(asked.count == 3, "health, push, pull")
    }
  }

  // MARK: Store

  @Test func `a store that is reset repeatedly during a sync loses nothing`() async throws {
    let device = Device(configuration: SyncConfiguration(batchSize: 1))
    device.seedType()
    try device.record(events: 4)
    let engine = device.engine
    device.network.beforeAnswering = { operation in
      if operation != .getEventTypes { await engine.resetDataStore() }
    }
    await engine.performSync()
    #expect(await engine.state == .idle)
    #expect(device.batchSizes == [1, 1, 1, 1])
    #expect(device.factory.makeDataStoreCallCount > 4)
    try device.recorder.record(EventFixture.makeEvent(id: "later", eventTypeId: "type-1"))
    await engine.performSync()
    #expect(device.network.createEventsBatchCalls.last?.events.map(\.id) == ["later"])
    #expect(device.store.storedPendingMutations.isEmpty)
  }

  @Test func `queueing, clearing, skipping and syncing share one store`() async throws {
    let device = Device()
    device.seedType()
    let engine = device.engine
    device.network.latestCursorToReturn = 20
    func queue(_ id: String) async throws {
      try await engine.queueMutation(
        entityType: .event, operation: .create, entityId: id,
        payload: WireJSON.encode(APIModelFixture.makeCreateEventRequest(id: id)))
    }
    try await queue("sent")
    await engine.performSync()
    try await queue("cleared")
    #expect(await engine.clearPendingMutations() == 1)
    #expect(try await engine.skipToLatestCursor() == 20)
    async let syncing: Void = engine.performSync()
    try await queue("beside")
    await syncing
    await engine.performSync()
    let sent = device.network.createEventsBatchCalls.flatMap { $0.events.map(\.id) }
    #expect(sent.sorted() == ["beside", "sent"])
    #expect(device.store.storedPendingMutations.isEmpty && device.store.storedSyncCursor == 20)
    #expect(try device.recorder.openConflicts().map(\.entityId) == ["cleared"], "what was cleared is kept")
    #expect(device.factory.makeDataStoreCallCount == 1 + 1, "the engine's, and the one that the journal was read from")
  }

  @Test func `an error state always has a failure value`() async throws {
    let device = Device()
    device.network.getEventTypesResponses = [.failure(APIError.networkError("no route"))]
    await #expect(throws: APIError.networkError("no route")) { try await device.engine.skipToLatestCursor() }
    #expect(await device.engine.lastFailure == .unanswered("no route"))
    #expect(await device.engine.isOffline)
    #expect(try await device.engine.skipToLatestCursor() == 0)
    #expect(await device.engine.lastFailure == nil)
    device.store.throwOnFetchAll = TestError("damaged")
    await device.engine.loadInitialState()
    guard case .store(let words) = await device.engine.lastFailure else {
      Issue.record("\(String(describing: await device.engine.lastFailure))")
      return
    }
    #expect(words.contains("damaged"))
  }

  // MARK: First sync

  @Test func `observers are notified when the first snapshot is stored`() async throws {
    let device = Device(cursor: nil)
    device.network.eventTypesToReturn = [APIModelFixture.makeAPIEventType(id: "T")]
    device.network.eventsToReturn = [APIModelFixture.makeAPIEvent(id: "E", eventTypeId: "T")]
    device.network.latestCursorToReturn = 7
    let states = device.engine.states
    await device.engine.performSync()
    var seen: [SyncState] = []
    for await state in states {
      seen.append(state)
      if state == .idle, seen.count > 1 { break }
    }
    #expect(seen == [.idle, .pulling, .idle])
    #expect(device.store.storedEvents["E"] != nil && device.store.storedSyncCursor == 7)
    #expect(await device.engine.lastSyncTime == device.clock.now)
  }

  @Test("large cursors are stored and sent back unchanged", arguments: [1 << 31, (1 << 53) + 1, .max / 4] as [Int64])
  func large(cursor: Int64) async throws {
    let device = Device(cursor: cursor)
    device.setFeed(
      [APIModelFixture.makeChangeEntry(id: cursor + 1, entityType: "geofence", entityId: "g")], next: cursor + 1)
    await device.engine.performSync()
    #expect(await device.engine.state == .idle)
    #expect(device.store.storedSyncCursor == cursor + 1)
    #expect(device.store.storedGeofences["g"] != nil)
    await device.engine.performSync()
    #expect(device.network.getChangesCalls.map(\.cursor) == [cursor, cursor + 1])
  }
}
