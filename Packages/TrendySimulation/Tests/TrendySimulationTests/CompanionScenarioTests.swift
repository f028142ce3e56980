import Testing
import TrendySimulation

/// Companion notices while the network, disks and hub fail.
@Suite("Scenarios with companions", .timeLimit(.minutes(10)))
struct CompanionScenarioTests {
  private static let hazards: Set<Hazard> = [
    .companions, .network, .deviceCrash, .hubCrash, .hubDisk, .restoredHub, .outage, .hubClock, .restoredStore,
  ]
  private static let world = SimulationWorld(edits: 25, hazards: hazards, density: .dense)

  private static let seeds = (1...240 as ClosedRange<UInt64>).filter { seed in
    world.plan(seed: seed).contains { if case .tell = $0 { true } else { false } }
  }

  @Test(arguments: seeds)
  func `a companion receives every notice once and in order`(seed: UInt64) async {
    let story = await SyncSimulator(world: Self.world).run(seed: seed)
    #expect(story.violations == [], "trendy-simulate --density dense --edits 25 --seed \(seed) --trace")
  }

  @Test func `the scenarios contain notices, failed requests and power failures`() async {
    #expect(Self.seeds.count > 20)
    var faults: [String: Int] = [:]
    for seed in Self.seeds {
      faults.merge(await SyncSimulator(world: Self.world).run(seed: seed).faults) { $0 + $1 }
    }
    for fault in ["companion_told", "companion", "answer_lost", "request_doubled", "device_crash", "hub_restored"] {
      #expect((faults[fault] ?? 0) > 1, "\(fault)")
    }
  }
}
