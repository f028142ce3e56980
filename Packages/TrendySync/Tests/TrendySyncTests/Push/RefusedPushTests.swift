import Foundation
import Synchronization
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Checks that no mutation blocks the queue: a push that is refused as a whole is narrowed down to the refused
/// mutation.
@Suite("Refused pushes", .timeLimit(.minutes(10)))
struct RefusedPushTests {
  private final class Hub: Sendable {
    private let refusal: @Sendable (PushBatch) -> APIError?
    private let content = Mutex<[PushBatch]>([])
    private let double = HubDouble()

    init(_ refusal: @escaping @Sendable (PushBatch) -> APIError?) { self.refusal = refusal }

    var batches: [PushBatch] { content.withLock { $0 } }

    func device() -> Device {
      Device(client: { base in Client(base: VersionedHubClient(base: base, hub: self.double), hub: self) })
    }

    private struct Client: ForwardingNetworkClient {
      let base: VersionedHubClient
      let hub: Hub

      func checkHealth() async throws {}
      func push(_ batch: PushBatch) async throws -> PushBatchResult {
        hub.content.withLock { $0.append(batch) }
        if let error = hub.refusal(batch) { throw error }
        return try await base.push(batch)
      }
      func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse { try await base.changes(request) }
      func snapshot(for position: DevicePosition?) async throws -> SnapshotAnswer {
        try await base.snapshot(for: position)
      }
    }
  }

  private static func problem(_ status: Int, type: String = "urn:trendy:error:invalid") -> APIError {
    .problem(ProblemDetails(type: type, title: "Invalid document", status: status), retryAfter: nil)
  }

  @Test(
    "a mutation whose pushes are refused moves to the conflict journal and the others are sent",
    arguments: [400, 403, 404, 409, 413, 414, 422, 431, 451], [0, 3, 9])
  func narrowed(status: Int, place: Int) async throws {
    let refused = newEventId(place)
    let hub = Hub { batch in
      batch.mutations.contains { $0.entityId == refused } ? Self.problem(status) : nil
    }
    let device = hub.device()
    device.seedType()
    try device.record(events: 10)
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.isEmpty)
    #expect(device.store.storedConflicts.map(\.entityId) == [refused])
    #expect(device.store.storedConflicts.first?.reason == "Invalid document (\(status))")
    #expect(await device.engine.lastFailure == nil)
    let last = try #require(hub.batches.last?.position.device)
    let sequences = hub.batches.filter { $0.position.device == last }.flatMap(\.mutations).map(\.sequence)
    #expect(sequences.first == 1, "the hub has not counted the refused one: a new identity begins at 1")
  }

  @Test(
    "an error that an empty push gets too changes nothing in the queue",
    arguments: [400, 403, 404, 409, 422, 431])
  func notAboutAMutation(status: Int) async throws {
    let hub = Hub { _ in Self.problem(status) }
    let device = hub.device()
    device.seedType()
    try device.record(events: 10)
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.count == 10 && device.store.storedConflicts.isEmpty)
    let failure = await device.engine.lastFailure
    #expect(failure?.cause == .unusable, "\(String(describing: failure))")
    #expect(hub.batches.map(\.mutations.count) == [10, 0])
  }

  @Test(
    "a status unrelated to the mutations changes nothing in the queue",
    arguments: [401, 408, 410, 425, 429, 500, 503, 507])
  func otherStatuses(status: Int) async throws {
    let hub = Hub { $0.mutations.isEmpty ? nil : Self.problem(status) }
    let device = hub.device()
    device.seedType()
    try device.record(events: 3)
    for _ in 0..<3 { await device.engine.performSync() }
    #expect(device.store.storedPendingMutations.count == 3 && device.store.storedConflicts.isEmpty)
    #expect(!hub.batches.contains { $0.mutations.isEmpty })
  }

  @Test(
    "conflicts that sync resolves change nothing in the queue",
    arguments: [ProblemDetails.logReset, ProblemDetails.deviceForked])
  func resolvedConflicts(type: String) async throws {
    let refusals = Mutex(2)
    let hub = Hub { batch in
      let isRefused = refusals.withLock { left -> Bool in
        left -= 1
        return left >= 0
      }
      guard !batch.mutations.isEmpty, isRefused else { return nil }
      return Self.problem(409, type: type)
    }
    let device = hub.device()
    device.seedType()
    try device.record(events: 3)
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.isEmpty && device.store.storedConflicts.isEmpty)
  }

  @Test func `a refused create and only its dependents move to the conflict journal`() async throws {
    let hub = Hub { batch in batch.mutations.contains { $0.entityId == "T" } ? Self.problem(422) : nil }
    let device = hub.device()
    try device.recorder.record(EventType(id: "T", name: "x", colorHex: "#000000", iconName: "i"))
    try device.record(events: 2, type: "T")
    device.seedType("other")
    try device.record(events: 1, from: 5, type: "other")
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.isEmpty)
    #expect(Set(device.store.storedConflicts.map(\.entityId)) == ["T", newEventId(0), newEventId(1)])
  }

  @Test func `a hub that refuses every mutation gets a limited number of pushes in each round`() async throws {
    let hub = Hub { $0.mutations.isEmpty ? nil : Self.problem(422) }
    let device = hub.device()
    device.seedType()
    try device.record(events: 40)
    var waiting: [Int] = []
    for _ in 0..<3 {
      await device.engine.performSync()
      waiting.append(device.store.storedPendingMutations.count)
    }
    #expect(waiting == [24, 8, 0])
    #expect(device.store.storedConflicts.count == 40)
  }

  @Test func `a push is limited to the bytes that a hub accepts but has at least one mutation`() async throws {
    let hub = Hub { _ in nil }
    let device = hub.device()
    device.seedType()
    for index in 0..<10 {
      let note = String(repeating: "x", count: 200_000)
      try device.recorder.record(EventFixture.makeEvent(id: newEventId(index), eventTypeId: "type-1", notes: note))
    }
    var largest = EventFixture.makeEvent(id: newEventId(10), eventTypeId: "type-1")
    for index in 0..<3 { largest.properties["p\(index)"] = .text(String(repeating: "x", count: 262_144)) }
    largest.notes = String(repeating: "\"", count: 130_000)
    try device.recorder.record(largest)
    await device.engine.performSync()
    #expect(hub.batches.map(\.mutations.count) == [5, 5, 1])
    #expect(device.store.storedPendingMutations.isEmpty)
  }

  @Test func `a probe that fails for another reason reports that reason`() async throws {
    let hub = Hub { $0.mutations.isEmpty ? .networkError("lost") : Self.problem(422) }
    let device = hub.device()
    device.seedType()
    try device.record(events: 1)
    await device.engine.performSync()
    #expect(await device.engine.lastFailure == .unanswered("lost"))
    #expect(device.store.storedPendingMutations.count == 1 && device.store.storedConflicts.isEmpty)
  }

  @Test("without versions a refused event is separated from its batch", arguments: [400, 409, 422])
  func plainBatch(status: Int) async throws {
    struct Client: ForwardingNetworkClient {
      let base: MockNetworkClient
      let status: Int
      func createEventsBatch(_ events: [CreateEventRequest]) async throws -> BatchCreateEventsResponse {
        if events.contains(where: { $0.id == newEventId(7) }) {
          throw RefusedPushTests.problem(status)
        }
        return try await base.createEventsBatch(events)
      }
    }
    let device = Device(client: { Client(base: $0, status: status) })
    device.seedType()
    try device.record(events: 50)
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.isEmpty)
    #expect(device.store.storedConflicts.map(\.entityId) == [newEventId(7)])
  }
}
