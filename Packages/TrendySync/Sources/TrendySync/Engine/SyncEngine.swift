public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Synchronizes one store with its hub.
///
/// ``performSync()`` runs one round: it pushes the pending mutations, then pulls changes from other devices page by
/// page and saves each page together with its cursor. A round neither throws nor sleeps. ``state`` reports how the
/// round ended. Between ``start()`` and ``stop()`` rounds also start automatically. Rounds never overlap: a call made
/// during a round waits for a new round that starts afterwards.
///
/// A mutation leaves the queue only when the hub has applied it, or when it moves to the conflict journal with the
/// user's data.
public actor SyncEngine {
  let networkClient: any NetworkClientProtocol
  let clock: any TimeSource
  let random: RandomSource
  let configuration: SyncConfiguration
  let dataStoreFactory: any DataStoreFactory
  private let history: (any SyncHistoryRecording)?
  /// Sync lock that the caller is holding for this engine, or `nil` if each round acquires the lock itself.
  private let givenLock: (any Sendable)?
  private var roundLock: (any Sendable)?
  /// Whether rounds are refused: `true` from ``suspend()`` until ``resume()``.
  private var isSuspended = false
  /// Whether ``suspend()`` was called during the current round.
  private var isRoundSuspended = false
  let broadcast = StateBroadcast()

  /// Open store, created on first use.
  ///
  /// The store never has unsaved changes at a suspension point, because another call could save them or roll them back.
  var dataStore: (any DataStoreProtocol)?

  var breaker = CircuitBreaker()
  var backoff: Backoff
  var batchLimit: Int
  var nextDelay: Duration = .zero
  /// Uptime until which the hub asked this device to back off. No automatic round starts earlier.
  package internal(set) var quietUntil: Duration = .zero
  /// Cursor after the last page or snapshot. A signal with a higher head starts a round.
  var knownCursor: Int64 = 0

  /// Maximum number of recoveries in one round, from `log_reset`, from `device_forked` or from data loss at the hub.
  private static let recoveryLimit = 3
  /// Whether the hub requires a snapshot before it accepts other requests.
  ///
  /// The next round then starts with the snapshot. Any other request would be refused, and could use up the only
  /// request that a strict rate limit allows.
  private var owesSnapshot = false
  /// Whether the next snapshot must be loaded in one response, because the hub lost data that this store has seen.
  var owesWhole = false
  /// Whether a snapshot has queued data that the hub lost, in which case the current round must push again.
  var owesOffer = false
  var lastQuestion: RequestState?

  var turnstile = FIFOLock()
  /// Number of calls that requested a round. A round serves all requests that were made before it started.
  private var asks = 0
  private var servedAsks = 0

  var loop: Task<Void, Never>?
  var isRunning = false
  var isWakePending = false
  var sleeper: CheckedContinuation<Void, Never>?
  var lastSignal: Duration = .zero
  var signalCount = 0

  /// Number of pending mutations when the store was last read.
  public internal(set) var pendingCount = 0
  /// Number of entries pulled by the current round, or by the last round if none is running.
  public internal(set) var pulledCount = 0
  /// End of this engine's last successful round, or `nil` before the first.
  public internal(set) var lastSyncTime: Date?
  /// Failure of the last round or other operation, or `nil` after a success and before the first round.
  public internal(set) var lastFailure: SyncFailure?

  /// Creates an idle engine. The first round runs at ``start()`` or ``performSync()``.
  ///
  /// `generator` is the source of identifiers and retry jitter. `history` receives a record of every round.
  ///
  /// Only one engine may sync a store at a time, across all processes. Each round therefore acquires the store's lock,
  /// and fails with ``SyncFailure/elsewhere`` while another process holds it. To hold the lock for longer than a round,
  /// pass the result of `DataStoreFactory.lockForSync()` as `syncLock`.
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
    random = RandomSource(generator)
    self.configuration = configuration
    self.history = history
    backoff = Backoff(minimum: configuration.minimumRetryDelay, maximum: configuration.maximumRetryDelay)
    batchLimit = configuration.batchSize
  }
}

// MARK: State

extension SyncEngine {
  /// Current sync activity, or the result of the last round.
  public var state: SyncState { broadcast.state }

  /// Whether the last round failed because the hub did not respond.
  public var isOffline: Bool { if case .unanswered = lastFailure { true } else { false } }

  /// The current state, followed by every change. Each access returns an independent stream.
  public nonisolated var states: AsyncStream<SyncState> { broadcast.makeStream() }

  /// State of the circuit breaker, which suspends pushes to a rate-limiting hub.
  public var circuitBreakerState: CircuitBreakerState { breaker.state(at: clock.uptime) }

  /// Whether pushing is suspended because the hub kept responding with status 429.
  public var isCircuitBreakerTripped: Bool { circuitBreakerState == .open }

