import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Recording under an event type that another process has deleted. Without its type, an event would be visible nowhere,
/// and the hub would refuse it.
@Suite("Types deleted by another process", .timeLimit(.minutes(10)))
struct DeletedTypeTests {
  private static let gone = RecorderError.parentDeleted(.event, id: "new", eventTypeId: "type-1")
  private static let type = EventType(id: "type-1", name: "nap", colorHex: "#888888", iconName: "•")

  private let device = Device()
  private let other: Recorder
  private var store: MockDataStore { device.store }

  init() {
    other = Recorder(dataStoreFactory: device.factory, clock: device.clock, generator: SeededGenerator(seed: 9))
  }

  private static func event(_ id: String = "new") -> Event { EventFixture.makeEvent(id: id, eventTypeId: "type-1") }

  @Test("recording under a deleted type throws, whether or not the type was synced", arguments: [true, false])
  func refused(isSynced: Bool) throws {
    if isSynced { device.seedType() } else { try other.record(Self.type) }
    try device.recorder.record(Self.event("before"))
    try other.delete(eventTypeId: "type-1")
    let waiting = store.storedPendingMutations
    #expect(throws: Self.gone) { try device.recorder.record(Self.event()) }
    #expect(throws: Self.gone) { try device.recorder.record([Self.event()]) }
    #expect(throws: Self.gone) { try device.recorder.inOneSave { _ = try $0.recordNew(Self.event()) } }
    #expect(
      throws: RecorderError.parentDeleted(.propertyDefinition, id: "laps", eventTypeId: "type-1")
    ) {
      try device.recorder.record(
        PropertyDefinition(id: "laps", eventTypeId: "type-1", key: "laps", label: "Laps", propertyType: .number))
    }
    #expect(store.storedEvents.isEmpty && store.storedPropertyDefinitions.isEmpty)
    #expect(store.storedPendingMutations == waiting)
  }

  @Test func `moving an event to a deleted type throws`() throws {
    device.seedType()
    device.seedType("type-2")
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "type-2"))
    try other.delete(eventTypeId: "type-1")
    #expect(throws: Self.gone) { try device.recorder.edit(eventId: "new") { $0.eventTypeId = "type-1" } }
    #expect(store.storedEvents["new"]?.eventTypeId == "type-2")
  }

  @Test func `recording under a type deleted here or at the hub throws, with a versioned hub`() async throws {
    let hub = HubDouble()
    let device = Device(cursor: nil, client: { VersionedHubClient(base: $0, hub: hub) })
    hub.set { $0.snapshot = [.type("type-1", 1), .type("type-2", 2)] }
    await device.engine.performSync()
    try device.recorder.delete(eventTypeId: "type-1")
    #expect(throws: Self.gone) { try device.recorder.record(Self.event()) }
    hub.set { $0.pages = [[.tombstone(.eventType, "type-2", 4)]] }
    await device.engine.performSync()
    #expect(device.store.storedEventTypes.isEmpty)
    #expect(throws: RecorderError.parentDeleted(.event, id: "new", eventTypeId: "type-2")) {
      try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "type-2"))
    }
    try device.recorder.record(EventType(id: "type-3", name: "run", colorHex: "#888888", iconName: "•"))
    try device.recorder.delete(eventTypeId: "type-3")
    #expect(throws: RecorderError.parentDeleted(.event, id: "new", eventTypeId: "type-3")) {
      try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "type-3"))
    }
    #expect(device.store.storedEvents.isEmpty)
  }

  @Test func `a type that is created again accepts events, even in the same save`() throws {
    try other.record(Self.type)
    try other.delete(eventTypeId: "type-1")
    try device.recorder.inOneSave { save in
      #expect(throws: Self.gone) { _ = try save.recordNew(Self.event()) }
      try save.record(Self.type)
      _ = try save.recordNew(Self.event())
      try save.delete(.eventType, id: "type-1")
      #expect(throws: RecorderError.parentDeleted(.event, id: "late", eventTypeId: "type-1")) {
        _ = try save.recordNew(Self.event("late"))
      }
      try save.record(Self.type)
    }
    try device.recorder.record(Self.event("after"))
    #expect(store.storedEvents["after"] != nil && store.storedEvents["late"] == nil)
    #expect(!store.storedTombstones.contains { $0.entityType == .eventType })
  }

  @Test func `an event of an unknown type is recorded, since the type may still arrive`() throws {
    #expect(try device.recorder.record(Self.event()))
    #expect(store.storedEvents["new"] != nil)
  }
}
