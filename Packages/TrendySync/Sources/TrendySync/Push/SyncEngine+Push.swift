import Synchronization
import TrendyModels
import TrendyProtocols

extension SyncEngine {
  /// Sends pending mutations, oldest first, until the queue is empty or an error stops the push.
  func push(_ tally: inout RoundTally) async throws(SyncFailure) {
    let total = pendingCount
    if total == 0 { return }
    var synced = 0
    var fullness = Fullness.unknown
    var narrowing = Narrowing()
    broadcast.set(.syncing(synced: 0, total: total))
    while true {
      if Task.isCancelled { throw .cancelled }
      guard let (batch, question) = try nextBatch() else { return }
      let asking = RequestStart(clock)
      let sent: Sent
      do {
        sent = try await send(batch)
      } catch {
        if try await narrow(batch, question, error, &narrowing) { continue }
        if try goOnWhileFull(batch, question, error as? APIError, &fullness) { continue }
        throw try failure(of: batch, question, error)
      }
      let settled = try saving { try settle(batch, question, sent.answer, asking, in: $0) }
      tally.pushed += settled
      synced += settled
      pendingCount = max(0, pendingCount - settled)
      broadcast.set(.syncing(synced: synced, total: max(total, synced + pendingCount)))
      if settled > 0 {
        narrowing = Narrowing(isAccepted: true)
        breaker.onSuccess(at: clock.uptime)
        batchLimit = min(configuration.batchSize, batchLimit * 2)
        fullness = .unknown
      }
      if sent.answer.isForked {
        // The outcomes in the response are now acknowledged. Only later acknowledgements would contradict a reported
        // fork.
        _ = try self.question()
        throw .forked("it acknowledges changes that this store has not sent")
      }
      if try goOnWhileFull(batch, question, sent.cause, &fullness) { continue }
      if let failure = sent.failure { throw halving(noted(failure), sent.cause) }
    }
  }
}

extension SyncEngine {
  private struct Sent {
    var answer: PushBatchResult
    /// Reason why the hub did not process all mutations, or `nil` if it did.
    var failure: SyncFailure?
    var cause: APIError?
  }

  /// Maximum number of mutations that a hub accepts in one request.
  private static let largestBatch = 500
  /// Maximum payload of one push in bytes, unless a single mutation is larger. With its envelope, such a push fits into
  /// the largest request body that a hub accepts.
  private static let largestPushBytes = SyncedKind.maximumEntityBytes

  /// Assigns sequence numbers to the next mutations and saves them as sent. Returns `nil` if nothing is pending.
  ///
  /// Mutations are saved as sent before the request, and never change afterwards, because the hub may have received
  /// them even if the response is lost.
  private func nextBatch() throws(SyncFailure) -> (PushBatch, RequestState)? {
    let (next, count) = try saving { store -> ((PushBatch, RequestState)?, Int) in
      try store.beginWriting()
      let limit = max(1, min(batchLimit, Self.largestBatch))
      var mutations = try store.firstPendingMutations(limit).inSendingOrder
      var bytes = 0
      let fitting = mutations.prefix { mutation in
        bytes += mutation.payload.count
        return bytes <= Self.largestPushBytes
      }
      mutations.removeLast(mutations.count - min(mutations.count, max(1, fitting.count)))
      let count = try store.syncCounts().pending
      if mutations.isEmpty { return (nil, count) }
      var identity = try store.syncIdentity() ?? SyncIdentity(device: random.identifier(at: clock.now))
      if mutations.contains(where: { $0.sequence == nil }) {
        for index in mutations.indices where mutations[index].sequence == nil {
          identity.lastSequence += 1
          mutations[index].sequence = identity.lastSequence
          mutations[index].device = identity.device
          try store.insertPendingMutation(mutations[index])
        }
        try store.setSyncIdentity(identity)
      }
      let question = try RequestState(of: store)
      let position = question.position ?? DevicePosition(device: identity.device)
      return ((PushBatch(position: position, mutations: mutations), question), count)
    }
    pendingCount = count
    lastQuestion = next?.1
    return next
  }

