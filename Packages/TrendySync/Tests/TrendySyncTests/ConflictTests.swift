import Foundation
import Testing
import TrendyModels
import TrendySync
import TrendyTesting

@Suite("Conflicts", .timeLimit(.minutes(10)))
struct ConflictTests {
  private let hub: HubDouble
  private let device: Device
  private var store: MockDataStore { device.store }

  init() {
    let hub = HubDouble()
    self.hub = hub
    device = Device(cursor: nil, client: { VersionedHubClient(base: $0, hub: hub) })
  }

  private func begin(_ more: [ChangeEntry] = []) async {
    hub.set { $0.snapshot = [.type("T", 1), .event("E", 3, notes: "theirs")] + more }
    await device.engine.performSync()
  }

  private func conflict(_ field: String, _ value: JSONValue, reason: String = "overwritten") -> ChangeEntry {
    .entry(
      .conflict, "c", 2,
      ["entity_type": "event", "entity_id": "E", "field": .string(field), "value": value, "reason": .string(reason)])
  }

  @Test func `both values are there to choose from, whoever keeps the one that took no effect`() async throws {
    await begin([conflict("notes", "mine"), .tombstone(.event, "G", 2)])
    _ = store.seedConflict(
      id: "own", entityType: .event, entityId: "E", operation: .update, payload: Data(#"{"notes":"older"}"#.utf8))
    let open = try device.recorder.openConflicts()
    #expect(open.map(\.id) == ["own", "c"] && open.map(\.origin) == [.journal(.update), .hub])
    #expect(open.map(\.kept) == [["notes": "older"], ["notes": "mine"]])
    #expect(open.map(\.present) == [["notes": "theirs"], ["notes": "theirs"]])
  }

  @Test func `the kept value is written again as an edit made now, and the conflict is resolved everywhere`()
    async throws
  {
    await begin([conflict("notes", "mine")])
    try device.recorder.retryConflict(id: "c")
    #expect(store.storedEvents["E"]?.notes == "mine")
    #expect(store.storedPendingMutations.map(\.operation) == [.update, .delete])
    #expect(try device.recorder.openConflicts().isEmpty)
  }

  @Test func `a kept property is written under its key`() async throws {
    await begin([conflict("properties.mood", ["type": "number", "value": 3])])
    try device.recorder.retryConflict(id: "c")
    #expect(store.storedEvents["E"]?.properties["mood"]?.intValue == 3)
  }

  @Test func `what was buried is restored for it`() async throws {
    hub.set {
      $0.snapshot = [
        .type("T", 1),
        .tombstone(.event, "E", 3, ["id": "E", "event_type_id": "T", "timestamp": "2024-01-01T00:00:00.000Z"]),
        conflict("notes", "mine", reason: "buried"),
      ]
    }
    await device.engine.performSync()
    try device.recorder.retryConflict(id: "c")
    #expect(store.storedEvents["E"]?.notes == "mine")
    #expect(store.storedPendingMutations.map(\.operation) == [.restore, .update, .delete])
  }

  @Test func `a dropped value goes, and what is shown stays`() async throws {
    await begin([conflict("notes", "mine")])
    try device.recorder.dropConflict(id: "c")
    #expect(store.storedEvents["E"]?.notes == "theirs")
    #expect(store.storedPendingMutations.map(\.entityType) == [.conflict])
    #expect(throws: RecorderError.noSuchConflict("c")) { try device.recorder.dropConflict(id: "c") }
  }

  @Test func `a refused creation is made again, or goes with its row`() async throws {
    await begin()
    for choice in ["retry", "drop"] {
      try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T", notes: "kept"))
      hub.set {
        $0.outcomes = [.refused(ProblemDetails(type: "urn:trendy:error:invalid", title: "No", status: 422))]
      }
      await device.engine.performSync()
      #expect(store.storedEvents["new"]?.syncStatus == .failed)
      let id = try #require(device.recorder.openConflicts().first?.id)
      if choice == "retry" {
        try device.recorder.retryConflict(id: id)
        #expect(store.storedPendingMutations.map(\.operation) == [.create])
        #expect(store.storedEvents["new"]?.notes == "kept")
        try device.recorder.delete(eventId: "new")
      } else {
        try device.recorder.dropConflict(id: id)
        #expect(store.storedEvents["new"] == nil && store.storedPendingMutations.isEmpty)
      }
      #expect(try device.recorder.openConflicts().isEmpty)
    }
  }
}
