import TrendyModels
import TrendyProtocols

extension SyncEngine {
  /// Takes in the feed from the cursor on, page by page until there is no more.
  func pull(_ tally: inout RoundTally) async throws(SyncFailure) {
    var cursor = try inStore { try $0.syncCursor() } ?? 0
    // Deletes that the hub had acknowledged, without a version, before this pull began: once it is complete they have passed.
    let acknowledged = try inStore { try Self.acknowledgedDeletes($0) }
    // A round that was cut short has shown how much there is.
    let known = try inStore { try $0.syncMemory()?.seen ?? 0 }
    var limit = known - cursor > Int64(configuration.pageSize) ? configuration.largePageSize : configuration.pageSize
    var pages = 0
    while true {
      if Task.isCancelled { throw .cancelled }
      let since = cursor
      let asking = Asking(clock)
      let question = try question()
      let page = try await ask {
        try await networkClient.changes(FeedRequest(cursor: since, limit: limit, position: question.position))
      }
      guard page.nextCursor >= cursor else {
        throw .feedStuck("it went back from \(cursor) to \(page.nextCursor)")
      }
      guard page.nextCursor > cursor || !page.hasMore else {
        throw .feedStuck("it says that there is more, and stays at \(cursor)")
      }
      if page.position != nil {
        try page.check(since: since)
        try saving { try take(page, since: since, asking, question, into: $0) }
        tally.pulled += page.changes.count
        cursor = page.nextCursor
        knownCursor = cursor
        if !page.hasMore { return }
        limit = configuration.largePageSize
        pages += 1
        tidyUp(after: pages)
        continue
      }
      try saving { store in
        try store.takeWriteLock()
        // An answer counts only for the question it was given to: another process may have moved on meanwhile.
        try question.checkStands(in: store)
        guard try store.syncCursor() ?? 0 == since else { throw SyncFailure.elsewhere }
        var application = try PlainFeed(store: store)
        try application.apply(page.changes)
        try application.liftGuards(at: page.nextCursor, acknowledged: page.hasMore ? [] : acknowledged)
        try store.setSyncCursor(page.nextCursor)
      }
      tally.pulled += page.changes.count
      cursor = page.nextCursor
      knownCursor = cursor
      if !page.hasMore { return }
      limit = configuration.largePageSize
    }
  }

  /// Everything anew, part by part, each laid in a save of its own; a snapshot that is half laid goes on where it stopped.
  /// - Parameter isAnew: whether it begins with the first part in any case.
  func takeSnapshot(isAnew: Bool, _ tally: inout RoundTally) async throws(SyncFailure) {
    do throws(SnapshotObstacle) {
      tally.pulled += try await takeParts(isAnew: isAnew)
    } catch {
      switch error {
      case .client(let error): throw noted(SyncFailure(error))
      case .store(let error): throw error as? SyncFailure ?? .store("\(error)")
      }
    }
  }

  /// What stood in the way of a snapshot.
  enum SnapshotObstacle: Error {
    case client(any Error)
    case store(any Error)
  }

