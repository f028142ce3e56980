import TrendySimulation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// `trendy-simulate --seeds 1..2000` tells many stories of sync under every fault, `--seed 42 --trace` one in words.
@main
enum TrendySimulate {
  static let usage = """
    usage: trendy-simulate --seeds A..B [options]    both ends included
           trendy-simulate --seed N [--trace] [options]

      --json        only the last line, as JSON
      --trace       tells what happened
      --no-shrink   does not look for the shortest plan that still breaks
      --until-violation   ends with the first seed that breaks something
      --devices N   1 to 26, 3 unless told
      --edits N     200 unless told
      --hazards A,B what may go wrong; none for nothing. There are:
                    \(Hazard.allCases.map(\.rawValue).joined(separator: " "))

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
    let simulator = SyncSimulator(world: options.world)
    let clock = ContinuousClock()
    let start = clock.now
    var violations = 0
    var steps = 0
    var hours = 0.0
    var faults: [String: Int] = [:]
    var seedsWithFault: [String: Int] = [:]
    var rounds: [String: Int] = [:]
    var seeds = 0
    for seed in options.seeds {
      if options.endsWithViolation, violations > 0 { break }
      seeds += 1
      let story = await simulator.run(seed: seed)
      steps += story.steps
      rounds["\(story.roundsToQuiet)", default: 0] += 1
      hours += Double(story.duration.components.seconds) / 3600
      for (fault, count) in story.faults {
        faults[fault, default: 0] += count
        seedsWithFault[fault, default: 0] += 1
      }
      if options.isTracing { for line in story.trace { print(line) } }
      guard !story.violations.isEmpty else { continue }
      violations += 1
      if options.isJSON { continue }
      print("seed \(seed) breaks:")
      for sentence in story.violations { print("  - \(sentence)") }
      if options.shrinks,
        let (plan, shortest) = await simulator.shrink(options.world.plan(seed: seed), seed: seed, limit: 400)
      {
        print("the shortest plan found that still breaks (\(plan.count) steps):")
        for action in plan { print("  \(action)") }
        print("what happens in it:")
        for line in shortest.trace { print("  \(line)") }
        for sentence in shortest.violations { print("  - \(sentence)") }
      }
    }
    let elapsed = (clock.now - start).components
    let seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
    func counts(_ values: [String: Int]) -> String {
      "{" + values.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }
    print(
      "{\"seeds\":\(seeds),\"violations\":\(violations),\"steps\":\(steps),"
        + "\"simulated_hours\":\((hours * 10).rounded() / 10),\"seconds\":\((seconds * 1000).rounded() / 1000),"
        + "\"faults\":\(counts(faults)),\"seeds_with_fault\":\(counts(seedsWithFault)),"
        + "\"seeds_by_rounds_to_quiet\":\(counts(rounds))}")
    exit(violations == 0 ? 0 : 1)
  }
}

private struct UsageError: Error {
  var text: String
}

private struct Options {
  var world = SimulationWorld()
  var seeds: ClosedRange<UInt64> = 1...1
  var isJSON = false
  var isTracing = false
  var shrinks = true
  var endsWithViolation = false
  var isHelp = false

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    var hasSeeds = false
    func value(of option: String) throws(UsageError) -> String {
      guard let value = rest.popFirst() else { throw UsageError(text: "\(option) needs a value") }
      return value
    }
    func number(of option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
      let text = try value(of: option)
      guard let number = Int(text), range.contains(number) else {
        throw UsageError(text: "\(option): expected \(range.lowerBound) to \(range.upperBound), found \"\(text)\"")
      }
      return number
    }
    while let option = rest.popFirst() {
      switch option {
      case "--help", "-h": isHelp = true
      case "--json": isJSON = true
      case "--trace": isTracing = true
      case "--no-shrink": shrinks = false
      case "--until-violation": endsWithViolation = true
      case "--hazards": world.hazards = try Self.hazards(try value(of: option))
      case "--devices": world.devices = try number(of: option, in: 1...26)
      case "--edits": world.edits = try number(of: option, in: 1...100_000)
      case "--seed":
        let text = try value(of: option)
        guard let seed = UInt64(text) else { throw UsageError(text: "--seed: expected a number, found \"\(text)\"") }
        seeds = seed...seed
        hasSeeds = true
      case "--seeds":
        let text = try value(of: option)
        let ends = text.split(separator: ".", omittingEmptySubsequences: false)
        guard ends.count == 3, ends[1].isEmpty, let first = UInt64(ends[0]), let last = UInt64(ends[2]), first <= last,
          last < .max
        else { throw UsageError(text: "--seeds: expected A..B, found \"\(text)\"") }
        seeds = first...last
        hasSeeds = true
      default: throw UsageError(text: "there is no option \"\(option)\"")
      }
    }
    if !hasSeeds, !isHelp { throw UsageError(text: "which seeds? --seeds A..B or --seed N") }
  }

  private static func hazards(_ text: String) throws(UsageError) -> Set<Hazard> {
    if text == "none" { return [] }
    var hazards: Set<Hazard> = []
    for name in text.split(separator: ",") {
      guard let hazard = Hazard(rawValue: String(name)) else {
        throw UsageError(text: "--hazards: there is no hazard \"\(name)\"")
      }
      hazards.insert(hazard)
    }
    return hazards
  }
}
