import TrendyTesting

/// How large a story is and what may happen in it.
public struct SimulationWorld: Hashable, Sendable {
  /// 1 to 26.
  public var devices: Int
  /// How many things the persons do.
  public var edits: Int
  /// Whether anything goes wrong at all.
  public var hasFaults: Bool
  /// Fault-free rounds of each device, after the last fault, in which everything must come to rest.
  public var roundsToQuiet: Int

  public init(devices: Int = 3, edits: Int = 200, hasFaults: Bool = true, roundsToQuiet: Int = 4) {
    self.devices = min(max(devices, 1), 26)
    self.edits = max(edits, 0)
    self.hasFaults = hasFaults
    self.roundsToQuiet = max(roundsToQuiet, 1)
  }
}

extension SimulationWorld {
  /// The plan of a seed: always the same for the same world.
  public func plan(seed: UInt64) -> [Action] {
    var generator = SeededGenerator(seed: seed)
    var plan: [Action] = []
    var number = 0
    var isDiskFull = false
    while number < edits {
      let device = Int.random(in: 0..<devices, using: &generator)
      switch Int.random(in: 0..<100, using: &generator) {
      case ..<58:
        number += 1
        plan.append(.edit(device: device, number: number, choice: generator.next()))
      case ..<76: plan.append(.sync(device: device))
      case ..<84: plan.append(.wait(milliseconds: Self.span(&generator)))
      case ..<95:
        if hasFaults {
          plan.append(
            .network(
              device: device, fault: Self.fault(&generator), afterRequests: Int.random(in: 0..<3, using: &generator)))
        }
      case ..<97:
        guard hasFaults else { continue }
        if Bool.random(using: &generator) {
          plan.append(
            .crash(device: device, beforeChange: Int.random(in: 1...24, using: &generator), loss: generator.next()))
        } else {
          plan.append(.crashHub(beforeChange: Int.random(in: 1...12, using: &generator), loss: generator.next()))
        }
      case ..<98:
        guard hasFaults else { continue }
        let hours = [1, -1, 24, -24, 8760, -8760].randomElement(using: &generator) ?? 1
        plan.append(.setClock(device: device, hours: Bool.random(using: &generator) ? hours : 0))
      default:
        guard hasFaults else { continue }
        if isDiskFull {
          plan.append(.freeDisks)
        } else if Int.random(in: 0..<4, using: &generator) > 0 {
          plan.append(.fillDisk(device: device, room: Int.random(in: 0..<4096, using: &generator)))
        } else {
          plan.append(.fillHubDisk(room: Int.random(in: 0..<4096, using: &generator)))
        }
        isDiskFull.toggle()
      }
    }
    return plan
  }

  /// From a blink to an hour, short ones as often as long ones.
  private static func span(_ generator: inout SeededGenerator) -> Int {
    let longest = [100, 2_000, 60_000, 3_600_000].randomElement(using: &generator) ?? 100
    return Int.random(in: 1...longest, using: &generator)
  }

  private static func fault(_ generator: inout SeededGenerator) -> NetworkFault {
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: .requestLost
    case 1, 2: .answerLost
    case 3: .doubled
    case 4: .repeatedLate
    case 5: .delayed(milliseconds: span(&generator))
    case 6: .truncated(thousandths: Int.random(in: 0..<1000, using: &generator))
    case 7: .status(429, retryAfter: Bool.random(using: &generator) ? Int.random(in: 1...90, using: &generator) : nil)
    case 8: .status([500, 502, 503].randomElement(using: &generator) ?? 500, retryAfter: nil)
    case 9: .status(401, retryAfter: nil)
    case 10: .status(413, retryAfter: nil)
    default: .gatewayTimeout
    }
  }
}