  /// - Returns: how many entities came.
  func takeParts(isAnew: Bool) async throws(SnapshotObstacle) -> Int {
    var known = try inSnapshotStore { try read { try $0.syncMemory()?.snapshot } }
    var progress = isAnew ? nil : known
    var (count, parts) = (0, 0)
    // Once: a hub that names parts which it then refuses has no end.
    var mayBeginAnew = true
    while true {
      let asking = Asking(clock)
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
        // A name of a part that the hub does not know, whoever gave it: the first is known everywhere.
        guard mayBeginAnew, progress != nil, case .client(let reason) = error,
          (reason as? APIError)?.statusCode == 400
        else {
          throw error
        }
        mayBeginAnew = false
        progress = nil
        continue
      }
      // Parts of two lives of a hub are none of one snapshot: in another life it gives the first. Who gives no parts gives
      // everything, whatever was asked for.
      if part.spans == nil || progress?.epochs != part.epochs { progress = nil }
      // What it lost shows against all that it has.
      if progress == nil, part.next != nil, try inSnapshotStore({ try read { try isLoss(part, $0) } }) {
        owesWhole = true
        continue
      }
      let (before, after) = (known, progress)
      count += try inSnapshotStore {
        try write { store in
          try store.takeWriteLock()
          // An answer counts only for the question it was given to: another process may have moved on meanwhile.
          try question.checkStands(in: store)
          guard try store.syncMemory()?.snapshot == before else { throw SyncFailure.elsewhere }
          return try lay(part, after: after, asking, into: store)
        }
      }
      known = try inSnapshotStore { try read { try $0.syncMemory()?.snapshot } }
      guard let laid = known else { break }
      if laid.next == progress?.next {
        throw .client(SyncFailure.feedStuck("after the part \(laid.next) of its snapshot it gives the same again"))
      }
      progress = laid
      parts += 1
      tidyUp(after: parts)
    }
    owesWhole = false
    knownCursor = try inSnapshotStore { try read { try $0.syncCursor() } } ?? 0
    return count
  }

  private func inSnapshotStore<Result>(_ body: () throws -> Result) throws(SnapshotObstacle) -> Result {
    do { return try body() } catch { throw .store(error) }
  }

  private func inClient<Answer>(_ body: () async throws -> Answer) async throws(SnapshotObstacle) -> Answer {
    if Task.isCancelled { throw .client(CancellationError()) }
    do { return try await body() } catch { throw .client(error) }
  }

  /// Whether the hub lost something that this store has seen.
  private func isLoss(_ part: SnapshotPart, _ store: any DataStoreProtocol) throws -> Bool {
    guard case .entries(let entries) = part.answer, let memory = try store.syncMemory() else { return false }
    return memory.commonVersion(with: entries.position) < memory.seen
  }

  /// - Parameter progress: that of the parts before; `nil` for a snapshot that begins.
  /// - Returns: how many entities it brought.
  private func lay(
    _ part: SnapshotPart, after progress: SyncMemory.SnapshotProgress?, _ asking: Asking,
    into store: any DataStoreProtocol
  ) throws -> Int {
    var memory = try store.syncMemory() ?? SyncMemory()
    memory.snapshot = progress
    switch part.answer {
    case .lists(let lists):
      let count = try PlainSnapshot(lists, store: store).apply()
      if try store.syncMemory()?.snapshot != nil { try store.setSyncMemory(memory) }
      return count
    case .entries(let entries):
      if try isLoss(part, store) { owesOffer = true }
      try learn(entries.position, asking, &memory, in: store)
      let now = clock.now
      let count = try VersionedSnapshot(
        snapshot: entries, spans: part.spans, next: part.next, store: store, now: now,
        makeIdentifier: { [chance] in chance.identifier(at: now) }
      ).apply(&memory)
      try store.setSyncMemory(memory)
      if try store.syncIdentity() == nil {
        try store.setSyncIdentity(SyncIdentity(device: chance.identifier(at: now)))
      }
      return count
    }
  }

  /// A page of a hub that says where it stands.
  private func take(
    _ page: ChangeFeedResponse, since: Int64, _ asking: Asking, _ question: Question,
    into store: any DataStoreProtocol
  ) throws {
    try store.takeWriteLock()
    try question.checkStands(in: store)
    guard try store.syncCursor() ?? 0 == since else { throw SyncFailure.elsewhere }
    let before = try store.syncMemory() ?? SyncMemory()
    // Held versions come with a snapshot: a store that has synced without them takes one.
    guard before.generation > 0 else { throw SyncFailure.expired("this device has to take a snapshot once") }
    var memory = before
    if let position = page.position {
      try learn(position, asking, &memory, in: store)
      memory.take(position)
    }
    // A hub that was set back below it is found out by what was seen.
    memory.seen = max(memory.seen, page.nextCursor)
    for entry in page.changes { memory.passStamps(of: entry) }
    if !page.hasMore { memory.complete = page.nextCursor }
    if page.nextCursor != since || !page.changes.isEmpty || !hasRetriedParked {
      var feed = try VersionedFeed(store: store)
      let isFirst = !hasRetriedParked
      if isFirst { try feed.retryAll() }
      hasRetriedParked = true
      try feed.apply(page.changes, cursor: page.nextCursor)
      if isFirst {
        let now = clock.now
        try Reoffer(store: store, now: now, makeIdentifier: { [chance] in chance.identifier(at: now) }).queueFound()
      }
      try store.setSyncCursor(page.nextCursor)
    }
    if memory.isWorthWriting(over: before) { try store.setSyncMemory(memory) }
  }

  /// What the next request rests on.
  func question() throws(SyncFailure) -> Question {
    let question = try inStore { try Question(of: $0) }
    lastQuestion = question
    return question
  }

  /// Takes in the hub's time. Stamps of what was never sent come down to it: a clock that was once ahead must not win for ever.
  func learn(
    _ position: HubPosition, _ asking: Asking, _ memory: inout SyncMemory, in store: any DataStoreProtocol
  ) throws {
    guard let hub = position.now, memory.learn(hub: hub, asking: asking, clock) else { return }
    for var mutation in try store.fetchPendingMutations() where mutation.wasNeverSent {
      if mutation.lowerStamps(to: memory.lastStamp) { try store.insertPendingMutation(mutation) }
    }
  }

  private static func acknowledgedDeletes(_ store: any DataStoreProtocol) throws -> Set<EntityKey> {
    let waiting = Set(try store.fetchPendingMutations().filter { $0.operation == .delete }.map(\.key))
    return Set(try store.fetchTombstones().filter { $0.version == nil }.map(\.key)).subtracting(waiting)
  }
}

extension SyncMemory {
  /// Whether it says more than that the clocks drift.
  func isWorthWriting(over other: SyncMemory) -> Bool {
    var same = self
    if abs(clockOffset - other.clockOffset) < Self.smallDrift, clockAnchor?.boot == other.clockAnchor?.boot {
      same.clockOffset = other.clockOffset
      same.clockAnchor = other.clockAnchor
    }
    return same != other
  }
}

extension ChangeFeedResponse {
  /// Refuses a page with an entry that does not lie in it: held at a version that the hub never gave, it would keep out what comes.
  /// - Throws: `SyncFailure.unusable`.
  fileprivate func check(since cursor: Int64) throws(SyncFailure) {
    guard let stray = changes.first(where: { $0.id <= cursor || $0.id > nextCursor }) else { return }
    throw .unusable(
      "a page of changes from \(cursor) to \(nextCursor) has one of version \(stray.id), "
        + "the \(stray.entityType.prefix(40)) \(stray.entityId.prefix(60))")
  }
}

extension SnapshotPart {
  /// The lives of the hub that gave it.
  fileprivate var epochs: [HubEpoch]? {
    if case .entries(let entries) = answer { entries.position.epochs } else { nil }
  }
}
