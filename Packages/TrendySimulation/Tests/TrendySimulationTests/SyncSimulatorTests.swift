import Testing
import TrendySimulation

@Suite("SyncSimulator", .timeLimit(.minutes(30)))
struct SyncSimulatorTests {
  private static let seeds: ClosedRange<UInt64> = 1...100
  private static let stories = Stories()

  @Test(arguments: seeds)
  func `no fault violates an invariant`(seed: UInt64) async {
    let story = await Self.stories.story(seed: seed)
    #expect(story.violations == [], "trendy-simulate --seed \(seed) --trace")
  }

  @Test func `equal seeds give equal scenarios`() async {
    let (first, second) = (await SyncSimulator().run(seed: 7), await SyncSimulator().run(seed: 7))
    #expect(first == second)
    #expect(first.trace.count > 30)
    let other = await SyncSimulator().run(seed: 8)
    #expect(other.trace != first.trace)
  }

  /// In these scenarios work is left at the end, such as a response that arrives too late.
  @Test(arguments: [14, 26, 31, 46, 52, 81, 95, 112, 137, 138] as [UInt64])
  func `the number of steps does not depend on work left at the end`(seed: UInt64) async {
    let world = SimulationWorld(
      hazards: [.trackers, .webhooks, .fullRecord, .database, .network, .clock, .outage])
    let steps = await withTaskGroup { stories in
      for _ in 1...3 {
        stories.addTask { await SyncSimulator(world: world).run(seed: 99_971_000 + seed).steps }
      }
      return await stories.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(steps.count == 1, "\(steps)")
  }

  @Test func `every fault occurs in some scenarios`() async {
    var seeds: Set<String> = []
    for seed in Self.seeds { seeds.formUnion(await Self.stories.story(seed: seed).faults.keys) }
    for fault in [
      "answer_garbled", "answer_lost", "answer_truncated", "bulk", "clock_jump", "companion_told", "compaction",
      "database_failover", "database_lost", "database_lost_after_commit", "database_lost_before_commit",
      "database_refused", "delay",
      "device_crash",
      "device_disk_full", "hub_clock_jump", "hub_crash", "hub_disk_full", "hub_epochs", "hub_restored", "old_version",
      "outage", "plain_write", "queue_cleared", "rate_limit", "request_doubled", "request_lost",
      "request_repeated_late", "resync", "second_engine", "second_process", "signals_dropped", "signals_silent",
      "status_401", "status_409", "status_413", "status_429", "status_500", "status_502", "status_503",
      "status_504_after_effect", "store_copied", "store_restored", "stranger", "unreadable_entry",
    ] {
      #expect(seeds.contains(fault), "\(fault)")
    }
  }

  @Test func `the density comes from the world or from the seed`() {
    func faults(_ density: SimulationWorld.Density) -> Double {
      let plan = (1...40 as ClosedRange<UInt64>).flatMap {
        SimulationWorld(edits: 60, density: density).plan(seed: $0)
      }
      let calm = plan.count { action in
        switch action {
        case .edit, .command, .sync, .wait: true
        default: false
        }
      }
      return Double(plan.count - calm) / Double(plan.count)
    }
    #expect(faults(.usual) < 0.28)
    #expect(faults(.dense) > 0.3)
    #expect(faults(.swarm) > 0.25)
    #expect(faults(.narrow) > 0.25)
    let lengths = (1...40 as ClosedRange<UInt64>).map { SimulationWorld().plan(seed: $0).count }
    #expect((lengths.max() ?? 0) > 3 * (lengths.min() ?? 0))
  }

  @Test func `a narrow world has few entities with many writers each`() async {
    func told(_ words: String, _ density: SimulationWorld.Density) async -> Int {
      let simulator = SyncSimulator(world: SimulationWorld(edits: 40, hazards: [], density: density))
      var count = 0
      for seed in 1...6 as ClosedRange<UInt64> {
        count += await simulator.run(seed: seed).trace.count { $0.contains(words) }
      }
      return count
    }
    let (few, many) = (await told("creates the", .narrow), await told("creates the", .usual))
    #expect(few * 2 < many)
    // Writes per entity.
    #expect(await told("writes", .narrow) * many > told("writes", .usual) * few)
  }

  @Test func `some scenarios import thousands of rows, few of them many thousands`() {
    let rows = (1...20_000 as ClosedRange<UInt64>).compactMap { SimulationWorld().largeImport(ofSeed: $0) }
    #expect((20...100).contains(rows.count) && rows.allSatisfy { (1000...100_000).contains($0) })
    #expect(rows.contains { $0 > 30_000 } && rows.reduce(0, +) < 20_000 * 50)
  }

  /// A hub lists only its last 128 epochs. It therefore cannot confirm the position of this device, and the device
  /// loads a snapshot.
  @Test func `a device that missed more hub epochs than are listed loses nothing`() async {
    let simulator = SyncSimulator(world: SimulationWorld(devices: 2, hazards: []))
    var plan: [Action] = []
    func edit(_ device: Int, _ number: Int) {
      plan.append(
        .edit(device: device, number: number, choice: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, besideAgent: false))
    }
    for number in 0..<20 {
      edit(0, number)
      plan += [.sync(device: number % 2), .wait(milliseconds: 1)]
    }
    plan += [.sync(device: 0), .wait(milliseconds: 60_000), .sync(device: 1), .wait(milliseconds: 60_000)]
    for number in 20..<220 {
      edit(1, number)
      plan += [.crashHub(beforeChange: 1, loss: 0), .sync(device: 1), .wait(milliseconds: 900_000)]
      plan += [.sync(device: 1), .wait(milliseconds: 60_000)]
    }
    for number in 220..<230 { edit(0, number) }
    let story = await simulator.run(plan, seed: 1)
    #expect(story.violations == [])
    #expect(story.faults["hub_crash", default: 0] > 150)
  }

  @Test func `without faults no fault is counted and all devices are quiet after two rounds`() async {
    let story = await SyncSimulator(world: SimulationWorld(edits: 60, hazards: [])).run(seed: 3)
    #expect(story.violations == [])
    #expect(story.faults == [:])
    #expect(story.roundsToQuiet <= 2)
  }
}

/// Runs each scenario once and shares the result between tests.
private actor Stories {
  private var tasks: [UInt64: Task<ScenarioResult, Never>] = [:]

  func story(seed: UInt64) async -> ScenarioResult {
    let task = tasks[seed] ?? Task { await SyncSimulator().run(seed: seed) }
    tasks[seed] = task
    return await task.value
  }
}
