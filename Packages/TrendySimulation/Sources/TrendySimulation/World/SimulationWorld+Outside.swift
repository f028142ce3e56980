import TrendyTesting

// MARK: Trackers, webhooks, limits, undo and rejected pushes
extension SimulationWorld {
  /// Whether the scenario has trackers. True for some seeds, or for all if no hazard requires a hub with files.
  func hasTrackers(seed: UInt64) -> Bool {
    var generator = SeededGenerator(seed: seed ^ 0x6B1D_92E4_C750_38AF)
    let isChosen = Int.random(in: 0..<6, using: &generator) == 0
    return hazards.contains(.trackers) && (isChosen || hazards.isDisjoint(with: Hazard.ofFiles))
  }

  /// Adds posts from trackers, and their user's changes to detected events.
  func withTrackers(_ plan: [Action], seed: UInt64) -> [Action] {
    var generator = SeededGenerator(seed: seed ^ 0xA4F7_0C38_5E92_D16B)
    let hasStops = hubs(ofSeed: seed) > 1
    var woven = plan
    for tracker in 0..<TrackerScenario.trackers {
      // Most batches are posted in order, some late, and some twice.
      var place = Int.random(in: 0...woven.count / 2, using: &generator)
      for batch in 0..<TrackerScenario.batches {
        var posts: [Action] = []
        if hasStops, Int.random(in: 0..<3, using: &generator) == 0 {
          posts.append(
            .database(
              .hubStopped(seconds: Int.random(in: 5...120, using: &generator)),
              afterTransactions: Int.random(in: 0..<30, using: &generator)))
        }
        posts.append(.post(tracker: tracker, batch: batch))
        if Int.random(in: 0..<3, using: &generator) == 0 { posts.append(.lookThrough) }
        if Int.random(in: 0..<6, using: &generator) == 0 { posts.append(.touchFinding(choice: generator.next())) }
        place = min(woven.count, place + Int.random(in: 0...6, using: &generator))
        woven.insert(contentsOf: posts, at: place)
        place += posts.count
        guard Int.random(in: 0..<4, using: &generator) == 0 else { continue }
        woven.insert(
          .post(tracker: tracker, batch: Int.random(in: 0..<TrackerScenario.batches, using: &generator)),
          at: Int.random(in: 0...woven.count, using: &generator))
      }
    }
    return woven
  }

  /// Whether the scenario has a webhook. True for some seeds, or for all if no hazard requires a hub with files.
  func hasWebhook(seed: UInt64) -> Bool {
    var generator = SeededGenerator(seed: seed ^ 0xF02C_5A97_1E83_64DB)
    let isChosen = Int.random(in: 0..<6, using: &generator) == 0
    return hazards.contains(.webhooks) && (isChosen || hazards.isDisjoint(with: Hazard.ofFiles))
  }

  func withWebhook(_ plan: [Action], seed: UInt64) -> [Action] {
    var generator = SeededGenerator(seed: seed ^ 0x2E79_B4D1_830F_C65A)
    let hasStops = hubs(ofSeed: seed) > 1
    var woven = plan
    for _ in 0..<Int.random(in: 3...12, using: &generator) {
      let action: Action
      if hasStops, Int.random(in: 0..<4, using: &generator) == 0 {
        action = .database(
          .hubStopped(seconds: Int.random(in: 5...120, using: &generator)),
          afterTransactions: Int.random(in: 0..<20, using: &generator))
      } else {
        action = .receiver(Self.receiverFault(&generator), afterPosts: Int.random(in: 0..<3, using: &generator))
      }
      woven.insert(action, at: Int.random(in: 0...woven.count, using: &generator))
    }
    return woven
  }

  /// Whether the hub limits the record. True for some seeds, or for all if no hazard requires a hub with files.
  func isLimited(seed: UInt64) -> Bool {
    var generator = SeededGenerator(seed: seed ^ 0x91C4_6E2B_D70A_583F)
    let isChosen = Int.random(in: 0..<6, using: &generator) == 0
    return hazards.contains(.fullRecord) && (isChosen || hazards.isDisjoint(with: Hazard.ofFiles))
  }

  func withLimits(_ plan: [Action], seed: UInt64) -> [Action] {
    var generator = SeededGenerator(seed: seed ^ 0x57B0_E81D_23F6_9CA4)
    var woven = plan
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let begin = Int.random(in: 0...woven.count, using: &generator)
      woven.insert(.limitRecord(room: Int.random(in: 0...4, using: &generator)), at: begin)
      woven.insert(.limitRecord(room: nil), at: Int.random(in: (begin + 1)...woven.count, using: &generator))
    }
    return woven
  }

  /// Whether users undo commands. True for some seeds, or for all if no hazard requires a hub with files.
  func hasUndo(seed: UInt64) -> Bool {
    var generator = SeededGenerator(seed: seed ^ 0xD83E_17A6_4C95_B02F)
    let isChosen = Int.random(in: 0..<6, using: &generator) == 0
    return hazards.contains(.undo) && (isChosen || hazards.isDisjoint(with: Hazard.ofFiles))
  }

  /// Replaces half of the edits with commands that can be undone.
  func withUndo(_ plan: [Action], seed: UInt64) -> [Action] {
    var generator = SeededGenerator(seed: seed ^ 0x40F9_6B32_E15D_78CA)
    return plan.map { action in
      guard case .edit(let device, let number, let choice, besideAgent: false) = action,
        Bool.random(using: &generator)
      else { return action }
      return .command(device: device, number: number, choice: choice)
    }
  }

  /// Whether the hub rejects whole pushes. True for some seeds, or for all if no hazard requires a hub with files.
  func hasRefusedPushes(seed: UInt64) -> Bool {
    var generator = SeededGenerator(seed: seed ^ 0x2C6E_90D4_B85F_317A)
    let isChosen = Int.random(in: 0..<6, using: &generator) == 0
    return hazards.contains(.refusedPushes) && (isChosen || hazards.isDisjoint(with: Hazard.ofFiles))
  }

  /// Adds rejected pushes: single rejections, or enough in a row to narrow a push down to one mutation.
  func withRefusedPushes(_ plan: [Action], _ density: Density, seed: UInt64) -> [Action] {
    var generator = SeededGenerator(seed: seed ^ 0xF47B_1D23_6A90_C85E)
    var woven = plan
    for _ in 0..<max(1, plan.count / (density == .usual ? 30 : 12)) {
      let device = Int.random(in: 0..<devices, using: &generator)
      let status = [400, 404, 409, 413, 422, 431].randomElement(using: &generator) ?? 400
      let isJudged = Int.random(in: 0..<3, using: &generator) == 0
      let count = Bool.random(using: &generator) ? 1 : Int.random(in: 2...6, using: &generator)
      woven.insert(
        contentsOf: Array(
          repeating: .network(
            device: device, fault: .refused(status, isJudged: isJudged),
            afterRequests: Int.random(in: 0..<3, using: &generator)),
          count: count), at: Int.random(in: 0...woven.count, using: &generator))
    }
    return woven
  }

  private static func receiverFault(_ generator: inout SeededGenerator) -> ReceiverFault {
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: .unreachable
    case 1:
      .status(
        [302, 410, 429, 500, 503].randomElement(using: &generator) ?? 500,
        retryAfter: Bool.random(using: &generator) ? Int.random(in: 1...120, using: &generator) : nil)
    case 2, 3: .answerLost
    default:
      .hangs(seconds: Int.random(in: 1...90, using: &generator), isTaken: Bool.random(using: &generator))
    }
  }
}
