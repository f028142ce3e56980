import Testing
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendyTesting

@Suite("MockDataStore", .timeLimit(.minutes(10)))
struct MockDataStoreTests {
  private let clock = ManualClock()
  private let store: MockDataStore
  private let now = DeterministicDate.jan1_2024

  init() {
    store = MockDataStore(clock: clock)
  }

  // MARK: Records

  @Test func `every call for a row is recorded with id and time`() async throws {
    await clock.advance(by: .seconds(3))
    let then = now.addingTimeInterval(3)
    try store.upsertEvent(id: "e1") { $0.eventTypeId = "t1" }
    try store.upsertEventType(id: "t1") { $0.name = "n" }
    try store.upsertGeofence(id: "g1") { $0.name = "n" }
    try store.upsertPropertyDefinition(id: "p1", eventTypeId: "t1") { $0.key = "k" }
    _ = try store.findEvent(id: "e2")
    _ = try store.findEventType(id: "t2")
    _ = try store.findGeofence(id: "g2")
    _ = try store.findPropertyDefinition(id: "p2")
    try store.markEventSynced(id: "e3")
    try store.markEventTypeSynced(id: "t3")
    try store.markGeofenceSynced(id: "g3")
    try store.markPropertyDefinitionSynced(id: "p3")
    try store.deleteEvent(id: "e4")
    try store.deleteEventType(id: "t4")
    try store.deleteGeofence(id: "g4")
    try store.deletePropertyDefinition(id: "p4")

    #expect(store.upsertEventCalls == [.init(id: "e1", timestamp: then)])
    #expect(store.upsertEventTypeCalls == [.init(id: "t1", timestamp: then)])
    #expect(store.upsertGeofenceCalls == [.init(id: "g1", timestamp: then)])
    #expect(store.upsertPropertyDefinitionCalls == [.init(id: "p1", timestamp: then)])
    #expect(store.findEventCalls == [.init(id: "e2", timestamp: then)])
    #expect(store.findEventTypeCalls == [.init(id: "t2", timestamp: then)])
    #expect(store.findGeofenceCalls == [.init(id: "g2", timestamp: then)])
    #expect(store.findPropertyDefinitionCalls == [.init(id: "p2", timestamp: then)])
    #expect(store.markEventSyncedCalls == [.init(id: "e3", timestamp: then)])
    #expect(store.markEventTypeSyncedCalls == [.init(id: "t3", timestamp: then)])
    #expect(store.markGeofenceSyncedCalls == [.init(id: "g3", timestamp: then)])
    #expect(store.markPropertyDefinitionSyncedCalls == [.init(id: "p3", timestamp: then)])
    #expect(store.deleteEventCalls == [.init(id: "e4", timestamp: then)])
    #expect(store.deleteEventTypeCalls == [.init(id: "t4", timestamp: then)])
    #expect(store.deleteGeofenceCalls == [.init(id: "g4", timestamp: then)])
    #expect(store.deletePropertyDefinitionCalls == [.init(id: "p4", timestamp: then)])
  }

