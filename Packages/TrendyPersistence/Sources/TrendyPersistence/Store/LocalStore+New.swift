public import TrendyModels
import TrendyProtocols

/// What comes in great numbers and is mostly new: what is there already is looked for once for all.
extension LocalStore {
  public func areNew(events identifiers: [CompactIdentifier]) throws -> [Bool] {
    let transaction = try writing()
    var areNew = [Bool](repeating: false, count: identifiers.count)
    var indices: [Int] = []
    var keys: [RecordKey] = []
    var known: Set<RecordKey> = []
    known.reserveCapacity(identifiers.count)
    for (index, identifier) in identifiers.enumerated() {
      // One of another form is kept under a hash that it may share.
      guard let key = RecordKey(identifier), known.insert(key).inserted else { continue }
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
      keep(try keys.map { try findTombstone(entityType: .event, entityId: $0.uuidText) == nil })
    }
    for index in indices { areNew[index] = true }
    return areNew
  }

  public func insertNew(_ event: Event, with mutation: PendingMutation) throws {
    let transaction = try writing()
    guard let eventKey = RecordKey(event.identifier), let mutationKey = RecordKey(canonicalUUID: mutation.id) else {
      try put(event)
      return try insertPendingMutation(mutation)
    }
    try put(event, at: Place(key: eventKey, isNew: true), in: transaction)
    try put(QueuedMutation(mutation: mutation, place: nextPlace()), at: Place(key: mutationKey), in: transaction)
  }
}

extension RecordKey {
  /// `nil` for one that is not a canonical UUID.
  fileprivate init?(_ identifier: CompactIdentifier) {
    guard let bits = identifier.bits else { return nil }
    self.init(high: bits.high, low: bits.low)
  }
}
