import Foundation
import Testing
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTesting

@Suite("Names of the store")
struct StoreNamesTests {
  @Test func `the store factory has the documented names`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "names-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }  // if this fails, only a temporary folder remains
    let factory = try DefaultDataStoreFactory(directory: folder)
    let store: any DataStoreProtocol = factory.makeDataStore()
    try store.upsertEventType(id: "t") { $0.name = "n" }
    try store.save()
    #expect(try DefaultDataStoreFactory(directory: folder).makeDataStore().findEventType(id: "t")?.name == "n")
    let reader = try DefaultDataStoreFactory(directory: folder, mode: .readOnly).makeDataStore()
    #expect(try reader.findEventType(id: "t")?.name == "n")
    let modes: [StoreMode] = [.createIfMissing, .mustExist, .readOnly]
    for mode in modes { _ = try DefaultDataStoreFactory(directory: folder, mode: mode) }
    do {
      _ = try DefaultDataStoreFactory(directory: folder.appending(path: "none"), mode: .mustExist)
      Issue.record("a missing store was opened")
    } catch StorageError.notFound(let path) {
      #expect(path.hasSuffix("/none"))
    }
  }

  @Test func `the unit of work has the documented names`() throws {
    let store: any DataStoreProtocol = MockDataStoreFactory().makeDataStore()
    let date = DeterministicDate.jan1_2024
    try store.upsertEventType(id: "t") { $0.name = "n" }
    let event: Event = try store.upsertEvent(id: "e") {
      $0.eventTypeId = "t"
      $0.timestamp = date
    }
    try store.upsertGeofence(id: "g") { $0.name = "n" }
    try store.upsertPropertyDefinition(id: "p", eventTypeId: "t") { $0.key = "k" }
    #expect(try store.findEvent(id: "e") == event)
    #expect(try store.findEventType(id: "t") != nil && store.findGeofence(id: "g") != nil)
    #expect(try store.findPropertyDefinition(id: "p") != nil)
    #expect(try store.fetchAllEvents().count == 1 && store.fetchAllEventTypes().count == 1)
    #expect(try store.fetchAllGeofences().count == 1 && store.fetchAllPropertyDefinitions().count == 1)
    let events: [Event] = try store.events(in: date..<date + 1, ofType: "t", limit: 5)
    #expect(events.count == 1)
    #expect(try store.events(in: nil, ofType: nil, limit: nil).count == 1)
    let zone = try #require(TimeZone(secondsFromGMT: 0))
    let counts: [Date: Int] = try store.eventCountsByDay(in: nil, ofType: nil, timeZone: zone)
    #expect(counts == [date: 1])
    try store.markEventSynced(id: "e")
    try store.markEventTypeSynced(id: "t")
    try store.markGeofenceSynced(id: "g")
    try store.markPropertyDefinitionSynced(id: "p")

    let mutation = PendingMutation(
      id: "m", entityType: .event, entityId: "e", operation: .delete, payload: Data(), createdAt: date)
    try store.insertPendingMutation(mutation)
    #expect(try store.hasPendingMutation(entityId: "e", entityType: .event, operation: .delete))
    #expect(try store.fetchPendingMutations() == [mutation])
    try store.deletePendingMutation(mutation)

    let cursor: Int64? = try store.syncCursor()
    #expect(cursor == nil)
    try store.setSyncCursor(5)
    let tombstone = Tombstone(entityType: .event, entityId: "x", version: nil)
    try store.insertTombstone(tombstone)
    #expect(try store.fetchTombstones() == [tombstone])
    try store.deleteTombstone(tombstone)
    let conflict = Conflict(
      id: "c", entityType: .event, entityId: "e", operation: .update, payload: Data(), reason: "r", recordedAt: date)
    try store.insertConflict(conflict)
    #expect(try store.fetchConflicts() == [conflict])
    try store.deleteConflict(conflict)
    let parked = ChangeEntry(id: 1, entityType: "hologram", operation: "create", entityId: "h")
    try store.insertParkedChange(parked)
    #expect(try store.fetchParkedChanges() == [parked])
    try store.deleteParkedChange(parked)

    try store.save()
    try store.deleteEvent(id: "e")
    try store.deleteGeofence(id: "g")
    try store.deletePropertyDefinition(id: "p")
    try store.deleteEventType(id: "t")
    try store.deleteAllEvents()
    try store.deleteAllEventTypes()
    try store.deleteAllGeofences()
    try store.deleteAllPropertyDefinitions()
    store.rollback()
    #expect(try store.findEvent(id: "e") != nil)
  }
}