  @Test func `calls for mutations are recorded with entity and operation`() throws {
    let mutation = PendingMutation(
      id: "m1", entityType: .geofence, entityId: "g1", operation: .update, payload: Data(), createdAt: now)
    try store.insertPendingMutation(mutation)
    _ = try store.hasPendingMutation(entityId: "g2", entityType: .eventType, operation: .delete)
    try store.deletePendingMutation(mutation)
    #expect(store.insertMutationCalls == [.init(mutation: mutation, timestamp: now)])
    let call = try #require(store.insertMutationCalls.first)
    #expect(call.entityId == "g1" && call.entityType == .geofence && call.operation == .update)
    #expect(
      store.hasPendingMutationCalls
        == [.init(entityId: "g2", entityType: .eventType, operation: .delete, timestamp: now)])
    #expect(store.deleteMutationCalls == [.init(id: "m1", timestamp: now)])
  }

  @Test func `calls for whole kinds and for the unit of work are counted`() throws {
    for _ in 0..<2 { _ = try store.fetchAllEvents() }
    for _ in 0..<3 { _ = try store.fetchAllEventTypes() }
    for _ in 0..<4 { _ = try store.fetchAllGeofences() }
    for _ in 0..<5 { _ = try store.fetchAllPropertyDefinitions() }
    for _ in 0..<6 { _ = try store.fetchPendingMutations() }
    for _ in 0..<7 { try store.deleteAllEvents() }
    for _ in 0..<8 { try store.deleteAllEventTypes() }
    for _ in 0..<9 { try store.deleteAllGeofences() }
    for _ in 0..<10 { try store.deleteAllPropertyDefinitions() }
    for _ in 0..<11 { try store.save() }
    for _ in 0..<12 { store.rollback() }
    _ = try store.events(in: nil, ofType: nil, limit: nil)
    _ = try store.eventCountsByDay(in: nil, ofType: nil, timeZone: .gmt)
    #expect(store.fetchAllEventsCalls == 2)
    #expect(store.fetchAllEventTypesCalls == 3)
    #expect(store.fetchAllGeofencesCalls == 4)
    #expect(store.fetchAllPropertyDefinitionsCalls == 5)
    #expect(store.fetchPendingMutationsCalls == 6)
    #expect(store.deleteAllEventsCalls == 7)
    #expect(store.deleteAllEventTypesCalls == 8)
    #expect(store.deleteAllGeofencesCalls == 9)
    #expect(store.deleteAllPropertyDefinitionsCalls == 10)
    #expect(store.saveCalls == 11)
    #expect(store.rollbackCalls == 12)
    #expect(store.queryEventsCalls == 2)
  }

  // MARK: Injected errors

  @Test("an injected error affects only its calls, all of which are recorded", arguments: Injection.all)
  func injects(_ injection: Injection) throws {
    let type = store.seedEventType(id: "t")
    store.seedEvent(id: "e", eventType: type)
    let mutation = store.seedPendingMutation(id: "m", entityType: .event, entityId: "e", operation: .delete)
    let error = TestError(injection.description)
    injection.set(store, error)

    var thrown: Set<String> = []
    for (name, call) in Injection.calls(mutation) {
      do { try call(store) } catch let caught as TestError where caught == error { thrown.insert(name) }
    }
    #expect(thrown == injection.reached)
    let recorded = store.upsertEventCalls.count + store.deleteEventCalls.count + store.findEventCalls.count
    #expect(recorded + store.markEventSyncedCalls.count + store.insertMutationCalls.count + store.saveCalls == 6)

    injection.set(store, nil)
    for (_, call) in Injection.calls(mutation) { try call(store) }
  }

  @Test func `a save that throws leaves the unit unchanged for another save or a rollback`() throws {
    store.throwOnSave = TestError()
    try store.upsertGeofence(id: "g") { $0.name = "n" }
    #expect(throws: TestError()) { try store.save() }
    #expect(store.storedGeofences.keys.sorted() == ["g"])
    #expect(try store.otherUnits.makeDataStore().fetchAllGeofences().isEmpty)
    store.throwOnSave = nil
    try store.save()
    #expect(try store.otherUnits.makeDataStore().fetchAllGeofences().count == 1)
    #expect(store.saveCalls == 2)
  }

  @Test func `an upsert with an injected error changes nothing and runs no closure`() {
    store.throwOnUpsert = TestError()
    #expect(throws: TestError()) {
      try store.upsertGeofence(id: "g") { _ in Issue.record("the closure is not to be run") }
    }
    #expect(store.storedGeofences.isEmpty)
  }

  // MARK: Stored rows

  @Test func `stored rows include unsaved ones, and reading them is not recorded`() throws {
    try store.upsertEvent(id: "e") { $0.eventTypeId = "t" }
    try store.upsertEventType(id: "t") { $0.name = "n" }
    try store.upsertGeofence(id: "g") { $0.name = "n" }
    try store.upsertPropertyDefinition(id: "p", eventTypeId: "t") { $0.key = "k" }
    let mutation = PendingMutation(
      id: "m", entityType: .event, entityId: "e", operation: .create, payload: Data(), createdAt: now)
    try store.insertPendingMutation(mutation)
    try store.setSyncCursor(5)
    try store.setSyncIdentity(SyncIdentity(device: "d"))
    let tombstone = Tombstone(entityType: .event, entityId: "x", version: 1)
    try store.insertTombstone(tombstone)
    let parked = APIModelFixture.makeChangeEntry()
    try store.insertParkedChange(parked)
    let conflict = store.seedConflict(id: "c", entityType: .event, entityId: "x", operation: .update)
    store.rollback()  // seeding saved the unsaved changes
    store.resetRecords()

    #expect(store.storedEvents["e"]?.eventTypeId == "t" && store.storedEvents.count == 1)
    #expect(store.storedEventTypes["t"]?.name == "n" && store.storedEventTypes.count == 1)
    #expect(store.storedGeofences.keys.sorted() == ["g"])
    #expect(store.storedPropertyDefinitions["p"]?.key == "k")
    #expect(store.storedPendingMutations == [mutation])
    #expect(store.storedSyncCursor == 5)
    #expect(store.storedSyncIdentity == SyncIdentity(device: "d"))
    #expect(store.storedTombstones == [tombstone])
    #expect(store.storedParkedChanges == [parked])
    #expect(store.storedConflicts == [conflict])
    #expect(store.fetchAllEventsCalls == 0 && store.fetchPendingMutationsCalls == 0 && store.saveCalls == 0)

    try store.deleteEvent(id: "e")
    #expect(store.storedEvents.isEmpty)
    store.rollback()
    #expect(store.storedEvents.count == 1)
  }

  @Test func `reading stored rows ignores injected errors`() {
    store.throwOnFetchAll = TestError()
    store.throwOnFind = TestError()
    store.throwOnSyncState = TestError()
    #expect(store.storedEvents.isEmpty && store.storedPendingMutations.isEmpty && store.storedSyncCursor == nil)
  }

  // MARK: Seeds

  @Test func `seeded rows have the documented values`() {
    let type = store.seedEventType(id: "t")
    #expect(type == EventType(id: "t", name: "Seeded", colorHex: "#000000", iconName: "circle"))
    #expect(store.seedEvent(id: "e", eventType: type) == Event(id: "e", eventTypeId: "t", timestamp: now))
    #expect(
      store.seedGeofence(id: "g") == Geofence(id: "g", name: "Seeded", latitude: 0, longitude: 0, radius: 100))
    #expect(
      store.seedPropertyDefinition(id: "p", eventType: type)
        == PropertyDefinition(id: "p", eventTypeId: "t", key: "seeded", label: "Seeded", propertyType: .text))
    #expect(
      store.seedPendingMutation(id: "m", entityType: .event, entityId: "e", operation: .create, payload: Data([1]))
        == PendingMutation(
          id: "m", entityType: .event, entityId: "e", operation: .create, payload: Data([1]), createdAt: now))
    #expect(
      store.seedTombstone(entityType: .event, entityId: "x", version: 3)
        == Tombstone(entityType: .event, entityId: "x", version: 3))
  }

  @Test func `seeds are saved immediately and not recorded`() throws {
    store.throwOnSave = TestError()
    store.throwOnUpsert = TestError()
    store.throwOnInsertMutation = TestError()
    let type = store.seedEventType { $0.name = "Run" }
    let event = store.seedEvent(eventType: type) { $0.notes = "n" }
    let geofence = store.seedGeofence { $0.radius = 200 }
    let definition = store.seedPropertyDefinition(eventType: type) { $0.key = "k" }
    let mutation = store.seedPendingMutation(entityType: .event, entityId: event.id, operation: .update) {
      $0.attempts = 2
    }
    store.storedSyncCursor = 1000

    let other = store.otherUnits.makeDataStore()
    #expect(try other.fetchAllEventTypes() == [type] && type.name == "Run")
    #expect(try other.fetchAllEvents() == [event] && event.notes == "n" && event.eventTypeId == type.id)
    #expect(try other.fetchAllGeofences() == [geofence] && geofence.radius == 200)
    #expect(try other.fetchAllPropertyDefinitions() == [definition] && definition.key == "k")
    #expect(try other.fetchPendingMutations() == [mutation] && mutation.attempts == 2)
    #expect(try other.syncCursor() == 1000)
    #expect(store.saveCalls == 0 && store.upsertEventCalls.isEmpty && store.upsertEventTypeCalls.isEmpty)
    #expect(store.upsertGeofenceCalls.isEmpty && store.upsertPropertyDefinitionCalls.isEmpty)
    #expect(store.insertMutationCalls.isEmpty)
    store.rollback()
    #expect(store.storedEvents == [event.id: event])
  }

  @Test func `a seed replaces an existing row completely`() {
    store.seedGeofence(id: "g") { $0.eventTypeEntryId = "t" }
    let again = store.seedGeofence(id: "g") { $0.name = "again" }
    #expect(store.storedGeofences == ["g": again] && again.eventTypeEntryId == nil)
  }

  @Test func `seeds without an id get reproducible ids that depend on the seed`() {
    func ids(_ store: MockDataStore) -> [String] { (0..<3).map { _ in store.seedGeofence().id } }
    let first = ids(MockDataStore())
    #expect(Set(first).count == 3 && first.allSatisfy { UUIDv7($0) != nil } && first == first.sorted())
    #expect(ids(MockDataStore()) == first)
    #expect(Set(ids(MockDataStore(seed: 1))).isDisjoint(with: first))
  }

  @Test func `seeded mutations with equal times keep their order`() {
    for id in ["b", "a", "c"] {
      store.seedPendingMutation(id: id, entityType: .event, entityId: id, operation: .delete)
    }
    #expect(store.storedPendingMutations.map(\.id) == ["b", "a", "c"])
  }

  // MARK: Implicit rows

  @Test func `an event upserted without a type gets the default one`() throws {
    let event = try store.upsertEvent(id: "e") { $0.notes = "n" }
    try store.upsertEvent(id: "f") { _ in }
    let type = try #require(store.storedEventTypes[event.eventTypeId])
    #expect(type.name == "MockDefault" && type.colorHex == "#888888" && type.iconName == "circle")
    #expect(store.storedEventTypes.count == 1 && store.storedEvents["f"]?.eventTypeId == type.id)
    #expect(store.upsertEventTypeCalls.isEmpty)
  }

  @Test func `an event with a type keeps it, whether the type exists or not`() throws {
    try store.upsertEvent(id: "e") { $0.eventTypeId = "t" }
    #expect(store.storedEvents["e"]?.eventTypeId == "t" && store.storedEventTypes.isEmpty)
  }

  @Test func `a definition's missing type is created, and an existing one is unchanged`() throws {
    try store.upsertPropertyDefinition(id: "p", eventTypeId: "t") { $0.key = "k" }
    #expect(
      store.storedEventTypes
        == ["t": EventType(id: "t", name: "Placeholder", colorHex: "#000000", iconName: "circle")])
    let type = store.seedEventType(id: "u")
    try store.upsertPropertyDefinition(id: "q", eventTypeId: "u") { $0.key = "k" }
    #expect(store.storedEventTypes["u"] == type)
  }

  // MARK: Reset

  @Test func `reset restores the initial state`() throws {
    let type = store.seedEventType()
    store.seedEvent(eventType: type)
    store.storedSyncCursor = 3
    _ = try store.findEvent(id: "e")
    try store.save()
    store.throwOnSave = TestError()
    store.throwOnFind = TestError()
    store.reset()
    #expect(store.storedEvents.isEmpty && store.storedEventTypes.isEmpty && store.storedSyncCursor == nil)
    #expect(store.findEventCalls.isEmpty && store.saveCalls == 0)
    #expect(try store.findEvent(id: "e") == nil)
    try store.save()
    #expect(try store.otherUnits.makeDataStore().fetchAllEventTypes().isEmpty)
  }

  @Test func `two mocks share no state`() {
    let other = MockDataStore()
    other.seedGeofence(id: "g")
    #expect(store.storedGeofences.isEmpty)
  }
}

