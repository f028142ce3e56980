import TrendyTesting

/// How large a story is and what may happen in it.
public struct SimulationWorld: Hashable, Sendable {
  /// 1 to 26.
  public var devices: Int
  /// How many things the persons do.
  public var edits: Int
  /// What may go wrong; nothing where it is empty.
  public var hazards: Set<Hazard>
  /// How many pieces of tasks a story has at least; 0 for as many as its edits need.
  public var steps: Int
  /// Fault-free rounds of each device, after the last fault, in which everything must come to rest.
  public var roundsToQuiet: Int

  public init(
    devices: Int = 3, edits: Int = 200, hazards: Set<Hazard> = Set(Hazard.allCases), steps: Int = 2000,
    roundsToQuiet: Int = 2
  ) {
    self.devices = min(max(devices, 1), 26)
    self.edits = max(edits, 0)
    self.hazards = hazards
    self.steps = max(steps, 0)
    self.roundsToQuiet = max(roundsToQuiet, 1)
  }
}

extension SimulationWorld {
  /// The plan of a seed: always the same for the same world.
  ///
  /// Every seed has a mix of its own: some hazards often, some seldom, some not at all, for what is rare among all faults is
  /// frequent where only two of them meet.
  public func plan(seed: UInt64) -> [Action] {
    var generator = SeededGenerator(seed: seed)
    var plan: [Action] = []
    var mix = mix(&generator)
    if hazards.contains(.oldVersion), Int.random(in: 0..<5, using: &generator) == 0 {
      plan.append(.install(device: devices - 1, isOld: true))
      // An old version cannot tell that the hub went back, reads no store of a later one, and takes no list in which there is
      // something that it cannot read.
      mix.removeAll { [.restoredHub, .copiedStore, .unreadable].contains($0.hazard) }
    }
    if !hazards.isDisjoint(with: [.outage, .rateLimit]), Int.random(in: 0..<3, using: &generator) == 0 {
      plan.append(.syncByThemselves)
    }
    let total = mix.reduce(0) { $0 + $1.weight }
    let hasSecondProcess = hazards.contains(.secondProcess) && Bool.random(using: &generator)
    var number = 0
    var isDiskFull = false
    while number < edits {
      let device = Int.random(in: 0..<devices, using: &generator)
      switch Int.random(in: 0..<100, using: &generator) {
      case ..<54:
        number += 1
        let choice = generator.next()
        let isBeside = hasSecondProcess && Int.random(in: 0..<4, using: &generator) == 0
        plan.append(.edit(device: device, number: number, choice: choice, besideAgent: isBeside))
      case ..<76: plan.append(.sync(device: device))
      case ..<84: plan.append(.wait(milliseconds: Self.span(&generator)))
      default:
        guard total > 0 else { continue }
        // Where little can go wrong, it still comes no more often than beside everything else.
        var place = Int.random(in: 0..<max(total, Self.usualWeight), using: &generator)
        let hazard = mix.first { entry in
          place -= entry.weight
          return place < 0
        }
        guard let hazard else { continue }
        plan += self.actions(of: hazard.hazard, device: device, &isDiskFull, &generator)
      }
    }
    if steps > 0 { plan.append(.goOn(steps: steps)) }
    return plan
  }

  private static let usualWeight = 200

  private func mix(_ generator: inout SeededGenerator) -> [(hazard: Hazard, weight: Int)] {
    Hazard.allCases.filter(hazards.contains).map { hazard in
      (hazard, hazard.weight * [0, 1, 1, 2, 4][Int.random(in: 0..<5, using: &generator)])
    }
  }

  private func actions(
    of hazard: Hazard, device: Int, _ isDiskFull: inout Bool, _ generator: inout SeededGenerator
  ) -> [Action] {
    switch hazard {
    case .network:
      return [
        .network(device: device, fault: Self.fault(&generator), afterRequests: Int.random(in: 0..<3, using: &generator))
      ]
    case .deviceCrash:
      return [.crash(device: device, beforeChange: Int.random(in: 1...24, using: &generator), loss: generator.next())]
    case .hubCrash: return [.crashHub(beforeChange: Int.random(in: 1...12, using: &generator), loss: generator.next())]
    case .deviceDisk, .hubDisk:
      isDiskFull.toggle()
      if !isDiskFull { return [.freeDisks] }
      let room = Int.random(in: 0..<4096, using: &generator)
      return [hazard == .hubDisk ? .fillHubDisk(room: room) : .fillDisk(device: device, room: room)]
    case .clock:
      let hours = [1, -1, 24, -24, 8760, -8760].randomElement(using: &generator) ?? 1
      return [.setClock(device: device, hours: Bool.random(using: &generator) ? hours : 0)]
    case .restoredStore:
      return [Bool.random(using: &generator) ? .backUpStore(device: device) : .restoreStore(device: device)]
    case .copiedStore:
      let other = Int.random(in: 0..<devices, using: &generator)
      return other == device ? [] : [.copyStore(from: device, to: other)]
    case .restoredHub: return [Int.random(in: 0..<3, using: &generator) > 0 ? .backUpHub : .restoreHub]
    case .compaction:
      return [.wait(milliseconds: Int.random(in: 1...100, using: &generator) * 86_400_000), .compactHub]
    case .outage:
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: return [.loseSignals(device: device, isSilent: Bool.random(using: &generator))]
      case 1: return (0..<devices).map { .outage(device: $0, seconds: Int.random(in: 60...3600, using: &generator)) }
      default: return [.outage(device: device, seconds: Int.random(in: 60...14_400, using: &generator))]
      }
    case .rateLimit:
      let limit = [1, 3, 10, nil].randomElement(using: &generator) ?? nil
      return [.limitRate(perMinute: limit, saysWhen: Bool.random(using: &generator))]
    case .unreadable:
      return [
        .writeUnreadable(
          number: Int.random(in: 0..<1_000_000, using: &generator), isKnownKind: Bool.random(using: &generator))
      ]
    case .resync: return [.resync(device: device, isSkip: Bool.random(using: &generator))]
    case .secondProcess, .oldVersion: return []
    }
  }

  /// From a blink to an hour, short ones as often as long ones.
  private static func span(_ generator: inout SeededGenerator) -> Int {
    let longest = [100, 2_000, 60_000, 3_600_000].randomElement(using: &generator) ?? 100
    return Int.random(in: 1...longest, using: &generator)
  }

  private static func fault(_ generator: inout SeededGenerator) -> NetworkFault {
    switch Int.random(in: 0..<14, using: &generator) {
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
    case 11: .garbled
    case 12: .status(409, retryAfter: nil)
    default: .gatewayTimeout
    }
  }
}
