import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

@Test func `a coffee logged offline is sent once the hub answers`() async throws {
  let network = MockNetworkClient()
  let stores = MockDataStoreFactory()
  stores.mockStore.storedSyncCursor = 1  // this device has synced before
  let recorder = Recorder(dataStoreFactory: stores, clock: ManualClock())
  let engine = SyncEngine(networkClient: network, dataStoreFactory: stores, clock: ManualClock())
  let coffee = EventType(id: "coffee", name: "Coffee", colorHex: "#6F4E37", iconName: "cup.and.saucer")
  try recorder.record(coffee)
  let event = try recorder.log(coffee)

  network.errorToThrow = APIError.networkError("no route")
  await engine.performSync()
  #expect(await engine.lastFailure == .unanswered("no route"))

  network.reset()
  await engine.performSync()
  #expect(await engine.state == .idle)
  #expect(network.createEventsBatchCalls.map { $0.events.map(\.id) } == [[event.id]])
}
