import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Responses that arrive after another process has advanced the store.
@Suite("Responses to an outdated state of the store", .timeLimit(.minutes(10)))
struct StaleAnswerTests {
  private let hub = HubDouble()
  private let device: Device
  private var store: MockDataStore { device.store }

  init() {
    let hub = hub
    device = Device(cursor: nil, client: { VersionedHubClient(base: $0, hub: hub) })
  }

  private static let forked = APIError.problem(
    ProblemDetails(type: ProblemDetails.deviceForked, title: "Device forked", status: 409), retryAfter: nil)

  private func sendWithoutAnswer() async throws {
    hub.set { $0.snapshot = [.type("T", 1), .event("E", 3)] }
    await device.engine.performSync()
    try device.recorder.edit(eventId: "E") { $0.notes = "mine" }
    hub.set { $0.pushErrors = [.networkError("lost"), .networkError("lost")] }
    await device.engine.performSync()
  }

  /// Returns a closure that acts like another process that has received the response to the sent edit.
  private func acknowledge() -> @Sendable () throws -> Void {
    { [factory = device.factory] in
      let other = factory.makeDataStore()
      for mutation in try other.fetchPendingMutations() { try other.deletePendingMutation(mutation) }
      try other.save()
    }
  }

  @Test(
    "a fork reported before another process got the acknowledgement does not replace the identity",
    arguments: [true, false])
  func outdatedFork(isAcknowledged: Bool) async throws {
    try await sendWithoutAnswer()
    let before = try #require(try store.syncIdentity())
    if isAcknowledged {
      let act = acknowledge()
      hub.set { $0.onPull = act }
    }
    hub.set { $0.pullErrors = [Self.forked] }
    await device.engine.performSync()
    let after = try #require(try store.syncIdentity())
    #expect((after.device == before.device) == isAcknowledged)
    #expect(await device.engine.lastFailure == (isAcknowledged ? .elsewhere : nil))
  }

  @Test func `outcomes that another process has already applied are ignored`() async throws {
    try await sendWithoutAnswer()
    hub.set {
      $0.pushErrors = []
      $0.outcomes = [.refused(ProblemDetails(type: "urn:trendy:error:invalid", title: "No", status: 422))]
    }
    let client = ActingClient(base: device.network, hub: hub, act: acknowledge())
    await device.restarted(client: client).performSync()
    #expect(try store.fetchConflicts().isEmpty, "it was settled before")
    #expect(store.storedPendingMutations.isEmpty)
  }
}

private struct ActingClient: ForwardingNetworkClient {
  let base: MockNetworkClient
  let hub: HubDouble
  let act: @Sendable () throws -> Void

  func checkHealth() async throws {}
  func push(_ batch: PushBatch) async throws -> PushBatchResult {
    let answer = try await VersionedHubClient(base: base, hub: hub).push(batch)
    try act()
    return answer
  }
  func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse {
    try await VersionedHubClient(base: base, hub: hub).changes(request)
  }
}

@Suite("Snapshot parts for an outdated state of the store", .timeLimit(.minutes(10)))
struct StalePartTests {
  private let hub = PartedHub(
    [.type("T", 1), .type("U", 2)] + (1...5).map { .event("E\($0)", Int64($0) + 2) })
  private let device: Device
  private var store: MockDataStore { device.store }

  init() {
    let hub = hub
    device = Device(cursor: nil, client: { PartedHubClient(base: $0, hub: hub) })
  }

  /// Runs `act` before the second part of a full resync arrives.
  private func resync(
    _ act: @escaping @Sendable (any DataStoreProtocol) throws -> Void
  ) async throws {
    await device.engine.performSync()
    let factory = device.factory
    _ = hub.takeParts()
    hub.set {
      $0.before[1] = { _ in
        let other = factory.makeDataStore()
        try act(other)
        try other.save()
      }
    }
    await device.engine.forceFullResync()
  }

  @Test func `a part that another process has applied meanwhile is not applied again`() async throws {
    try await resync { other in
      var memory = try #require(try other.syncMemory())
      memory.snapshot?.next = "3.4.a"
      memory.snapshot?.unnamed = ["event": ["E1"]]
      try other.setSyncMemory(memory)
    }
    #expect(await device.engine.lastFailure == .elsewhere)
    let progress = try #require(try store.syncMemory()?.snapshot)
    #expect(progress.next == "3.4.a" && progress.unnamed == ["event": ["E1"]])
    _ = hub.takeParts()
    await device.engine.performSync()
    #expect(hub.takeParts() == ["3.4.a", "3.6.a"])
    #expect(store.storedEvents["E1"] == nil, "the other process found it gone at the hub")
  }

  @Test func `a part requested under another identity is ignored`() async throws {
    try await resync { try $0.setSyncIdentity(SyncIdentity(device: "another")) }
    #expect(await device.engine.lastFailure == .elsewhere)
    #expect(try store.syncMemory()?.snapshot?.next == "0.2.a")
    await device.engine.performSync()
    #expect(await device.engine.lastFailure == nil)
    #expect(try store.syncMemory()?.snapshot == nil && store.storedEvents.count == 5)
  }
}
