import Foundation
import TrendyTesting

/// Size and hazards of scenarios.
public struct SimulationWorld: Hashable, Sendable {
  /// Frequency of faults.
  public enum Density: String, Hashable, Sendable, CaseIterable {
    /// One action in six is a fault, of any kind. Long scenarios.
    case usual
    /// More faults than edits, of any kind. Short scenarios.
    case dense
    /// As many faults as in `dense`, but of only two or three kinds, so that rare combinations occur.
    case swarm
    /// Like `swarm`, but all users edit the same few entities, at most two of each kind.
    case narrow
  }

  /// Number of devices, 1 to 26.
  public var devices: Int
  /// Number of edits, or `nil` for 10 to 90, depending on seed and density.
  public var edits: Int?
  /// Hazards that may occur.
  public var hazards: Set<Hazard>
  /// Frequency of faults, or `nil` to derive it from the seed.
  public var density: Density?
  /// Number of fault-free rounds per device within which all devices must become quiet.
  public var roundsToQuiet: Int

  public init(
    devices: Int = 3, edits: Int? = nil, hazards: Set<Hazard> = Hazard.usual, density: Density? = nil,
    roundsToQuiet: Int = 2
  ) {
    self.devices = min(max(devices, 1), 26)
    self.edits = edits.map { max($0, 0) }
    self.hazards = hazards
    self.density = density
    self.roundsToQuiet = max(roundsToQuiet, 1)
  }
}

extension SimulationWorld {
  /// Creates the plan for a seed. The same seed and world always produce the same plan.
  ///
  /// Each seed has a different mix of hazards: some frequent, some rare, some absent. Combinations that are rare in a
  /// mix of all hazards are therefore frequent in some scenarios.
  public func plan(seed: UInt64) -> [Action] {
    var generator = SeededGenerator(seed: seed)
    let density = density(ofSeed: seed)
    let edits = edits ?? Int.random(in: density.edits, using: &generator)
    let shares = density.shares
    var plan: [Action] = []
    var mix = mix(density, &generator)
    if hazards.contains(.oldVersion), Int.random(in: 0..<5, using: &generator) == 0 {
      plan.append(.install(device: devices - 1, isOld: true))
      mix.removeAll { Hazard.beyondOldVersions.contains($0.hazard) }
    }
    if !hazards.isDisjoint(with: [.outage, .rateLimit]), Int.random(in: 0..<3, using: &generator) == 0 {
      plan.append(.syncByThemselves)
    }
    let total = mix.reduce(0) { $0 + $1.weight }
    let hasSecondProcess = hazards.contains(.secondProcess) && Bool.random(using: &generator)
    var planned = Planned()
    while planned.edits < edits {
      let device = Int.random(in: 0..<devices, using: &generator)
      switch Int.random(in: 0..<100, using: &generator) {
      case ..<shares.edits:
        planned.edits += 1
        let choice = generator.next()
        let isBeside = hasSecondProcess && Int.random(in: 0..<4, using: &generator) == 0
        plan.append(.edit(device: device, number: planned.edits, choice: choice, besideAgent: isBeside))
      case ..<shares.syncs: plan.append(.sync(device: device))
      case ..<shares.waits: plan.append(.wait(milliseconds: Self.span(&generator)))
      default:
        guard total > 0 else { continue }
        // At the usual density, a hazard does not become more frequent because the scenario has few other hazards.
        var place = Int.random(in: 0..<max(total, density == .usual ? Self.usualWeight : 0), using: &generator)
        let hazard = mix.first { entry in
          place -= entry.weight
          return place < 0
        }
        guard let hazard else { continue }
        plan += actions(of: hazard.hazard, device: device, &planned, &generator)
      }
    }
    if hazards.contains(.lateConnection) { plan = withLateConnection(plan, seed: seed) }
    if hazards.contains(.companions) { plan = withCompanions(plan, seed: seed) }
    if hasTrackers(seed: seed) { plan = withTrackers(plan, seed: seed) }
    if isLimited(seed: seed) { plan = withLimits(plan, seed: seed) }
    if hasWebhook(seed: seed) { plan = withWebhook(plan, seed: seed) }
    if hasUndo(seed: seed) { plan = withUndo(plan, seed: seed) }
    if hasRefusedPushes(seed: seed) { plan = withRefusedPushes(plan, density, seed: seed) }
    if let rows = largeImport(ofSeed: seed) { plan = withImport(of: rows, plan, seed: seed) }
    return hubs(ofSeed: seed) > 1 ? withDatabase(plan, density, seed: seed) : plan
  }

