import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Rare sequences of events, tested on the device's side. Bare numbers are hub versions.
@Suite("Rare sequences of events", .timeLimit(.minutes(10)))
struct RareOrderTests {
  private let hub: HubDouble
  private let device: Device
  private var store: MockDataStore { device.store }

  init() {
    let hub = HubDouble()
    self.hub = hub
    device = Device(cursor: nil, client: { VersionedHubClient(base: $0, hub: hub) })
  }

  private func begin(_ more: [ChangeEntry] = []) async {
    hub.set { $0.snapshot = [.type("T", 1), .event("E", 3)] + more }
    await device.engine.performSync()
  }

  private func changes(_ mutation: PendingMutation) throws -> [String: FieldChange] {
    try FieldChange.changes(of: mutation)
  }

  private static let refusal = ProblemDetails(type: "urn:trendy:error:invalid", title: "No", status: 422)
  private static let logReset = APIError.problem(
    ProblemDetails(type: ProblemDetails.logReset, title: "Position unknown", status: 409), retryAfter: nil)

  // MARK: Bases of deletes

  /// Leaves the create of "new" at version 4 without a response, and pulls another device's edit at version 5. The next
  /// push fails as well.
  private func makeWithoutAnswer(_ make: () throws -> Void, then edited: ChangeEntry) async throws {
    try make()
    hub.set { $0.pushErrors = [.networkError("lost"), .networkError("lost")] }
    await device.engine.performSync()
    hub.set { $0.pages = [[edited]] }
    await device.engine.performSync()
    #expect(try store.syncMemory()?.complete == 5)
  }