  /// Time until the breaker allows a push again, or zero if the breaker is not open.
  public var circuitBreakerBackoffRemaining: Duration { breaker.remaining(at: clock.uptime) }

  /// Closes the breaker immediately and wakes the loop.
  ///
  /// If the hub responds with 429 again, the breaker reopens, for longer than last time.
  public func resetCircuitBreaker() {
    breaker.onReset()
    quietUntil = .zero
    wake()
  }

  /// Returns the number of pending mutations, or the last known number if the store cannot be read.
  public func getPendingCount() async -> Int {
    // The next round reports the read error.
    (try? countPending()) ?? pendingCount
  }

  /// Loads ``pendingCount`` and the cursor from the store for display before the first round. ``state`` reports a read
  /// error.
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
  /// Runs a round, or joins the next round to start, and returns when the round has ended.
  ///
  /// Does not wait for the retry delay of an earlier failure. While the breaker is open, the round only pulls. Rounds
  /// are refused between ``suspend()`` and ``resume()``.
  public func performSync() async {
    asks += 1
    let ask = asks
    await takeTurn()
    guard servedAsks < ask, !isSuspended else { return turnstile.leave() }
    await runRound(resync: false)
  }

  /// Runs a round that reloads everything from a snapshot and applies the pending mutations on top. No local data is
  /// removed before the snapshot is complete.
  public func forceFullResync() async {
    asks += 1
    await takeTurn()
    await runRound(resync: true)
  }

  /// Loads a snapshot instead of reading a long feed entry by entry, and sets the cursor to the snapshot's position. No
  /// change is skipped.
  /// - Returns: The new cursor.
  /// - Throws: The error from the client or the store. The cursor is then unchanged.
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

  /// Releases the store's sync lock immediately and refuses further rounds until ``resume()``.
  ///
  /// iOS terminates a suspended app that holds a file lock in the folder of an app group. Call this when the background
  /// time expires. A round in progress ends and discards the response that it is waiting for. The next round repeats
  /// the request, and the hub recognizes mutations that it has already applied. A lock passed to the initializer
  /// remains with the caller.
  public func suspend() {
    isSuspended = true
    isRoundSuspended = true
    roundLock = nil
  }

  /// Permits rounds again after ``suspend()`` and wakes the loop.
  public func resume() {
    isSuspended = false
    wake()
  }

  func tell(_ failure: SyncFailure) {
    lastFailure = failure
    broadcast.set(.error(failure.words(pending: pendingCount, isAutomatic: isRunning)))
  }

  func takeTurn() async {
    if turnstile.take() { return }
    await withCheckedContinuation { turnstile.wait($0) }
  }

  func leave() {
    roundLock = nil
    turnstile.leave()
  }

  func lockStore() throws(SyncFailure) {
    if isSuspended { throw .cancelled }
    isRoundSuspended = false
    if givenLock != nil { return }
    do { roundLock = try dataStoreFactory.lockForSync() } catch { throw .store("\(error)") }
    guard roundLock != nil else { throw .elsewhere }
  }

