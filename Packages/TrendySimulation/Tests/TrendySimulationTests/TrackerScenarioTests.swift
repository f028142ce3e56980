import Testing
import TrendySimulation

/// Trackers that post to failing hubs.
@Suite("Scenarios with trackers", .timeLimit(.minutes(10)))
struct TrackerScenarioTests {
  private static let several = SimulationWorld(
    edits: 12, hazards: [.trackers, .database, .network, .plainWriter], density: .dense)
  private static let onFiles = SimulationWorld(
    edits: 12, hazards: [.trackers, .hubCrash, .hubDisk, .restoredHub, .network], density: .dense)

  private static let seeds: ClosedRange<UInt64> = 1...30
  private static let seedsOnFiles = (1...120 as ClosedRange<UInt64>).filter { seed in
    onFiles.plan(seed: seed).contains { if case .post = $0 { true } else { false } }
  }

  @Test(arguments: seeds)
  func `several failing hubs detect the same events as one hub without faults`(seed: UInt64) async {
    let story = await SyncSimulator(world: Self.several).run(seed: seed)
    #expect(story.violations == [], "--density dense --edits 12 --hazards trackers,database,network,plain-writer")
  }

  @Test(arguments: seedsOnFiles)
  func `a failing hub on files detects the same events as one without faults`(seed: UInt64) async {
    let story = await SyncSimulator(world: Self.onFiles).run(seed: seed)
    #expect(
      story.violations == [], "--density dense --edits 12 --hazards trackers,hub-crash,hub-disk,restored-hub,network")
  }

  @Test func `the scenarios contain posts, user edits of detected events, and hub crashes and stalls`() async {
    #expect(Self.seedsOnFiles.count > 10)
    var faults: [String: Int] = [:]
    for seed in Self.seeds {
      faults.merge(await SyncSimulator(world: Self.several).run(seed: seed).faults) { $0 + $1 }
    }
    for fault in ["tracker_post", "finding_touched", "hub_stopped", "hub_killed", "database_lost_after_commit"] {
      #expect((faults[fault] ?? 0) > 1, "\(fault)")
    }
  }

  @Test func `equal seeds give equal scenarios`() async {
    let (first, second) = (
      await SyncSimulator(world: Self.several).run(seed: 3), await SyncSimulator(world: Self.several).run(seed: 3)
    )
    #expect(first == second)
  }
}
