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
    let (entries, position) = try await listHub()
    guard let position else { return 0 }
    return try write { store in
      try store.takeWriteLock()
      // A hub that knows another history is found out by the next round, which offers everything that it needs.
      guard var memory = try store.syncMemory(), memory.generation > 0,
        memory.epochs.lastCommonVersion(endingAt: memory.seen, with: position.epochs, endingAt: position.head)
          >= memory.seen
      else { return 0 }
      let replica = Replica(store: store)
      var losses: [Reoffer.Loss] = []
      for kind in MutationEntityType.parentsFirst {
        for held in try store.fetchHeldEntries(kind: kind) where held.id <= position.head {
          let atHub = entries[EntityKey(kind, held.entityId)]
          // Of a deletion that the hub no longer tells of, the id is kept there.
          guard (atHub?.id ?? 0) < held.id, !held.isDelete || atHub?.isDelete == false else { continue }
          losses.append(Reoffer.Loss(entry: try replica.complete(held), atHub: atHub, common: atHub?.id ?? 0))
        }
        func addStrays<Entity: StoredEntity>(_ type: Entity.Type) throws {
          for row in try store.strays(of: type) where entries[EntityKey(kind, row.id)] == nil {
            let stamp = memory.nextStamp(clock)
            let entry = ChangeEntry(
              id: position.head, entityType: kind.rawValue, operation: MutationOperation.create.rawValue,
              entityId: row.id, data: try ChangeEntryData(row.createRequest),
              marks: [FieldMark.others: FieldMark(version: position.head, stamp: stamp)])
            losses.append(Reoffer.Loss(entry: entry, atHub: nil, common: 0))
          }
        }
        try addStrays(kind.stored)
      }
      let accepted = try store.fetchAcceptedMutations().filter {
        ($0.acceptedVersion ?? 0) <= position.head && $0.operation != .delete && entries[$0.key] == nil
      }
      if losses.isEmpty, accepted.isEmpty { return 0 }
      try store.setSyncMemory(memory)
      for mutation in accepted { try store.deleteAcceptedMutation(mutation) }
      let now = clock.now
      return try Reoffer(store: store, now: now, makeIdentifier: { [chance] in chance.identifier(at: now) })
        .queue(losses, accepted, above: position.head)
    }
  }

  /// Every entry of the hub, without its data: the feed from its beginning, as one asks who holds nothing. What is written
  /// meanwhile comes again on a later page.
  private func listHub() async throws -> ([EntityKey: ChangeEntry], HubPosition?) {
    var entries: [EntityKey: ChangeEntry] = [:]
    var cursor: Int64 = 0
    while true {
      let page = try await networkClient.changes(FeedRequest(cursor: cursor, limit: configuration.largePageSize))
      for var entry in page.changes {
        entry.data = nil
        if let key = entry.key { entries[key] = entry }
      }
      guard page.hasMore else { return (entries, page.position) }
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
