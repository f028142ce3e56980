public import TrendyProtocols
import TrendyTesting

/// Tells stories of devices and a hub that meet every fault, and says of each what is not as it should be.
///
/// Real engines, recorders, stores and hub, on disks in memory, on one executor and one clock: a seed decides everything, and
/// the same seed tells the same story.
public struct SyncSimulator: Sendable {
  public var world: SimulationWorld
  /// Uses the devices; whoever records things of every kind where it is `nil`.
  public var person: (any SimulatedUser)?
  /// Makes the server that the devices meet at, in each story anew; Trendy's own hub where it is `nil`.
  public var makeServer: (@Sendable (_ clock: any TimeSource, _ seed: UInt64) throws -> any SimulatedServer)?
  /// Whether what happened names each request and how its answer begins.
  public var tellsRequests = false

  /// Where `makeServer` is given, hazards of the hub's own disk and backups do not happen.
  public init(
    world: SimulationWorld = SimulationWorld(), person: (any SimulatedUser)? = nil,
    makeServer: (@Sendable (_ clock: any TimeSource, _ seed: UInt64) throws -> any SimulatedServer)? = nil
  ) {
    self.world = world
    self.person = person
    self.makeServer = makeServer
    if makeServer != nil { self.world.hazards.subtract(Hazard.ofTheHub) }
  }

  /// The story of a seed.
  public func run(seed: UInt64) async -> ScenarioResult {
    await run(world.plan(seed: seed), seed: seed)
  }

  /// A plan of your own, or what is left of one; the seed decides the order of tasks and what the disks lose.
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
      // Counted here: what is left to do when the story is over runs beside whoever gets it.
      run.story.steps = executor.steps
      return run.story
    }
  }

  /// What sort of thing is broken: the sentences without what is named in them.
  private static func kinds(_ story: ScenarioResult) -> Set<String> {
    Set(
      story.violations.map { violation in
        violation.description.prefix { $0 != "{" }.split(separator: " ").filter { word in
          word.count > 1 && !word.contains { $0.isNumber }
        }.joined(separator: " ")
      })
  }

  /// The shortest part of a plan that still breaks something of the same sort, found by leaving out ever smaller pieces.
  ///
  /// At most `limit` stories are told to find it.
  /// - Returns: the plan and its story; `nil` where the plan breaks nothing.
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
        let told = await run(candidate, seed: seed)
        if Self.kinds(told).isDisjoint(with: kinds) {
          start += size
        } else {
          plan = candidate
          story = told
          isShorter = true
        }
      }
      if left == 0 || (size == 1 && !isShorter) { return (plan, story) }
      if !isShorter || size > plan.count { size = max(1, size / 2) }
    }
  }
}
