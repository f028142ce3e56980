import HubTesting
import TrendyHub
import TrendyProtocols
import TrendyTesting

/// Database shared by several simulated hubs, with the failure modes of PostgreSQL.
///
/// A transaction locks its row from beginning to end, so other tasks run only between transactions. The hubs'
/// production code decides what to repeat, and whether commits took effect or were lost.
///
/// @unchecked: used only by the jobs of one scenario, which run one at a time on one executor.
final class SimulatedDatabase: @unchecked Sendable {
  struct Rows {
    var users = MemoryHubPeople()
    var directory = MemoryHubDirectory()
    /// Recent writes by locked row: a user's row or the directory.
    var recent: [String: RecentWrites] = [:]
    var epoch = Epoch()
    /// Connections per hub.
    var counts: [String: Int64] = [:]
    /// Posted readings, and the hub that runs detection, by user.
    var tracks: [String: MemoryTrackTable] = [:]
    var readers: [String: DetectionRunner] = [:]
  }

  /// A hub's claim on a user's track log.
  struct DetectionRunner {
    var name: String
    /// Expiry by the server's uptime.
    var until: Duration

    static let lease: Duration = .seconds(60)
  }

  struct Epoch {
    var number: Int64 = 0
    var id = ""
    /// Identity of the server when the epoch began.
    var identity = ""
  }

  struct Planned {
    var fault: DatabaseFault
    var afterTransactions: Int
  }

  private(set) var rows = Rows()
  /// Data of the standby, while commits do not wait for the standby.
  private var lagging: Rows?
  private var backup: Rows?
  /// Number of server restarts. A connection belongs to one generation.
  private(set) var generation = 0
  private var identity: String { "server \(generation)" }
  /// Number of connections to reject before the next is accepted.
  private var refusedConnections = 0
  /// Number of commits to reject before the next is accepted.
  private var refusedCommits = 0
  var isFull = false
  var planned: [Planned] = []
  private(set) var doubts = 0
  /// Tokens of commits whose result is currently unknown.
  private var inDoubt: Set<UInt64> = []
  private var areFaultsOver = false
  /// Number of times confirmed commits were lost.
  private(set) var losses = 0
  let hints: SimulatedHints
  private var generator: SeededGenerator
  private let executor: SeededTaskExecutor
  private let clock: any TimeSource
  /// Total time that hubs stalled, during which no sleeping task woke.
  private var stopped: Duration = .zero
  private var depth = 0
  /// Called when a fault occurs.
  var onFault: (DatabaseFault) -> Void = { _ in }
  /// Called before each commit, while the rows are still unchanged.
  var beforeCommit: (() -> Void)?

  init(seed: UInt64, clock: any TimeSource, executor: SeededTaskExecutor) {
    generator = SeededGenerator(seed: seed)
    hints = SimulatedHints(seed: ~seed)
    self.clock = clock
    self.executor = executor
  }

  var uptime: Duration { clock.uptime + stopped }

  /// Stalls a hub while other tasks run, except those that wait for it.
  private func standStill(for seconds: Int) {
    stopped += .seconds(seconds)
    guard depth < Self.deepest else { return }
    depth += 1
    defer { depth -= 1 }
    for _ in 0..<Self.stepsWhileStopped where !executor.runAnother() { return }
  }

  private static let stepsWhileStopped = 600

  /// Runs other hubs, devices and users if no transaction is open.
  func letOthersRun() {
    guard depth < Self.deepest, Int.random(in: 0..<3, using: &generator) == 0 else { return }
    depth += 1
    defer { depth -= 1 }
    for _ in 0..<Int.random(in: 1...6, using: &generator) where !executor.runAnother() { return }
  }

  private static let deepest = 3

  private func letOthersRun(whileInDoubt token: UInt64) {
    doubts += 1
    inDoubt.insert(token)
    letOthersRun()
  }

  func settle(_ token: UInt64) { inDoubt.remove(token) }

  var isInDoubt: Bool { !inDoubt.isEmpty }

  func endFaults() {
    areFaultsOver = true
    planned = []
    (refusedConnections, refusedCommits) = (0, 0)
  }

  // MARK: Connections