/// Injected error and the calls from ``calls(_:)`` that it affects.
struct Injection: CustomTestStringConvertible, CustomStringConvertible, Sendable {
  let description: String
  let set: @Sendable (MockDataStore, (any Error)?) -> Void
  let reached: Set<String>

  var testDescription: String { description }

  static let all = [
    Injection(description: "throwOnSave", set: { $0.throwOnSave = $1 }, reached: ["save"]),
    Injection(
      description: "throwOnUpsert", set: { $0.throwOnUpsert = $1 },
      reached: ["upsertEvent", "upsertEventType", "upsertGeofence", "upsertPropertyDefinition", "upsertRecord"]),
    Injection(
      description: "throwOnDelete", set: { $0.throwOnDelete = $1 },
      reached: [
        "deleteEvent", "deleteEventType", "deleteGeofence", "deletePropertyDefinition", "deleteAllEvents",
        "deleteAllEventTypes", "deleteAllGeofences", "deleteAllPropertyDefinitions", "deletePendingMutation",
        "deleteRecord",
      ]),
    Injection(
      description: "throwOnFind", set: { $0.throwOnFind = $1 },
      reached: [
        "findEvent", "findEventType", "findGeofence", "findPropertyDefinition", "hasPendingMutation", "findRecord",
      ]),
    Injection(
      description: "throwOnFetchAll", set: { $0.throwOnFetchAll = $1 },
      reached: [
        "fetchAllEvents", "fetchAllEventTypes", "fetchAllGeofences", "fetchAllPropertyDefinitions", "events",
        "eventCountsByDay", "fetchPendingMutations", "firstPendingMutations", "lastPendingMutation",
        "pendingMutations", "syncCounts", "fetchRecords",
      ]),
    Injection(
      description: "throwOnInsertMutation", set: { $0.throwOnInsertMutation = $1 }, reached: ["insertPendingMutation"]),
    Injection(
      description: "throwOnMarkSynced", set: { $0.throwOnMarkSynced = $1 },
      reached: ["markEventSynced", "markEventTypeSynced", "markGeofenceSynced", "markPropertyDefinitionSynced"]),
    Injection(
      description: "throwOnSyncState", set: { $0.throwOnSyncState = $1 },
      reached: [
        "syncCursor", "setSyncCursor", "syncIdentity", "setSyncIdentity", "fetchTombstones", "insertTombstone",
        "deleteTombstone", "fetchConflicts", "insertConflict", "deleteConflict", "fetchParkedChanges",
        "insertParkedChange", "deleteParkedChange", "fetchAcceptedMutations", "acceptedMutations through",
        "acceptedMutations ofEntity", "insertAcceptedMutation", "deleteAcceptedMutation", "heldEntry",
        "fetchHeldEntries", "heldEntries", "insertHeldEntry", "deleteHeldEntry", "syncMemory", "setSyncMemory",
        "parkedChange", "parkedChanges",
      ]),
  ]

