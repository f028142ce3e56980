import TrendyModels
public import TrendyProtocols

extension SyncEngine {
  /// Queues again what this store holds and the hub lacks, though neither was deleted: for a hub that lost something without
  /// having been restored. The next round sends it. What the hub has is not offered, so that asking twice doubles nothing.
  ///
  /// It queues, as an edit does, and needs no right to sync: a round that another program makes meanwhile finds another identity,
  /// lets its answer go and begins anew.
  /// - Returns: how many changes were queued.
  /// - Throws: what the client or the store throws; then nothing has changed.
  public func offerMissing() async throws -> Int {
    await takeTurn()
    defer { leave() }
    let listing = try await listHub()
    return try write { store in
      try store.takeWriteLock()
      let memory = try store.syncMemory() ?? SyncMemory()
      return try replications(in: store).forAnswer(at: listing.position, memory).offerMissing(from: listing, memory)
    }
  }

  /// Every entry of the hub, without its data: the feed from its beginning, as one asks who holds nothing. What is written
  /// meanwhile comes again on a later page.
  private func listHub() async throws -> HubListing {
    var listing = HubListing()
    var cursor: Int64 = 0
    while true {
      let page = try await networkClient.changes(FeedRequest(cursor: cursor, limit: configuration.largePageSize))
      for var entry in page.changes {
        entry.data = nil
        if let key = entry.key { listing.entries[key] = entry }
      }
      listing.position = page.position
      guard page.hasMore else { return listing }
      guard page.nextCursor > cursor else {
        throw SyncFailure.feedStuck("it says that there is more, and stays at \(cursor)")
      }
      cursor = page.nextCursor
    }
  }
}

extension DataStoreProtocol {
  /// Has the next round take everything anew from the hub, whoever makes it and in whatever process. The queue is laid over
  /// that unchanged; nothing is removed before everything is here. It does not save.
  public func requestResync() throws {
    try takeWriteLock()
    // Before a first sync there is nothing to take anew.
    if try syncCursor() != nil { try setSyncCursor(nil) }
    if var memory = try syncMemory(), memory.snapshot != nil {
      memory.snapshot = nil
      try setSyncMemory(memory)
    }
  }
}
