import TrendyModels
import TrendyProtocols

extension SyncEngine {
  /// Takes in the feed from the cursor on, page by page until there is no more.
  func pull(_ tally: inout RoundTally) async throws(SyncFailure) {
    var cursor = try inStore { try $0.syncCursor() } ?? 0
    // Deletes that the hub had acknowledged, without a version, before this pull began: once it is complete they have passed.
    let acknowledged = try inStore { try Self.acknowledgedDeletes($0) }
    var limit = configuration.pageSize
    while true {
      if Task.isCancelled { throw .cancelled }
      let since = cursor
      let page = try await ask { try await networkClient.getChanges(since: since, limit: limit) }
      guard page.nextCursor >= cursor else {
        throw .feedStuck("it went back from \(cursor) to \(page.nextCursor)")
      }
      guard page.nextCursor > cursor || !page.hasMore else {
        throw .feedStuck("it says that there is more, and stays at \(cursor)")
      }
      try saving { store in
        try store.takeWriteLock()
        // An answer counts only for the question it was given to: another process may have moved on meanwhile.
        guard try store.syncCursor() ?? 0 == since else {
          throw SyncFailure.busy("another process syncs this store", retryAfter: nil)
        }
        var application = try FeedApplication(store: store)
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

  /// Everything anew: fetched whole before anything is touched, then laid into the store in one save.
  func takeSnapshot(_ tally: inout RoundTally) async throws(SyncFailure) {
    let snapshot = try await ask { try await networkClient.snapshot() }
    tally.pulled += try saving { try Self.lay(snapshot, into: $0) }
    knownCursor = snapshot.cursor
  }

  /// - Returns: how many entities it brought.
  static func lay(_ snapshot: Snapshot, into store: any DataStoreProtocol) throws -> Int {
    try store.takeWriteLock()
    return try SnapshotApplication(snapshot, store: store).apply()
  }

  private static func acknowledgedDeletes(_ store: any DataStoreProtocol) throws -> Set<EntityKey> {
    let waiting = Set(try store.fetchPendingMutations().filter { $0.operation == .delete }.map(\.key))
    return Set(try store.fetchTombstones().filter { $0.version == nil }.map(\.key)).subtracting(waiting)
  }
}
