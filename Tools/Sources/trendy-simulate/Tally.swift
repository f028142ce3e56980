import TrendySimulation

struct Tally {
  private(set) var seeds = 0
  private(set) var broken: [(seed: UInt64, violation: Violation)] = []
  private var steps = 0
  private var hours = 0.0
  private var faults: [String: Int] = [:]
  private var seedsWithFault: [String: Int] = [:]
  private var rounds: [String: Int] = [:]

  mutating func add(_ result: ScenarioResult) {
    seeds += 1
    steps += result.steps
    rounds["\(result.roundsToQuiet)", default: 0] += 1
    hours += Double(result.duration.components.seconds) / 3600
    for (fault, count) in result.faults {
      faults[fault, default: 0] += count
      seedsWithFault[fault, default: 0] += 1
    }
    if let violation = result.violations.first { broken.append((result.seed, violation)) }
  }

  func json(seconds: Double) -> String {
    func counts(_ values: [String: Int]) -> String {
      "{" + values.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }
    let broken = broken.sorted { $0.seed < $1.seed }.map { Self.line(seed: $0.seed, $0.violation) }
    return "{\"seeds\":\(seeds),\"violations\":\(broken.count),\"broken\":[\(broken.joined(separator: ","))],"
      + "\"steps\":\(steps),\"simulated_hours\":\((hours * 10).rounded() / 10),"
      + "\"seconds\":\((seconds * 1000).rounded() / 1000),"
      + "\"stories_per_minute\":\(Int((Double(seeds) * 60 / max(seconds, 0.001)).rounded())),"
      + "\"faults\":\(counts(faults)),\"seeds_with_fault\":\(counts(seedsWithFault)),"
      + "\"seeds_by_rounds_to_quiet\":\(counts(rounds))}"
  }

  /// Returns JSON for a failed seed: the violated invariant and the message.
  static func line(seed: UInt64, _ violation: Violation) -> String {
    let number = violation.invariant.map { "\($0.rawValue)" } ?? "null"
    return "{\"seed\":\(seed),\"invariant\":\(number),\"story\":\(quoted(violation.description))}"
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20: result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