  /// Returns the number of rows (1,000 to 100,000) that a device records in one save, or `nil` if the scenario has no
  /// large import. About one scenario in 400 has one.
  package func largeImport(ofSeed seed: UInt64) -> Int? {
    var generator = SeededGenerator(seed: seed ^ 0x6A09_E667_F3BC_C908)
    guard hazards.contains(.bulk), Int.random(in: 0..<400, using: &generator) == 0 else { return nil }
    // Small imports are more frequent, because large imports take a long time.
    let size = min(Double.random(in: 0...1, using: &generator), Double.random(in: 0...1, using: &generator))
    return Int(pow(10, 3 + 2 * size))
  }

  /// Adds a large import, followed by edits on the same device and on another device. The later edit must win.
  private func withImport(of rows: Int, _ plan: [Action], seed: UInt64) -> [Action] {
    var generator = SeededGenerator(seed: seed ^ 0xBB67_AE85_84CA_A73B)
    let device = Int.random(in: 0..<devices, using: &generator)
    var woven = plan
    woven.insert(
      contentsOf: [
        .recordMany(device: device, number: 100_000, count: rows),
        .edit(device: device, number: 100_001, choice: generator.next()), .wait(milliseconds: 2000),
        .edit(device: (device + 1) % devices, number: 100_002, choice: generator.next()), .sync(device: device),
      ], at: Int.random(in: plan.count / 2...plan.count, using: &generator))
    return woven
  }

  /// Number of hubs. Several share a database in some scenarios, or in all if no hazard requires a hub with files.
  func hubs(ofSeed seed: UInt64) -> Int {
    var generator = SeededGenerator(seed: seed ^ 0x8E61_F3B0_5A27_94DC)
    let isChosen = Int.random(in: 0..<5, using: &generator) == 0
    guard hazards.contains(.database), isChosen || hazards.isDisjoint(with: Hazard.ofFiles) else { return 1 }
    return Int.random(in: 2...3, using: &generator)
  }

