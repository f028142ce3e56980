import Foundation
import Synchronization
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

@Suite("SyncEngine between start and stop", .timeLimit(.minutes(10)))
struct SyncEngineLoopTests {
  private final class Signals: Sendable {
    private let streams = Mutex<[AsyncThrowingStream<Int64, any Error>.Continuation]>([])
    var opened: Int { streams.withLock { $0.count } }

    func open() -> AsyncThrowingStream<Int64, any Error> {
      let (stream, continuation) = AsyncThrowingStream<Int64, any Error>.makeStream()
      streams.withLock { $0.append(continuation) }
      return stream
    }

    func send(_ head: Int64) { streams.withLock { _ = $0.last?.yield(head) } }
  }

  private func rounds(_ device: Device) -> Int { device.network.getChangesCalls.count }

  private func waitUntil(_ isTrue: () async -> Bool) async {
    while await !isTrue() { await Task.yield() }
  }

  /// Waits until the loop and the signal listener are both asleep, so that no work is in progress.
  private func waitForRest(_ device: Device) async {
    await waitUntil { device.clock.sleeperCount == 2 }
  }

  /// Advances the clock by `duration`, one deadline at a time, and waits after each until no work is in progress.
  private func advance(_ device: Device, by duration: Duration) async {
    let end = device.clock.uptime + duration
    while true {
      await waitForRest(device)
      guard let next = device.clock.nextDeadline, device.clock.uptime + next <= end else { break }
      await device.clock.advance(by: next)
    }
    await device.clock.advance(by: end - device.clock.uptime)
    await waitForRest(device)
  }

  @Test func `an engine that was not started syncs only on request`() async {
    let device = Device()
    await device.clock.advance(by: .seconds(3600))
    #expect(device.network.operations.isEmpty)
    #expect(device.clock.sleeperCount == 0)
  }

  @Test func `a started engine syncs immediately, then at each interval until it is stopped`() async {
    let device = Device()
    await device.engine.start()
    await device.engine.start()
    await waitForRest(device)
    #expect(rounds(device) == 1)
    await advance(device, by: .seconds(59))
    #expect(rounds(device) == 1)
    await advance(device, by: .seconds(1))
    #expect(rounds(device) == 2)
    await device.engine.stop()
    #expect(device.clock.sleeperCount == 0)
    await device.clock.advance(by: .seconds(3600))
    #expect(rounds(device) == 2)
    await device.engine.start()
    await waitUntil { self.rounds(device) == 3 }
    await device.engine.stop()
  }

  /// Hub that serves one feed request a minute, with one entry, and refuses all other requests without `Retry-After`.
  private struct LimitedClient: ForwardingNetworkClient {
    let base: MockNetworkClient
    let clock: ManualClock
    let head: Int64
    private let quietUntil = Moment()
    private final class Moment: Sendable { let uptime = Mutex<Duration>(.zero) }

    init(base: MockNetworkClient, clock: ManualClock, head: Int64) {
      (self.base, self.clock, self.head) = (base, clock, head)
    }

    func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse {
      let isAnswered = quietUntil.uptime.withLock { until in
        guard clock.uptime >= until else { return false }
        until = clock.uptime + .seconds(60)
        return true
      }
      _ = try await base.changes(request)
      guard isAnswered else { throw rateLimit }
      if request.cursor >= head { return ChangeFeedResponse(changes: [], nextCursor: head, hasMore: false) }
      let version = request.cursor + 1
      return ChangeFeedResponse(
        changes: [.type("T\(version)", version)], nextCursor: version, hasMore: version < head)
    }
  }

  @Test("a hub that answers one request a minute gets fewer than two a minute", arguments: 1...10)
  func limited(seed: UInt64) async throws {
    let clock = ManualClock()
    let device = Device(seed: seed, clock: clock, client: { LimitedClient(base: $0, clock: clock, head: 70) })
    await device.engine.start()
    await advance(device, by: .seconds(150 * 60))
    #expect(device.store.storedSyncCursor == 70, "70 pages in two and a half hours")
    #expect(rounds(device) < 150 * 2)
    await device.engine.stop()
  }

  @Test func `automatic retries back off and recover when the network returns`() async throws {
    let device = Device()
    device.network.errorToThrow = APIError.networkError("no route")
    await device.engine.start()
    await advance(device, by: .seconds(3600))
    let tries = device.network.getEventTypesCalls.count
    #expect(tries > 12, "an hour without network, at most five minutes between two tries")
    #expect(tries < 80, "and no storm")
    device.network.errorToThrow = nil
    await advance(device, by: .seconds(300))
    #expect(await device.engine.state == .idle)
    await device.engine.stop()
  }

