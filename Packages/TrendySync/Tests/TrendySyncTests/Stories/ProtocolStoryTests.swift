import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Rules of the sync protocol, tested on the device's side. Bare numbers are hub versions.
@Suite("Rules of the sync protocol", .timeLimit(.minutes(10)))
struct ProtocolStoryTests {
  private let hub: HubDouble
  private let device: Device
  private var store: MockDataStore { device.store }

  init() {
    let hub = HubDouble()
    self.hub = hub
    device = Device(cursor: nil, client: { VersionedHubClient(base: $0, hub: hub) })
  }

  /// Syncs the device to version 3, with the type T and the event E.
  private func begin(_ more: [ChangeEntry] = []) async {
    hub.set { $0.snapshot = [.type("T", 1), .event("E", 3)] + more }
    await device.engine.performSync()
  }

  private func note(_ text: String?, on id: String = "E") throws {
    try device.recorder.edit(eventId: id) { $0.notes = text }
  }

  /// Restores the hub to version 3. The device detects the restore in its next request of the given kind.
  private func setBack(telling errors: any WritableKeyPath<HubDouble.State, [APIError?]> & Sendable) {
    hub.set {
      $0.epochs.append(HubEpoch(id: "b", first: 4))
      $0.head = 3
      $0.snapshot = [.type("T", 1), .event("E", 3)]
      $0.batches = []
      $0[keyPath: errors] = [
        .problem(ProblemDetails(type: ProblemDetails.logReset, title: "Position unknown", status: 409), retryAfter: nil)
      ]
    }
  }

  private var shown: Event? { store.storedEvents["E"] }

  private func fields(_ mutation: PendingMutation) throws -> [String: FieldChange] {
    try FieldChange.changes(of: mutation)
  }

  private func accepted() throws -> [PendingMutation] { try store.fetchAcceptedMutations() }

  // MARK: Creates of deleted entities

  private static let deleted = ProblemDetails(type: ProblemDetails.entityDeleted, title: "Deleted", status: 409)

  @Test func `a create of an entity that the hub has deleted is hidden and can be restored from the conflict journal`()
    async throws
  {
    await begin()
    try device.recorder.record(EventFixture.makeEvent(id: "old", eventTypeId: "T", notes: "of a backup"))
    hub.set { $0.outcomes = [.refused(Self.deleted)] }
    await device.engine.performSync()
    #expect(store.storedEvents["old"] == nil)
    let digest = try #require(try store.syncDigest())
    #expect(digest.visible["event"] == 1 && digest.refused == 0 && digest.strays == 0)
    // The feed may still contain the tombstone. The entity can then be restored in a new incarnation.
    hub.set { $0.pages = [[.tombstone(.event, "old", 5)]] }
    await device.engine.performSync()
    let conflict = try #require(device.recorder.openConflicts().first)
    #expect(conflict.kept["notes"] == "of a backup")
    try device.recorder.retryConflict(id: conflict.id)
    #expect(store.storedEvents["old"]?.notes == "of a backup")
    #expect(store.storedPendingMutations.map(\.operation) == [.restore])
  }

  @Test func `a refused create of a deleted type hides the events recorded under it`() async throws {
    await begin()
    try device.recorder.record(EventTypeFixture.makeEventType(id: "old"))
    try device.recorder.record(EventFixture.makeEvent(id: "below", eventTypeId: "old"))
    let orphaned = ProblemDetails(type: "urn:trendy:error:parent_deleted", title: "Parent not found", status: 409)
    hub.set { $0.outcomes = [.refused(Self.deleted), .refused(orphaned)] }
    await device.engine.performSync()
    #expect(store.storedEventTypes["old"] == nil && store.storedEvents["below"] == nil)
    #expect(try device.recorder.openConflicts().map(\.entityId).sorted() == ["below", "old"])
  }

  @Test func `an import of an entity that the hub has deleted is skipped the next time`() async throws {
    await begin()
    let event = Event(
      id: "00000000-0000-8000-8000-000000000001", eventTypeId: "T", timestamp: DeterministicDate.jan1_2024,
      sourceType: .imported)
    try device.recorder.record(event)
    hub.set { $0.outcomes = [.refused(Self.deleted)] }
    await device.engine.performSync()
    #expect(store.storedEvents[event.id] == nil)
    #expect(try device.recorder.record(event) == false && store.storedPendingMutations.isEmpty)
  }

  @Test func `a create refused for another reason stays visible and is counted`() async throws {
    await begin()
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T"))
    hub.set { $0.outcomes = [.refused(ProblemDetails(type: "urn:trendy:error:invalid", title: "No", status: 422))] }
    await device.engine.performSync()
    #expect(store.storedEvents["new"]?.syncStatus == .failed)
    let digest = try #require(try store.syncDigest())
    #expect(digest.visible["event"] == 2 && digest.refused == 1 && digest.strays == 0)
  }

  // MARK: Stamps