  private func withDatabase(_ plan: [Action], _ density: Density, seed: UInt64) -> [Action] {
    var generator = SeededGenerator(seed: seed ^ 0x3D95_C7E2_18A4_6F0B)
    var woven = plan
    // Only some scenarios lose confirmed writes, because less can be checked afterwards.
    let isOld = plan.contains { if case .install(_, isOld: true) = $0 { true } else { false } }
    let hasLag = !isOld && Int.random(in: 0..<3, using: &generator) == 0
    for _ in 0..<(plan.count / (density == .usual ? 6 : 3)) {
      let action: Action =
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: .restartDatabase
        case 1: .failOver
        case 2 where hasLag: .letStandbyFallBehind
        default:
          .database(
            Self.databaseFault(&generator), afterTransactions: Int.random(in: 0..<12, using: &generator))
        }
      woven.insert(action, at: Int.random(in: 0...woven.count, using: &generator))
    }
    return woven
  }

  private static func databaseFault(_ generator: inout SeededGenerator) -> DatabaseFault {
    let isCommitted = Bool.random(using: &generator)
    return switch Int.random(in: 0..<16, using: &generator) {
    case ..<2: .lostAtBegin
    case ..<8: .lostAtCommit(isCommitted: isCommitted)
    case ..<11: .refused(times: Int.random(in: 1...12, using: &generator))
    case 11: .locked
    case ..<14: .failover(isCommitted: isCommitted)
    default: .hubKilled(isCommitted: isCommitted)
    }
  }

  /// Delays the first sync of one device in some scenarios, and adds edits before it.
  private func withLateConnection(_ plan: [Action], seed: UInt64) -> [Action] {
    var generator = SeededGenerator(seed: seed ^ 0x2B7D_0C94_E6A1_58F3)
    guard devices > 1, Int.random(in: 0..<8, using: &generator) == 0 else { return plan }
    let late = Int.random(in: 0..<devices, using: &generator)
    let connection = plan.count * Int.random(in: 1...4, using: &generator) / 5
    func isOnline(_ action: Action) -> Bool {
      switch action {
      case .sync(late), .resync(late, _), .syncBeside(late), .copyStore(_, late), .copyStore(late, _),
        .syncByThemselves:
        true
      default: false
      }
    }
    var first = plan.prefix(connection).filter { !isOnline($0) }
    for number in 0..<Int.random(in: 2...12, using: &generator) {
      // Each edit must write a distinct text, so these numbers are beyond those of any plan.
      let edit = Action.edit(device: late, number: 100_000 + number, choice: generator.next())
      first.insert(edit, at: Int.random(in: 0...first.count, using: &generator))
    }
    return first + plan.dropFirst(connection)
  }

  private func withCompanions(_ plan: [Action], seed: UInt64) -> [Action] {
    var generator = SeededGenerator(seed: seed ^ 0xC09A_4150_37E1_D26B)
    guard devices > 1, Int.random(in: 0..<6, using: &generator) == 0 else { return plan }
    var woven = plan
    func weave(_ actions: [Action]) {
      let place = Int.random(in: 0...woven.count, using: &generator)
      woven.insert(contentsOf: actions, at: place)
    }
    let tracker = Int.random(in: 0..<devices, using: &generator)
    for number in 0..<Int.random(in: 20...60, using: &generator) {
      let device = Int.random(in: 0..<devices, using: &generator)
      switch Int.random(in: 0..<20, using: &generator) {
      case ..<7: weave([.tell(device: Bool.random(using: &generator) ? tracker : device, number: number)])
      case ..<14: weave([.carry(device: device)])
      case ..<17:
        weave([
          .companionNetwork(
            device: device, fault: Self.fault(&generator), afterRequests: Int.random(in: 0..<4, using: &generator))
        ])
      case ..<18:
        weave([
          .crashCompanionStore(
            device: device, beforeChange: Int.random(in: 1...12, using: &generator), loss: generator.next())
        ])
      default: if device != tracker { weave([.makeCompanion(device, of: tracker)]) }
      }
    }
    let first = (tracker + 1) % devices
    return [.makeCompanion(first, of: tracker), .carry(device: tracker)] + woven
  }

  func density(ofSeed seed: UInt64) -> Density {
    var generator = SeededGenerator(seed: seed ^ 0x51D3_0E6B_92A7_C84F)
    return density ?? Density.allCases[Int.random(in: 0..<Density.allCases.count, using: &generator)]
  }

  private static let usualWeight = 200

  private func mix(_ density: Density, _ generator: inout SeededGenerator) -> [(hazard: Hazard, weight: Int)] {
    let possible = Hazard.allCases.filter { hazards.contains($0) && $0.weight > 0 }
    guard density.isOfFewKinds, possible.count > 3 else {
      return possible.map { ($0, $0.weight * [0, 1, 1, 2, 4][Int.random(in: 0..<5, using: &generator)]) }
    }
    let count = Int.random(in: 2...3, using: &generator)
    var chosen = Set(possible.shuffled(using: &generator).prefix(count))
    // Lost responses amplify most other faults.
    if possible.contains(.network), Int.random(in: 0..<3, using: &generator) > 0 { chosen.insert(.network) }
    return possible.filter(chosen.contains).map { ($0, Int.random(in: 1...3, using: &generator)) }
  }

  private struct Planned {
    var edits = 0
    var isDiskFull = false
    var hasManyEpochs = false
    var bulks = 0
  }

  private func actions(
    of hazard: Hazard, device: Int, _ planned: inout Planned, _ generator: inout SeededGenerator
  ) -> [Action] {
    func other() -> Int { Int.random(in: 0..<devices, using: &generator) }
    switch hazard {
    case .network:
      return [
        .network(device: device, fault: Self.fault(&generator), afterRequests: Int.random(in: 0..<3, using: &generator))
      ]
    case .deviceCrash:
      return [.crash(device: device, beforeChange: Int.random(in: 1...24, using: &generator), loss: generator.next())]
    case .hubCrash: return [.crashHub(beforeChange: Int.random(in: 1...12, using: &generator), loss: generator.next())]
    case .deviceDisk, .hubDisk:
      planned.isDiskFull.toggle()
      if !planned.isDiskFull { return [.freeDisks] }
      let room = Int.random(in: 0..<4096, using: &generator)
      return [hazard == .hubDisk ? .fillHubDisk(room: room) : .fillDisk(device: device, room: room)]
    case .clock: return [.setClock(device: device, hours: Self.jump(&generator))]
    case .hubClock: return [.setHubClock(hours: Self.jump(&generator))]
    case .restoredStore:
      return [Bool.random(using: &generator) ? .backUpStore(device: device) : .restoreStore(device: device)]
    case .copiedStore:
      let other = other()
      return other == device ? [] : [.copyStore(from: device, to: other)]
    case .restoredHub: return [Int.random(in: 0..<3, using: &generator) > 0 ? .backUpHub : .restoreHub]
    case .restoredTogether:
      // The hub and the first device are one machine with one backup.
      return Bool.random(using: &generator)
        ? [.backUpHub, .backUpStore(device: 0)] : [.restoreHub, .restoreStore(device: 0)]
    case .hubEpochs:
      // At most one long series of restarts per scenario: one restart more than the number of epochs that the hub
      // lists.
      let isLong = !planned.hasManyEpochs && Int.random(in: 0..<4, using: &generator) == 0
      planned.hasManyEpochs = planned.hasManyEpochs || isLong
      return [.restartHub(times: isLong ? 135 : Int.random(in: 1...2, using: &generator))]
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
    case .suspension: return [.suspend(device: device, isOver: Bool.random(using: &generator))]
    case .unreadable:
      return [
        .writeUnreadable(
          number: Int.random(in: 0..<1_000_000, using: &generator), isKnownKind: Bool.random(using: &generator))
      ]
    case .resync: return [.resync(device: device, isSkip: Bool.random(using: &generator))]
    case .clearedQueue: return [.clearQueue(device: device, marksFailed: Bool.random(using: &generator))]
    case .secondEngine: return [.syncBeside(device: device)]
    case .plainWriter:
      planned.edits += 1
      return [.writePlainly(number: planned.edits, choice: generator.next())]
    case .stranger:
      planned.edits += 1
      return [.writeAsStranger(number: planned.edits, choice: generator.next())]
    case .bulk:
      guard planned.bulks < 2 else { return [] }
      planned.bulks += 1
      planned.edits += 1
      return [.recordMany(device: device, number: planned.edits, count: Int.random(in: 12...60, using: &generator))]
    case .lyingHub: return [.lie(device: device, choice: generator.next())]
    case .lyingDevice: return [.pushLies(choice: generator.next())]
    case .oldVersion, .secondProcess, .companions, .database, .trackers, .webhooks, .fullRecord, .undo, .refusedPushes,
      .lateConnection:
      return []
    }
  }

  private static func jump(_ generator: inout SeededGenerator) -> Int {
    let hours = [1, -1, 24, -24, 8760, -8760].randomElement(using: &generator) ?? 1
    return Bool.random(using: &generator) ? hours : 0
  }

  /// Random duration in milliseconds, up to an hour. Short and long durations are equally likely.
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

extension SimulationWorld.Density {
  fileprivate var edits: ClosedRange<Int> {
    switch self {
    case .usual: 30...90
    case .dense: 15...50
    case .swarm: 10...40
    case .narrow: 15...50
    }
  }

  fileprivate var isOfFewKinds: Bool { self == .swarm || self == .narrow }

  /// Cumulative percentages of edits, rounds and waits. The remaining actions are faults.
  fileprivate var shares: (edits: Int, syncs: Int, waits: Int) {
    switch self {
    case .usual: (54, 76, 84)
    case .dense: (34, 56, 61)
    case .swarm, .narrow: (40, 65, 70)
    }
  }
}
