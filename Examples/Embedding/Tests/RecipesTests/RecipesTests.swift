import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

@testable import Recipes

@Suite(.timeLimit(.minutes(10)))
final class RecipesTests {
  private let group = FileManager.default.temporaryDirectory.appending(path: "group-\(UUID())")
  private let network = MockNetworkClient()
  private let clock = ManualClock()
  private let coffee = EventType(id: "coffee", name: "Coffee", colorHex: "#6F4E37", iconName: "cup.and.saucer")

  deinit { try? FileManager.default.removeItem(at: group) }

  @Test func `a cancelled refresh releases the lock and keeps the pending entries`() async throws {
    let stores = try sharedStores(in: group)
    let store = stores.makeDataStore()
    try store.setSyncCursor(1)  // this device has synced before
    try store.save()
    try Recorder(dataStoreFactory: stores).record(coffee)
    let engine = SyncEngine(networkClient: network, dataStoreFactory: stores, clock: clock)
    let (requests, request) = AsyncStream<Void>.makeStream()
    let (answers, answer) = AsyncStream<Void>.makeStream()
    network.beforeAnswering = { _ in
      request.yield()
      for await _ in answers {}
    }
    let task = Task { await refresh(engine) }
    for await _ in requests { break }
    #expect(try stores.lockForSync() == nil)
    task.cancel()
    await task.value
    #expect(await engine.lastFailure == .cancelled)
    #expect(try stores.lockForSync() != nil)
    #expect(await engine.getPendingCount() == 1)

    answer.finish()
    await refresh(engine)
    #expect(await engine.state == .idle)
    #expect(await engine.getPendingCount() == 0)
    #expect(network.createEventTypeWithIdempotencyCalls.map(\.request.id) == ["coffee"])
  }

  @Test func `the engine syncs automatically only while the app is active`() async throws {
    let stores = MockDataStoreFactory()
    stores.mockStore.storedSyncCursor = 1
    let engine = SyncEngine(networkClient: network, dataStoreFactory: stores, clock: clock)
    await setActive(true, engine)
    while network.operations.isEmpty { await Task.yield() }
    await setActive(false, engine)
    let count = network.operations.count
    await clock.advance(by: .seconds(3600))
    #expect(network.operations.count == count)
  }

  @Test func `a widget reads and records in the store of the app`() throws {
    let day = DeterministicDate.jan1_2024..<Date.distantFuture
    #expect(throws: (any Error).self) { try coffees(in: day, group: group) }
    let recorder = Recorder(dataStoreFactory: try sharedStores(in: group))
    #expect(try coffees(in: day, group: group) == 0)
    try drinkCoffee(group: group)
    #expect(try coffees(in: day, group: group) == 0)
    try recorder.record(coffee)
    try drinkCoffee(group: group)
    #expect(try coffees(in: day, group: group) == 1)
  }

  @Test func `the client refuses to send the token unencrypted`() throws {
    struct Tokens: TokenStore {
      func token() -> String? { "secret" }
      func save(_ token: String) {}
    }
    #expect(throws: (any Error).self) {
      try client(for: try #require(URL(string: "http://hub.example")), tokens: Tokens())
    }
    let secure = try client(for: try #require(URL(string: "https://hub.example")), tokens: Tokens())
    #expect(!"\(secure)".contains("secret"))
  }
}