  private func stamps() throws -> Set<Int64> {
    Set(try store.storedPendingMutations.flatMap { try fields($0).values }.map(\.stamp))
  }

  @Test func `all changes of a save share one stamp, and the next save has a later one`() async throws {
    await begin()
    try device.recorder.inOneSave { save in
      try save.record(EventTypeFixture.makeEventType(id: "U"))
      try save.record(EventFixture.makeEvent(id: "new", eventTypeId: "U"))
      try save.edit(eventId: "E") { $0.eventTypeId = "U" }
    }
    let first = try #require(try stamps().first)
    #expect(try stamps() == [first])
    try note("later")
    #expect(try stamps() == [first, first + 1])
  }

  @Test func `after an import of 60,000 rows another device's later edit still has the later stamp`() async throws {
    await begin()
    try device.recorder.record(
      (0..<60_000).map { EventFixture.makeEvent(id: "row-\($0)", eventTypeId: "T") })
    try note("earlier")
    func lastStamp(_ device: Device) throws -> Int64? {
      try device.store.storedPendingMutations.last.flatMap { try fields($0)["notes"]?.stamp }
    }
    let earlier = try #require(try lastStamp(device))
    let other = Device(
      cursor: nil, seed: 7, clock: device.clock, client: { [hub] in VersionedHubClient(base: $0, hub: hub) })
    await other.engine.performSync()
    await device.clock.advance(by: .seconds(1))
    try other.recorder.edit(eventId: "E") { $0.notes = "later" }
    #expect(try #require(try lastStamp(other)) > earlier)
  }

  // MARK: Sequence numbers and bases

  @Test func `a sequence number is assigned on first sending, so cancelled mutations leave no gap`() async throws {
    await begin()
    try device.recorder.record(EventTypeFixture.makeEventType(id: "brief"))
    try device.recorder.delete(eventTypeId: "brief")
    try note("5")
    await device.engine.performSync()
    #expect(hub.state.batches.flatMap(\.mutations).map(\.sequence) == [1])
  }

  @Test func `a sent mutation never changes, even if its answer is lost and the entity is edited`() async throws {
    await begin()
    try note("5")
    hub.set { $0.pushErrors = [.networkError("lost")] }
    await device.engine.performSync()
    try note("6")
    await device.engine.performSync()
    let sent = hub.state.batches.map(\.mutations)
    #expect(sent[0][0] == sent[1][0])
    #expect(try sent[1].map { try fields($0)["notes"]?.value } == ["5", "6"])
    #expect(sent[1].map(\.sequence) == [1, 2])
  }

  @Test func `an edit of the device's own pending value has that value's base`() async throws {
    await begin()
    try note("5")
    // The response to the sent edit is lost. Another device has written the value 6 at version 4.
    hub.set {
      $0.pushErrors = [.networkError("lost")]
      $0.pages = [[.event("E", 4, notes: "6")]]
    }
    await device.engine.performSync()
    #expect(shown?.notes == "5")
    try note("7")
    let waiting = try #require(store.storedPendingMutations.last)
    #expect(try fields(waiting)["notes"]?.base == 3, "7 is written by one who has seen 5, and not 6")
  }

  @Test func `the base of an edit is the stored version of the entity, not the cursor`() async throws {
    await begin()
    hub.set { $0.pages = [[.type("other", 5)], []] }
    await device.engine.performSync()
    #expect(try #require(store.storedSyncCursor) >= 5)
    try note("8")
    #expect(try fields(#require(store.storedPendingMutations.first))["notes"]?.base == 3)
  }

  @Test func `the base of a delete is the last complete position, lowered to that of pending edits`() async throws {
    await begin()
    hub.set { $0.head = 9 }
    await device.engine.performSync()
    try device.recorder.delete(eventId: "E")
    #expect(store.storedPendingMutations.map(\.base) == [9])
    await device.engine.performSync()
    // Pending edits of the type's events count as well.
    hub.set { $0.pages = [[.event("F", 20)]] }
    await device.engine.performSync()
    try note("x", on: "F")
    hub.set { $0.head = 30 }
    hub.set { $0.pushErrors = [.networkError("lost")] }
    await device.engine.performSync()
    try device.recorder.delete(eventTypeId: "T")
    #expect(store.storedPendingMutations.last?.base == 20)
  }

  // MARK: Before the first snapshot

  @Test func `a delete before the first snapshot has base 0`() throws {
    try device.recorder.record(EventTypeFixture.makeEventType(id: "T"))
    // The create counts as sent, so the delete cannot cancel it.
    var sent = try #require(store.storedPendingMutations.first)
    sent.sequence = 1
    sent.device = "d"
    try store.insertPendingMutation(sent)
    try store.save()
    try device.recorder.delete(eventTypeId: "T")
    #expect(store.storedPendingMutations.last?.operation == .delete)
    #expect(store.storedPendingMutations.last?.base == 0, "without a base it would count as knowing everything")
  }

