public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Brings one store and its hub to the same state.
///
/// ``performSync()`` makes one round: it sends what waits, then takes in what others wrote, page by page, each page with its cursor
/// in one save. It neither throws nor sleeps: how it went is ``state``. Between ``start()`` and ``stop()`` rounds come by
/// themselves. There is one round at a time; who asks during one gets one that begins after the asking.
///
/// Nothing that a person recorded leaves the queue but by the hub's word: settled, or set aside in the journal with its data.
public actor SyncEngine {
  let networkClient: any NetworkClientProtocol
  let clock: any TimeSource
  let chance: RandomSource
  let configuration: SyncConfiguration
  let dataStoreFactory: any DataStoreFactory
  private let history: (any SyncHistoryRecording)?
  /// Held by whoever made the engine; else each round takes the store's lock.
  private let givenLock: (any Sendable)?
  private var roundLock: (any Sendable)?
  let broadcast = StateBroadcast()

  /// Made at its first use and kept, see SyncEngine+Store.swift. It never has unsaved changes where this actor suspends.
  var dataStore: (any DataStoreProtocol)?

  var breaker = CircuitBreaker()
  var backoff: Backoff
  /// How many mutations go into the next push.
  var batchLimit: Int
  /// Until the next round that comes by itself.
  var nextDelay: Duration = .zero
  /// Until this uptime the hub asked to be left alone: no round comes by itself.
  package internal(set) var quietUntil: Duration = .zero
  /// As of the last page or load; what a signal is compared with.
  var knownCursor: Int64 = 0

  /// How often a round begins anew because the hub knows another history, or this device by another row of sequences.
  private static let recoveryLimit = 3
  /// Whether the hub has said that nothing goes on without a snapshot. The next round begins with it: to be told so again would cost
  /// the request that a hub with a narrow rate limit has left.
  private var owesSnapshot = false
  /// Whether that is the whole snapshot, as the hub lost something that this store has seen.
  var owesWhole = false
  /// Whether a snapshot queued anew what the hub had lost, after the last push.
  var owesOffer = false
  /// What the last request rested on.
  var lastQuestion: Question?

  var turnstile = Turnstile()
  /// Every call of ``performSync()`` is an ask; a round serves all that were made before it began.
  private var asks = 0
  private var servedAsks = 0

  // The loop's, see SyncEngine+Loop.swift.
  var loop: Task<Void, Never>?
  /// Whether rounds come by themselves.
  var isRunning = false
  var isWakePending = false
  var sleeper: CheckedContinuation<Void, Never>?
  var lastSignal: Duration = .zero
  var signalCount = 0

  /// How many mutations wait, as of the last look into the store.
  public internal(set) var pendingCount = 0
  /// How many entries of the hub the round that goes on has taken in so far, or the last one in all.
  public internal(set) var pulledCount = 0
  /// When the last round that went through ended; `nil` before the first of this engine.
  public internal(set) var lastSyncTime: Date?
  /// Why the last round, or what was asked beside one, did not come to its end; `nil` when it did, and before the first.
  public internal(set) var lastFailure: SyncFailure?

  /// Does nothing until asked. The generator gives identifiers and jitter; `history` is told of every round.
  ///
  /// One engine syncs a store at a time: each round takes the store's lock, unless it is given as `syncLock` by whoever holds it for
  /// longer, from `DataStoreFactory.lockForSync()`. A round that does not get it ends with ``SyncFailure/elsewhere``.
  public init(
    networkClient: any NetworkClientProtocol, dataStoreFactory: any DataStoreFactory,
    clock: any TimeSource = SystemTime(),
    generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    configuration: SyncConfiguration = .init(), history: (any SyncHistoryRecording)? = nil,
    syncLock: (any Sendable)? = nil
  ) {
    givenLock = syncLock
    self.networkClient = networkClient
    self.dataStoreFactory = dataStoreFactory
    self.clock = clock
    chance = RandomSource(generator)
    self.configuration = configuration
    self.history = history
    backoff = Backoff(minimum: configuration.minimumRetryDelay, maximum: configuration.maximumRetryDelay)
    batchLimit = configuration.batchSize
  }
}

