import TrendyModels
import TrendyProtocols

extension SyncEngine {
  /// Maximum number of consecutive pages that announce more entries but contain no new entries. A hub may omit entries
  /// that this device must not see.
  private static let maxEmptyPages = 100

  func pull(_ tally: inout RoundTally) async throws(SyncFailure) {
    var pull = try inStore { try Pull($0) }
    // An interrupted round may already have shown that the feed is long.
    let known = try inStore { try $0.syncMemory()?.seen ?? 0 }
    let isLong = known - pull.cursor > Int64(configuration.pageSize)
    var limit = isLong ? configuration.largePageSize : configuration.pageSize
    var pages = 0
    var emptyPages = 0
    while true {
      if Task.isCancelled { throw .cancelled }
      let since = pull.cursor
      let asking = RequestStart(clock)
      let question = try question()
      let page = try await ask {
        try await networkClient.changes(FeedRequest(cursor: since, limit: limit, position: question.position))
      }
      guard page.nextCursor >= since else {
        throw .feedStuck("the cursor moved back from \(since) to \(page.nextCursor)")
      }
      guard page.nextCursor > since || !page.hasMore else {
        throw .feedStuck("a page announces more entries but stays at cursor \(since)")
      }
      try saving { store in
        try store.beginWriting()
        // Check that no other process has synced since the request, because the response is valid only for the store
        // state from which the request was made.
        try question.checkStands(in: store)
        guard try store.syncCursor() ?? 0 == since else { throw SyncFailure.elsewhere }
        let memory = try store.syncMemory() ?? SyncMetadata()
        try replications(in: store).forAnswer(at: page.position, memory).take(page, of: pull, asking, memory)
      }
      onPulled(page.changes.count, &tally)
      pull.cursor = page.nextCursor
      knownCursor = page.nextCursor
      if !page.hasMore { return }
      emptyPages = page.changes.contains { $0.id > since } ? 0 : emptyPages + 1
      guard emptyPages < Self.maxEmptyPages else {
        throw .feedStuck("\(emptyPages) consecutive pages without a new entry")
      }
      limit = configuration.largePageSize
      pages += 1
      performMaintenance(after: pages)
    }
  }

  private func onPulled(_ count: Int, _ tally: inout RoundTally) {
    tally.pulled += count
    pulledCount = tally.pulled
    if pendingCount == 0 { breaker.onSuccess(at: clock.uptime) }
  }

  /// Loads a snapshot part by part and saves each part as it is applied. Resumes an interrupted snapshot with the next
  /// missing part, unless `isAnew` is set.
  func takeSnapshot(isAnew: Bool, _ tally: inout RoundTally) async throws(SyncFailure) {
    do throws(SnapshotObstacle) {
      try await takeParts(isAnew: isAnew, &tally)
    } catch {
      switch error {
      case .client(let error): throw noted(SyncFailure(error))
      case .store(let error): throw error as? SyncFailure ?? .store("\(error)")
      }
    }
  }

  enum SnapshotObstacle: Error {
    case client(any Error)
    case store(any Error)
  }

  func takeParts(isAnew: Bool, _ tally: inout RoundTally) async throws(SnapshotObstacle) {
    var known = try inSnapshotStore { try read { try $0.syncMemory()?.snapshot } }
    var progress = isAnew ? nil : known
    var parts = 0
    // Start over only once: a hub that rejects the parts it has named itself would cause an endless loop.
    var mayBeginAnew = true
    while true {
      let asking = RequestStart(clock)
      let question = try inSnapshotStore { try self.question() }
      let request = SnapshotRequest(part: progress?.next, position: question.position)
      let part: SnapshotPart
      do throws(SnapshotObstacle) {
        part = try await inClient {
          owesWhole
            ? SnapshotPart(answer: try await networkClient.snapshot(for: question.position))
            : try await networkClient.snapshotPart(request)
        }
      } catch {
        // The hub does not know the requested part, perhaps because a different hub named it. Every hub knows the first
        // part.
        guard mayBeginAnew, progress != nil, case .client(let reason) = error,
          (reason as? APIError)?.statusCode == 400
        else {
          throw error
        }
        mayBeginAnew = false
        progress = nil
        continue
      }
      // Parts of different epochs do not belong to the same snapshot. In a new epoch the hub sends the first part. A
      // hub without parts always sends the complete snapshot.
      if part.spans == nil || progress?.epochs != part.position?.epochs { progress = nil }
      // If the hub has lost data, load the complete snapshot, because the loss can be determined only from all of its
      // entries.
      if progress == nil, part.next != nil, try inSnapshotStore({ try read { try isLoss(part, $0) } }) {
        owesWhole = true
        continue
      }
      let (before, after) = (known, progress)
      let count = try inSnapshotStore {
        try write { store in
          try store.beginWriting()
          // Check that no other process has synced since the request, because the response is valid only for the store
          // state from which the request was made.
          try question.checkStands(in: store)
          guard try store.syncMemory()?.snapshot == before else { throw SyncFailure.elsewhere }
          if try isLoss(part, store) { owesOffer = true }
          var memory = try store.syncMemory() ?? SyncMetadata()
          memory.snapshot = after
          return try replications(in: store).lay(part, asking, memory)
        }
      }
      onPulled(count, &tally)
      known = try inSnapshotStore { try read { try $0.syncMemory()?.snapshot } }
      guard let laid = known else { break }
      if laid.next == progress?.next {
        throw .client(SyncFailure.feedStuck("snapshot part \(laid.next) was returned twice"))
      }
      progress = laid
      parts += 1
      performMaintenance(after: parts)
    }
    owesWhole = false
    knownCursor = try inSnapshotStore { try read { try $0.syncCursor() } } ?? 0
  }

  private func inSnapshotStore<Result>(_ body: () throws -> Result) throws(SnapshotObstacle) -> Result {
    do { return try body() } catch { throw .store(error) }
  }

  private func inClient<Answer: Sendable>(
    _ body: () async throws -> Answer
  ) async throws(SnapshotObstacle) -> Answer {
    if Task.isCancelled { throw .client(CancellationError()) }
    do { return try await locked(body) } catch { throw .client(error) }
  }

  /// Whether the hub has lost versions that this store has seen.
  private func isLoss(_ part: SnapshotPart, _ store: any DataStoreProtocol) throws -> Bool {
    guard let position = part.position, let memory = try store.syncMemory() else { return false }
    return memory.commonVersion(with: position) < memory.seen
  }

  func question() throws(SyncFailure) -> RequestState {
    let question = try inStore { try RequestState(of: $0) }
    lastQuestion = question
    return question
  }

  func replications(in store: any DataStoreProtocol) -> ReplicationChoice {
    ReplicationChoice(store: store, clock: clock, random: random)
  }
}