  /// Applies the outcomes of a push and returns the number of mutations that left the queue. `question` is the store
  /// state on which the push was based, `asking` the start of the request.
  private func settle(
    _ batch: PushBatch, _ question: RequestState, _ answer: PushBatchResult, _ asking: RequestStart,
    in store: any DataStoreProtocol
  ) throws -> Int {
    try store.beginWriting()
    try question.checkNothingWasAcknowledged(in: store)
    let memory = try store.syncMemory() ?? SyncMetadata()
    return try replications(in: store).forAnswer(at: answer.position, memory)
      .settle(batch.mutations, answer, asking, memory)
  }

  private func send(_ batch: PushBatch) async throws -> Sent {
    let observed = ObservedFailure()
    var answer = try await locked {
      try await PushObservation.$current.withValue(PushObservation { observed.set($0) }) {
        try await networkClient.push(batch)
      }
    }
    let count = batch.mutations.count
    answer.outcomes = Array(answer.outcomes.prefix(count))
    answer.outcomes += Array(repeating: .tryLater(retryAfter: nil), count: count - answer.outcomes.count)
    var sent = Sent(answer: answer)
    guard let unjudged = answer.outcomes.first(where: \.isTryLater) else { return sent }
    sent.cause = observed.error
    if let cause = sent.cause {
      sent.failure = SyncFailure(cause)
    } else if case .tryLater(let retryAfter) = unjudged {
      sent.failure = .busy("it did not process every change", retryAfter: retryAfter)
    }
    return sent
  }

  /// Returns the failure of a push that threw an error. A transient failure changes no mutation. Any other failure is
  /// stored in the first mutation, which may be its cause.
  private func failure(
    of batch: PushBatch, _ question: RequestState, _ error: any Error
  ) throws(SyncFailure) -> SyncFailure {
    let failure = SyncFailure(error)
    if case .unusable(let words) = failure, var first = batch.mutations.first {
      first.attempts += 1
      first.lastError = words
      try saving { store in
        try store.beginWriting()
        try question.checkStands(in: store)
        try store.insertPendingMutation(first)
      }
      // A smaller batch shows whether one of several mutations is the cause.
      batchLimit = max(1, min(batchLimit, batch.mutations.count) / 2)
    }
    return halving(noted(failure), error as? APIError)
  }

  private func halving(_ failure: SyncFailure, _ error: APIError?) -> SyncFailure {
    if error?.isTimeout == true { batchLimit = max(1, batchLimit / 2) }
    return failure
  }

  /// Measures against an exceeded quota that have been tried in this round since the last accepted mutation.
  private enum Fullness {
    case unknown
    /// A batch of the maximum size has been sent.
    case enlarged
    /// Deletions have been moved to the front of the queue.
    case deletionsFirst
  }

  /// Handles an exceeded quota. The hub checks a push as a whole, so a deletion in it frees space for the mutations
  /// before it.
  ///
  /// First sends one batch of the maximum size. If the hub refuses that batch too, moves the deletions that follow it
  /// to the front of the queue. `fullness` contains the measures tried so far.
  /// - Returns: Whether the error was an exceeded quota and another attempt may succeed.
  private func goOnWhileFull(
    _ batch: PushBatch, _ question: RequestState, _ error: APIError?, _ fullness: inout Fullness
  ) throws(SyncFailure) -> Bool {
    guard case .problem(let problem, _) = error, problem.kind == "quota_exceeded" else { return false }
    let count = batch.mutations.count
    batchLimit = configuration.batchSize
    if fullness == .unknown, count < min(pendingCount, configuration.largeBatchSize) {
      fullness = .enlarged
      batchLimit = configuration.largeBatchSize
      return true
    }
    guard fullness != .deletionsFirst, count < pendingCount else { return false }
    fullness = .deletionsFirst
    return try saving { store in
      try store.beginWriting()
      try question.checkStands(in: store)
      try question.checkNothingWasAcknowledged(in: store)
      return try QuotaRecovery(store: store, random: random, now: clock.now).bringDeletionsForward(past: count)
    }
  }

