import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Bases, order and incarnations of mutations that are requeued after a fork, a resync or a hub restore. Bare numbers
/// are hub versions.
@Suite("Requeued mutations", .timeLimit(.minutes(10)))
struct RequeueTests {
  private let hub: HubDouble
  private let device: Device
  private var store: MockDataStore { device.store }

  init() {
    let hub = HubDouble()
    self.hub = hub
    device = Device(
      cursor: nil, configuration: SyncConfiguration(batchSize: 1),
      client: { VersionedHubClient(base: $0, hub: hub) })
  }

  private func begin(_ more: [ChangeEntry] = []) async {
    hub.set { $0.snapshot = [.type("T", 1), .event("E", 3)] + more }
    await device.engine.performSync()
  }

  /// Restores the hub to version 3. The device detects the restore in its next pull.
  private func restoreHub(with more: [ChangeEntry] = []) {
    hub.set {
      $0.epochs.append(HubEpoch(id: "b", first: 4))
      $0.head = 3
      $0.snapshot = [.type("T", 1), .event("E", 3)] + more
      $0.batches = []
      $0.pullErrors = [
        .problem(ProblemDetails(type: ProblemDetails.logReset, title: "Position unknown", status: 409), retryAfter: nil)
      ]
    }
  }

  private func bases(_ mutations: [PendingMutation]) throws -> [Int64?] {
    try mutations.map { try $0.base ?? FieldChange.changes(of: $0).values.map(\.base).min() }
  }

  private var pushed: [PendingMutation] { hub.state.batches.flatMap(\.mutations) }

  private static let refusal = ProblemDetails(type: "urn:trendy:error:invalid", title: "No", status: 422)

  // MARK: Bases

  @Test("an edit and a delete keep their bases through a fork and a resync", arguments: [true, false])
  func keptBases(isFork: Bool) async throws {
    await begin([.event("F", 2)])
    try device.recorder.edit(eventId: "E") { $0.notes = "mine" }
    try device.recorder.delete(eventId: "F")
    #expect(try bases(store.storedPendingMutations) == [3, 3])
    let theirs = [ChangeEntry.event("E", 4, notes: "theirs"), .event("F", 5, notes: "theirs")]
    hub.set {
      $0.pushErrors = [.networkError("lost")]
      $0.snapshot = [.type("T", 1)] + theirs
      $0.pages = isFork ? [theirs] : []
      $0.head = 5
    }
    if isFork { await device.engine.performSync() } else { await device.engine.forceFullResync() }
    #expect(try store.heldEntry(kind: .event, id: "E")?.id == 4)
    let before = try store.syncIdentity()?.device
    hub.set {
      $0.isForked = isFork
      $0.batches = []
    }
    await device.engine.performSync()
    #expect(try (store.syncIdentity()?.device != before) == isFork)
    let last = pushed.suffix(2)
    #expect(last.map(\.entityId) == ["E", "F"])
    #expect(try bases(Array(last)) == [3, 3])
  }

