import Synchronization
import TrendyModels
import TrendyProtocols

extension SyncEngine {
  /// Sends what waits, oldest first, until nothing waits or something stands in the way.
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
      let asking = Asking(clock)
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
      // What was queued meanwhile is counted with the next batch.
      pendingCount = max(0, pendingCount - settled)
      broadcast.set(.syncing(synced: synced, total: max(total, synced + pendingCount)))
      if settled > 0 {
        narrowing = Narrowing(isAccepted: true)
        breaker.onSuccess(at: clock.uptime)
        batchLimit = min(configuration.batchSize, batchLimit * 2)
        fullness = .unknown
      }
      if sent.answer.isForked {
        // The outcomes that came with it are acknowledged; from here on another's would speak against a fork.
        _ = try self.question()
        throw .forked("it has judged what this store does not know to have sent")
      }
      if try goOnWhileFull(batch, question, sent.cause, &fullness) { continue }
      if let failure = sent.failure { throw halving(noted(failure), sent.cause) }
    }
  }
}

extension SyncEngine {
  private struct Sent {
    var answer: PushAnswer
    /// Why not all were judged.
    var failure: SyncFailure?
    var cause: APIError?
  }

  /// The most mutations that any hub takes at once.
  private static let largestBatch = 500
  /// Bytes of payload in one push, unless one mutation alone has more: with everything around them they fit in the body that a hub reads.
  private static let largestPushBytes = SyncedKind.maximumEntityBytes

  /// The next mutations, with their places in this device's row; `nil` when none waits. They are saved as sent before a byte
  /// leaves: from then on nothing of them changes, for after a lost answer the hub may hold them.
  private func nextBatch() throws(SyncFailure) -> (PushBatch, Question)? {
    let (next, count) = try saving { store -> ((PushBatch, Question)?, Int) in
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
      var identity = try store.syncIdentity() ?? SyncIdentity(device: chance.identifier(at: clock.now))
      if mutations.contains(where: { $0.sequence == nil }) {
        for index in mutations.indices where mutations[index].sequence == nil {
          identity.lastSequence += 1
          mutations[index].sequence = identity.lastSequence
          mutations[index].device = identity.device
          try store.insertPendingMutation(mutations[index])
        }
        try store.setSyncIdentity(identity)
      }
      let question = try Question(of: store)
      let position = question.position ?? DevicePosition(device: identity.device)
      return ((PushBatch(position: position, mutations: mutations), question), count)
    }
    pendingCount = count
    lastQuestion = next?.1
    return next
  }

  /// - Returns: how many are settled: no longer in the queue.
  private func settle(
    _ batch: PushBatch, _ question: Question, _ answer: PushAnswer, _ asking: Asking, in store: any DataStoreProtocol
  ) throws -> Int {
    try store.beginWriting()
    try question.checkNothingWasAcknowledged(in: store)
    let memory = try store.syncMemory() ?? SyncMemory()
    return try replications(in: store).forAnswer(at: answer.position, memory)
      .settle(batch.mutations, answer, asking, memory)
  }

  private func send(_ batch: PushBatch) async throws -> Sent {
    let observed = ObservedFailure()
    var answer = try await PushObservation.$current.withValue(PushObservation { observed.set($0) }) {
      try await networkClient.push(batch)
    }
    // Who is not answered is asked again.
    let count = batch.mutations.count
    answer.outcomes = Array(answer.outcomes.prefix(count))
    answer.outcomes += Array(repeating: .tryLater(retryAfter: nil), count: count - answer.outcomes.count)
    var sent = Sent(answer: answer)
    guard let unjudged = answer.outcomes.first(where: \.isTryLater) else { return sent }
    sent.cause = observed.error
    if let cause = sent.cause {
      sent.failure = SyncFailure(cause)
    } else if case .tryLater(let retryAfter) = unjudged {
      sent.failure = .busy("it did not judge every change", retryAfter: retryAfter)
    }
    return sent
  }