  @Test func `a value that lost in the first push is in the conflict journal`() async throws {
    let id = "00000000-0000-8000-8000-000000000001"
    try device.recorder.record(EventTypeFixture.makeEventType(id: "T"))
    try device.recorder.record(
      Event(id: id, eventTypeId: "T", timestamp: DeterministicDate.jan1_2024, sourceType: .imported))
    try note("mine", on: id)
    hub.set { state in
      state.head = 5
      state.outcomes = [.accepted(version: 4), .merged(version: 5), .merged(version: 5)]
      state.lost = [2: ["notes"]]
      state.snapshot = [.type("T", 4), .event(id, 5, notes: "theirs")]
      state.head = 5
    }
    await device.engine.performSync()
    let kept = try store.fetchConflicts()
    #expect(try kept.map { try WireJSON.decode([String: JSONValue].self, from: $0.payload) } == [["notes": "mine"]])
  }

  @Test func `a deleted import stays out after the hub has purged its tombstone`() async throws {
    let id = "00000000-0000-8000-8000-000000000001"
    let imported = Event(id: id, eventTypeId: "T", timestamp: DeterministicDate.jan1_2024, sourceType: .imported)
    await begin([.tombstone(.event, id, 2)])
    #expect(try !device.recorder.record(imported))
    hub.set { state in
      state.pullErrors = [
        .problem(ProblemDetails(title: "Position too old", status: 410), retryAfter: nil)
      ]
      state.snapshot = [.type("T", 1), .event("E", 3)]
    }
    await device.engine.performSync()
    #expect(hub.state.snapshots == 2)
    #expect(try !device.recorder.record(imported))
    #expect(store.storedEvents[id] == nil)
  }

  @Test func `a device still sends its position after it has moved a too large mutation to the journal`() async throws {
    await begin()
    try note("large")
    hub.set { $0.pushErrors = [.problem(ProblemDetails(title: "Too large", status: 413), retryAfter: nil)] }
    let before = try #require(try store.syncIdentity())
    await device.engine.performSync()
    #expect(store.storedPendingMutations.isEmpty)
    #expect(try store.fetchConflicts().count == 1)
    let after = try #require(try store.syncIdentity(), "without one a restored hub would not be noticed")
    #expect(after.device != before.device)
    #expect(hub.state.pulls.last?.position?.seen == 3)
  }

  @Test func `a new identity sorts after the previous one, even if the date was set back`() async throws {
    await begin()
    let before = try #require(try store.syncIdentity())
    device.clock.setDate(device.clock.now.addingTimeInterval(-86_400))
    try note("5")
    hub.set { $0.pushErrors = [.problem(ProblemDetails(title: "Too large", status: 413), retryAfter: nil)] }
    await device.engine.performSync()
    let after = try #require(try store.syncIdentity())
    #expect(after.device > before.device, "of its own writes with one stamp the later would lose to the earlier")
  }

  // MARK: Accepted mutations

  @Test func `an accepted edit stays visible until its entry arrives`() async throws {
    await begin()
    try note("5")
    hub.set { $0.pullErrors = [.networkError("lost")] }
    await device.engine.performSync()
    #expect(store.storedPendingMutations.isEmpty && shown?.notes == "5")
    #expect(shown?.syncStatus == .synced)
    #expect(try accepted().map(\.acceptedVersion) == [4])
    hub.set { $0.pages = [[.event("E", 4, notes: "5")]] }
    await device.engine.performSync()
    #expect(try accepted().isEmpty && shown?.notes == "5")
  }

  @Test func `an accepted create stays visible until its own entry arrives, not only a later page`() async throws {
    await begin()
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T"))
    // The create is at version 4. Another device changes E at version 5 and the new event at 6.
    hub.set { $0.pages = [[.event("E", 5)], [.event("new", 6)]] }
    hub.set { $0.pullErrors = [nil, .networkError("lost")] }
    await device.engine.performSync()
    #expect(store.storedSyncCursor == 5)
    #expect(store.storedEvents["new"] != nil)
    #expect(try accepted().count == 1)
    await device.engine.performSync()
    #expect(store.storedEvents["new"] != nil)
    #expect(try accepted().isEmpty)
  }

  @Test func `an accepted delete stays in effect until the cursor has passed it`() async throws {
    await begin()
    try device.recorder.delete(eventId: "E")
    hub.set {
      $0.head = 7
      $0.outcomes = [.accepted(version: 7)]
      $0.pullErrors = [.networkError("lost")]
    }
    await device.engine.performSync()
    #expect(shown == nil && store.storedPendingMutations.isEmpty)
    hub.set { $0.pages = [[.tombstone(.event, "E", 7)]] }
    await device.engine.performSync()
    #expect(try accepted().isEmpty && shown == nil)
  }

  @Test func `an accepted write that changed nothing is removed once its version is stored`() async throws {
    await begin()
    try note("5")
    hub.set {
      $0.outcomes = [.accepted(version: 3)]
      $0.pullErrors = [.networkError("lost")]
    }
    await device.engine.performSync()
    #expect(try accepted().isEmpty)
  }

