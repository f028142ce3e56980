public import TrendyProtocols
import TrendyTesting

/// Runs scenarios of devices and a hub with injected faults, and checks the invariants of sync.
///
/// Uses the real engines, recorders, stores and hub on in-memory disks, with one executor and one clock. A seed
/// determines the scenario completely.
public struct SyncSimulator: Sendable {
  /// Devices, hazards and sizes of the scenarios.
  public var world: SimulationWorld
  /// Simulated user, or `nil` for the built-in one, which edits entities of every kind.
  public var user: (any SimulatedUser)?
  /// Closure that creates the server of each scenario, or `nil` for Trendy's own hub.
  public var makeServer: (@Sendable (_ clock: any TimeSource, _ seed: UInt64) throws -> any SimulatedServer)?
  /// Whether the log contains each request and the beginning of its response.
  public var tellsRequests = false

  /// Creates a simulator. With `makeServer`, hazards of the hub's disk and backups are disabled.
  public init(
    world: SimulationWorld = SimulationWorld(), user: (any SimulatedUser)? = nil,
    makeServer: (@Sendable (_ clock: any TimeSource, _ seed: UInt64) throws -> any SimulatedServer)? = nil
  ) {
    self.world = world
    self.user = user
    self.makeServer = makeServer
    if makeServer != nil { self.world.hazards.subtract(Hazard.ofTheHub) }
  }

  /// Runs the scenario of a seed.
  public func run(seed: UInt64) async -> ScenarioResult {
    await run(world.plan(seed: seed), seed: seed)
  }

  /// Runs a custom or shortened plan. The seed determines the order of tasks and the data that disks lose.
  @concurrent
  public func run(_ plan: [Action], seed: UInt64) async -> ScenarioResult {
    let executor = SeededTaskExecutor(seed: seed)
    return await executor.run {
      let run: SimulationRun
      do {
        run = try SimulationRun(self, seed: seed, executor: executor)
      } catch {
        var story = ScenarioResult(seed: seed)
        story.violations = [Violation(invariant: nil, description: "the scenario cannot be set up: \(error)")]
        return story
      }
      await run.carryOut(plan)
      await run.comeToRest()
      run.story.violations = run.ledger.violations
      run.story.duration = run.clock.uptime
      // Read before returning, because remaining tasks can run concurrently with the caller.
      run.story.steps = executor.steps
      return run.story
    }
  }

  /// Kinds of violations: their messages without names and numbers.
  private static func kinds(_ story: ScenarioResult) -> Set<String> {
    Set(
      story.violations.map { violation in
        violation.description.prefix { $0 != "{" }.split(separator: " ").filter { word in
          word.count > 1 && !word.contains { $0.isNumber }
        }.joined(separator: " ")
      })
  }

  /// Shortens a plan by removing ever smaller parts, as long as a violation of the same kind remains. Runs at most
  /// `limit` scenarios.
  /// - Returns: The plan and its result, or `nil` if the plan causes no violation.
  public func shrink(_ plan: [Action], seed: UInt64, limit: Int = 2000) async -> (
    plan: [Action], story: ScenarioResult
  )? {
    var story = await run(plan, seed: seed)
    guard !story.violations.isEmpty else { return nil }
    let kinds = Self.kinds(story)
    var plan = plan
    var left = limit
    var size = max(1, plan.count / 2)
    while true {
      var isShorter = false
      var start = 0
      while start < plan.count, left > 0 {
        var candidate = plan
        candidate.removeSubrange(start..<min(start + size, plan.count))
        left -= 1
        let result = await run(candidate, seed: seed)
        if Self.kinds(result).isDisjoint(with: kinds) {
          start += size
        } else {
          plan = candidate
          story = result
          isShorter = true
        }
      }
      if left == 0 || (size == 1 && !isShorter) { return (plan, story) }
      if !isShorter || size > plan.count { size = max(1, size / 2) }
    }
  }
}
