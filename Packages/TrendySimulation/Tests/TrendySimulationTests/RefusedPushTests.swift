import Testing
import TrendySimulation

@Suite("Rejected pushes", .timeLimit(.minutes(30)))
struct RefusedPushTests {
  private static let world = SimulationWorld(
    edits: 30, hazards: [.refusedPushes, .network, .deviceCrash, .restoredHub, .copiedStore, .plainWriter],
    density: .dense)

  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func `no status of a hub loses a change or blocks the queue`(seed: UInt64) async {
    let story = await SyncSimulator(world: Self.world).run(seed: seed)
    #expect(
      story.violations == [],
      "--seed \(seed) --density dense --edits 30 --hazards refused-pushes,network,device-crash,restored-hub,copied-store,plain-writer"
    )
  }

  @Test func `every status occurs, before and after processing`() async {
    var faults: Set<String> = []
    for seed in 1...30 as ClosedRange<UInt64> {
      faults.formUnion(await SyncSimulator(world: Self.world).run(seed: seed).faults.keys)
    }
    for status in [400, 404, 409, 413, 422, 431] {
      #expect(faults.contains("refused_\(status)") && faults.contains("refused_\(status)_after_effect"), "\(status)")
    }
  }
}
