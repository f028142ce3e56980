import Testing
import TrendySimulation

/// Commands with undo and redo, combined with all other hazards.
@Suite("Scenarios with commands", .timeLimit(.minutes(10)))
struct CommandScenarioTests {
  private static let world = SimulationWorld(
    edits: 30, hazards: [.undo, .network, .deviceCrash, .resync, .copiedStore, .restoredStore, .plainWriter],
    density: .dense)

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `undo restores the previous state and keeps later changes`(seed: UInt64) async {
    let story = await SyncSimulator(world: Self.world).run(seed: seed)
    #expect(story.violations == [], "--density dense --edits 30 --hazards undo,network,device-crash,resync,…")
  }

  @Test func `the scenarios contain undo, redo, unchanged entities, imports and restores`() async {
    var trace: [String] = []
    for seed in 1...60 as ClosedRange<UInt64> { trace += await SyncSimulator(world: Self.world).run(seed: seed).trace }
    for words in [" undoes ", " redoes ", "; left: ", " undoes import ", " restores ", " resolves a conflict "] {
      #expect(trace.contains { $0.contains(words) }, "\(words)")
    }
  }

  @Test func `equal seeds give equal scenarios`() async {
    let (first, second) = (
      await SyncSimulator(world: Self.world).run(seed: 3), await SyncSimulator(world: Self.world).run(seed: 3)
    )
    #expect(zip(first.trace, second.trace).first { $0 != $1 }.map { "\($0.0) | \($0.1)" } == nil)
    #expect(first == second)
  }
}
