import Foundation
import Synchronization
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Stamps of edits made after the device has received the hub's time, across slow responses, date changes and restarts.
@Suite("Hub time", .timeLimit(.minutes(10)))
struct HubTimeTests {
  /// Clock of a machine whose time since boot is not affected by date changes.
  private final class MachineClock: TimeSource {
    let base = ManualClock()
    private let start = Mutex<(boot: Int, at: Duration)>((1, .zero))

    var now: Date { base.now }
    var uptime: Duration { base.uptime }
    var boot: BootTime? { start.withLock { BootTime(id: "boot-\($0.boot)", elapsed: base.uptime - $0.at) } }
    func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }
    func reboot() { start.withLock { $0 = ($0.boot + 1, base.uptime) } }
  }

  private struct SlowClient: ForwardingNetworkClient {
    let base: MockNetworkClient
    let hub: HubDouble
    let clock: ManualClock
    let roundTrip: Duration

    func checkHealth() async throws {}
    func push(_ batch: PushBatch) async throws -> PushBatchResult {
      try await VersionedHubClient(base: base, hub: hub).push(batch)
    }
    func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse {
      await clock.advance(by: roundTrip / 2)
      let answer = try await VersionedHubClient(base: base, hub: hub).changes(request)
      await clock.advance(by: roundTrip / 2)
      return answer
    }
    func snapshot(for position: DevicePosition?) async throws -> SnapshotAnswer {
      try await VersionedHubClient(base: base, hub: hub).snapshot(for: position)
    }
  }

  private let clock = MachineClock()
  private let hub = HubDouble()
  private let factory: MockDataStoreFactory
  private let recorder: Recorder

  init() {
    factory = MockDataStoreFactory(mockStore: MockDataStore(clock: clock))
    recorder = Recorder(dataStoreFactory: factory, clock: clock, generator: SeededGenerator(seed: 1))
  }

  private static func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }

  private func engine(roundTrip: Duration) -> SyncEngine {
    SyncEngine(
      networkClient: SlowClient(
        base: MockNetworkClient(clock: clock), hub: hub, clock: clock.base, roundTrip: roundTrip),
      dataStoreFactory: factory, clock: clock, generator: SeededGenerator(seed: 2))
  }

  /// Syncs with a hub that does not send its time, then with a hub whose clock is an hour behind. Returns the time that
  /// the hub sent.
  private func learn(roundTrip: Duration) async -> Int64 {
    hub.set { $0.snapshot = [.type("T", 1), .event("E", 3)] }
    await engine(roundTrip: .zero).performSync()
    await clock.base.advance(by: .seconds(100))
    let told = Self.milliseconds(clock.now) - 3_600_000
    hub.set { $0.now = told }
    await engine(roundTrip: roundTrip).performSync()
    return told
  }

  private func stamp() throws -> Int64 {
    try recorder.edit(eventId: "E") { $0.notes = ($0.notes ?? "") + "now" }
    let mutation = try #require(factory.mockStore.storedPendingMutations.last)
    return try #require(try FieldChange.changes(of: mutation)["notes"]).stamp
  }

  @Test("the hub's time is assumed to be that of the middle of the round trip", arguments: [0, 20, 58])
  func midpoint(seconds: Int64) async throws {
    let told = await learn(roundTrip: .seconds(seconds))
    #expect(try stamp() == told + seconds * 500)
  }

  @Test("the hub's time is ignored after a round trip of a minute or more", arguments: [60, 3600])
  func slow(seconds: Int64) async throws {
    _ = await learn(roundTrip: .seconds(seconds))
    #expect(try stamp() == Self.milliseconds(clock.now))
  }

  @Test("a change of the date does not change hub time", arguments: [-365, 365])
  func dateJump(days: Double) async throws {
    let told = await learn(roundTrip: .zero)
    clock.base.setDate(clock.now + days * 86_400)
    await clock.base.advance(by: .seconds(5))
    #expect(try stamp() == told + 5000)
  }

  @Test func `after a reboot hub time follows the date`() async throws {
    let told = await learn(roundTrip: .zero)
    clock.reboot()
    await clock.base.advance(by: .seconds(5))
    #expect(try stamp() == told + 5000)
  }

  @Test func `a newly learned offset lowers unsent stamps and keeps sent ones`() async throws {
    hub.set { $0.snapshot = [.type("T", 1), .event("E", 3)] }
    await engine(roundTrip: .zero).performSync()
    let ahead = try stamp()
    try recorder.edit(eventTypeId: "T") { $0.name = "unsent" }
    let told = ahead - 31_536_000_000
    // The first batch gets no response. The following pull returns the hub's time.
    hub.set {
      $0.now = told
      $0.pushErrors = [.networkError("lost")]
    }
    let small = SyncEngine(
      networkClient: VersionedHubClient(base: MockNetworkClient(clock: clock), hub: hub), dataStoreFactory: factory,
      clock: clock, generator: SeededGenerator(seed: 3), configuration: SyncConfiguration(batchSize: 1))
    await small.performSync()
    let stamps = try factory.mockStore.storedPendingMutations.map {
      try FieldChange.changes(of: $0).values.map(\.stamp)
    }
    #expect(stamps == [[ahead], [told]])
    #expect(try stamp() == told + 1, "the next stamp is above the last one")
  }
}