  /// Halves a push that the hub refused as a whole, until a single mutation remains. That mutation moves to the journal
  /// with the hub's response, so that it does not block the queue.
  ///
  /// If the refusal may have nothing to do with the content, for example because it came from a proxy, sends an empty
  /// push first. If the hub refuses the empty push too, the push fails and nothing is moved. Status 413 always depends
  /// on the content.
  /// - Returns: Whether the push can continue.
  private func narrow(
    _ batch: PushBatch, _ question: RequestState, _ error: any Error, _ narrowing: inout Narrowing
  ) async throws(SyncFailure) -> Bool {
    guard let error = error as? APIError, error.isRefusalOfPush else { return false }
    // If a hub refuses one mutation after another, it may have a temporary fault. The next round continues.
    guard narrowing.movedInARow < Narrowing.maxConsecutive else { return false }
    if !narrowing.isAccepted, error.statusCode != 413 {
      guard try await acceptsEmptyPush(at: batch.position) else { return false }
      narrowing.isAccepted = true
    }
    if batch.mutations.count > 1 {
      batchLimit = batch.mutations.count / 2
      return true
    }
    let problem: ProblemDetails =
      if case .problem(let problem, _) = error { problem } else {
        ProblemDetails(
          title: error.statusCode == 413 ? "Change too large for the hub" : "Rejected by the hub",
          status: error.statusCode ?? 400)
      }
    try saving { store in
      try store.beginWriting()
      try question.checkStands(in: store)
      let replication = replications(in: store).forStore(try store.syncMemory() ?? SyncMetadata())
      // Take a new identity, under which sequence numbers restart at 1, because the hub has not counted the mutation
      // and the next number would leave a gap. A store without an identity could not report the versions that it has
      // seen and would not notice a restored hub. Take the identity first, so that later mutations lose their sequence
      // numbers and can move to the journal if they depend on the refused mutation.
      try NewIdentity(store: store, random: random, now: clock.now).take()
      for mutation in batch.mutations { try replication.setAside(mutation, problem) }
    }
    narrowing.movedInARow += 1
    return true
  }

  /// Progress in finding the mutation that makes the hub refuse a push.
  private struct Narrowing {
    static let maxConsecutive = 16
    /// Whether the hub has accepted a push.
    var isAccepted = false
    /// Number of mutations moved to the journal since the hub last accepted a push.
    var movedInARow = 0
  }

  /// Sends an empty push to determine whether the hub refuses every push.
  /// - Throws: Errors that leave this undetermined, such as a lost connection.
  private func acceptsEmptyPush(at position: DevicePosition) async throws(SyncFailure) -> Bool {
    if Task.isCancelled { throw .cancelled }
    let answer: PushBatchResult
    do {
      answer = try await locked { try await networkClient.push(PushBatch(position: position, mutations: [])) }
    } catch let error as APIError where error.isRefusalOfPush {
      return false
    } catch {
      throw noted(SyncFailure(error))
    }
    if answer.isForked { throw .forked("it acknowledges changes that this store has not sent") }
    return true
  }
}

extension APIError {
  /// Whether the hub refused a push as a whole and would refuse it again.
  ///
  /// Statuses 401 and 410, and the conflicts `log_reset` and `device_forked`, are handled elsewhere.
  fileprivate var isRefusalOfPush: Bool {
    guard let status = statusCode, (400..<500).contains(status), !isTransient, status != 401, status != 410 else {
      return false
    }
    guard case .problem(let problem, _) = self else { return true }
    return problem.type != ProblemDetails.logReset && problem.type != ProblemDetails.deviceForked
  }
}

private final class ObservedFailure: Sendable {
  private let content = Mutex<APIError?>(nil)
  var error: APIError? { content.withLock { $0 } }
  func set(_ error: APIError) { content.withLock { $0 = error } }
}
