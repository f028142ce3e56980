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

  private func conflict(
    _ field: String, _ value: JSONValue, reason: String = "overwritten", author: String = "A", by: String = "B"
  ) -> ChangeEntry {
    .entry(
      .conflict, "c", 2,
      [
        "entity_type": "event", "entity_id": "E", "field": .string(field), "value": value, "reason": .string(reason),
        "author": .string(author), "by": .string(by), "stamp": 1_000,
      ])
  }

  @Test func `a conflict lists the kept and the current value`() async throws {
    await begin([conflict("notes", "mine"), .tombstone(.event, "G", 2)])
    _ = store.seedConflict(
      id: "own", entityType: .event, entityId: "E", operation: .update, payload: Data(#"{"notes":"older"}"#.utf8))
    let open = try device.recorder.openConflicts()
    #expect(open.map(\.id) == ["own", "c"] && open.map(\.origin) == [.journal(.update), .hub])
    #expect(open.map(\.kept) == [["notes": "older"], ["notes": "mine"]])
    #expect(open.map(\.present) == [["notes": "theirs"], ["notes": "theirs"]])
  }

  @Test func `a conflict of a cleared edit lists the hub's value, even if it was never visible`() async throws {
    await begin()
    try device.recorder.edit(eventId: "E") { $0.notes = "mine" }
    hub.set {
      $0.pushErrors = [.networkError("lost")]
      $0.pages = [[.event("E", 5, notes: "written meanwhile")]]
    }
    await device.engine.performSync()
    #expect(store.storedEvents["E"]?.notes == "mine")
    await device.engine.clearPendingMutations(markEntitiesFailed: true)
    let open = try device.recorder.openConflicts()
    #expect(open.map(\.kept) == [["notes": "mine"]])
    #expect(open.map(\.present) == [["notes": "written meanwhile"]], "else nobody sees what writing it again replaces")
  }

  @Test func `retrying a conflict writes the kept value as a new edit and resolves the conflict`() async throws {
    await begin([conflict("notes", "mine")])
    try device.recorder.retryConflict(id: "c")
    #expect(store.storedEvents["E"]?.notes == "mine")
    #expect(store.storedPendingMutations.map(\.operation) == [.update, .delete])
    #expect(try device.recorder.openConflicts().isEmpty)
  }

  @Test func `retrying a property conflict writes the property under its key`() async throws {
    await begin([conflict("properties.mood", ["type": "number", "value": 3])])
    try device.recorder.retryConflict(id: "c")
    #expect(store.storedEvents["E"]?.properties["mood"]?.intValue == 3)
  }

  @Test func `retrying a conflict of a deleted entity restores the entity`() async throws {
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

  @Test(
    "mine and theirs are assigned by author, whichever value was kept",
    arguments: [true, false])
  func sides(isMineKept: Bool) async throws {
    for keepsMine in [true, false] {
      let hub = HubDouble()
      let device = Device(cursor: nil, client: { VersionedHubClient(base: $0, hub: hub) })
      try device.store.setSyncIdentity(SyncIdentity(device: "me"))
      try device.store.save()
      let kept = conflict(
        "notes", "kept", author: isMineKept ? "me" : "other", by: isMineKept ? "other" : "me")
      hub.set { $0.snapshot = [.type("T", 1), .event("E", 3, notes: "shown"), kept] }
      await device.engine.performSync()
      let open = try #require(device.recorder.openConflicts().first)
      #expect(open.mine == (isMineKept ? .kept : .present) && open.keptBy.isThisDevice == isMineKept)
      #expect(open.keptBy.date == Date(timeIntervalSince1970: 1))
      #expect(open.presentBy["notes"]?.device == "other", "as the mark of the field says")
      try device.recorder.resolveConflict(id: "c", keepingMine: keepsMine)
      #expect(device.store.storedEvents["E"]?.notes == (isMineKept == keepsMine ? "kept" : "shown"))
      #expect(try device.recorder.openConflicts().isEmpty)
    }
  }

  @Test func `a conflict between two other devices has no local value, a refused local edit has one`() async throws {
    await begin([conflict("notes", "kept")])
    #expect(throws: RecorderError.notOurs("c")) { try device.recorder.resolveConflict(id: "c", keepingMine: true) }
    _ = store.seedConflict(
      id: "own", entityType: .event, entityId: "E", operation: .update, payload: Data(#"{"notes":"own"}"#.utf8))
    try device.recorder.resolveConflict(id: "own", keepingMine: true)
    #expect(store.storedEvents["E"]?.notes == "own")
    #expect(try device.recorder.openConflicts().first?.presentBy["notes"]?.isThisDevice == true, "it waits here")
    #expect(throws: RecorderError.notDeleted(.event, id: "E")) { try device.recorder.restoreForConflict(id: "c") }
  }

  @Test func `deleted entities are listed with their last values until they are restored`() async throws {
    let data: [String: JSONValue] = [
      "id": "gone", "event_type_id": "T", "timestamp": "2024-01-01T00:00:00.000Z", "notes": "last words",
    ]
    await begin([.tombstone(.event, "gone", 2, data), .tombstone(.event, "bare", 2)])
    try device.recorder.delete(eventId: "E")
    let deleted = try device.recorder.deleted(.event)
    #expect(deleted.map(\.id) == ["E", "gone"], "the latest first; of a bare id nothing is left")
    #expect(deleted.map(\.event?.notes) == ["theirs", "last words"])
    #expect(deleted.map(\.deletedAt) == [nil, DeterministicDate.jan1_2024])
    for entity in deleted { #expect(try device.recorder.restore(entity.kind, id: entity.id)) }
    #expect(try device.recorder.deleted(.event).isEmpty)
    #expect(store.storedEvents["gone"]?.notes == "last words" && store.storedEvents["E"] != nil)
  }

  /// A delete may reach the hub before the create or without it.
  @Test func `a deleted entity without required fields is neither listed nor restored`() async throws {
    await begin([.tombstone(.vehicle, "V", 2, ["id": "V"]), .tombstone(.vehicle, "W", 3, ["id": "W", "name": "Old"])])
    #expect(try device.recorder.deleted(.vehicle).map(\.id) == ["W"])
    #expect(throws: RecorderError.notHeld(.vehicle, id: "V")) { try device.recorder.restore(.vehicle, id: "V") }
    #expect(store.storedPendingMutations.isEmpty)
    #expect(try device.recorder.restore(.vehicle, id: "W"))
  }

  @Test func `dropping a conflict keeps the current value`() async throws {
    await begin([conflict("notes", "mine")])
    try device.recorder.dropConflict(id: "c")
    #expect(store.storedEvents["E"]?.notes == "theirs")
    #expect(store.storedPendingMutations.map(\.entityType) == [.conflict])
    #expect(throws: RecorderError.noSuchConflict("c")) { try device.recorder.dropConflict(id: "c") }
  }

  @Test func `a refused create can be retried or dropped with its row`() async throws {
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