// MARK: What is going on

extension SyncEngine {
  public var state: SyncState { broadcast.state }

  /// Whether the last round got no answer at all.
  public var isOffline: Bool { if case .unanswered = lastFailure { true } else { false } }

  /// The present state, then every change, for each reader.
  public nonisolated var states: AsyncStream<SyncState> { broadcast.makeStream() }

  public var circuitBreakerState: CircuitBreakerState { breaker.state(at: clock.uptime) }

  /// Whether nothing is pushed because the hub asked to be left alone.
  public var isCircuitBreakerTripped: Bool { circuitBreakerState == .open }

  /// How long that lasts; zero when it is not so.
  public var circuitBreakerBackoffRemaining: Duration { breaker.remaining(at: clock.uptime) }

  /// Closes the breaker at once. If the hub still has enough, it opens for longer than the last time.
  public func resetCircuitBreaker() {
    breaker.onReset()
    quietUntil = .zero
    wake()
  }

  /// Counts what waits in the store.
  public func getPendingCount() async -> Int {
    // A store that cannot be read now says so in the next round; until then the last count is the best answer.
    (try? countPending()) ?? pendingCount
  }

  /// Reads what is shown before the first round.
  public func loadInitialState() async {
    do {
      _ = try countPending()
      knownCursor = try read { try $0.syncCursor() } ?? 0
    } catch {
      tell(.store("\(error)"))
    }
  }
}

// MARK: Rounds

extension SyncEngine {
  /// Makes one round, or joins the one that begins next, and returns when it is over. It waits out no earlier failure, only the
  /// breaker.
  public func performSync() async {
    asks += 1
    let ask = asks
    await takeTurn()
    guard servedAsks < ask else { return turnstile.leave() }
    await runRound(resync: false)
  }

  /// A round that takes everything anew from the hub, the queue laid over it. Nothing is removed before everything is here.
  public func forceFullResync() async {
    asks += 1
    await takeTurn()
    await runRound(resync: true)
  }

  /// Takes a snapshot and stands at its cursor: however long the feed has grown, it is not read entry by entry, and nothing of it
  /// is passed over.
  /// - Returns: the cursor.
  /// - Throws: what the client or the store throws; then nothing has changed.
  public func skipToLatestCursor() async throws -> Int64 {
    await takeTurn()
    defer { leave() }
    try lockStore()
    broadcast.set(.pulling)
    do throws(SnapshotObstacle) {
      var tally = RoundTally()
      try await takeParts(isAnew: false, &tally)
    } catch {
      switch error {
      case .client(let error):
        tell(noted(SyncFailure(error)))
        throw error
      case .store(let error):
        tell(.store("\(error)"))
        throw error
      }
    }
    lastFailure = nil
    broadcast.set(.idle)
    return knownCursor
  }

  func tell(_ failure: SyncFailure) {
    lastFailure = failure
    broadcast.set(.error(failure.words(pending: pendingCount)))
  }

  func takeTurn() async {
    if turnstile.take() { return }
    await withCheckedContinuation { turnstile.wait($0) }
  }

  /// After ``takeTurn()``.
  func leave() {
    roundLock = nil
    turnstile.leave()
  }

  func lockStore() throws(SyncFailure) {
    if givenLock != nil { return }
    do { roundLock = try dataStoreFactory.lockForSync() } catch { throw .store("\(error)") }
    guard roundLock != nil else { throw .elsewhere }
  }

