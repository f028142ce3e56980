import TrendyFoundation
import TrendyModels
public import TrendyProtocols

extension SyncEngine {
  /// Queues the entities that this store has and the hub lacks, although neither side has deleted them.
  ///
  /// Intended for a hub that has lost data without having been restored from a backup. The next round sends the
  /// mutations. A repeated call queues no further mutations. The sync lock is not needed: a concurrent round in another
  /// process notices the new identity, discards its response and starts over.
  /// - Returns: Number of queued mutations.
  /// - Throws: Errors from the client and the store. The store is then unchanged.
  public func requeueMissing() async throws -> Int {
    await takeTurn()
    defer { leave() }
    let listing = try await listHub()
    return try write { store in
      try store.beginWriting()
      let memory = try store.syncMemory() ?? SyncMetadata()
      return try replications(in: store).forAnswer(at: listing.position, memory).requeueMissing(from: listing, memory)
    }
  }

  /// Reads the whole feed and returns all of the hub's entries, without their data.
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
        throw SyncFailure.feedStuck("a page announces more entries but stays at cursor \(cursor)")
      }
      cursor = page.nextCursor
    }
  }
}

extension DataStoreProtocol {
  /// Makes the next round, in any process, load a snapshot. Does not save and leaves the queue unchanged.
  public func requestResync() throws {
    try beginWriting()
    // Before the first sync, a snapshot is needed anyway.
    if try syncCursor() != nil { try setSyncCursor(nil) }
    if var memory = try syncMemory(), memory.snapshot != nil {
      memory.snapshot = nil
      try setSyncMemory(memory)
    }
  }
}

extension Recorder {
  /// Queues the whole record of a store without versions, including deletions, for a hub that has none of it.
  ///
  /// A store with versions does not need this: its next round detects the loss and queues all re-offers.
  public func offerWithoutVersions() throws { try write { try $0.offerWithoutVersions() } }
}

extension EditWriter {
  fileprivate func offerWithoutVersions() throws {
    try beginWriting()
    guard try !(store.syncMemory() ?? SyncMetadata()).holdsVersions, try store.syncCursor() != nil else { return }
    let waiting = try store.fetchPendingMutations()
    let made = Set(waiting.filter { $0.operation == .create }.map(\.key))
    let dying = Set(waiting.filter { $0.operation == .delete }.map(\.key))
    // The hub does not know the sequence numbers of the sent mutations, so the store needs a new identity. The record
    // must precede the other mutations in the queue, which is ordered by time.
    try NewIdentity(store: store, random: random, now: clock.now).take()
    let first = (waiting.map(\.createdAt).min() ?? clock.now).addingTimeInterval(-0.001)
    func offer(_ key: EntityKey, _ operation: MutationOperation, _ payload: Data) throws {
      var mutation = PendingMutation(
        id: random.identifier(at: clock.now), entityType: key.entityType, entityId: key.entityId, operation: operation,
        payload: payload, createdAt: first)
      mutation.marks = [FieldVersion.others: FieldVersion(version: 0, stamp: 0)]
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
    // Types come last, so that the hub does not attribute the deletion of a child to the deletion of its type.
    let tombstones = try store.fetchTombstones().filter { !dying.contains($0.key) }
    for tombstone in tombstones.sorted(by: { ($1.entityType.rank, $0.entityId) < ($0.entityType.rank, $1.entityId) }) {
      try offer(tombstone.key, .delete, Data())
    }
    try store.setSyncCursor(nil)
  }
}