  @Test func `the engine pushes again exactly when the breaker's wait ends`() async throws {
    let device = Device()
    device.seedType()
    try device.record(events: 1)
    device.network.createEventsBatchResponses = Array(repeating: .failure(rateLimit), count: 3)
    await device.engine.start()
    while await device.engine.circuitBreakerState != .open { await advance(device, by: .seconds(1)) }
    await advance(device, by: device.engine.circuitBreakerBackoffRemaining - .nanoseconds(1))
    #expect(device.batchSizes.count == 3)
    await advance(device, by: .nanoseconds(1))
    #expect(device.batchSizes.count == 4)
    #expect(await device.engine.circuitBreakerState == .closed)
    await device.engine.stop()
  }

  @Test func `the history records the time of the next round and the pause that the hub requested`() async throws {
    let history = History()
    let device = Device(history: history)
    device.seedType()
    try device.record(events: 1)
    device.network.createEventsBatchResponses = Array(repeating: .failure(rateLimit), count: 3)
    await device.engine.performSync()
    await device.engine.performSync()
    #expect(history.runs.last?.pausedUntil == nil)
    await device.engine.start()
    await waitForRest(device)
    let opened = device.clock.now.addingTimeInterval(30)
    #expect(history.runs.last?.pausedUntil == opened && history.runs.last?.nextTry == opened)
    await advance(device, by: .seconds(30))
    #expect(history.runs.last?.error == nil && history.runs.last?.pausedUntil == nil)
    #expect(history.runs.last?.nextTry == device.clock.now.addingTimeInterval(60))
    await device.engine.stop()
  }

  @Test func `a mutation queued through the engine is sent immediately`() async throws {
    let device = Device()
    device.seedType()
    await device.engine.start()
    await waitForRest(device)
    let payload = try WireJSON.encode(APIModelFixture.makeCreateEventRequest())
    try await device.engine.queueMutation(
      entityType: .event, operation: .create, entityId: "evt-1", payload: payload)
    await waitUntil { device.batchSizes == [1] }
    await device.engine.stop()
  }

  @Test func `a signal with a new head starts a round and one with an old head does not`() async {
    let signals = Signals()
    let device = Device(client: { SignallingClient(base: $0, signals: { signals.open() }) })
    await device.engine.start()
    await waitUntil { self.rounds(device) == 1 && signals.opened == 1 && device.clock.sleeperCount == 2 }
    signals.send(10)
    for _ in 0..<200 { await Task.yield() }
    #expect(rounds(device) == 1)
    signals.send(11)
    await waitUntil { self.rounds(device) == 2 }
    await device.engine.stop()
  }

  @Test func `signals and edits start no round before the time that the hub requested`() async throws {
    let signals = Signals()
    let device = Device(client: { SignallingClient(base: $0, signals: { signals.open() }) })
    device.seedType()
    device.network.getChangesResponses = [.failure(rateLimit(retryAfter: .seconds(90)))]
    await device.engine.start()
    await waitUntil { self.rounds(device) == 1 && signals.opened == 1 && device.clock.sleeperCount == 2 }
    signals.send(11)
    let payload = try WireJSON.encode(APIModelFixture.makeCreateEventRequest())
    try await device.engine.queueMutation(
      entityType: .event, operation: .create, entityId: "evt-1", payload: payload)
    await advance(device, by: .seconds(89))
    #expect(rounds(device) == 1)
    #expect(device.batchSizes == [])
    await advance(device, by: .seconds(1))
    #expect(rounds(device) == 2)
    #expect(device.batchSizes == [1])
    await device.engine.stop()
  }

  @Test func `a silent signal stream is reopened`() async {
    let signals = Signals()
    let device = Device(
      configuration: SyncConfiguration(pollInterval: .seconds(100_000), signalTimeout: .seconds(100)),
      client: { SignallingClient(base: $0, signals: { signals.open() }) })
    await device.engine.start()
    await waitUntil { signals.opened == 1 && device.clock.sleeperCount == 2 }
    await device.clock.advance(by: .seconds(60))
    signals.send(10)
    for _ in 0..<200 { await Task.yield() }
    await advance(device, by: .seconds(99))
    #expect(signals.opened == 1, "heard of 99 seconds ago")
    await advance(device, by: .seconds(1))
    #expect(signals.opened == 2, "at once: what the hub says in a pause would be heard at the next poll")
    await device.engine.stop()
  }

  @Test func `stopping during a round loses nothing`() async throws {
    let device = Device()
    device.seedType()
    try device.record(events: 1)
    device.network.beforeAnswering = { operation in
      guard operation == .createEventsBatch else { return }
      while !Task.isCancelled { await Task.yield() }
    }
    await device.engine.start()
    await waitUntil { !device.batchSizes.isEmpty }
    await device.engine.stop()
    #expect(await device.engine.state == .idle)
    #expect(device.store.storedPendingMutations.count == 1)
    device.network.beforeAnswering = nil
    await device.engine.performSync()
    #expect(device.store.storedPendingMutations.isEmpty)
  }
}
