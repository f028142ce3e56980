import TrendySimulation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Simulates sync under faults: `trendy-simulate --seeds 1..2000` runs many scenarios, `--seed 42 --trace` prints one.
@main
enum TrendySimulate {
  static let usage = """
    usage: trendy-simulate --seeds A..B [options]    both ends included
           trendy-simulate --seed N [--trace] [options]

      --jobs N      tells so many stories at once, 1 unless told; a seed tells the same result whatever N is
      --json        a line of JSON for each seed that breaks, when it does, and one for all at the end
      --trace       tells what happened
      --requests    tells with it each request, and how its answer begins
      --no-shrink   does not look for the shortest plan that still breaks
      --until-violation   ends with the first seed that breaks something
      --devices N   1 to 26, 3 unless told
      --edits N     10 to 90 by the seed unless told
      --density D   how much goes wrong: \(SimulationWorld.Density.allCases.map(\.rawValue).joined(separator: ", ")); by the seed unless told
      --hazards A,B what may go wrong; none for nothing, all for the liars too. There are:
                    \(Hazard.allCases.map(\.rawValue).joined(separator: " "))
                    With database two or three hubs share one in a fifth of the stories; in all, where neither
                    hub-crash nor hub-disk may happen, which need a hub on files

    Status 0: nothing was broken; 1: something was; 2: these options.
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
    print("seed \(result.seed) breaks:")
    for violation in result.violations { print("  - \(violation)") }
    fflush(nil)
    let plan = options.world.plan(seed: result.seed)
    guard options.shrinks, let (plan, shortest) = await simulator.shrink(plan, seed: result.seed, limit: 400) else {
      return
    }
    print("the shortest plan found that still breaks (\(plan.count) steps):")
    for action in plan { print("  \(action)") }
    print("what happens in it:")
    for line in shortest.trace { print("  \(line)") }
    for violation in shortest.violations { print("  - \(violation)") }
  }
}
