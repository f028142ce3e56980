public import TrendyModels
import TrendyProtocols

/// Operations on many events, which look up all of them at once.
extension LocalStore {
  public func areNew(events identifiers: [CompactIdentifier]) throws -> [Bool] {
    let transaction = try writing()
    var areNew = [Bool](repeating: false, count: identifiers.count)
    var indices: [Int] = []
    var keys: [RowKey] = []
    var known: Set<RowKey> = []
    known.reserveCapacity(identifiers.count)
    for (index, identifier) in identifiers.enumerated() {
      // Report ids other than UUIDs as not new, because they are stored under hashes, which can be shared.
      guard let key = RowKey(identifier), known.insert(key).inserted else { continue }
      indices.append(index)
      keys.append(key)
    }
    func keep(_ isNew: [Bool]) {
      indices = zip(indices, isNew).compactMap { $1 ? $0 : nil }
      keys = zip(keys, isNew).compactMap { $1 ? $0 : nil }
    }
    for kind in [RowKind.event, RowKind.heldEntry(.event)] where try transaction.mayHold(kind: kind) {
      keep(try transaction.areNew(kind: kind, keys: keys))
    }
    for kind in [RowKind.mutation, RowKind.acceptedMutation] where try transaction.mayHold(kind: kind) {
      keep(try transaction.areNew(kind: kind, groups: keys.map { RowOrder.group($0.uuidText) }))
    }
    if try mayHold(RowKind.tombstone) {
      try lookAhead(tombstonesOf: keys.map(\.uuidText), in: transaction)
      keep(try keys.map { try findTombstone(entityType: .event, entityId: $0.uuidText) == nil })
    }
    for index in indices { areNew[index] = true }
    return areNew
  }

  public func insertNew(_ event: Event, with mutation: PendingMutation) throws {
    let transaction = try writing()
    if let key = RowKey(event.identifier) {
      try put(event, at: Place(key: key, isNew: true), in: transaction)
    } else {
      try put(event)
    }
    try appendPendingMutation(mutation)
  }
}

extension LocalStore {
  public func holdsEvent(id: String) throws -> Bool { try holds(RowKind.event, id) }

  public func lookAhead(events identifiers: [CompactIdentifier]) throws {
    let transaction = try writing()
    let keys = identifiers.compactMap { RowKey($0) }
    for kind in [RowKind.event, RowKind.heldEntry(.event)] where try transaction.mayHold(kind: kind) {
      try transaction.lookAhead(kind: kind, keys: keys)
    }
    let names = identifiers.map(\.text)
    for kind in [RowKind.mutation, RowKind.acceptedMutation] where try transaction.mayHold(kind: kind) {
      try transaction.lookAhead(kind: kind, groups: names.map { RowOrder.group($0) })
    }
    // The cursor is written together with deletions from the feed, so prefetch it too.
    try transaction.lookAhead(kind: RowKind.setting, hashes: [RowKey(hashing: StoredSetting.cursor).firstPlace])
    try lookAhead(tombstonesOf: names, in: transaction)
  }

  private func lookAhead(tombstonesOf events: [String], in transaction: WriteTransaction) throws(StorageError) {
    try transaction.lookAhead(
      kind: RowKind.tombstone,
      hashes: events.map {
        RowKey(hashing: Tombstone(entityType: .event, entityId: $0).rowIdentifier).firstPlace
      })
  }

  public func appendPendingMutation(_ mutation: PendingMutation) throws {
    guard let key = RowKey(canonicalUUID: mutation.id) else { return try insertPendingMutation(mutation) }
    try put(QueuedMutation(mutation: mutation, place: nextPlace()), at: Place(key: key, isNew: true), in: writing())
  }
}

extension RowKey {
  fileprivate init?(_ identifier: CompactIdentifier) {
    guard let bits = identifier.bits else { return nil }
    self.init(high: bits.high, low: bits.low)
  }
}