  @Test func `accepted mutations keep their order, even if the clock was set back between them`() async throws {
    await begin()
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T"))
    hub.set { $0.pullErrors = [.networkError("lost"), .networkError("lost")] }
    await device.engine.performSync()
    device.clock.setDate(device.clock.now - 365 * 86_400)
    try note("later", on: "new")
    await device.engine.performSync()
    #expect(try accepted().map(\.acceptedVersion) == [4, 5])
    #expect(store.storedEvents["new"]?.notes == "later")
  }

  // MARK: Parents and children

  @Test func `an event that precedes its type is parked and the cursor advances`() async throws {
    await begin()
    hub.set {
      $0.pages = [[.event("early", 4, of: "late")], [.type("late", 6)]]
      $0.pullErrors = [nil, .networkError("lost")]
    }
    await device.engine.performSync()
    #expect(store.storedEvents["early"] == nil && store.storedSyncCursor == 4)
    await device.engine.performSync()
    #expect(store.storedEvents["early"]?.eventTypeId == "late" && store.storedParkedChanges.isEmpty)
  }

  @Test func `the tombstone of a type is parked until its last event has left`() async throws {
    await begin([.type("T2", 2)])
    hub.set {
      $0.pages = [[.tombstone(.eventType, "T", 5)], [.event("E", 9, of: "T2")]]
      $0.pullErrors = [nil, .networkError("lost")]
    }
    await device.engine.performSync()
    #expect(shown?.eventTypeId == "T" && store.storedEventTypes["T"] != nil)
    try note("mine")
    #expect(try fields(#require(store.storedPendingMutations.first))["notes"]?.base == 3, "what is parked is not held")
    await device.engine.performSync()
    #expect(shown?.eventTypeId == "T2" && store.storedEventTypes["T"] == nil && store.storedParkedChanges.isEmpty)
  }

  // MARK: Order of the queue

  @Test func `a move is not placed before the create of its target`() async throws {
    await begin()
    try note("5")
    try device.recorder.record(EventTypeFixture.makeEventType(id: "new"))
    try device.recorder.edit(eventId: "E") { $0.eventTypeId = "new" }
    #expect(store.storedPendingMutations.map(\.entityId) == ["E", "new", "E"])
  }

  @Test func `a delete moves to the end of the queue and carries the edits that it replaces`() async throws {
    await begin()
    try device.recorder.edit(eventTypeId: "T") { $0.name = "renamed" }
    try device.recorder.edit(eventTypeId: "T") { $0.colorHex = "#123456" }
    try device.recorder.edit(eventId: "E") { $0.notes = "5" }
    try device.recorder.delete(eventTypeId: "T")
    let queue = store.storedPendingMutations
    #expect(queue.map(\.operation) == [.update, .delete])
    #expect(try fields(queue[1]).mapValues(\.value) == ["name": "renamed", "color": "#123456"])
    #expect(try fields(queue[1])["name"]?.base == 1)
  }

  @Test func `an unsent type that a pending edit refers to is deleted rather than cancelled`() async throws {
    await begin()
    try device.recorder.record(EventTypeFixture.makeEventType(id: "new"))
    try device.recorder.edit(eventId: "E") { $0.eventTypeId = "new" }
    try device.recorder.delete(eventTypeId: "new")
    #expect(store.storedPendingMutations.map(\.operation) == [.create, .update, .delete])
    #expect(shown == nil, "it goes with the type, as it will at the hub")
  }

  @Test func `entries of a type that was deleted during the pull stay hidden`() async throws {
    await begin()
    let recorder = device.recorder
    hub.set {
      $0.pages = [[.event("E", 4, notes: "theirs"), .event("F", 5)]]
      $0.onPull = { try recorder.delete(eventTypeId: "T") }
    }
    await device.engine.performSync()
    #expect(store.storedEventTypes["T"] == nil && store.storedEvents.isEmpty)
    #expect(try store.heldEntry(kind: .event, id: "E")?.id == 4, "the hub's copy is kept")
  }

  // MARK: Snapshots, hub restores and forks

  @Test func `a snapshot removes no pending mutation and changes no base`() async throws {
    await begin()
    try note("5")
    hub.set {
      $0.pushErrors = [.networkError("lost")]
      $0.pullErrors = [.httpError(410)]
      $0.snapshot = [.type("T", 1), .event("E", 6, notes: "6")]
      $0.head = 8
    }
    await device.engine.performSync()
    #expect(hub.state.snapshots == 2 && store.storedSyncCursor == 8 && shown?.notes == "5")
    let asked = try #require(store.storedPendingMutations.first)
    #expect(asked.sequence == 1)
    #expect(try fields(asked)["notes"]?.base == 3)
    hub.set { $0.outcomes = [.refused(ProblemDetails(type: "urn:trendy:error:invalid", title: "No", status: 422))] }
    await device.engine.performSync()
    #expect(shown?.notes == "6" && store.storedConflicts.count == 1)
  }

