import Testing
import TrendySimulation

/// Webhook deliveries by failing hubs.
@Suite("Scenarios with webhooks", .timeLimit(.minutes(10)))
struct WebhookScenarioTests {
  private static let several = SimulationWorld(
    edits: 20, hazards: [.webhooks, .database, .network, .plainWriter, .restoredHub], density: .dense)
  private static let onFiles = SimulationWorld(
    edits: 20, hazards: [.webhooks, .hubCrash, .restoredHub, .compaction, .plainWriter], density: .dense)

  private static let seeds: ClosedRange<UInt64> = 1...40
  private static let seedsOnFiles = (1...120 as ClosedRange<UInt64>).filter { seed in
    onFiles.plan(seed: seed).contains { if case .receiver = $0 { true } else { false } }
  }

  @Test(arguments: seeds)
  func `several hubs deliver every change despite faults of hubs and receiver`(seed: UInt64) async {
    let story = await SyncSimulator(world: Self.several).run(seed: seed)
    #expect(story.violations == [], "--density dense --edits 20 --hazards webhooks,database,network,…")
  }

  @Test(arguments: seedsOnFiles)
  func `a hub on files delivers every change despite its faults`(seed: UInt64) async {
    let story = await SyncSimulator(world: Self.onFiles).run(seed: seed)
    #expect(story.violations == [], "--density dense --edits 20 --hazards webhooks,hub-crash,restored-hub,…")
  }

  @Test func `the scenarios contain every receiver fault, and hub crashes and restores`() async {
    #expect(Self.seedsOnFiles.count > 10)
    var faults: [String: Int] = [:]
    for seed in Self.seeds {
      faults.merge(await SyncSimulator(world: Self.several).run(seed: seed).faults) { $0 + $1 }
    }
    for fault in [
      "receiver_unreachable", "receiver_refused", "receiver_answer_lost", "receiver_hung", "hub_stopped", "hub_killed",
      "hub_restored",
    ] {
      #expect((faults[fault] ?? 0) > 1, "\(fault)")
    }
  }

  @Test func `equal seeds give equal scenarios`() async {
    let (first, second) = (
      await SyncSimulator(world: Self.several).run(seed: 3), await SyncSimulator(world: Self.several).run(seed: 3)
    )
    #expect(zip(first.trace, second.trace).first { $0 != $1 }.map { "\($0.0) | \($0.1)" } == nil)
    #expect(first.steps == second.steps)
    #expect(first == second)
  }
}