  @Test func `undoing a delete restores the edit that it replaced, with its base and stamp`() async throws {
    await begin()
    try device.recorder.edit(eventTypeId: "T") { $0.name = "sent" }
    try device.recorder.edit(eventId: "E") { $0.notes = "mine" }
    let edit = try FieldChange.changes(of: #require(store.storedPendingMutations.last))
    hub.set {
      $0.pushErrors = [.networkError("lost")]
      $0.pages = [[.event("E", 4, notes: "theirs")]]
    }
    await device.engine.performSync()
    #expect(try store.heldEntry(kind: .event, id: "E")?.id == 4)
    try device.recorder.delete(eventId: "E")
    #expect(try device.recorder.restore(eventId: "E"))
    let again = try #require(store.storedPendingMutations.last)
    #expect(try FieldChange.changes(of: again) == edit && again.operation == .update)
  }

  // MARK: Order

  @Test func `lost deletes are offered events first and lost entities types first`() async throws {
    await begin([.type("U", 2), .event("F", 2, of: "U")])
    hub.set {
      $0.pages = [
        [
          .tombstone(.event, "F", 4, ["id": "F", "event_type_id": "U", "timestamp": "2024-01-01T00:00:00.000Z"]),
          .tombstone(.eventType, "U", 5), .event("G", 7, of: "V"), .type("V", 8),
        ]
      ]
    }
    await device.engine.performSync()
    #expect(Set(store.storedEventTypes.keys) == ["T", "V"] && store.storedEvents["G"] != nil)
    restoreHub(with: [.type("U", 2), .event("F", 2, of: "U")])
    await device.engine.performSync()
    #expect(pushed.map(\.entityId) == ["V", "G", "F", "U"])
    #expect(pushed.map(\.operation) == [.create, .create, .delete, .delete])
    #expect(try bases(pushed) == [3, 3, 3, 3])
  }

  @Test func `an entity restored after the hub's backup is offered as a restore`() async throws {
    await begin()
    hub.set { $0.pages = [[.event("E", 5, notes: "second", incarnation: 1), .event("F", 6, incarnation: 2)]] }
    await device.engine.performSync()
    restoreHub()
    await device.engine.performSync()
    #expect(pushed.map(\.entityId) == ["E", "F"])
    #expect(pushed.map(\.operation) == [.restore, .create])
    #expect(pushed.map(\.incarnation) == [1, 2])
  }

  // MARK: Refusals

  @Test func `a refused restore and unsent mutations of its dependents move to the conflict journal`() async throws {
    await begin([.tombstone(.eventType, "gone", 2, ["name": "Tea", "color": "#000000", "icon": "cup"])])
    #expect(try device.recorder.restore(.eventType, id: "gone"))
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "gone"))
    try device.recorder.edit(eventTypeId: "gone") { $0.name = "Chai" }
    hub.set {
      $0.outcomes = [.refused(Self.refusal)]
      $0.batches = []
    }
    await device.engine.performSync()
    #expect(pushed.map(\.entityId) == ["gone"], "the hub would refuse the rest as well")
    #expect(
      try store.fetchConflicts().map(\.operation).sorted { $0.rawValue < $1.rawValue } == [.create, .restore, .update])
    #expect(store.storedPendingMutations.isEmpty)
  }

  @Test func `a refused create leaves sent mutations without an outcome in the queue`() async throws {
    await begin()
    try device.recorder.record(EventTypeFixture.makeEventType(id: "new"))
    try device.recorder.record(EventFixture.makeEvent(id: "child", eventTypeId: "new"))
    hub.set { $0.outcomes = [.refused(Self.refusal), .tryLater(retryAfter: nil)] }
    let engine = SyncEngine(
      networkClient: VersionedHubClient(base: device.network, hub: hub), dataStoreFactory: device.factory,
      clock: device.clock, generator: SeededGenerator(seed: 9))
    await engine.performSync()
    #expect(store.storedPendingMutations.map(\.entityId) == ["child"])
    #expect(store.storedPendingMutations.map(\.sequence) == [2], "without it the hub would find a gap")
  }

  @Test func `the delete of a refused import is still sent to the hub`() async throws {
    await begin()
    let id = "00000000-0000-8000-8000-000000000001"
    try device.recorder.record(
      Event(id: id, eventTypeId: "T", timestamp: DeterministicDate.jan1_2024, sourceType: .imported))
    try device.recorder.delete(eventId: id)
    hub.set {
      $0.outcomes = [.refused(Self.refusal)]
      $0.batches = []
    }
    await device.engine.performSync()
    #expect(pushed.map(\.operation) == [.create, .delete], "another device may import the same")
    #expect(try store.fetchConflicts().map(\.operation) == [.create])
  }

  // MARK: Incarnations

  @Test func `an edit and a delete of a restored entity refer to the new incarnation`() async throws {
    await begin([
      .tombstone(.event, "gone", 2, ["id": "gone", "event_type_id": "T", "timestamp": "2024-01-01T00:00:00.000Z"])
    ])
    #expect(try device.recorder.restore(eventId: "gone"))
    try device.recorder.edit(eventId: "gone") { $0.notes = "again" }
    #expect(store.storedPendingMutations.map(\.incarnation) == [1, 1])
    hub.set { $0.pushErrors = [.networkError("lost")] }
    await device.engine.performSync()
    try device.recorder.delete(eventId: "gone")
    #expect(store.storedPendingMutations.last?.operation == .delete)
    #expect(store.storedPendingMutations.last?.incarnation == 1)
  }
}
