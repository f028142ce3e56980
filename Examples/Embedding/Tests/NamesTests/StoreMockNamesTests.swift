import Foundation
import Testing
import TrendyModels
import TrendyTesting

@Suite("Names of the store's mock")
struct StoreMockNamesTests {
  private let factory = MockDataStoreFactory()
  private var store: MockDataStore { factory.mockStore }

  @Test func `recorded calls of the mock have the documented names`() throws {
    _ = MockDataStore()
    let type = store.seedEventType()
    let unit = factory.makeDataStore()
    try unit.upsertEvent(id: "e") { $0.eventTypeId = type.id }
    let call: MockDataStore.UpsertEventCall = try #require(store.upsertEventCalls.first)
    #expect(call == MockDataStore.UpsertEventCall(id: "e", timestamp: DeterministicDate.jan1_2024))
    try unit.upsertEventType(id: "t") { _ in }
    try unit.upsertGeofence(id: "g") { _ in }
    try unit.upsertPropertyDefinition(id: "p", eventTypeId: "t") { _ in }
    #expect(store.upsertEventTypeCalls.map(\.id) == ["t"] && store.upsertGeofenceCalls.map(\.id) == ["g"])
    #expect(store.upsertPropertyDefinitionCalls.map(\.id) == ["p"])
    _ = try unit.findEvent(id: "e")
    _ = try unit.findEventType(id: "t")
    _ = try unit.findGeofence(id: "g")
    _ = try unit.findPropertyDefinition(id: "p")
    #expect(store.findEventCalls.map(\.id) == ["e"] && store.findEventTypeCalls.map(\.id) == ["t"])
    #expect(store.findGeofenceCalls.map(\.id) == ["g"] && store.findPropertyDefinitionCalls.map(\.id) == ["p"])
    try unit.insertPendingMutation(
      PendingMutation(
        id: "m", entityType: .event, entityId: "e", operation: .create, payload: Data(),
        createdAt: DeterministicDate.jan1_2024))
    #expect(store.insertMutationCalls.map(\.entityId) == ["e"])
    _ = try unit.hasPendingMutation(entityId: "e", entityType: .event, operation: .create)
    let asked = try #require(store.hasPendingMutationCalls.first)
    #expect(asked.entityId == "e" && asked.entityType == .event && asked.operation == .create)
    try unit.markEventSynced(id: "e")
    try unit.markEventTypeSynced(id: "t")
    try unit.markGeofenceSynced(id: "g")
    try unit.markPropertyDefinitionSynced(id: "p")
    #expect(store.markEventSyncedCalls.map(\.id) == ["e"] && store.markEventTypeSyncedCalls.map(\.id) == ["t"])
    #expect(store.markGeofenceSyncedCalls.map(\.id) == ["g"])
    #expect(store.markPropertyDefinitionSyncedCalls.map(\.id) == ["p"])
    try unit.deleteEvent(id: "e")
    try unit.deleteGeofence(id: "g")
    try unit.deletePropertyDefinition(id: "p")
    try unit.deleteEventType(id: "t")
    #expect(store.deleteEventCalls.map(\.id) == ["e"] && store.deleteGeofenceCalls.map(\.id) == ["g"])
    #expect(store.deletePropertyDefinitionCalls.map(\.id) == ["p"] && store.deleteEventTypeCalls.map(\.id) == ["t"])

    _ = try unit.fetchAllEvents()
    _ = try unit.fetchAllEventTypes()
    _ = try unit.fetchAllGeofences()
    _ = try unit.fetchAllPropertyDefinitions()
    _ = try unit.fetchPendingMutations()
    try unit.deleteAllEvents()
    try unit.deleteAllEventTypes()
    try unit.deleteAllGeofences()
    try unit.deleteAllPropertyDefinitions()
    try unit.save()
    let numbers: [Int] = [
      store.saveCalls, store.fetchAllEventsCalls, store.fetchAllEventTypesCalls, store.fetchAllGeofencesCalls,
      store.fetchAllPropertyDefinitionsCalls, store.deleteAllEventsCalls, store.deleteAllEventTypesCalls,
      store.deleteAllGeofencesCalls, store.deleteAllPropertyDefinitionsCalls, store.fetchPendingMutationsCalls,
    ]
    #expect(numbers == Array(repeating: 1, count: 10))
    factory.reset()
    #expect(!factory.makeDataStoreCalled && factory.makeDataStoreCallCount == 0 && store.saveCalls == 1)
    factory.removeAll()
    #expect(store.saveCalls == 0 && store.storedEvents.isEmpty)
  }

  @Test func `seeded entities are stored`() {
    let type = store.seedEventType(id: "t") { $0.name = "Coffee" }
    let event = store.seedEvent(id: "e", eventType: type) { $0.notes = "n" }
    let geofence = store.seedGeofence(id: "g") { $0.radius = 200 }
    let definition = store.seedPropertyDefinition(id: "p", eventType: type) { $0.label = "L" }
    let mutation = store.seedPendingMutation(id: "m", entityType: .event, entityId: "e", operation: .delete)
    store.storedSyncCursor = 7
    #expect(store.storedEvents == ["e": event] && store.storedEventTypes == ["t": type])
    #expect(store.storedGeofences == ["g": geofence] && store.storedPropertyDefinitions == ["p": definition])
    #expect(store.storedPendingMutations == [mutation])
    let cursor: Int64? = store.storedSyncCursor
    #expect(cursor == 7 && store.saveCalls == 0)
    store.seedEvent(eventType: store.seedEventType())
    store.seedGeofence()
    store.seedPropertyDefinition(eventType: type)
    #expect(
      store.storedEventTypes.values.contains {
        $0.name == "Seeded" && $0.colorHex == "#000000" && $0.iconName == "circle"
      })
    #expect(store.storedGeofences.values.contains { $0.name == "Seeded" && $0.latitude == 0 && $0.radius == 100 })
    #expect(
      store.storedPropertyDefinitions.values.contains {
        $0.key == "seeded" && $0.label == "Seeded" && $0.propertyType == .text
      })
  }

  @Test func `an entity without a parent gets a placeholder parent`() throws {
    let unit = factory.makeDataStore()
    let event = try unit.upsertEvent(id: "e") { _ in }
    let type = try #require(store.storedEventTypes[event.eventTypeId])
    #expect(type.name == "MockDefault" && type.colorHex == "#888888" && type.iconName == "circle")
    try unit.upsertPropertyDefinition(id: "p", eventTypeId: "t") { _ in }
    let placeholder = try #require(store.storedEventTypes["t"])
    #expect(placeholder.name == "Placeholder" && placeholder.colorHex == "#000000" && placeholder.iconName == "circle")
  }

  @Test func `injected errors are thrown`() {
    let unit = factory.makeDataStore()
    let error = TestError("x")
    store.throwOnFetchAll = error
    #expect(throws: error) { try unit.fetchPendingMutations() }
    store.throwOnFind = error
    #expect(throws: error) { try unit.hasPendingMutation(entityId: "e", entityType: .event, operation: .create) }
    store.throwOnDelete = error
    #expect(throws: error) { try unit.deleteAllEvents() }
    store.throwOnSave = error
    #expect(throws: error) { try unit.save() }
  }
}