  @Test func `changes lost by a hub restore are offered before pending edits, under a new identity`() async throws {
    await begin()
    try note("5")
    hub.set { $0.pages = [[.event("E", 4, notes: "5"), .event("F", 5, notes: "theirs"), .tombstone(.event, "G", 6)]] }
    await device.engine.performSync()
    let before = try #require(store.storedSyncIdentity)
    try note("waits", on: "F")
    setBack(telling: \.pushErrors)
    await device.engine.performSync()
    let identity = try #require(store.storedSyncIdentity)
    #expect(identity.device != before.device)
    let offered = hub.state.batches[1].mutations
    #expect(offered.map(\.entityId) == ["E", "F", "G", "F"])
    #expect(offered.map(\.operation) == [.update, .create, .delete, .update])
    #expect(offered.map(\.sequence) == [1, 2, 3, 4])
    let note = try #require(try fields(offered[0])["notes"])
    #expect(note.value == "5" && note.base == 3 && note.stamp == 40 && note.author == "other")
    #expect(try fields(offered[3])["notes"]?.base == 3, "it was based on 5, which nobody knows any more")
    #expect(store.storedEvents["F"]?.notes == "waits")
    #expect(await device.engine.state == .idle)
  }

  @Test func `a lost restore is offered again with the parent reference and its author`() async throws {
    await begin()
    var restored = ChangeEntry.event("E", 5, incarnation: 1)
    restored.marks = [FieldVersion.others: FieldVersion(version: 3, stamp: 30, author: "other")]
    hub.set { $0.pages = [[restored]] }
    await device.engine.performSync()
    setBack(telling: \.pullErrors)
    await device.engine.performSync()
    let offer = try #require(hub.state.batches.first?.mutations.first)
    #expect(offer.operation == .restore && offer.incarnation == 1)
    #expect(
      try fields(offer) == ["event_type_id": FieldChange(value: "T", base: 3, stamp: 30, author: "other")])
  }

  @Test(
    "a lost entity is offered with all its fields, whatever its field versions",
    arguments: [[:], [FieldVersion.others: FieldVersion(version: 0, stamp: 40, author: "other")]])
  func wholeWithoutMarks(marks: [String: FieldVersion]) async throws {
    await begin()
    var entry = ChangeEntry.event("F", 5, notes: "theirs")
    entry.marks = marks
    hub.set { $0.pages = [[entry]] }
    await device.engine.performSync()
    #expect(store.storedEvents["F"]?.notes == "theirs")
    setBack(telling: \.pullErrors)
    await device.engine.performSync()
    let offer = try #require(hub.state.batches.first?.mutations.first)
    #expect(offer.operation == .create)
    #expect(try Set(fields(offer).keys).isSuperset(of: ["event_type_id", "notes", "timestamp"]))
  }

  @Test func `answers without versions from a versioned hub change nothing`() async throws {
    await begin()
    try note("5")
    hub.set { $0.isPlain = true }
    await device.engine.performSync()
    #expect(shown?.notes == "5" && store.storedPendingMutations.count == 1, "its answer to the push says nothing")
    await device.engine.forceFullResync()
    #expect(shown?.notes == "5" && store.storedEventTypes["T"] != nil, "its empty lists take nothing away")
    guard case .unusable = await device.engine.lastFailure else {
      Issue.record("\(String(describing: await device.engine.lastFailure))")
      return
    }
    hub.set { $0.isPlain = false }
    await device.engine.performSync()
    #expect(await device.engine.state == .idle)
    #expect(store.storedPendingMutations.isEmpty && shown?.notes == "5")
  }

  @Test func `an outcome with a version above the hub's head is requested again`() async throws {
    await begin()
    try note("5")
    hub.set { $0.outcomes = [.accepted(version: 1 << 53)] }
    await device.engine.performSync()
    #expect(store.storedPendingMutations.count == 1, "nobody knows what became of it")
    hub.set { $0.pages = [[.event("E", 4, notes: "5")], [.event("E", 5, notes: "theirs")]] }
    await device.engine.performSync()
    #expect(Set(hub.state.batches.map { $0.mutations.map(\.id) }).count == 1)
    #expect(shown?.notes == "theirs", "it came back, and is shown over nothing any more")
  }

  @Test func `a snapshot with an entry above the hub's head is rejected`() async throws {
    await begin()
    hub.set { $0.snapshot = [.type("T", 1), .event("E", 1 << 53, notes: "of nobody")] }
    await device.engine.forceFullResync()
    #expect(shown != nil && shown?.notes == nil)
    hub.set { $0.snapshot = [.type("T", 1), .event("E", 3, notes: "true")] }
    await device.engine.forceFullResync()
    #expect(shown?.notes == "true")
  }

  @Test func `an entity offered again and then deleted keeps both mutations, since other devices may offer it too`()
    async throws
  {
    let device = Device(
      cursor: nil, configuration: SyncConfiguration(batchSize: 1),
      client: { [hub] in VersionedHubClient(base: $0, hub: hub) })
    hub.set { $0.snapshot = [.type("T", 1), .event("E", 3)] }
    await device.engine.performSync()
    hub.set { $0.pages = [[.event("F", 4), .event("G", 5)]] }
    await device.engine.performSync()
    hub.set {
      $0.epochs.append(HubEpoch(id: "b", first: 4))
      $0.head = 3
      $0.snapshot = [.type("T", 1), .event("E", 3)]
      $0.pullErrors = [
        .problem(ProblemDetails(type: ProblemDetails.logReset, title: "Position unknown", status: 409), retryAfter: nil)
      ]
      $0.pushErrors = [rateLimit]
    }
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.map(\.entityId) == ["F", "G"])
    #expect(try device.recorder.delete(eventId: "G"))
    #expect(device.store.storedPendingMutations.map(\.operation) == [.create, .create, .delete])
    #expect(device.store.storedEvents["G"] == nil)
  }

  @Test func `an accepted edit that the hub lost is pending again`() async throws {
    await begin()
    try note("5")
    hub.set { $0.pullErrors = [.networkError("lost")] }
    await device.engine.performSync()
    #expect(try accepted().count == 1)
    hub.set {
      $0.epochs.append(HubEpoch(id: "b", first: 4))
      $0.head = 3
      $0.pullErrors = [
        .problem(ProblemDetails(type: ProblemDetails.logReset, title: "Position unknown", status: 409), retryAfter: nil)
      ]
      $0.batches = []
    }
    await device.engine.performSync()
    #expect(hub.state.batches.flatMap(\.mutations).map(\.entityId) == ["E"])
    #expect(shown?.notes == "5")
  }

  @Test func `mutations offered again keep their order, even if the clock was set back between them`() async throws {
    await begin()
    try device.recorder.record(EventTypeFixture.makeEventType(id: "U"))
    hub.set { $0.pullErrors = Array(repeating: .networkError("lost"), count: 2) }
    await device.engine.performSync()
    device.clock.setDate(device.clock.now - 365 * 86_400)
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "U"))
    await device.engine.performSync()
    try note("later", on: "new")
    #expect(try accepted().map(\.entityId) == ["U", "new"])
    hub.set {
      $0.epochs.append(HubEpoch(id: "b", first: 4))
      $0.head = 3
      $0.batches = []
      $0.pushErrors = [
        .problem(ProblemDetails(type: ProblemDetails.logReset, title: "Position unknown", status: 409), retryAfter: nil)
      ]
    }
    await device.engine.performSync()
    let offered = try #require(hub.state.batches.last).mutations
    #expect(offered.map(\.entityId) == ["U", "new", "new"], "a child is not offered before its type")
    #expect(offered.map(\.operation) == [.create, .create, .update])
    #expect(store.storedEvents["new"]?.notes == "later")
  }

  @Test func `outcomes of a forked push count and the rest is sent with the same ids under a new identity`()
    async throws
  {
    await begin()
    try note("5")
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T"))
    hub.set {
      $0.isForked = true
      $0.head = 4
      $0.outcomes = [.accepted(version: 4)]
    }
    await device.engine.performSync()
    let batches = hub.state.batches
    #expect(batches.count == 2 && batches[0].position.device != batches[1].position.device)
    #expect(batches[1].mutations.map(\.id) == [batches[0].mutations[1].id])
    #expect(batches[1].mutations.map(\.sequence) == [1])
  }

  @Test func `a request contains the last sent, the last acknowledged and the seen position`() async throws {
    await begin()
    try note("5")
    await device.engine.performSync()
    try note("6")
    await device.engine.performSync()
    let position = try #require(hub.state.batches.last?.position)
    #expect(
      position.lastSequence == 2 && position.acknowledgedThrough == 1 && position.seen == 4 && position.epoch == "a")
    #expect(hub.state.pulls.last?.position?.acknowledgedThrough == 2)
  }

  @Test func `stamps use hub time and exceed all earlier and all applied stamps`() async throws {
    let now = Int64(device.clock.now.timeIntervalSince1970 * 1000)
    hub.set { $0.now = now - 5_000 }
    await begin()
    try note("5")
    try device.recorder.edit(eventTypeId: "T") { $0.name = "n" }
    let stamps = try store.storedPendingMutations.map { try #require(fields($0).values.first?.stamp) }
    #expect(stamps == [now - 5_000, now - 4_999])
    hub.set {
      var future = ChangeEntry.type("T2", 9)
      future.marks = [FieldVersion.others: FieldVersion(version: 9, stamp: now + 60_000, author: "other")]
      $0.pages = [[future]]
      $0.now = nil
    }
    await device.engine.performSync()
    try note("6")
    #expect(try fields(#require(store.storedPendingMutations.first))["notes"]?.stamp == now + 60_001)
  }

  @Test func `a newly learned offset lowers unsent stamps to hub time`() async throws {
    await begin()
    let now = Int64(device.clock.now.timeIntervalSince1970 * 1000)
    try note("a year ahead")
    hub.set {
      $0.now = now - 31_536_000_000
      $0.pushErrors = [.httpError(503)]
    }
    try device.recorder.edit(eventTypeId: "T") { $0.name = "n" }
    // No mutation counts as sent, because the first response is to the pull.
    await device.engine.performSync()
    try device.recorder.edit(eventId: "E") { $0.locationName = "later" }
    let last = try #require(store.storedPendingMutations.last)
    #expect(try fields(last)["location_name"]?.stamp == now - 31_536_000_000 + 1)
  }

  // MARK: Imports, refusals and stale answers

  @Test func `an import of a stored or deleted entity is skipped`() async throws {
    let living = "00000000-0000-8000-8000-000000000001"
    let dead = "00000000-0000-8000-8000-000000000002"
    await begin([.event(living, 2), .tombstone(.event, dead, 3)])
    for id in [living, dead] {
      #expect(try !device.recorder.record(EventFixture.makeEvent(id: id, eventTypeId: "T", sourceType: .imported)))
    }
    #expect(store.storedPendingMutations.isEmpty && store.storedEvents[dead] == nil)
  }

  @Test func `a refused create moves to the journal with its unsent children, a refused edit alone`() async throws {
    await begin()
    try device.recorder.record(EventTypeFixture.makeEventType(id: "new"))
    try device.recorder.record(EventFixture.makeEvent(id: "child", eventTypeId: "new"))
    try note("5")
    hub.set {
      $0.outcomes = [.refused(ProblemDetails(type: "urn:trendy:error:invalid", title: "No", status: 422))]
    }
    let small = SyncEngine(
      networkClient: VersionedHubClient(base: device.network, hub: hub), dataStoreFactory: device.factory,
      clock: device.clock, generator: SeededGenerator(seed: 9), configuration: SyncConfiguration(batchSize: 1))
    await small.performSync()
    #expect(Set(store.storedConflicts.map(\.entityId)) == ["new", "child"])
    #expect(hub.state.batches.flatMap(\.mutations).map(\.entityId) == ["new", "E"])
    #expect(store.storedEvents["child"]?.syncStatus == .failed)
  }

  @Test func `a value that lost is in the conflict journal and the winning value is shown`() async throws {
    await begin()
    try device.recorder.edit(eventId: "E") {
      $0.notes = "mine"
      $0.locationName = "here"
    }
    hub.set {
      $0.head = 5
      $0.outcomes = [.merged(version: 5)]
      $0.lost = [0: ["notes"]]
      $0.pages = [[.event("E", 5, notes: "theirs")]]
    }
    await device.engine.performSync()
    #expect(shown?.notes == "theirs")
    let conflict = try #require(store.storedConflicts.first)
    #expect(try WireJSON.decode(JSONValue.self, from: conflict.payload) == ["notes": "mine"])
  }

  @Test func `an answer to another identity is ignored`() async throws {
    await begin()
    try note("5")
    let other = SyncIdentity(device: "another process took it")
    hub.set { $0.pullErrors = [] }
    let client = IntrudedClient(base: device.network, hub: hub) { [store = SendableStore(store)] in
      try? store.value.setSyncIdentity(other)
      try? store.value.save()
    }
    let engine = SyncEngine(
      networkClient: client, dataStoreFactory: device.factory, clock: device.clock,
      generator: SeededGenerator(seed: 9))
    await engine.performSync()
    #expect(store.storedPendingMutations.count == 1, "asked again, under the identity that holds")
  }

  // MARK: Restores and visible state

  @Test func `an entity deleted elsewhere is restored with its last values`() async throws {
    await begin()
    hub.set {
      $0.pages = [
        [
          .tombstone(
            .event, "E", 4,
            ["id": "E", "event_type_id": "T", "timestamp": "2024-01-01T00:00:00.000Z", "notes": "last words"])
        ]
      ]
    }
    await device.engine.performSync()
    #expect(shown == nil)
    #expect(try device.recorder.restore(eventId: "E"))
    #expect(shown?.notes == "last words" && shown?.syncStatus == .pending)
    let restore = try #require(store.storedPendingMutations.first)
    #expect(restore.operation == .restore && restore.incarnation == 1)
    hub.set { $0.pages = [[.event("E", 5, notes: "last words", incarnation: 1)]] }
    await device.engine.performSync()
    #expect(shown?.syncStatus == .synced && store.storedPendingMutations.isEmpty)
    // An edit refers to the incarnation on which it is based.
    try note("again")
    #expect(store.storedPendingMutations.map(\.incarnation) == [1])
  }

  @Test func `undoing an unsent delete restores the edits that it replaced`() async throws {
    await begin()
    try note("5")
    try device.recorder.delete(eventId: "E")
    #expect(shown == nil)
    #expect(try device.recorder.restore(eventId: "E"))
    #expect(shown?.notes == "5" && store.storedPendingMutations.map(\.operation) == [.update])
    #expect(try !device.recorder.restore(eventId: "E"), "it lives")
  }

  @Test func `recording a deleted entity restores it in a new incarnation`() async throws {
    await begin([
      .tombstone(.event, "gone", 2, ["id": "gone", "event_type_id": "T", "timestamp": "2024-01-01T00:00:00.000Z"])
    ])
    try device.recorder.record(EventFixture.makeEvent(id: "gone", eventTypeId: "T", notes: "anew"))
    #expect(store.storedPendingMutations.map(\.operation) == [.restore])
    #expect(store.storedEvents["gone"]?.notes == "anew")
  }

  @Test func `an event cannot be restored without its type`() async throws {
    await begin()
    hub.set {
      $0.pages = [
        [
          .tombstone(.event, "E", 4, ["id": "E", "event_type_id": "T", "timestamp": "2024-01-01T00:00:00.000Z"]),
          .tombstone(.eventType, "T", 5),
        ]
      ]
    }
    await device.engine.performSync()
    #expect(store.storedEventTypes.isEmpty)
    #expect(throws: RecorderError.parentDeleted(.event, id: "E", eventTypeId: "T")) {
      try device.recorder.restore(eventId: "E")
    }
  }

  @Test func `a deleted type hides its events, and a refusal shows all of them again`() async throws {
    await begin()
    try device.recorder.delete(eventTypeId: "T")
    #expect(store.storedEvents.isEmpty && store.storedEventTypes.isEmpty)
    hub.set {
      $0.outcomes = [.refused(ProblemDetails(type: "urn:trendy:error:restored", title: "It lives anew", status: 409))]
    }
    await device.engine.performSync()
    #expect(store.storedEventTypes["T"] != nil && shown != nil)
    #expect(hub.state.snapshots == 1 && store.storedConflicts.map(\.operation) == [.delete])
  }

  @Test func `records and conflicts are synced like events`() async throws {
    await begin([
      .entry(.vehicle, "car", 2, ["name": "Kombi"]),
      .entry(.conflict, "c", 3, ["entity_type": "event", "entity_id": "E", "field": "notes", "value": "old"]),
    ])
    #expect(try store.fetchRecords(kind: .vehicle).map(\.fields) == [["name": "Kombi"]])
    #expect(try store.fetchRecords(kind: .conflict).count == 1)
    try device.recorder.delete(.conflict, id: "c")
    try device.recorder.edit(.vehicle, id: "car") { $0.fields["color"] = "red" }
    await device.engine.performSync()
    #expect(hub.state.batches.flatMap(\.mutations).map(\.operation) == [.delete, .update])
    #expect(try store.findRecord(kind: .vehicle, id: "car")?.fields["color"] == "red")
  }

  @Test func `an entry of an unknown kind is parked`() async throws {
    await begin([ChangeEntry(id: 2, entityType: "of_tomorrow", operation: "create", entityId: "x")])
    #expect(store.storedParkedChanges.map(\.entityType) == ["of_tomorrow"])
    #expect(await device.engine.state == .idle)
  }

  @Test func `a round without changes sends one pull and writes no entity`() async throws {
    await begin()
    let saves = store.saveCalls
    let upserts = store.upsertEventCalls.count
    await device.engine.performSync()
    #expect(hub.state.pulls.count == 2 && hub.state.batches.isEmpty)
    #expect(store.upsertEventCalls.count == upserts && store.saveCalls >= saves)
  }

  @Test func `a store that synced without versions loads one snapshot and keeps its queue`() async throws {
    let hub = HubDouble()
    let old = Device(cursor: 3, client: { VersionedHubClient(base: $0, hub: hub) })
    old.seedType("T")
    old.seedEvent("E", type: "T")
    try old.recorder.edit(eventId: "E") { $0.notes = "5" }
    hub.set {
      $0.snapshot = [.type("T", 1), .event("E", 3)]
      $0.pushErrors = [.httpError(503)]
    }
    await old.engine.performSync()
    #expect(hub.state.snapshots == 1 && old.store.storedEvents["E"]?.notes == "5")
    #expect(old.store.storedPendingMutations.count == 1)
  }
}

private struct IntrudedClient: ForwardingNetworkClient {
  let base: MockNetworkClient
  let hub: HubDouble
  let intrude: @Sendable () -> Void

  func checkHealth() async throws {}
  func push(_ batch: PushBatch) async throws -> PushBatchResult {
    let answer = try await VersionedHubClient(base: base, hub: hub).push(batch)
    intrude()
    return answer
  }
  func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse {
    try await VersionedHubClient(base: base, hub: hub).changes(request)
  }
}

/// @unchecked: the test and the engine use the store in turns, as the mock requires.
private struct SendableStore: @unchecked Sendable {
  let value: MockDataStore
  init(_ value: MockDataStore) { self.value = value }
}
