import TrendyFoundation
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
      try store.beginWriting()
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
    try beginWriting()
    // Before a first sync there is nothing to take anew.
    if try syncCursor() != nil { try setSyncCursor(nil) }
    if var memory = try syncMemory(), memory.snapshot != nil {
      memory.snapshot = nil
      try setSyncMemory(memory)
    }
  }
}

extension Recorder {
  /// Queues the whole record of a store that holds no versions, deletions included, for a hub that has nothing of it.
  ///
  /// A store that holds versions needs none of this: its next round finds that the hub does not have them, and offers all.
  public func offerWithoutVersions() throws { try write { try $0.offerWithoutVersions() } }
}

extension EditWriter {
  fileprivate func offerWithoutVersions() throws {
    try beginWriting()
    guard try !(store.syncMemory() ?? SyncMemory()).holdsVersions, try store.syncCursor() != nil else { return }
    let waiting = try store.fetchPendingMutations()
    let made = Set(waiting.filter { $0.operation == .create }.map(\.key))
    let dying = Set(waiting.filter { $0.operation == .delete }.map(\.key))
    // Under a new identity: the sequences that were sent are unknown to the hub, and the record comes before them. The queue is
    // ordered by time.
    try NewIdentity(store: store, chance: chance, now: clock.now).take()
    let first = (waiting.map(\.createdAt).min() ?? clock.now).addingTimeInterval(-0.001)
    func offer(_ key: EntityKey, _ operation: MutationOperation, _ payload: Data) throws {
      var mutation = PendingMutation(
        id: chance.identifier(at: clock.now), entityType: key.entityType, entityId: key.entityId, operation: operation,
        payload: payload, createdAt: first)
      mutation.marks = [FieldMark.others: FieldMark(version: 0, stamp: 0)]
      if operation == .delete { mutation.base = 0 }
      try store.insertPendingMutation(mutation)
    }
    for kind in MutationEntityType.parentsFirst {
      func offerAll<Entity: StoredEntity>(_ type: Entity.Type) throws {
        try Entity.forEach(in: store) { row in
          let key = EntityKey(kind, row.id)
          guard !made.contains(key) else { return }
          try offer(key, .create, try WireJSON.encode(row.createRequest))
        }
      }
      try offerAll(kind.stored)
    }
    // Types last, so that a child's own deletion is not taken for one by its type.
    let tombstones = try store.fetchTombstones().filter { !dying.contains($0.key) }
    for tombstone in tombstones.sorted(by: { ($1.entityType.rank, $0.entityId) < ($0.entityType.rank, $1.entityId) }) {
      try offer(tombstone.key, .delete, Data())
    }
    try store.setSyncCursor(nil)
  }
}