  /// Returns one call to each throwing operation.
  static func calls(_ mutation: PendingMutation) -> [(String, (MockDataStore) throws -> Void)] {
    let tombstone = Tombstone(entityType: .event, entityId: "x")
    let conflict = Conflict(
      id: "c", entityType: .event, entityId: "x", operation: .update, payload: Data(), reason: "r",
      recordedAt: DeterministicDate.jan1_2024)
    let change = APIModelFixture.makeChangeEntry()
    return [
      ("upsertEvent", { try $0.upsertEvent(id: "e") { $0.eventTypeId = "t" } }),
      ("upsertEventType", { try $0.upsertEventType(id: "t") { $0.name = "n" } }),
      ("upsertGeofence", { try $0.upsertGeofence(id: "g") { $0.name = "n" } }),
      ("upsertPropertyDefinition", { try $0.upsertPropertyDefinition(id: "p", eventTypeId: "t") { $0.key = "k" } }),
      ("findEvent", { _ = try $0.findEvent(id: "e") }),
      ("findEventType", { _ = try $0.findEventType(id: "t") }),
      ("findGeofence", { _ = try $0.findGeofence(id: "g") }),
      ("findPropertyDefinition", { _ = try $0.findPropertyDefinition(id: "p") }),
      (
        "hasPendingMutation",
        { _ = try $0.hasPendingMutation(entityId: "e", entityType: .event, operation: .delete) }
      ),
      ("fetchAllEvents", { _ = try $0.fetchAllEvents() }),
      ("fetchAllEventTypes", { _ = try $0.fetchAllEventTypes() }),
      ("fetchAllGeofences", { _ = try $0.fetchAllGeofences() }),
      ("fetchAllPropertyDefinitions", { _ = try $0.fetchAllPropertyDefinitions() }),
      ("events", { _ = try $0.events(in: nil, ofType: nil, limit: nil) }),
      ("eventCountsByDay", { _ = try $0.eventCountsByDay(in: nil, ofType: nil, timeZone: .gmt) }),
      ("fetchPendingMutations", { _ = try $0.fetchPendingMutations() }),
      ("markEventSynced", { try $0.markEventSynced(id: "e") }),
      ("markEventTypeSynced", { try $0.markEventTypeSynced(id: "t") }),
      ("markGeofenceSynced", { try $0.markGeofenceSynced(id: "g") }),
      ("markPropertyDefinitionSynced", { try $0.markPropertyDefinitionSynced(id: "p") }),
      ("insertPendingMutation", { try $0.insertPendingMutation(mutation) }),
      ("deletePendingMutation", { try $0.deletePendingMutation(mutation) }),
      ("deleteEvent", { try $0.deleteEvent(id: "e") }),
      ("deleteEventType", { try $0.deleteEventType(id: "t") }),
      ("deleteGeofence", { try $0.deleteGeofence(id: "g") }),
      ("deletePropertyDefinition", { try $0.deletePropertyDefinition(id: "p") }),
      ("deleteAllEvents", { try $0.deleteAllEvents() }),
      ("deleteAllEventTypes", { try $0.deleteAllEventTypes() }),
      ("deleteAllGeofences", { try $0.deleteAllGeofences() }),
      ("deleteAllPropertyDefinitions", { try $0.deleteAllPropertyDefinitions() }),
      ("syncCursor", { _ = try $0.syncCursor() }),
      ("setSyncCursor", { try $0.setSyncCursor(1) }),
      ("syncIdentity", { _ = try $0.syncIdentity() }),
      ("setSyncIdentity", { try $0.setSyncIdentity(nil) }),
      ("fetchTombstones", { _ = try $0.fetchTombstones() }),
      ("insertTombstone", { try $0.insertTombstone(tombstone) }),
      ("deleteTombstone", { try $0.deleteTombstone(tombstone) }),
      ("fetchConflicts", { _ = try $0.fetchConflicts() }),
      ("insertConflict", { try $0.insertConflict(conflict) }),
      ("deleteConflict", { try $0.deleteConflict(conflict) }),
      ("fetchParkedChanges", { _ = try $0.fetchParkedChanges() }),
      ("insertParkedChange", { try $0.insertParkedChange(change) }),
      ("deleteParkedChange", { try $0.deleteParkedChange(change) }),
      ("findRecord", { _ = try $0.findRecord(kind: .vehicle, id: "v") }),
      ("fetchRecords", { _ = try $0.fetchRecords(kind: .vehicle) }),
      ("upsertRecord", { try $0.upsertRecord(SyncedRecord(id: "v", kind: .vehicle)) }),
      ("deleteRecord", { try $0.deleteRecord(kind: .vehicle, id: "v") }),
      ("firstPendingMutations", { _ = try $0.firstPendingMutations(1) }),
      ("lastPendingMutation", { _ = try $0.lastPendingMutation() }),
      ("pendingMutations", { _ = try $0.pendingMutations(ofEntity: "e") }),
      ("syncCounts", { _ = try $0.syncCounts() }),
      ("fetchAcceptedMutations", { _ = try $0.fetchAcceptedMutations() }),
      ("acceptedMutations through", { _ = try $0.acceptedMutations(through: 1) }),
      ("acceptedMutations ofEntity", { _ = try $0.acceptedMutations(ofEntity: "e") }),
      ("insertAcceptedMutation", { try $0.insertAcceptedMutation(mutation) }),
      ("deleteAcceptedMutation", { try $0.deleteAcceptedMutation(mutation) }),
      ("heldEntry", { _ = try $0.heldEntry(kind: .event, id: "e") }),
      ("fetchHeldEntries", { _ = try $0.fetchHeldEntries(kind: .event) }),
      ("heldEntries", { _ = try $0.heldEntries(under: "t") }),
      ("insertHeldEntry", { try $0.insertHeldEntry(change) }),
      ("deleteHeldEntry", { try $0.deleteHeldEntry(kind: .event, id: "e") }),
      ("syncMemory", { _ = try $0.syncMemory() }),
      ("setSyncMemory", { try $0.setSyncMemory(nil) }),
      ("parkedChange", { _ = try $0.parkedChange(entityType: "event", entityId: "e") }),
      ("parkedChanges", { _ = try $0.parkedChanges(about: "t") }),
      ("save", { try $0.save() }),
    ]
  }
}
