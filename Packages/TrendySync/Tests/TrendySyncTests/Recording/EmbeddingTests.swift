import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Example from the documentation page.
@Suite("Embedding", .timeLimit(.minutes(10)))
struct EmbeddingTests {
  @Test func `the example of the documentation works`() async throws {
    let clock = ManualClock()
    let client = MockNetworkClient(clock: clock)
    let stores = MockDataStoreFactory(mockStore: MockDataStore(clock: clock))
    let now = clock.now

    let recorder = Recorder(dataStoreFactory: stores)
    let engine = SyncEngine(networkClient: client, dataStoreFactory: stores)
    try recorder.record(EventType(id: "coffee", name: "Coffee", colorHex: "#6F4E37", iconName: "cup.and.saucer"))
    try recorder.record(Event(id: "first", eventTypeId: "coffee", timestamp: now))
    try recorder.edit(eventId: "first") { $0.notes = "with Ada" }
    #expect(await engine.getPendingCount() == 2)

    client.eventTypesToReturn = [
      APIModelFixture.makeAPIEventType(id: "coffee", name: "Coffee", color: "#6F4E37", icon: "cup.and.saucer")
    ]
    client.eventsToReturn = [APIModelFixture.makeAPIEvent(id: "first", eventTypeId: "coffee", notes: "with Ada")]
    await engine.performSync()
    #expect(await engine.state == .idle)
    #expect(client.createEventsBatchCalls.flatMap(\.events).map(\.notes) == ["with Ada"])
    #expect(stores.mockStore.storedEvents["first"]?.syncStatus == .synced)
  }

  @Test func `every declaration listed in NAMES.md exists under its label`() async throws {
    let stores = MockDataStoreFactory()
    let engine = SyncEngine(
      networkClient: MockNetworkClient(), dataStoreFactory: stores, clock: ManualClock(),
      generator: SeededGenerator(seed: 1), configuration: .init(), history: nil)
    let recorder = Recorder(dataStoreFactory: stores, clock: ManualClock(), generator: SeededGenerator(seed: 1))
    try recorder.record(EventTypeFixture.makeEventType())
    try recorder.record(EventFixture.makeEvent())
    try recorder.record(Geofence(id: "geo-1", name: "Home", latitude: 0, longitude: 0))
    try recorder.record(
      PropertyDefinition(id: "def-1", eventTypeId: "type-1", key: "k", label: "K", propertyType: .text))
    try recorder.edit(eventTypeId: "type-1") { $0.name = "x" }
    try recorder.edit(geofenceId: "geo-1") { $0.radius = 50 }
    try recorder.edit(propertyDefinitionId: "def-1") { $0.label = "x" }
    try recorder.edit(eventId: "evt-1") { (event: inout Event) -> Void in event.notes = "x" }
    try recorder.delete(propertyDefinitionId: "def-1")
    try recorder.delete(geofenceId: "geo-1")
    try recorder.delete(eventId: "evt-1")
    try recorder.delete(eventTypeId: "type-1")
    #expect(stores.mockStore.storedPendingMutations.isEmpty)

    await engine.loadInitialState()
    await engine.performSync()
    await engine.forceFullResync()
    let cursor: Int64 = try await engine.skipToLatestCursor()
    let count: Int = await engine.getPendingCount()
    let cleared: Int = await engine.clearPendingMutations(markEntitiesFailed: true)
    await engine.resetDataStore()
    await engine.resetCircuitBreaker()
    await engine.start()
    await engine.stop()
    let remaining: Duration = await engine.circuitBreakerBackoffRemaining
    let breaker: CircuitBreakerState = await engine.circuitBreakerState
    let isTripped: Bool = await engine.isCircuitBreakerTripped
    let states: AsyncStream<SyncState> = engine.states
    _ = states
    #expect(cursor == 0 && count == 0 && cleared == 0 && remaining == .zero && breaker == .closed && !isTripped)
    #expect(await engine.pendingCount == 0)
    #expect(await engine.lastSyncTime != nil)
    #expect(
      Set<SyncState>([
        .idle, .pulling, .syncing(synced: 1, total: 2), .rateLimited(retryAfter: .zero, pending: 1), .error("x"),
      ])
      .count == 5)
  }
}
