import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting

@Suite("MockDataStoreFactory")
struct MockDataStoreFactoryTests {
  @Test func `everyone who asks gets the same store, and asking is counted`() {
    let store = MockDataStore()
    let factory = MockDataStoreFactory(mockStore: store)
    #expect(!factory.makeDataStoreCalled && factory.makeDataStoreCallCount == 0)
    #expect(factory.makeDataStore() === store)
    #expect(factory.makeDataStore() === store)
    #expect(factory.makeDataStoreCalled && factory.makeDataStoreCallCount == 2)
    #expect(factory.makeDataStoreCalls == 2)
  }

  @Test func `a factory made without a store has one of its own`() {
    let factory = MockDataStoreFactory()
    factory.mockStore.seedGeofence(id: "g")
    #expect(factory.makeDataStore() === factory.mockStore)
    #expect(MockDataStoreFactory().mockStore.storedGeofences.isEmpty)
  }

  @Test func `reset empties the store and the count, and the store stays the same object`() {
    let store = MockDataStore()
    let factory = MockDataStoreFactory(mockStore: store)
    store.seedGeofence(id: "g")
    _ = factory.makeDataStore()
    factory.reset()
    #expect(factory.makeDataStoreCalls == 0 && store.storedGeofences.isEmpty)
    #expect(factory.makeDataStore() === store)
  }

  @Test func `resetting the data store forgets what was asked, and leaves the rows`() throws {
    let factory = MockDataStoreFactory()
    factory.mockStore.seedGeofence(id: "g")
    _ = try factory.makeDataStore().findGeofence(id: "g")
    factory.resetDataStore()
    #expect(!factory.makeDataStoreCalled && factory.mockStore.findGeofenceCalls.isEmpty)
    #expect(factory.mockStore.storedGeofences.keys.sorted() == ["g"])
  }

  @Test func `an actor that takes its store from the factory works on the one the test reads`() async throws {
    let store = MockDataStore()
    let owner = Owner(factory: MockDataStoreFactory(mockStore: store))
    try await owner.record("g")
    #expect(store.storedGeofences.keys.sorted() == ["g"] && store.saveCalls == 1)
  }
}

private actor Owner {
  private let store: any DataStoreProtocol

  init(factory: any DataStoreFactory) {
    store = factory.makeDataStore()
  }

  func record(_ id: String) throws {
    try store.upsertGeofence(id: id) { $0.name = "n" }
    try store.save()
  }
}