  func connect(hub: String, _ memory: inout DatabaseEpochDetector) throws(DatabaseFailure) {
    if refusedConnections > 0 {
      refusedConnections -= 1
      throw .lost("connection refused")
    }
    let observation = DatabaseEpochDetector.Observation(
      epoch: rows.epoch.number, identity: rows.epoch.identity, count: rows.counts[hub])
    if memory.knows(observation, identity: identity) {
      rows.counts[hub, default: 0] += 1
      return memory.onCounted()
    }
    let settlement = memory.settlement(of: observation, identity: identity)
    if settlement.beginsEpoch {
      rows.epoch = Epoch(number: settlement.epoch, id: "life \(generator.next())", identity: identity)
    }
    rows.counts[hub] = settlement.count + 1
    memory.onSettled(settlement)
  }

  // MARK: Transactions

  /// Begins a transaction. Returns its fault, if any.
  func begin(generation: Int, isWriting: Bool) throws(DatabaseFailure) -> DatabaseFault? {
    letOthersRun()
    guard generation == self.generation else { throw .lost("the server closed the connection") }
    let fault = nextFault(isWriting: isWriting)
    switch fault {
    case .hubStopped(let seconds):
      note(fault)
      standStill(for: seconds)
      guard generation == self.generation else { throw .lost("the server closed the connection") }
      return nil
    case .lostAtBegin:
      note(fault)
      throw .lost("the server closed the connection")
    case .locked:
      note(fault)
      throw .refused(code: "55P03", "canceling statement due to lock timeout")
    default: return fault
    }
  }

  private func nextFault(isWriting: Bool) -> DatabaseFault? {
    guard !planned.isEmpty else { return nil }
    for index in planned.indices { planned[index].afterTransactions -= 1 }
    return planned.firstIndex { $0.afterTransactions < 0 && (isWriting || $0.fault.isOfEveryTransaction) }
      .map { planned.remove(at: $0).fault }
  }

  private func note(_ fault: DatabaseFault?) { if let fault { onFault(fault) } }

  /// Commits the rows of a transaction. `token` identifies the transaction, `fate` is its fault, and `kill` kills the
  /// hub.
  func commit(
    _ new: Rows, token: UInt64, generation: Int, fate: DatabaseFault?, kill: () -> Void
  ) throws(DatabaseFailure) {
    guard generation == self.generation else { throw .lost("the server closed the connection") }
    if isFull { throw .refused(code: "53100", "could not extend file: No space left on device") }
    if case .refused(let times) = fate {
      note(fate)
      refusedCommits = times
    }
    if refusedCommits > 0 {
      refusedCommits -= 1
      letOthersRun()
      throw .refused(code: "40001", "could not serialize access due to concurrent update")
    }
    switch fate {
    case .lostAtCommit(let isCommitted):
      note(fate)
      if isCommitted { take(new) }
      letOthersRun(whileInDoubt: token)
      throw .lost("the server closed the connection while it committed")
    case .failover(let isCommitted):
      note(fate)
      if isCommitted { take(new) }
      failOver(isAsynchronous: false)
      letOthersRun(whileInDoubt: token)
      throw .lost("the server died while it committed")
    case .hubKilled(let isCommitted):
      note(fate)
      if isCommitted { take(new) }
      kill()
      throw .lost("the hub was killed")
    default: take(new)
    }
  }

  private func take(_ new: Rows) {
    beforeCommit?()
    rows = new
  }

  // MARK: The server

  /// Closes all connections, like a restart or a failover.
  func restart() {
    generation += 1
    refusedConnections = areFaultsOver ? 0 : Int.random(in: 0..<4, using: &generator)
  }

  /// Stops the replication to the standby.
  func fallBehind() { lagging = lagging ?? rows }

  /// Lets the standby take over. If `isAsynchronous`, the standby may lag, and writes that it has not received are
  /// lost. Otherwise the standby catches up first. Returns whether commits were lost.
  @discardableResult func failOver(isAsynchronous: Bool) -> Bool {
    defer {
      lagging = nil
      restart()
    }
    guard isAsynchronous, let lagging else { return false }
    goBack(to: lagging)
    return true
  }

  func backUp() { backup = rows }

  /// Restores the backup. Returns whether there is one.
  func restore() -> Bool {
    guard let backup else { return false }
    lagging = nil
    // Every hub can detect the restore if the backup contains a lower count of its connections.
    let isNoticed = rows.counts.allSatisfy { $0.value > backup.counts[$0.key] ?? 0 }
    goBack(to: backup)
    restart()
    if isNoticed, Bool.random(using: &generator) {
      rows.epoch.identity = identity
      refusedConnections = 0
    }
    return true
  }

  private func goBack(to old: Rows) {
    rows = old
    losses += 1
  }
}
