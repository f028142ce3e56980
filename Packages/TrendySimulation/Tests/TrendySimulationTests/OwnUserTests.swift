import Testing
import TrendyModels
import TrendySimulation
import TrendySync
import TrendyTesting

/// Logs coffees. The simulator checks that each text `t17` exists until it is replaced or deleted.
private struct CoffeeDrinker: SimulatedUser {
  func act(number: Int, on device: UserDevice, using generator: inout SeededGenerator) throws {
    let coffee = EventType(id: "coffee", name: "Coffee", colorHex: "#6F4E37", iconName: "cup.and.saucer")
    try device.recorder.record(coffee)
    try device.recorder.log(coffee, notes: "t\(number)")
  }
}

@Suite(.timeLimit(.minutes(10)))
struct CoffeeSimulationTests {
  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `no coffee is lost or duplicated`(seed: UInt64) async {
    let simulator = SyncSimulator(world: SimulationWorld(devices: 2, edits: 60), user: CoffeeDrinker())
    #expect(await simulator.run(seed: seed).violations == [])
  }
}
