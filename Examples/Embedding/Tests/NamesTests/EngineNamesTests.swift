import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

@Suite("Names of engine and recorder", .timeLimit(.minutes(10)))
struct EngineNamesTests {
  private struct History: SyncHistoryRecording {
    func record(_ run: SyncRun) async {}
  }

  @Test func `the engine has the documented names`() async throws {
    let stores = MockDataStoreFactory()
    let network = MockNetworkClient()
    _ = SyncEngine(networkClient: network, dataStoreFactory: stores)
    let engine = SyncEngine(
      networkClient: network, dataStoreFactory: stores, clock: ManualClock(), generator: SeededGenerator(seed: 1),
      configuration: .init(), history: History())
    await engine.loadInitialState()
    await engine.performSync()
    await engine.forceFullResync()
    try await engine.queueMutation(
      entityType: .eventType, operation: .create, entityId: "type-1",
      payload: WireJSON.encode(APIModelFixture.makeCreateEventTypeRequest()))
    let pending: Int = await engine.getPendingCount()
    #expect(pending == 1)
    #expect(await engine.pendingCount == 1)
    let cleared: Int = await engine.clearPendingMutations()
    #expect(cleared == 1)
    #expect(await engine.clearPendingMutations(markEntitiesFailed: false) == 0)
    let cursor: Int64 = try await engine.skipToLatestCursor()
    #expect(cursor == 0)
    await engine.resetDataStore()

    #expect(await engine.state == .idle)
    let last: Date? = await engine.lastSyncTime
    #expect(last != nil)
    #expect(await engine.isCircuitBreakerTripped == false)
    let breaker: CircuitBreakerState = await engine.circuitBreakerState
    #expect(breaker == .closed)
    #expect(await engine.circuitBreakerBackoffRemaining == .zero)
    let states: AsyncStream<SyncState> = engine.states
    for await state in states {
      #expect(state == .idle, "each reader first gets the present state")
      break
    }
    await engine.start()
    await engine.stop()
    let all: Set<SyncState> = [
      .idle, .syncing(synced: 1, total: 2), .rateLimited(retryAfter: .seconds(1), pending: 3), .error("x"),
    ]
    #expect(all.count == 4)
  }

  @Test func `the recorder has the documented names`() throws {
    let stores = MockDataStoreFactory()
    _ = Recorder(dataStoreFactory: stores)
    let recorder = Recorder(dataStoreFactory: stores, clock: ManualClock(), generator: SeededGenerator(seed: 1))
    func isSendable(_ value: some Sendable) {}
    isSendable(recorder)
    try recorder.record(EventType(id: "t", name: "n", colorHex: "#000000", iconName: "circle"))
    try recorder.record(Event(id: "e", eventTypeId: "t", timestamp: DeterministicDate.jan1_2024))
    try recorder.record(Geofence(id: "g", name: "n", latitude: 0, longitude: 0, radius: 100))
    try recorder.record(PropertyDefinition(id: "p", eventTypeId: "t", key: "k", label: "l", propertyType: .text))
    try recorder.edit(eventId: "e") { $0.notes = "n" }
    try recorder.edit(eventTypeId: "t") { $0.name = "m" }
    try recorder.edit(geofenceId: "g") { $0.radius = 200 }
    try recorder.edit(propertyDefinitionId: "p") { $0.label = "L" }
    try recorder.queueMutation(
      entityType: .event, operation: .update, entityId: "e",
      payload: WireJSON.encode(APIModelFixture.makeUpdateEventRequest(notes: .null)))
    #expect(stores.mockStore.storedEvents["e"]?.notes == nil)
    try recorder.delete(eventId: "e")
    try recorder.delete(geofenceId: "g")
    try recorder.delete(propertyDefinitionId: "p")
    try recorder.delete(eventTypeId: "t")
    #expect(stores.mockStore.storedEventTypes.isEmpty)
  }

  @Test func `the time source has the documented names`() async throws {
    let clock: any TimeSource = SystemTime()
    let now: Date = clock.now
    let uptime: Duration = clock.uptime
    try await clock.sleep(for: .zero)
    #expect(clock.uptime >= uptime && now > DeterministicDate.jan1_2024)
  }
}
