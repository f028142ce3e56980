import TrendySimulation

/// What many stories came to, in whatever order they were told.
struct Tally {
  private(set) var seeds = 0
  private(set) var broken: [(seed: UInt64, sentence: String)] = []
  private var steps = 0
  private var hours = 0.0
  private var faults: [String: Int] = [:]
  private var seedsWithFault: [String: Int] = [:]
  private var rounds: [String: Int] = [:]

  mutating func add(_ story: Story) {
    seeds += 1
    steps += story.steps
    rounds["\(story.roundsToQuiet)", default: 0] += 1
    hours += Double(story.duration.components.seconds) / 3600
    for (fault, count) in story.faults {
      faults[fault, default: 0] += count
      seedsWithFault[fault, default: 0] += 1
    }
    if let sentence = story.violations.first { broken.append((story.seed, sentence)) }
  }

  /// One line.
  func json(seconds: Double) -> String {
    func counts(_ values: [String: Int]) -> String {
      "{" + values.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }
    let broken = broken.sorted { $0.seed < $1.seed }.map { Self.line(seed: $0.seed, $0.sentence) }
    return "{\"seeds\":\(seeds),\"violations\":\(broken.count),\"broken\":[\(broken.joined(separator: ","))],"
      + "\"steps\":\(steps),\"simulated_hours\":\((hours * 10).rounded() / 10),"
      + "\"seconds\":\((seconds * 1000).rounded() / 1000),"
      + "\"stories_per_minute\":\(Int((Double(seeds) * 60 / max(seconds, 0.001)).rounded())),"
      + "\"faults\":\(counts(faults)),\"seeds_with_fault\":\(counts(seedsWithFault)),"
      + "\"seeds_by_rounds_to_quiet\":\(counts(rounds))}"
  }

  /// A broken seed: which promise, and what happened.
  static func line(seed: UInt64, _ sentence: String) -> String {
    let number = Invariant.number(of: sentence).map { "\($0)" } ?? "null"
    return "{\"seed\":\(seed),\"invariant\":\(number),\"story\":\(quoted(sentence))}"
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