  /// What a push that threw leaves to say. A transient failure changes no mutation, ever; another is noted with the first, which
  /// may be its cause.
  private func failure(
    of batch: PushBatch, _ question: Question, _ error: any Error
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
      // The next try shows whether it is one of many.
      batchLimit = max(1, min(batchLimit, batch.mutations.count) / 2)
    }
    return halving(noted(failure), error as? APIError)
  }

  /// Halves the next push after a timeout.
  private func halving(_ failure: SyncFailure, _ error: APIError?) -> SyncFailure {
    if error?.isTimeout == true { batchLimit = max(1, batchLimit / 2) }
    return failure
  }

  /// What was tried in a round since something was taken, of a hub that says that the record is full.
  private enum Fullness {
    case unknown
    /// As much at once as a push may hold.
    case enlarged
    /// Deletions ahead of what waits before them.
    case deletionsFirst
  }

  /// A record that is full: the hub judges a push as a whole, so a deletion that waits farther back makes room for what waits before
  /// it. The next batch is as large as one may be, once; where that does not do, deletions behind it are sent first.
  /// - Returns: whether the error was that, and there is something to try.
  private func goOnWhileFull(
    _ batch: PushBatch, _ question: Question, _ error: APIError?, _ fullness: inout Fullness
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
      return try RoomMaker(store: store, chance: chance, now: clock.now).bringDeletionsForward(past: count)
    }
  }

  /// Halves a push that the hub refused as a whole, until one mutation remains. That one goes to the journal with the hub's answer, so
  /// that no mutation stops the queue.
  ///
  /// An answer that is not about a mutation, as from a proxy in front of the hub, is given to an empty push as well: then nothing is
  /// moved, and the push fails. 413 is always about the content.
  /// - Returns: whether the push can go on.
  private func narrow(
    _ batch: PushBatch, _ question: Question, _ error: any Error, _ narrowing: inout Narrowing
  ) async throws(SyncFailure) -> Bool {
    guard let error = error as? APIError, error.isRefusalOfPush else { return false }
    // A hub that refuses one mutation after the other may have a fault that ends soon: the next round goes on.
    guard narrowing.movedInARow < Narrowing.mostInARow else { return false }
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
          title: error.statusCode == 413 ? "Too large for the hub" : "The hub refused", status: error.statusCode ?? 400)
      }
    try saving { store in
      try store.beginWriting()
      try question.checkStands(in: store)
      let replication = replications(in: store).forStore(try store.syncMemory() ?? SyncMemory())
      // The hub has not counted the mutation: the next sequence would be a gap. A new identity begins at 1; without an identity this
      // store would not say what it has seen, and not notice that the hub was restored. It is taken before the mutation is moved: what
      // was sent behind it was not judged either, and is moved as well where it depends on it.
      try NewIdentity(store: store, chance: chance, now: clock.now).take()
      for mutation in batch.mutations { try replication.setAside(mutation, problem) }
    }
    narrowing.movedInARow += 1
    return true
  }

  /// State of one push with regard to refusals of the hub.
  private struct Narrowing {
    static let mostInARow = 16
    /// Whether the hub has accepted a push.
    var isAccepted = false
    /// Mutations moved to the journal since the hub accepted one.
    var movedInARow = 0
  }

  /// Asks whether the hub refuses a push whatever it contains.
  /// - Throws: why the hub cannot say, such as a lost connection.
  private func acceptsEmptyPush(at position: DevicePosition) async throws(SyncFailure) -> Bool {
    if Task.isCancelled { throw .cancelled }
    let answer: PushAnswer
    do {
      answer = try await networkClient.push(PushBatch(position: position, mutations: []))
    } catch let error as APIError where error.isRefusalOfPush {
      return false
    } catch {
      throw noted(SyncFailure(error))
    }
    if answer.isForked { throw .forked("it has judged what this store does not know to have sent") }
    return true
  }
}

extension APIError {
  /// Whether the hub refused a push as a whole, and will do so again.
  ///
  /// 401 and 410 ask for something else of the device, as do the two conflicts that sync resolves by itself.
  fileprivate var isRefusalOfPush: Bool {
    guard let status = statusCode, (400..<500).contains(status), !isTransient, status != 401, status != 410 else {
      return false
    }
    guard case .problem(let problem, _) = self else { return true }
    return problem.type != ProblemDetails.logReset && problem.type != ProblemDetails.deviceForked
  }
}

/// The transient failure that made a push stop.
private final class ObservedFailure: Sendable {
  private let content = Mutex<APIError?>(nil)
  var error: APIError? { content.withLock { $0 } }
  func set(_ error: APIError) { content.withLock { $0 = error } }
}