  /// One round, on the caller's own task: whoever drives the tasks drives the rounds. Leaves the turnstile.
  private func runRound(resync: Bool) async {
    let startedAt = clock.now
    let asksBefore = asks
    pulledCount = 0
    var tally = RoundTally()
    var failure: SyncFailure?
    do throws(SyncFailure) {
      try lockStore()
      try await round(resync: resync, &tally)
    } catch {
      failure = error
    }
    // Who was cancelled has served nobody, whatever its client made of it: the next in line makes the round instead.
    if failure != nil, Task.isCancelled { failure = .cancelled }
    if failure != .cancelled { servedAsks = asksBefore }
    conclude(failure, tally)
    let now = clock.now
    let run = SyncRun(
      startedAt: startedAt, endedAt: now, pushed: tally.pushed, pulled: tally.pulled,
      error: failure?.words(pending: pendingCount), cause: failure?.cause,
      nextTry: isRunning ? now.addingTimeInterval(nextDelay / .seconds(1)) : nil,
      pausedUntil: isCircuitBreakerTripped
        ? now.addingTimeInterval(circuitBreakerBackoffRemaining / .seconds(1)) : nil,
      isTokenGood: failure.isTokenGood)
    leave()
    await history?.record(run)
  }

  private func round(resync: Bool, _ tally: inout RoundTally) async throws(SyncFailure) {
    // Counted anew: other processes queue as well.
    try counting()
    let isProbing = circuitBreakerState == .halfOpen
    // The probe is the first thing that a hub hears of which had enough.
    if !isProbing { try await ask { try await networkClient.checkHealth() } }

    // A half-laid one goes on first; who asks for everything anew begins with the first part, in its turn.
    let isHalfLaid = try inStore { try $0.syncMemory()?.snapshot != nil }
    if owesSnapshot || isHalfLaid && !resync {
      try await takeOwedSnapshot(&tally)
      // It may have queued what the hub lost.
      try counting()
    }
    var pushFailure: SyncFailure?
    var recoveries = 0
    while true {
      do throws(SyncFailure) {
        pushFailure = try await exchange(resync: resync && recoveries == 0, isProbing: isProbing, &tally)
        // A round that goes through leaves nothing of what it found to be lost.
        guard owesOffer, pushFailure == nil, recoveries < Self.recoveryLimit else { break }
        recoveries += 1
        try counting()
      } catch {
        guard recoveries < Self.recoveryLimit else { throw error }
        recoveries += 1
        switch error {
        case .logReset:
          owesWhole = true
          try await takeOwedSnapshot(&tally)
        case .forked: try takeNewIdentity(answering: error)
        default: throw error
        }
        try counting()
      }
    }
    try counting()
    if let pushFailure { throw pushFailure }
  }

  /// Pushes, then pulls.
  /// - Returns: what kept the push from its end, where that left the pull.
  private func exchange(
    resync: Bool, isProbing: Bool, _ tally: inout RoundTally
  ) async throws(SyncFailure) -> SyncFailure? {
    var pushFailure: SyncFailure?
    owesOffer = false
    if isCircuitBreakerTripped {
      if pendingCount > 0 { pushFailure = .rateLimited(retryAfter: circuitBreakerBackoffRemaining) }
    } else {
      do throws(SyncFailure) {
        try await push(&tally)
      } catch {
        if !error.leavesThePull || (isProbing && circuitBreakerState == .open) { throw error }
        pushFailure = error
      }
    }

    broadcast.set(.pulling)
    let needsSnapshot = try inStore { try replications(in: $0).forStore($0.syncMemory() ?? SyncMemory()).needsSnapshot }
    if resync || needsSnapshot { try await takeSnapshot(isAnew: resync, &tally) }
    do throws(SyncFailure) {
      try await pull(&tally)
    } catch {
      guard case .expired = error else { throw error }
      // Too long away for the feed: everything anew, the queue laid over it.
      try await takeOwedSnapshot(&tally)
      try await pull(&tally)
    }
    return pushFailure
  }

  /// The store has a twin, or was restored: it begins a row of sequences of its own.
  private func takeNewIdentity(answering failure: SyncFailure) throws(SyncFailure) {
    guard let lastQuestion else { throw failure }
    try saving { store in
      try store.beginWriting()
      try lastQuestion.checkNothingWasAcknowledged(in: store)
      try NewIdentity(store: store, chance: chance, now: clock.now).take()
    }
  }

