import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting

@Suite("MockDataStoreFactory")
struct MockDataStoreFactoryTests {
  @Test func `every caller gets the same store, and calls are counted`() {
    let store = MockDataStore()
    let factory = MockDataStoreFactory(mockStore: store)
    #expect(!factory.makeDataStoreCalled && factory.makeDataStoreCallCount == 0)
    #expect(factory.makeDataStore() === store)
    #expect(factory.makeDataStore() === store)
    #expect(factory.makeDataStoreCalled && factory.makeDataStoreCallCount == 2)
    #expect(factory.makeDataStoreCalls == 2)
  }

  @Test func `a factory created without a store has a new one`() {
    let factory = MockDataStoreFactory()
    factory.mockStore.seedGeofence(id: "g")
    #expect(factory.makeDataStore() === factory.mockStore)
    #expect(MockDataStoreFactory().mockStore.storedGeofences.isEmpty)
  }

  @Test func `reset clears the calls of the factory and nothing else`() throws {
    let factory = MockDataStoreFactory()
    factory.mockStore.seedGeofence(id: "g")
    _ = try factory.makeDataStore().findGeofence(id: "g")
    factory.performMaintenance()
    factory.mockStore.throwOnSave = TestError()
    factory.reset()
    #expect(factory.makeDataStoreCallCount == 0 && !factory.makeDataStoreCalled)
    #expect(factory.mockStore.storedGeofences.keys.sorted() == ["g"])
    #expect(factory.mockStore.findGeofenceCalls.count == 1 && factory.tidyUpCalls == 1)
    #expect(factory.mockStore.throwOnSave != nil)
  }

  @Test func `removing all clears the store and the records and keeps the store object`() {
    let store = MockDataStore()
    let factory = MockDataStoreFactory(mockStore: store)
    store.seedGeofence(id: "g")
    _ = factory.makeDataStore()
    factory.performMaintenance()
    factory.removeAll()
    #expect(factory.makeDataStoreCalls == 0 && factory.tidyUpCalls == 0 && store.storedGeofences.isEmpty)
    #expect(factory.makeDataStore() === store)
  }

  @Test func `resetting the data store clears the records and keeps the rows`() throws {
    let factory = MockDataStoreFactory()
    factory.mockStore.seedGeofence(id: "g")
    _ = try factory.makeDataStore().findGeofence(id: "g")
    factory.resetDataStore()
    #expect(!factory.makeDataStoreCalled && factory.mockStore.findGeofenceCalls.isEmpty)
    #expect(factory.mockStore.storedGeofences.keys.sorted() == ["g"])
  }

  @Test func `an actor with a store from the factory uses the store that the test reads`() async throws {
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
