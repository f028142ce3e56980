import Synchronization
import TrendyModels
import TrendyProtocols

extension SyncEngine {
  /// Sends what waits, oldest first, until nothing waits or something stands in the way.
  func push(_ tally: inout RoundTally) async throws(SyncFailure) {
    let total = pendingCount
    if total == 0 { return }
    var synced = 0
    broadcast.set(.syncing(synced: 0, total: total))
    while true {
      if Task.isCancelled { throw .cancelled }
      let batch = try nextBatch()
      if batch.isEmpty { return }
      let answer: PushAnswer
      do {
        answer = try await send(batch)
      } catch {
        if try setAsideTooLarge(batch, error) { continue }
        throw try failure(of: batch, error)
      }
      let settled = try saving { try Settlement(store: $0, clock: clock).settle(batch, answer.outcomes) }
      tally.pushed += settled
      synced += settled
      // What was queued meanwhile is counted with the next batch.
      pendingCount = max(0, pendingCount - settled)
      broadcast.set(.syncing(synced: synced, total: max(total, synced + pendingCount)))
      if settled > 0 {
        breaker.onSuccess(at: clock.uptime)
        batchLimit = min(configuration.batchSize, batchLimit * 2)
      }
      if let failure = answer.failure { throw halving(noted(failure), answer.cause) }
    }
  }
}

extension SyncEngine {
  private struct PushAnswer {
    var outcomes: [MutationOutcome]
    /// Why not all were judged.
    var failure: SyncFailure?
    var cause: APIError?
  }

  /// The next mutations, with their places in this device's row. They are saved as sent before a byte leaves: from then on nothing
  /// of them changes, for after a lost answer the hub may hold them.
  private func nextBatch() throws(SyncFailure) -> [PendingMutation] {
    let (batch, count) = try saving { store in
      try store.takeWriteLock()
      let queue = try store.fetchPendingMutations().inSendingOrder
      var batch = Array(queue.prefix(batchLimit))
      if batch.allSatisfy({ $0.sequence != nil }) { return (batch, queue.count) }
      var identity = try store.syncIdentity() ?? SyncIdentity(device: chance.identifier(at: clock.now))
      for index in batch.indices where batch[index].sequence == nil {
        identity.lastSequence += 1
        batch[index].sequence = identity.lastSequence
        batch[index].device = identity.device
        try store.insertPendingMutation(batch[index])
      }
      try store.setSyncIdentity(identity)
      return (batch, queue.count)
    }
    pendingCount = count
    return batch
  }

  private func send(_ batch: [PendingMutation]) async throws -> PushAnswer {
    let observed = ObservedFailure()
    var outcomes = try await PushObservation.$current.withValue(PushObservation { observed.set($0) }) {
      try await networkClient.push(batch)
    }
    // Who is not answered is asked again.
    outcomes = Array(outcomes.prefix(batch.count))
    outcomes += Array(repeating: .tryLater(retryAfter: nil), count: batch.count - outcomes.count)
    var answer = PushAnswer(outcomes: outcomes)
    guard let unjudged = outcomes.first(where: \.isTryLater) else { return answer }
    answer.cause = observed.error
    if let cause = answer.cause {
      answer.failure = SyncFailure(cause)
    } else if case .tryLater(let retryAfter) = unjudged {
      answer.failure = .busy("it did not judge every change", retryAfter: retryAfter)
    }
    return answer
  }

  /// What a push that threw leaves to say. A transient failure changes no mutation, ever; another is noted with the first, which
  /// may be its cause.
  private func failure(of batch: [PendingMutation], _ error: any Error) throws(SyncFailure) -> SyncFailure {
    let failure = SyncFailure(error)
    if case .unusable(let words) = failure, var first = batch.first {
      first.attempts += 1
      first.lastError = words
      try saving { try $0.insertPendingMutation(first) }
      // The next try shows whether it is one of many.
      batchLimit = max(1, min(batchLimit, batch.count) / 2)
    }
    return halving(noted(failure), error as? APIError)
  }

  /// After a time-out the next push is half as large. `APIError` tells a time-out from another missing answer by its words only.
  private func halving(_ failure: SyncFailure, _ error: APIError?) -> SyncFailure {
    let isTimeout =
      switch error {
      case .networkError(let words):
        ["timed out", "timeout", "time out", "did not answer within"].contains {
          words.lowercased().contains($0)
        }
      case let error?: error.statusCode == 408 || error.statusCode == 504
      case nil: false
      }
    if isTimeout { batchLimit = max(1, batchLimit / 2) }
    return failure
  }

  /// 413: asks again with half; what is too large by itself goes to the journal, so that the rest gets on.
  /// - Returns: whether the error was that.
  private func setAsideTooLarge(_ batch: [PendingMutation], _ error: any Error) throws(SyncFailure) -> Bool {
    guard let error = error as? APIError, error.statusCode == 413 else { return false }
    if batch.count > 1 {
      batchLimit = batch.count / 2
      return true
    }
    let problem: ProblemDetails =
      if case .problem(let problem, _) = error { problem } else {
        ProblemDetails(title: "Too large for the hub", status: 413)
      }
    try saving { store in
      _ = try Settlement(store: store, clock: clock).settle(batch, [.refused(problem)])
      // The hub has not counted it: what was sent after it would be a gap. Under a new identity the row begins anew.
      try store.setSyncIdentity(nil)
      for var mutation in try store.fetchPendingMutations() where mutation.sequence != nil {
        mutation.sequence = nil
        mutation.device = nil
        try store.insertPendingMutation(mutation)
      }
    }
    return true
  }
}

/// The transient failure that made a push stop.
private final class ObservedFailure: Sendable {
  private let content = Mutex<APIError?>(nil)
  var error: APIError? { content.withLock { $0 } }
  func set(_ error: APIError) { content.withLock { $0 = error } }
}
