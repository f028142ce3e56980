import Testing
import TrendySimulation

@Suite("Several hubs on one database", .timeLimit(.minutes(30)))
struct SeveralHubsTests {
  private static let seeds: ClosedRange<UInt64> = 1...60
  private static let world = SimulationWorld(
    hazards: [.database, .network, .plainWriter, .companions, .clock, .deviceCrash, .outage], density: .dense)

  @Test(arguments: seeds)
  func `no fault violates an invariant`(seed: UInt64) async {
    let story = await SyncSimulator(world: Self.world).run(seed: seed)
    #expect(story.violations == [], "trendy-simulate --seed \(seed) --density dense --hazards database,network,…")
  }

  @Test func `every fault of a database and its hints occurs in some scenarios`() async {
    var faults: Set<String> = []
    for seed in Self.seeds where faults.count < 12 {
      faults.formUnion(
        await SyncSimulator(world: SimulationWorld(hazards: [.database], density: .dense)).run(seed: seed).faults.keys)
    }
    #expect(
      faults == [
        "database_failover", "database_failover_lossy", "database_locked", "database_lost",
        "database_lost_after_commit", "database_lost_before_commit", "database_refused", "database_restarted",
        "hint_doubled", "hint_late", "hint_lost", "hub_killed",
      ])
  }

  @Test func `equal seeds give equal scenarios`() async {
    let (first, second) = (
      await SyncSimulator(world: Self.world).run(seed: 7), await SyncSimulator(world: Self.world).run(seed: 7)
    )
    #expect(first == second)
  }

  /// After a failover, a hub announces the new epoch before it reports the missing data.
  @Test("a failover to a standby without a user's data loses nothing", arguments: 1...10 as ClosedRange<UInt64>)
  func forgetsAPerson(seed: UInt64) async {
    let plan: [Action] = [
      .letStandbyFallBehind, .edit(device: 0, number: 1, choice: 1), .edit(device: 0, number: 2, choice: 2),
      .sync(device: 0), .wait(milliseconds: 60_000), .sync(device: 1), .wait(milliseconds: 60_000), .failOver,
      .sync(device: 0), .sync(device: 1), .wait(milliseconds: 60_000),
    ]
    let story = await SyncSimulator(world: Self.world).run(plan, seed: seed)
    #expect(story.violations == [])
    #expect(story.faults["database_failover_lossy"] == 1)
  }

  /// Devices must continue from their cursors. Loading a snapshot would be a violation.
  @Test("a failover without data loss requires no snapshot", arguments: 1...10 as ClosedRange<UInt64>)
  func failsOver(seed: UInt64) async {
    let syncs: [Action] = (0..<3).map { .sync(device: $0) }
    var plan: [Action] = []
    for number in 1...12 {
      plan += [.edit(device: number % 3, number: number, choice: UInt64(number) &* 0x9E37_79B9_7F4A_7C15)]
      plan += [.database(.failover(isCommitted: number.isMultiple(of: 2)), afterTransactions: number % 4)]
      plan += syncs + [.wait(milliseconds: 60_000), number.isMultiple(of: 3) ? .failOver : .restartDatabase]
    }
    let story = await SyncSimulator(world: Self.world).run(plan, seed: seed)
    #expect(story.violations == [])
    #expect(story.faults["database_failover", default: 0] > 8)
  }
}