  @Test func `the base of a delete excludes remote edits hidden by the local create`() async throws {
    await begin()
    try await makeWithoutAnswer(
      { try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T", notes: "mine")) },
      then: .event("new", 5, notes: "theirs"))
    #expect(store.storedEvents["new"]?.notes == "mine")
    try device.recorder.delete(eventId: "new")
    #expect(store.storedPendingMutations.last?.base == 0, "above it lies what somebody else wrote")
  }

  @Test func `the base of a type's delete excludes remote edits hidden by a local create`() async throws {
    await begin()
    try await makeWithoutAnswer(
      { try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T", notes: "mine")) },
      then: .event("new", 5, notes: "theirs"))
    try device.recorder.delete(eventTypeId: "T")
    #expect(store.storedPendingMutations.last?.base == 0)
  }

  @Test func `the base of a type's delete excludes a remote move to it that a local create hides`() async throws {
    await begin([.type("U", 3)])
    try await makeWithoutAnswer(
      { try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T", notes: "mine")) },
      then: .event("new", 5, of: "U", notes: "theirs"))
    try device.recorder.delete(eventTypeId: "T")
    #expect(store.storedEvents["new"] == nil)
    try device.recorder.delete(eventTypeId: "U")
    #expect(store.storedPendingMutations.last?.base == 0)
  }

  @Test func `an event that only this device has does not lower the base of its type's delete`() async throws {
    await begin()
    hub.set { $0.head = 9 }
    await device.engine.performSync()
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T"))
    try device.recorder.delete(eventTypeId: "T")
    #expect(store.storedPendingMutations.last?.base == 9, "a lower one would make conflicts of what was seen")
  }

  @Test func `the base of a delete excludes parked entries`() async throws {
    await begin()
    // This version cannot decode the entry.
    var unreadable = ChangeEntry.event("E", 6)
    unreadable.data = ChangeEntryData(rawData: ["id": "E", "event_type_id": "T", "timestamp": "in later words"])
    hub.set { $0.pages = [[unreadable]] }
    await device.engine.performSync()
    #expect(try store.syncMemory()?.complete == 6)
    try device.recorder.delete(eventId: "E")
    #expect(store.storedPendingMutations.last?.base == 5)
    try device.recorder.restore(eventId: "E")
    try device.recorder.delete(eventTypeId: "T")
    #expect(store.storedPendingMutations.last?.base == 5, "with its type it would go as well")
  }

  // MARK: Order of the queue

  @Test func `an edit restored by undoing a delete is queued after sent mutations, even if the clock was set back`()
    async throws
  {
    await begin()
    try device.recorder.edit(eventTypeId: "T") { $0.name = "sent" }
    hub.set { $0.pushErrors = [.networkError("lost")] }
    await device.engine.performSync()
    try device.recorder.edit(eventId: "E") { $0.notes = "mine" }
    try device.recorder.delete(eventId: "E")
    device.clock.setDate(device.clock.now - 365 * 86_400)
    try device.recorder.restore(eventId: "E")
    #expect(try store.fetchPendingMutations().map(\.entityId) == ["T", "E"])
    await device.engine.performSync()
    let last = try #require(hub.state.batches.last)
    #expect(last.position.acknowledgedThrough == 0, "what the first became is not known here")
    #expect(last.mutations.map(\.sequence) == [1, 2])
    #expect(store.storedEvents["E"]?.notes == "mine")
  }

  // MARK: Retrying refused mutations

  @Test func `retrying a refused restore shows the entity`() async throws {
    await begin([
      .tombstone(
        .event, "gone", 2,
        ["id": "gone", "event_type_id": "T", "timestamp": "2024-01-01T00:00:00.000Z", "notes": "old"])
    ])
    try device.recorder.record(EventFixture.makeEvent(id: "gone", eventTypeId: "T", notes: "kept"))
    #expect(store.storedPendingMutations.map(\.operation) == [.restore])
    hub.set { $0.outcomes = [.refused(Self.refusal)] }
    await device.engine.performSync()
    #expect(store.storedEvents["gone"] == nil)
    let id = try #require(device.recorder.openConflicts().first?.id)
    try device.recorder.retryConflict(id: id)
    #expect(store.storedEvents["gone"]?.notes == "kept")
    #expect(store.storedPendingMutations.map(\.operation) == [.restore, .update])
    #expect(try device.recorder.openConflicts().isEmpty)
  }

  @Test func `a cleared restore is hidden, and sent when it is retried`() async throws {
    await begin([
      .tombstone(.event, "gone", 2, ["id": "gone", "event_type_id": "T", "timestamp": "2024-01-01T00:00:00.000Z"])
    ])
    for choice in ["restore", "drop", "retry"] {
      #expect(try device.recorder.restore(eventId: "gone"))
      #expect(await device.engine.clearPendingMutations() == 1)
      #expect(store.storedEvents["gone"] == nil, "the hub has deleted it")
      let id = try #require(device.recorder.openConflicts().first?.id)
      switch choice {
      case "restore": #expect(try device.recorder.restore(eventId: "gone"))
      case "retry": try device.recorder.retryConflict(id: id)
      default:
        try device.recorder.dropConflict(id: id)
        #expect(store.storedEvents["gone"] == nil)
        continue
      }
      #expect(store.storedPendingMutations.map(\.operation) == [.restore])
      #expect(store.storedEvents["gone"]?.syncStatus == .pending)
      if choice == "restore" { try device.recorder.delete(eventId: "gone") }
      for conflict in try device.recorder.openConflicts() { try device.recorder.dropConflict(id: conflict.id) }
    }
    #expect(store.storedEvents["gone"] != nil)
  }

  @Test func `retrying a refused import sends it again`() async throws {
    await begin()
    let id = "00000000-0000-8000-8000-000000000001"
    try device.recorder.record(
      Event(id: id, eventTypeId: "T", timestamp: DeterministicDate.jan1_2024, notes: "kept", sourceType: .imported))
    hub.set { $0.outcomes = [.refused(Self.refusal)] }
    await device.engine.performSync()
    #expect(store.storedEvents[id]?.syncStatus == .failed)
    try device.recorder.retryConflict(id: #require(device.recorder.openConflicts().first?.id))
    #expect(store.storedPendingMutations.map(\.operation) == [.create])
    #expect(store.storedEvents[id]?.syncStatus == .pending)
    #expect(try device.recorder.openConflicts().isEmpty)
  }

  @Test func `a refused import that another device has made meanwhile is retried as an edit`() async throws {
    await begin()
    let id = "00000000-0000-8000-8000-000000000001"
    try device.recorder.record(
      Event(id: id, eventTypeId: "T", timestamp: DeterministicDate.jan1_2024, notes: "kept", sourceType: .imported))
    hub.set {
      $0.outcomes = [.refused(Self.refusal)]
      $0.pages = [[.event(id, 5, notes: "theirs")]]
    }
    await device.engine.performSync()
    #expect(store.storedEvents[id]?.notes == "theirs")
    try device.recorder.retryConflict(id: #require(device.recorder.openConflicts().first?.id))
    #expect(store.storedEvents[id]?.notes == "kept")
    #expect(store.storedPendingMutations.map(\.operation) == [.update])
  }

  @Test func `a refused import that was deleted meanwhile is retried as a restore`() async throws {
    await begin()
    let id = "00000000-0000-8000-8000-000000000001"
    try device.recorder.record(
      Event(id: id, eventTypeId: "T", timestamp: DeterministicDate.jan1_2024, notes: "kept", sourceType: .imported))
    hub.set {
      $0.outcomes = [.refused(Self.refusal)]
      $0.pages = [[.tombstone(.event, id, 5)]]
    }
    await device.engine.performSync()
    try device.recorder.retryConflict(id: #require(device.recorder.openConflicts().first?.id))
    #expect(store.storedPendingMutations.map(\.operation) == [.restore])
    #expect(store.storedPendingMutations.first?.incarnation == 1)
    #expect(store.storedEvents[id]?.notes == "kept")
  }

  @Test func `retrying a refused event of a deleted type throws and keeps the conflict`() async throws {
    await begin()
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T"))
    hub.set {
      $0.outcomes = [.refused(ProblemDetails(type: "urn:trendy:error:parent_deleted", title: "Gone", status: 409))]
      $0.pages = [[.tombstone(.event, "E", 5), .tombstone(.eventType, "T", 6)]]
    }
    await device.engine.performSync()
    #expect(store.storedEventTypes["T"] == nil)
    let id = try #require(device.recorder.openConflicts().first?.id)
    #expect(throws: RecorderError.parentDeleted(.event, id: "new", eventTypeId: "T")) {
      try device.recorder.retryConflict(id: id)
    }
    #expect(try device.recorder.openConflicts().count == 1 && store.storedPendingMutations.isEmpty)
  }

  @Test func `repeating an import with a sent delete queues a restore after the delete`() async throws {
    await begin()
    let event = Event(
      id: "00000000-0000-8000-8000-000000000001", eventTypeId: "T", timestamp: DeterministicDate.jan1_2024,
      sourceType: .imported)
    try device.recorder.record(event)
    try device.recorder.delete(eventId: event.id)
    hub.set { $0.pushErrors = [.networkError("lost"), .networkError("lost")] }
    await device.engine.performSync()
    #expect(store.storedPendingMutations.map { $0.sequence != nil } == [true, true])
    #expect(try device.recorder.record(event) == false, "what was deleted does not come back by itself")
    #expect(try device.recorder.inOneSave { try $0.again.record(event) })
    #expect(store.storedPendingMutations.map(\.operation) == [.create, .delete, .restore])
    #expect(store.storedPendingMutations.last?.incarnation == 1)
    #expect(store.storedEvents[event.id] != nil)
  }

  @Test func `an entity restored elsewhere loses the tombstone of its delete before the first sync`() async throws {
    let id = "00000000-0000-8000-8000-000000000001"
    try device.recorder.record(EventType(id: id, name: "coffee", colorHex: "#000000", iconName: "cup"))
    try device.recorder.delete(eventTypeId: id)
    await device.engine.performSync()
    #expect(try store.storedEventTypes[id] == nil && store.fetchTombstones().map(\.entityId) == [id])
    hub.set { $0.pages = [[.type(id, 9, incarnation: 1)]] }
    await device.engine.performSync()
    #expect(try store.storedEventTypes[id] != nil && store.fetchTombstones().isEmpty)
  }

  @Test func `a refused event of an already deleted type is hidden and in the conflict journal`() async throws {
    await begin()
    hub.set { $0.pages = [[.tombstone(.event, "E", 5), .tombstone(.eventType, "T", 6)]] }
    await device.engine.performSync()
    // Another program read the type before the delete, and did not check it again.
    let event = EventFixture.makeEvent(id: "new", eventTypeId: "T")
    try await device.engine.queueMutation(
      entityType: .event, operation: .create, entityId: "new", payload: WireJSON.encode(event.createRequest))
    try store.upsertEvent(event)
    try store.save()
    hub.set {
      $0.outcomes = [.refused(ProblemDetails(type: "urn:trendy:error:parent_deleted", title: "Gone", status: 409))]
    }
    await device.engine.performSync()
    #expect(store.storedEvents.isEmpty && store.storedPendingMutations.isEmpty)
    #expect(try device.recorder.openConflicts().map(\.entityId) == ["new"])
  }

  @Test func `a conflict under a deleted type is kept, although the event exists under another type`() async throws {
    await begin([.type("T2", 2)])
    let id = "00000000-0000-8000-8000-000000000001"
    try device.recorder.record(
      Event(id: id, eventTypeId: "T", timestamp: DeterministicDate.jan1_2024, notes: "kept", sourceType: .imported))
    hub.set {
      $0.outcomes = [.refused(ProblemDetails(type: "urn:trendy:error:parent_deleted", title: "Gone", status: 409))]
      $0.pages = [[.tombstone(.event, "E", 5), .tombstone(.eventType, "T", 6), .event(id, 7, of: "T2")]]
    }
    await device.engine.performSync()
    let conflict = try #require(device.recorder.openConflicts().first?.id)
    #expect(throws: RecorderError.parentDeleted(.event, id: id, eventTypeId: "T")) {
      try device.recorder.retryConflict(id: conflict)
    }
    #expect(try device.recorder.openConflicts().count == 1 && store.storedPendingMutations.isEmpty)
    #expect(store.storedEvents[id]?.eventTypeId == "T2")
  }

  @Test func `an event moved to an unknown type is hidden until the type arrives`() async throws {
    await begin()
    try await device.engine.queueMutation(
      entityType: .event, operation: .update, entityId: "E",
      payload: WireJSON.encode(["event_type_id": JSONValue.string("elsewhere")]))
    #expect(store.storedEvents["E"] == nil && store.storedPendingMutations.count == 1)
    hub.set { $0.pages = [[.type("elsewhere", 6)]] }
    await device.engine.performSync()
    #expect(store.storedEvents["E"]?.eventTypeId == "elsewhere")
  }

  // MARK: Offering lost changes

  @Test func `an edit of an entity deleted after the hub restore is offered as an edit`() async throws {
    await begin()
    hub.set { $0.pages = [[.event("E", 5, notes: "theirs")]] }
    await device.engine.performSync()
    // The hub is restored to version 3. Another device then deletes E.
    hub.set { state in
      state.epochs = [HubEpoch(id: "a", first: 0), HubEpoch(id: "b", first: 4)]
      state.head = 4
      state.snapshot = [.type("T", 1), .tombstone(.event, "E", 4)]
      state.pullErrors = [
        .problem(ProblemDetails(type: ProblemDetails.logReset, status: 409), retryAfter: nil)
      ]
    }
    await device.engine.performSync()
    let offered = try #require(hub.state.batches.last?.mutations.first)
    #expect(offered.operation == .update && offered.incarnation == 0)
    #expect(try changes(offered)["notes"]?.value == "theirs")
  }

  @Test func `an entity that the hub lacks is offered with all its fields, whenever they were written`() async throws {
    await begin()
    var edited = ChangeEntry.event("E", 5, notes: "theirs")
    edited.marks["event_type_id"] = FieldVersion(version: 3, stamp: 30, author: "other")
    edited.marks["timestamp"] = FieldVersion(version: 3, stamp: 30, author: "other")
    hub.set { $0.pages = [[edited]] }
    await device.engine.performSync()
    hub.set { state in
      state.epochs = [HubEpoch(id: "a", first: 0), HubEpoch(id: "b", first: 4)]
      state.head = 4
      state.snapshot = [.type("T", 1)]
      state.pullErrors = [
        .problem(ProblemDetails(type: ProblemDetails.logReset, status: 409), retryAfter: nil)
      ]
    }
    await device.engine.performSync()
    let offered = try #require(hub.state.batches.last?.mutations.first)
    #expect(offered.operation == .create)
    #expect(try changes(offered).keys.contains("event_type_id"), "without it no hub can take it")
    #expect(try changes(offered)["event_type_id"]?.stamp == 30)
  }

  @Test func `changes that a snapshot shows to be lost are sent in the same round`() async throws {
    await begin()
    hub.set { $0.pages = [[.event("E", 5, notes: "theirs")]] }
    await device.engine.performSync()
    hub.set { state in
      state.epochs = [HubEpoch(id: "a", first: 0), HubEpoch(id: "b", first: 4)]
      state.head = 3
      state.snapshot = [.type("T", 1), .event("E", 3)]
    }
    try store.requestResync()
    try store.save()
    await device.engine.performSync()
    #expect(hub.state.batches.last?.mutations.map(\.entityId) == ["E"])
    #expect(store.storedPendingMutations.isEmpty)
    #expect(await device.engine.lastFailure == nil)
  }

  @Test func `a lost delete is offered with the entity's last values`() async throws {
    await begin()
    let data: [String: JSONValue] = [
      "id": "gone", "event_type_id": "T", "timestamp": "2024-01-01T00:00:00.000Z", "notes": "last words",
    ]
    hub.set { $0.pages = [[.tombstone(.event, "gone", 5, data)]] }
    await device.engine.performSync()
    hub.set { state in
      state.epochs = [HubEpoch(id: "a", first: 0), HubEpoch(id: "b", first: 4)]
      state.head = 4
      state.pullErrors = [
        .problem(ProblemDetails(type: ProblemDetails.logReset, status: 409), retryAfter: nil)
      ]
    }
    await device.engine.performSync()
    let offered = try #require(hub.state.batches.last?.mutations.first)
    #expect(offered.operation == .delete && offered.base == 3)
    #expect(try changes(offered)["notes"] == FieldChange(value: "last words", base: 3, stamp: 50, author: "other"))
  }

  /// The restored hub had already compacted the tombstone and has only the id.
  @Test func `a delete that the restored hub has compacted still keeps later imports out`() async throws {
    await begin()
    let id = "00000000-0000-8000-8000-000000000001"
    hub.set {
      $0.pages = [
        [.tombstone(.event, id, 5, ["id": .string(id), "event_type_id": "T", "timestamp": "2024-01-01T00:00:00.000Z"])]
      ]
    }
    await device.engine.performSync()
    hub.set { state in
      state.epochs = [HubEpoch(id: "a", first: 0), HubEpoch(id: "b", first: 4)]
      state.head = 4
      state.pullErrors = [.problem(ProblemDetails(type: ProblemDetails.logReset, status: 409), retryAfter: nil)]
      state.outcomes = [.accepted(version: 2)]
    }
    await device.engine.performSync()
    #expect(hub.state.batches.last?.mutations.map(\.operation) == [.delete])
    #expect(store.storedPendingMutations.isEmpty)
    try device.recorder.record(
      Event(id: id, eventTypeId: "T", timestamp: DeterministicDate.jan1_2024, sourceType: .imported))
    #expect(store.storedEvents[id] == nil && store.storedPendingMutations.isEmpty)
  }

  @Test func `an entry with an invalid id is parked and not offered to a restored hub`() async throws {
    await begin()
    let id = String(repeating: "refused", count: 30)
    hub.set { $0.pages = [[.entry(.vehicle, id, 5, ["id": .string(id), "name": "of a hub that lies"])]] }
    await device.engine.performSync()
    #expect(store.storedParkedChanges.map(\.entityId) == [id])
    hub.set { state in
      state.epochs = [HubEpoch(id: "a", first: 0), HubEpoch(id: "b", first: 4)]
      state.head = 4
      state.pullErrors = [.problem(ProblemDetails(type: ProblemDetails.logReset, status: 409), retryAfter: nil)]
    }
    await device.engine.performSync()
    #expect(await device.engine.lastFailure == nil)
    #expect(store.storedPendingMutations.isEmpty && hub.state.batches.isEmpty)
    #expect(store.storedParkedChanges.map(\.entityId) == [id])
  }

  /// The import was sent, and the hub's entry arrived before the response. The user sees and edits the hub's value.
  @Test func `an edit of an event that another device imported first has that version as its base`() async throws {
    await begin()
    let id = "00000000-0000-8000-8000-000000000001"
    hub.set {
      $0.pushErrors = [.networkError("lost")]
      $0.pages = [[.event(id, 4, notes: "theirs")]]
    }
    try device.recorder.record(
      Event(
        id: id, eventTypeId: "T", timestamp: DeterministicDate.jan1_2024, notes: "mine", sourceType: .imported,
        externalId: id))
    await device.engine.performSync()
    #expect(store.storedEvents[id]?.notes == "theirs")
    try device.recorder.edit(eventId: id) { $0.notes = "seen and replaced" }
    let edit = try #require(store.storedPendingMutations.last)
    #expect(try changes(edit)["notes"]?.base == 4)
  }

  @Test func `a lost entry of an unknown kind is kept for later versions of the program`() async throws {
    await begin()
    func later(_ version: Int64, name: String) -> ChangeEntry {
      var entry = ChangeEntry.entry(.vehicle, "car", version, ["name": .string(name)])
      entry.entityType = "submarine"
      return entry
    }
    hub.set { $0.pages = [[later(5, name: "mine")]] }
    await device.engine.performSync()
    hub.set { state in
      state.epochs = [HubEpoch(id: "a", first: 0), HubEpoch(id: "b", first: 4)]
      state.head = 4
      state.snapshot = [.type("T", 1), .event("E", 3), later(2, name: "older")]
      state.pullErrors = [
        .problem(ProblemDetails(type: ProblemDetails.logReset, status: 409), retryAfter: nil)
      ]
    }
    await device.engine.performSync()
    let parked = try store.fetchParkedChanges()
    #expect(parked.map(\.id) == [2, 5], "neither takes the other's place")
  }

  @Test func `a restore before the first snapshot begins incarnation 1`() async throws {
    let payload = try WireJSON.encode(EventFixture.makeEvent(id: "E", eventTypeId: "T").createRequest)
    try device.recorder.queueMutation(entityType: .event, operation: .restore, entityId: "E", payload: payload)
    #expect(store.storedPendingMutations.first?.incarnation == 1, "a hub refuses the life 0 as invalid")
  }

  @Test func `deleting an entity that a copy of this store has sent queues a delete`() async throws {
    await begin()
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T"))
    hub.set {
      $0.pushErrors = [.networkError("lost")]
      $0.pages = [[.event("new", 4)]]
    }
    // A copy of this store, not this store, has sent the create.
    var waiting = try #require(store.storedPendingMutations.first)
    await device.engine.performSync()
    waiting.sequence = nil
    waiting.device = nil
    try store.insertPendingMutation(waiting)
    try store.save()
    try device.recorder.delete(eventId: "new")
    #expect(store.storedPendingMutations.last?.operation == .delete)
    #expect(store.storedEvents["new"] == nil)
  }

  @Test func `a too large mutation moves to the journal with the sent mutations that depend on it`() async throws {
    await begin()
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T", notes: "made"))
    hub.set { $0.pushErrors = [.networkError("lost")] }
    await device.engine.performSync()
    try device.recorder.edit(eventId: "new") { $0.notes = "first" }
    hub.set { $0.pushErrors = [.networkError("lost")] }
    await device.engine.performSync()
    try device.recorder.edit(eventId: "new") { $0.notes = "second" }
    hub.set { $0.pushErrors = [.httpError(413), .httpError(413), .networkError("lost")] }
    await device.engine.performSync()
    #expect(store.storedPendingMutations.isEmpty, "nothing of it waits while something later is shown")
    #expect(store.storedEvents["new"]?.notes == "second" && store.storedEvents["new"]?.syncStatus == .failed)
    #expect(try device.recorder.openConflicts().count == 3)
  }

  @Test func `the hub's requested pause applies even if the round then fails`() async throws {
    await begin()
    try device.recorder.edit(eventId: "E") { $0.notes = "mine" }
    hub.set {
      $0.pushErrors = [.problem(ProblemDetails(title: "Too many", status: 429), retryAfter: .seconds(61))]
      $0.pullErrors = [.networkError("lost")]
    }
    await device.engine.performSync()
    #expect(await device.engine.quietUntil >= .seconds(61))
  }

  @Test func `the snapshot of an empty hub is loaded once`() async throws {
    hub.set { $0.head = 0 }
    await device.engine.performSync()
    await device.engine.performSync()
    #expect(hub.state.snapshots == 1 && store.storedSyncCursor == 0)
    hub.set { $0.pages = [[.type("T", 1)]] }
    await device.engine.performSync()
    #expect(hub.state.snapshots == 1 && store.storedEventTypes.keys.sorted() == ["T"])
  }

  // MARK: Bases after pulls and restores

  @Test func `the base of a delete between two pages is the last complete position`() async throws {
    await begin()
    hub.set {
      $0.pages = [[.event("F", 4)], [.event("G", 5)]]
      $0.pullErrors = [nil, .networkError("lost")]
    }
    await device.engine.performSync()
    #expect(store.storedSyncCursor == 4)
    try device.recorder.delete(eventId: "E")
    #expect(store.storedPendingMutations.last?.base == 3)
  }

  @Test func `a hub restore lowers the base of a pending delete to the versions that both share`() async throws {
    await begin()
    hub.set { $0.pages = [[.event("F", 6)]] }
    await device.engine.performSync()
    try device.recorder.delete(eventId: "E")
    #expect(store.storedPendingMutations.last?.base == 6)
    hub.set {
      $0.epochs.append(HubEpoch(id: "b", first: 4))
      $0.snapshot = [.type("T", 1), .event("E", 5, notes: "of the hub's new life")]
      $0.head = 5
      $0.pushErrors = [Self.logReset]
    }
    await device.engine.performSync()
    let deletion = try #require(hub.state.batches.last?.mutations.last)
    #expect(deletion.operation == .delete && deletion.base == 3)
  }

  @Test func `an event recorded again under another type keeps the base of its earlier edit`() async throws {
    await begin([.type("U", 2)])
    try device.recorder.edit(eventId: "E") { $0.notes = "mine" }
    try device.recorder.delete(eventTypeId: "T")
    try device.recorder.record(EventFixture.makeEvent(id: "E", eventTypeId: "U", notes: "again"))
    hub.set { $0.pushErrors = [.networkError("lost")] }
    await device.engine.performSync()
    try device.recorder.edit(eventId: "E") { $0.notes = "and again" }
    let edit = try #require(store.storedPendingMutations.last)
    #expect(edit.operation == .update)
    #expect(try changes(edit)["notes"]?.base == 3)
  }

  @Test func `dropping a cleared offer to a restored hub shows the hub's value`() async throws {
    await begin()
    hub.set { $0.pages = [[.event("E", 4, notes: "lost")]] }
    await device.engine.performSync()
    hub.set {
      $0.epochs.append(HubEpoch(id: "b", first: 4))
      $0.head = 3
      $0.snapshot = [.type("T", 1), .event("E", 3, notes: "kept")]
      $0.pullErrors = [Self.logReset]
      $0.pushErrors = [rateLimit]
    }
    await device.engine.performSync()
    #expect(store.storedEvents["E"]?.notes == "lost" && store.storedPendingMutations.count == 1)
    await device.engine.clearPendingMutations()
    try device.recorder.dropConflict(id: #require(device.recorder.openConflicts().first?.id))
    #expect(store.storedEvents["E"]?.notes == "kept")
  }

  @Test func `the delete of a type is parked while one of its events has a pending edit`() async throws {
    await begin()
    try device.recorder.edit(eventId: "E") { $0.notes = "mine" }
    hub.set {
      $0.pushErrors = [rateLimit]
      $0.pages = [[.tombstone(.eventType, "T", 5)]]
    }
    await device.engine.performSync()
    #expect(store.storedPendingMutations.count == 1 && store.storedSyncCursor == 5)
    #expect(store.storedEventTypes["T"] != nil && store.storedEvents["E"]?.notes == "mine")
  }

  // MARK: Purged and parked entries

  @Test func `an accepted create whose entity the hub has deleted and purged is removed`() async throws {
    await begin()
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T"))
    hub.set {
      $0.pushErrors = [.networkError("lost")]
      $0.head = 9
    }
    await device.engine.performSync()
    #expect(device.store.storedSyncCursor == 9 && store.storedEvents["new"] != nil)
    // The create was accepted at version 4 and deleted at 5. The hub has only the id.
    hub.set { $0.outcomes = [.accepted(version: 4)] }
    await device.engine.performSync()
    #expect(store.storedPendingMutations.isEmpty && store.storedEvents["new"] == nil)
    #expect(try store.fetchAcceptedMutations().isEmpty)
  }

  @Test func `an accepted edit stays visible while its entry is parked`() async throws {
    await begin()
    try device.recorder.edit(eventId: "E") { $0.notes = "mine" }
    var unreadable = ChangeEntry.event("E", 4)
    unreadable.data = ChangeEntryData(rawData: ["id": "E", "event_type_id": "T", "timestamp": "in later words"])
    hub.set { $0.pages = [[unreadable]] }
    await device.engine.performSync()
    #expect(store.storedParkedChanges.count == 1 && store.storedEvents["E"]?.notes == "mine")
  }

  // MARK: Identities and cleared queues

  @Test func `clearing the queue replaces the identity, so that a hub restore is noticed`() async throws {
    await begin()
    try device.recorder.edit(eventId: "E") { $0.notes = "mine" }
    hub.set { $0.pushErrors = [.networkError("lost")] }
    await device.engine.performSync()
    let before = try #require(try store.syncIdentity())
    #expect(await device.engine.clearPendingMutations() == 1)
    let after = try #require(try store.syncIdentity())
    #expect(after.device != before.device && after.lastSequence == 0)
    await device.engine.performSync()
    #expect(hub.state.pulls.last?.position?.seen == 3)
  }

  @Test func `clearing the queue on an empty hub leaves an identity`() async throws {
    hub.set { $0.head = 0 }
    await device.engine.performSync()
    try device.recorder.record(EventTypeFixture.makeEventType(id: "new"))
    hub.set { $0.pushErrors = [.networkError("lost")] }
    await device.engine.performSync()
    await device.engine.clearPendingMutations()
    #expect(try store.syncIdentity() != nil)
    // The create was accepted. The hub is then restored and advances beyond its old head.
    hub.set { $0.pages = [[.type("new", 1)]] }
    await device.engine.performSync()
    await device.engine.performSync()
    #expect(hub.state.pulls.last?.position?.seen == 1)
  }

  @Test("dropping a cleared create removes its row", arguments: [true, false])
  func droppedAfterClearing(isMarked: Bool) async throws {
    await begin()
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T"))
    await device.engine.clearPendingMutations(markEntitiesFailed: isMarked)
    #expect(store.storedEvents["new"] != nil)
    try device.recorder.dropConflict(id: #require(device.recorder.openConflicts().first?.id))
    #expect(store.storedEvents["new"] == nil)
  }

  @Test func `clearing a delete shows its entities again, and retrying it deletes them`() async throws {
    await begin()
    try device.recorder.delete(eventTypeId: "T")
    await device.engine.clearPendingMutations(markEntitiesFailed: false)
    #expect(store.storedEventTypes["T"] != nil && store.storedEvents["E"] != nil)
    try device.recorder.retryConflict(id: #require(device.recorder.openConflicts().first?.id))
    #expect(store.storedPendingMutations.map(\.operation) == [.delete])
    #expect(store.storedEventTypes["T"] == nil && store.storedEvents["E"] == nil)
  }

  @Test func `retrying the cleared delete of an import sends it, since another device may have imported the same`()
    async throws
  {
    await begin()
    let id = "00000000-0000-8000-8000-000000000001"
    try device.recorder.record(
      Event(id: id, eventTypeId: "T", timestamp: DeterministicDate.jan1_2024, sourceType: .imported))
    try device.recorder.delete(eventId: id)
    await device.engine.clearPendingMutations()
    let deletion = try device.recorder.openConflicts().first { $0.origin == .journal(.delete) }
    try device.recorder.retryConflict(id: #require(deletion?.id))
    #expect(store.storedPendingMutations.map(\.operation) == [.delete])
    hub.set { $0.pages = [[.event(id, 5, notes: "theirs")], [.tombstone(.event, id, 6)]] }
    await device.engine.performSync()
    #expect(hub.state.batches.flatMap(\.mutations).map(\.operation) == [.delete])
    #expect(store.storedEvents[id] == nil)
  }

  @Test func `a delete can be retried while the delete of its type is pending`() async throws {
    await begin()
    try device.recorder.delete(eventId: "E")
    await device.engine.clearPendingMutations()
    try device.recorder.delete(eventTypeId: "T")
    try device.recorder.retryConflict(id: #require(device.recorder.openConflicts().first?.id))
    #expect(Set(store.storedPendingMutations.map(\.entityId)) == ["E", "T"])
  }

  @Test func `an entity with a cleared edit is hidden when another device deletes it`() async throws {
    await begin()
    try device.recorder.edit(eventId: "E") { $0.notes = "mine" }
    await device.engine.clearPendingMutations()
    hub.set { $0.pages = [[.tombstone(.event, "E", 4)]] }
    await device.engine.performSync()
    #expect(store.storedEvents["E"] == nil)
    #expect(try device.recorder.openConflicts().map(\.entityId) == ["E"])
  }

  @Test func `dropping a cleared edit shows the hub's value`() async throws {
    await begin()
    try device.recorder.edit(eventId: "E") { $0.notes = "mine" }
    await device.engine.clearPendingMutations()
    #expect(store.storedEvents["E"]?.syncStatus == .failed)
    try device.recorder.dropConflict(id: #require(device.recorder.openConflicts().first?.id))
    #expect(store.storedEvents["E"]?.notes == nil && store.storedEvents["E"]?.syncStatus == .synced)
  }

  @Test func `a page requested before a snapshot is not applied after it`() async throws {
    await begin()
    hub.set { $0.head = 3 }
    // Another process loads a snapshot during the pull. The cursor is then the same, but the generation is not.
    hub.set { [factory = device.factory] state in
      state.pages = [[.event("E", 4, notes: "late")]]
      state.onPull = {
        let other = factory.makeDataStore()
        var memory = try #require(try other.syncMemory())
        memory.generation += 1
        try other.setSyncMemory(memory)
        try other.save()
      }
    }
    await device.engine.performSync()
    #expect(store.storedEvents["E"]?.notes == nil)
    #expect(device.store.storedSyncCursor == 3)
  }
}
