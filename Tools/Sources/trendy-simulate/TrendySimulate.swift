import TrendySimulation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Simulates sync under faults. `trendy-simulate --seeds 1..2000` runs many scenarios, and `--seed 42 --trace` prints
/// one scenario.
@main
enum TrendySimulate {
  static let usage = """
    usage: trendy-simulate --seeds A..B [options]    both ends included
           trendy-simulate --seed N [--trace] [options]

      --jobs N      number of concurrent scenarios (default 1); the result of a seed does not depend on N
      --json        prints a line of JSON for each seed that fails, and one with the totals at the end
      --trace       prints all events of a scenario
      --requests    adds each request and the start of its response to the trace
      --no-shrink   does not search for a shorter plan that still fails
      --until-violation   stops at the first seed that fails
      --devices N   number of devices, 1 to 26 (default 3)
      --edits N     number of edits (default: 10 to 90, depending on the seed)
      --density D   frequency of faults: \(SimulationWorld.Density.allCases.map(\.rawValue).joined(separator: ", ")) (default depends on the seed)
      --hazards A,B possible faults; "none", "all" (includes malicious hubs), or names from this list:
                    \(Hazard.allCases.map(\.rawValue).joined(separator: " "))
                    With "database" two or three hubs share one database in a fifth of the scenarios, and in
                    all of them if neither hub-crash nor hub-disk is selected, which require a hub on files

    Exit status: 0 no violation, 1 a violation, 2 invalid options.
    """

  static func main() async {
    let options: Options
    do {
      options = try Options(Array(CommandLine.arguments.dropFirst()))
    } catch {
      print("trendy-simulate: \(error.text)\n\(usage)")
      exit(2)
    }
    if options.isHelp { return print(usage) }
    let clock = ContinuousClock()
    let start = clock.now
    let tally = await run(options)
    let elapsed = (clock.now - start).components
    print(tally.json(seconds: Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18))
    exit(tally.broken.isEmpty ? 0 : 1)
  }

  /// Runs all scenarios, `jobs` at a time, and prints violations as they occur.
  private static func run(_ options: Options) async -> Tally {
    let simulator = {
      var simulator = SyncSimulator(world: options.world)
      simulator.tellsRequests = options.tellsRequests
      return simulator
    }()
    var tally = Tally()
    var next = options.seeds.lowerBound
    await withTaskGroup(of: ScenarioResult.self) { group in
      func begin() {
        guard next <= options.seeds.upperBound else { return }
        let seed = next
        next += 1
        group.addTask { await simulator.run(seed: seed) }
      }
      for _ in 0..<options.jobs { begin() }
      while let result = await group.next() {
        tally.add(result)
        if options.isTracing { for line in result.trace { print(line) } }
        if !result.violations.isEmpty { await report(result, simulator, options) }
        if result.violations.isEmpty || !options.endsWithViolation { begin() } else { next = .max }
      }
    }
    return tally
  }

  private static func report(_ result: ScenarioResult, _ simulator: SyncSimulator, _ options: Options) async {
    defer { fflush(nil) }
    if options.isJSON, let violation = result.violations.first {
      return print(Tally.line(seed: result.seed, violation))
    }
    print("seed \(result.seed) fails:")
    for violation in result.violations { print("  - \(violation)") }
    fflush(nil)
    let plan = options.world.plan(seed: result.seed)
    guard options.shrinks, let (plan, shortest) = await simulator.shrink(plan, seed: result.seed, limit: 400) else {
      return
    }
    print("shortest failing plan found (\(plan.count) steps):")
    for action in plan { print("  \(action)") }
    print("trace of this plan:")
    for line in shortest.trace { print("  \(line)") }
    for violation in shortest.violations { print("  - \(violation)") }
  }
}
