import HubTesting
import TrendyHub
import TrendyProtocols
import TrendyTesting

/// A database that several simulated hubs share, with PostgreSQL's ways to fail.
///
/// A transaction holds its row from its beginning to its end, so that nobody else runs within it; between transactions anybody may.
/// What decides on top of it what is made anew, what was committed and what was lost is the code of the hubs that are shipped.
///
/// @unchecked: touched only by the pieces of one story, which one executor runs one at a time.
final class SimulatedDatabase: @unchecked Sendable {
  /// What a server has on its disk.
  struct Rows {
    var people = MemoryHubPeople()
    var directory = MemoryHubDirectory()
    /// By the row that a transaction locks: a person's, or the directory's.
    var recent: [String: RecentWrites] = [:]
    var life = Epoch()
    /// Connections of each hub.
    var counts: [String: Int64] = [:]
    /// What trackers posted, and who looks through it, by person.
    var tracks: [String: MemoryTrackTable] = [:]
    var readers: [String: TrackReader] = [:]
  }

  /// Who has claimed a person's track log, and until when.
  struct TrackReader {
    var name: String
    /// By the server's own time.
    var until: Duration

    static let lease: Duration = .seconds(60)
  }

  struct Epoch {
    /// 0 before the first.
    var number: Int64 = 0
    var id = ""
    /// Of the server when it began.
    var identity = ""
  }

  struct Planned {
    var fault: DatabaseFault
    var afterTransactions: Int
  }

  private(set) var rows = Rows()
  /// What the standby has, where commits do not wait for it.
  private var lagging: Rows?
  private var backup: Rows?
  /// Goes up with each start of a server: a connection is to the one that was there when it was made.
  private(set) var generation = 0
  /// Of the server: each start is another.
  private var identity: String { "server \(generation)" }
  /// So many connections are refused before the next is taken.
  private var refusedConnections = 0
  /// So many commits are refused before the next is taken.
  private var refusedCommits = 0
  var isFull = false
  var planned: [Planned] = []
  /// How often it was not known at first whether a commit had happened; and the commits of which that is so now.
  private(set) var doubts = 0
  private var inDoubt: Set<UInt64> = []
  private var areFaultsOver = false
  /// How often it lost what was confirmed.
  private(set) var losses = 0
  let hints: SimulatedHints
  private var generator: SeededGenerator
  private let executor: SeededTaskExecutor
  private let clock: any TimeSource
  /// How long hubs stood still, in which nothing woke that sleeps.
  private var stopped: Duration = .zero
  private var depth = 0
  /// Told of each fault when it fires.
  var onFault: (DatabaseFault) -> Void = { _ in }
  /// Told before each commit, while the rows are as they were.
  var beforeCommit: (() -> Void)?

  init(seed: UInt64, clock: any TimeSource, executor: SeededTaskExecutor) {
    generator = SeededGenerator(seed: seed)
    hints = SimulatedHints(seed: ~seed)
    self.clock = clock
    self.executor = executor
  }

  /// The server's own time.
  var uptime: Duration { clock.uptime + stopped }

  /// A hub stands still while the others go on, as many steps as they find to do, but for those that wait for it.
  private func standStill(for seconds: Int) {
    stopped += .seconds(seconds)
    guard depth < Self.deepest else { return }
    depth += 1
    defer { depth -= 1 }
    for _ in 0..<Self.stepsWhileStopped where !executor.runAnother() { return }
  }

  private static let stepsWhileStopped = 600

  /// Has other hubs, devices and persons go on, as long as no transaction is open here.
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

  /// Whoever committed knows by now whether that happened, or never will.
  func settle(_ token: UInt64) { inDoubt.remove(token) }

  /// Whether something may be committed of which nobody was told yet.
  var isInDoubt: Bool { !inDoubt.isEmpty }

  /// What was planned and has not come does not come any more.
  func endFaults() {
    areFaultsOver = true
    planned = []
    (refusedConnections, refusedCommits) = (0, 0)
  }

  // MARK: Connections

  func connect(hub: String, _ memory: inout DatabaseMemory) throws(DatabaseFailure) {
    if refusedConnections > 0 {
      refusedConnections -= 1
      throw .lost("connection refused")
    }
    let sight = DatabaseMemory.Sight(life: rows.life.number, identity: rows.life.identity, count: rows.counts[hub])
    if memory.knows(sight, identity: identity) {
      rows.counts[hub, default: 0] += 1
      return memory.onCounted()
    }
    let settlement = memory.settlement(of: sight, identity: identity)
    if settlement.beginsLife {
      rows.life = Epoch(number: settlement.life, id: "life \(generator.next())", identity: identity)
    }
    rows.counts[hub] = settlement.count + 1
    memory.onSettled(settlement)
  }

  // MARK: Transactions

  /// - Returns: what will happen to the transaction.
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

  /// Commits what a transaction has made of the rows.
  /// - Parameters:
  ///   - new: the rows from then on.
  ///   - token: by which it is found again.
  ///   - generation: of the connection.
  ///   - fate: what happens to it.
  ///   - kill: ends the hub that asked.
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

  /// All connections end; those that follow are to another server, or to this one after a start.
  func restart() {
    generation += 1
    refusedConnections = areFaultsOver ? 0 : Int.random(in: 0..<4, using: &generator)
  }

  /// From here on commits do not wait for the standby, and it hears of none.
  func fallBehind() { lagging = lagging ?? rows }

  /// The standby takes over. With it goes what it never heard of.
  /// - Parameter isAsynchronous: whether it may be one that lags; else it catches up before.
  /// - Returns: whether commits are lost.
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

  /// - Returns: whether there is a backup to go back to.
  func restore() -> Bool {
    guard let backup else { return false }
    lagging = nil
    // The same server with its disk put back is known by the connections that it has forgotten.
    let isNoticed = rows.counts.allSatisfy { $0.value > backup.counts[$0.key] ?? 0 }
    goBack(to: backup)
    restart()
    if isNoticed, Bool.random(using: &generator) {
      rows.life.identity = identity
      refusedConnections = 0
    }
    return true
  }

  private func goBack(to old: Rows) {
    rows = old
    losses += 1
  }
}
