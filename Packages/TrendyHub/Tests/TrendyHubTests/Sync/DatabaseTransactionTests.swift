import Testing
import TrendyHub

@Suite("Transactions on a shared database", .timeLimit(.minutes(10)))
struct DatabaseTransactionTests {
  private enum Fate {
    case commit
    case refuse(String)
    /// The response to the commit is lost.
    case loseAnswer(isCommitted: Bool)
  }

  private final class Script {
    var fates: [Fate]
    var recent = RecentWrites()
    var attempts = 0

    init(_ fates: [Fate]) { self.fates = fates }
  }

  private final class Session: DatabaseSession {
    let script: Script
    var failure: DatabaseFailure?
    var recentWrites: RecentWrites?

    init(_ script: Script) { self.script = script }

    func lockRecentWrites() throws -> RecentWrites {
      recentWrites = script.recent
      return script.recent
    }

    func commit(_ token: UInt64) throws {
      let recent = try lockRecentWrites().adding(token)
      switch script.fates.removeFirst() {
      case .commit: script.recent = recent
      case .refuse(let code): throw fail(.refused(code: code, "refused"))
      case .loseAnswer(let isCommitted):
        if isCommitted { script.recent = recent }
        throw fail(.lost("cut"))
      }
    }

    private func fail(_ failure: DatabaseFailure) -> DatabaseFailure {
      self.failure = failure
      return failure
    }

    func end() {}
  }

  private struct Connections: DatabaseConnections {
    func take() throws {}
    func give(_ connection: Void) {}
  }

  private func run(_ script: Script) throws -> Int {
    try Connections().perform(token: 7) {
      Session(script)
    } body: { _ in
      script.attempts += 1
      return script.attempts
    } finish: {
      try $0.commit(7)
    }
  }

  @Test func `a refused transaction is retried at most nine times`() throws {
    let script = Script(Array(repeating: .refuse("40001"), count: 9) + [.commit])
    #expect(try run(script) == 10)
    let hopeless = Script(Array(repeating: .refuse("40P01"), count: 10))
    #expect(throws: HubStorageError.busy("the database is busy: refused")) { try run(hopeless) }
  }

  @Test func `a permanent database error is not retried`() {
    let script = Script([.refuse("42P01")])
    #expect(throws: HubStorageError.refused(code: "42P01", text: "refused")) { try run(script) }
  }

  @Test func `a commit whose response was lost is applied once`() throws {
    let kept = Script([.loseAnswer(isCommitted: true)])
    #expect(try run(kept) == 1)
    let lost = Script([.loseAnswer(isCommitted: false), .commit])
    #expect(try run(lost) == 2)
  }

  @Test func `a commit that can no longer be verified is neither confirmed nor retried`() {
    let script = Script([.loseAnswer(isCommitted: false)])
    script.recent = RecentWrites((100..<116).map { $0 })
    #expect(throws: HubStorageError.self) {
      try Connections().perform(token: 7) {
        Session(script)
      } body: { _ in
        script.attempts += 1
      } finish: {
        // Sixteen other writes displace this one from the list before it is checked.
        defer { script.recent = RecentWrites((200..<216).map { $0 }) }
        try $0.commit(7)
      }
    }
    #expect(script.attempts == 1)
  }

  @Test func `the last sixteen writes are kept, newest first and without duplicates`() {
    var writes = RecentWrites()
    for number in 1...20 as ClosedRange<UInt64> { writes = writes.adding(number) }
    #expect(writes.numbers == (5...20).reversed())
    #expect(writes.adding(9).numbers == [9, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 8, 7, 6, 5])
    #expect(writes.tells(of: 5, since: RecentWrites()) == true)
    #expect(writes.tells(of: 4, since: RecentWrites([5])) == false)
    #expect(writes.tells(of: 4, since: RecentWrites([3])) == nil)
  }
}

@Suite("Detection of lost database commits", .timeLimit(.minutes(10)))
struct DatabaseEpochDetectorTests {
  /// Detector for a hub that has connected twice in the database's third epoch.
  private let memory = {
    var memory = DatabaseEpochDetector()
    let sight = DatabaseEpochDetector.Observation(epoch: 3, identity: "a")
    memory.onSettled(memory.settlement(of: sight, identity: "a"))
    memory.onCounted()
    return memory
  }()

  @Test func `a database that has every commit begins no epoch`() {
    #expect(memory.knows(.init(epoch: 3, identity: "a", count: 2), identity: "a"))
    // Another hub has detected the loss first.
    #expect(memory.knows(.init(epoch: 4, identity: "b", count: 2), identity: "b"))
    #expect(!memory.settlement(of: .init(epoch: 4, identity: "b", count: 2), identity: "b").beginsEpoch)
  }

  @Test(
    "a loss begins an epoch with an unused number",
    arguments: [
      (DatabaseEpochDetector.Observation(epoch: 3, identity: "a", count: 2), "b", 4),
      (DatabaseEpochDetector.Observation(epoch: 3, identity: "a", count: 1), "a", 4),
      (DatabaseEpochDetector.Observation(epoch: 3, identity: "a", count: nil), "a", 4),
      (DatabaseEpochDetector.Observation(epoch: 2, identity: "a", count: 2), "a", 4),
      (DatabaseEpochDetector.Observation(), "a", 4),
    ])
  func notices(sight: DatabaseEpochDetector.Observation, identity: String, epoch: Int64) {
    #expect(!memory.knows(sight, identity: identity))
    let settlement = memory.settlement(of: sight, identity: identity)
    #expect(settlement.beginsEpoch)
    #expect(settlement.epoch == epoch)
    #expect(settlement.count >= 2)
  }
}
