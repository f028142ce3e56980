import TrendySimulation

struct UsageError: Error {
  var text: String
}

struct Options {
  var world = SimulationWorld()
  var seeds: ClosedRange<UInt64> = 1...1
  var jobs = 1
  var isJSON = false
  var isTracing = false
  var tellsRequests = false
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
      case "--requests": tellsRequests = true
      case "--no-shrink": shrinks = false
      case "--until-violation": endsWithViolation = true
      case "--jobs": jobs = try number(of: option, in: 1...256)
      case "--hazards": world.hazards = try Self.hazards(try value(of: option))
      case "--density": world.density = try Self.density(try value(of: option))
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
      default: throw UsageError(text: "unknown option \"\(option)\"")
      }
    }
    if !hasSeeds, !isHelp { throw UsageError(text: "expected --seeds A..B or --seed N") }
  }

  private static func density(_ text: String) throws(UsageError) -> SimulationWorld.Density {
    guard let density = SimulationWorld.Density(rawValue: text) else {
      let names = SimulationWorld.Density.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError(text: "--density: expected one of \(names), found \"\(text)\"")
    }
    return density
  }

  private static func hazards(_ text: String) throws(UsageError) -> Set<Hazard> {
    switch text {
    case "none": return []
    case "all": return Set(Hazard.allCases)
    default: break
    }
    var hazards: Set<Hazard> = []
    for name in text.split(separator: ",") {
      guard let hazard = Hazard(rawValue: String(name)) else {
        throw UsageError(text: "--hazards: unknown hazard \"\(name)\"")
      }
      hazards.insert(hazard)
    }
    return hazards
  }
}