  /// Runs one round and releases the caller's turn.
  ///
  /// The round runs on the caller's task, so a simulator that schedules the tasks also schedules the rounds.
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
    // A cancelled round counts as cancelled, regardless of the error that the client threw. The round completes none of
    // the calls to `performSync()`, so the next waiting caller runs another round.
    if failure != nil, Task.isCancelled { failure = .cancelled }
    if failure != .cancelled { servedAsks = asksBefore }
    conclude(failure, tally)
    let now = clock.now
    let run = SyncRun(
      startedAt: startedAt, endedAt: now, pushed: tally.pushed, pulled: tally.pulled,
      error: failure?.words(pending: pendingCount, isAutomatic: isRunning), cause: failure?.cause,
      nextTry: isRunning ? now.addingTimeInterval(nextDelay / .seconds(1)) : nil,
      pausedUntil: isCircuitBreakerTripped
        ? now.addingTimeInterval(circuitBreakerBackoffRemaining / .seconds(1)) : nil,
      isTokenGood: failure.isTokenGood)
    leave()
    await history?.record(run)
  }

  private func round(resync: Bool, _ tally: inout RoundTally) async throws(SyncFailure) {
    // Count again, because other processes may have queued mutations since the last count.
    try counting()
    let isProbing = circuitBreakerState == .halfOpen
    // The first request in the half-open state must be the probe itself, not a health check.
    if !isProbing { try await ask { try await networkClient.checkHealth() } }

    // An unfinished snapshot is resumed before the push. A full resync instead starts a new snapshot after the push.
    let isHalfLaid = try inStore { try $0.syncMemory()?.snapshot != nil }
    if owesSnapshot || isHalfLaid && !resync {
      try await takeOwedSnapshot(&tally)
      try counting()
    }
    var pushFailure: SyncFailure?
    var recoveries = 0
    while true {
      do throws(SyncFailure) {
        pushFailure = try await exchange(resync: resync && recoveries == 0, isProbing: isProbing, &tally)
        // A round succeeds only after it has also pushed the data that the snapshot showed to be missing on the hub.
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
  /// - Parameters:
  ///   - resync: Whether to load a new snapshot from its first part.
  ///   - isProbing: Whether the breaker was half-open at the start of the round.
  ///   - tally: Counters of the round.
  /// - Returns: The failure of a push that did not prevent the pull, or `nil` if the push was complete.
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
    let needsSnapshot = try inStore {
      try replications(in: $0).forStore($0.syncMemory() ?? SyncMetadata()).needsSnapshot
    }
    if resync || needsSnapshot { try await takeSnapshot(isAnew: resync, &tally) }
    do throws(SyncFailure) {
      try await pull(&tally)
    } catch {
      guard case .expired = error else { throw error }
      // The feed no longer reaches back to the cursor, so replace the replica with a snapshot. Pending mutations stay
      // on top of the snapshot.
      try await takeOwedSnapshot(&tally)
      try await pull(&tally)
    }
    return pushFailure
  }

  /// Takes a new device identity because the store was copied or restored. Sequence numbers restart at 1.
  ///
  /// Throws if an outcome was acknowledged after the request that led to `failure`, because that disproves the fork.
  private func takeNewIdentity(answering failure: SyncFailure) throws(SyncFailure) {
    guard let lastQuestion else { throw failure }
    try saving { store in
      try store.beginWriting()
      try lastQuestion.checkNothingWasAcknowledged(in: store)
      try NewIdentity(store: store, random: random, now: clock.now).take()
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
      // If counting fails, the last count remains.
      _ = try? countPending()
      if tally.pushed + tally.pulled > 0 { backoff.onProgress() }
      let delay = random.delay(after: failure.retryAfter, &backoff)
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

struct RoundTally {
  var pushed = 0
  var pulled = 0
}

// MARK: Queue

extension SyncEngine {
  /// Applies the payload to the entity and queues the mutation in one save. ``Recorder`` does the same without an
  /// engine.
  /// - Throws: `APIError.decodingError` for an invalid payload, ``RecorderError``, or the store's error. The store is
  ///   then unchanged.
  public func queueMutation(
    entityType: MutationEntityType, operation: MutationOperation, entityId: String, payload: Data
  ) async throws {
    try write { store in
      let writer = EditWriter(store: store, clock: clock, random: random)
      func queue<Entity: StoredEntity>(_ type: Entity.Type) throws {
        try writer.queue(type, operation: operation, id: entityId, payload: payload)
      }
      try queue(entityType.stored)
      try writer.finish()
    }
    // The mutation is already durable. If counting fails, the next count corrects the number.
    _ = try? countPending()
    wake()
  }

  /// Moves all pending mutations with their data to the conflict journal, where they can be retried.
  /// - Parameter markEntitiesFailed: Whether to set the sync status of the affected entities to `failed`.
  /// - Returns: The number of mutations moved, or 0 if the store could not be written, which ``state`` reports.
  @discardableResult
  public func clearPendingMutations(markEntitiesFailed: Bool = true) async -> Int {
    do {
      let count = try write { store in
        try ConflictJournal(store: store, clock: clock).clearQueue(
          reason: "Removed from the queue on this device before the hub responded",
          markEntitiesFailed: markEntitiesFailed, random: random,
          replications(in: store))
      }
      _ = try countPending()
      return count
    } catch {
      tell(.store("\(error)"))
      return 0
    }
  }

  /// Closes the open store without deleting data. The next use reopens it.
  public func resetDataStore() {
    dataStore = nil
  }
}

// MARK: Network

extension SyncEngine {
  func ask<Answer: Sendable>(_ request: () async throws -> Answer) async throws(SyncFailure) -> Answer {
    do { return try await locked(request) } catch { throw noted(SyncFailure(error)) }
  }

  /// Sends a request and returns its response.
  /// - Throws: ``SyncFailure/cancelled`` if the round has been suspended in the meantime, because the store is no
  ///   longer locked, or else the error of the request.
  func locked<Answer: Sendable>(_ request: () async throws -> Answer) async throws -> Answer {
    let result: Result<Answer, any Error>
    do { result = .success(try await request()) } catch { result = .failure(error) }
    if isRoundSuspended { throw SyncFailure.cancelled }
    return try result.get()
  }

  /// Records a rate limit and a requested delay, which apply to all requests, and returns the failure.
  func noted(_ failure: SyncFailure) -> SyncFailure {
    if let retryAfter = failure.retryAfter { quietUntil = max(quietUntil, clock.uptime + retryAfter) }
    if case .rateLimited = failure { breaker.onRateLimited(retryAfter: failure.retryAfter, at: clock.uptime) }
    return failure
  }
}