  private func takeOwedSnapshot(_ tally: inout RoundTally) async throws(SyncFailure) {
    owesSnapshot = true
    try await takeSnapshot(isAnew: false, &tally)
    owesSnapshot = false
  }

  private func conclude(_ failure: SyncFailure?, _ tally: RoundTally) {
    lastFailure = failure
    if failure == nil { quietUntil = .zero }
    switch failure {
    case nil:
      backoff.onSuccess()
      lastSyncTime = clock.now
      nextDelay = configuration.pollInterval
      broadcast.set(.idle)
    case .cancelled:
      nextDelay = configuration.pollInterval
      broadcast.set(.idle)
    case .some(let failure):
      // A count that fails leaves the last one, and the failure has its words already.
      _ = try? countPending()
      if tally.pushed + tally.pulled > 0 { backoff.onProgress() }
      let delay = chance.delay(after: failure.retryAfter, &backoff)
      let remaining = circuitBreakerBackoffRemaining
      nextDelay = max(delay, remaining)
      if case .rateLimited = failure {
        let wait = remaining > .zero ? remaining : failure.retryAfter ?? delay
        broadcast.set(.rateLimited(retryAfter: wait, pending: pendingCount))
      } else {
        tell(failure)
      }
    }
  }
}

/// What a round has done so far.
struct RoundTally {
  var pushed = 0
  var pulled = 0
}

// MARK: The queue

extension SyncEngine {
  /// Applies the payload to the entity and queues it, in one save; ``Recorder`` does the same without an engine.
  /// - Throws: `APIError.decodingError` for a payload that cannot be read, ``RecorderError``, or the store's error; then nothing
  ///   has changed.
  public func queueMutation(
    entityType: MutationEntityType, operation: MutationOperation, entityId: String, payload: Data
  ) async throws {
    try write { store in
      let writer = EditWriter(store: store, clock: clock, chance: chance)
      func queue<Entity: StoredEntity>(_ type: Entity.Type) throws {
        try writer.queue(type, operation: operation, id: entityId, payload: payload)
      }
      try queue(entityType.stored)
      try writer.finish()
    }
    // It is durable; a count that fails now is made good by the next.
    _ = try? countPending()
    wake()
  }

  /// Moves all that waits into the conflict journal, with the person's data, whence it can be taken again.
  /// - Parameter markEntitiesFailed: whether the rows show it.
  /// - Returns: how many; 0 also when the store could not be written, which ``state`` tells.
  @discardableResult
  public func clearPendingMutations(markEntitiesFailed: Bool = true) async -> Int {
    do {
      let count = try write { store in
        try Journal(store: store, clock: clock).clearQueue(
          reason: "Taken out of the queue on this device before the hub had settled it",
          markEntitiesFailed: markEntitiesFailed, chance: chance,
          replications(in: store))
      }
      _ = try countPending()
      return count
    } catch {
      tell(.store("\(error)"))
      return 0
    }
  }

  /// Lets go of the open store; the next use makes a new one. Nothing is deleted.
  public func resetDataStore() {
    dataStore = nil
  }
}

// MARK: The network

extension SyncEngine {
  func ask<Answer: Sendable>(_ request: () async throws -> Answer) async throws(SyncFailure) -> Answer {
    do { return try await request() } catch { throw noted(SyncFailure(error)) }
  }

  /// Whatever request met it, a rate limit counts, and so does the time that the hub wants to be left alone, however the round ends.
  func noted(_ failure: SyncFailure) -> SyncFailure {
    if let retryAfter = failure.retryAfter { quietUntil = max(quietUntil, clock.uptime + retryAfter) }
    if case .rateLimited = failure { breaker.onRateLimited(retryAfter: failure.retryAfter, at: clock.uptime) }
    return failure
  }
}
