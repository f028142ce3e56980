/// Unit of work on a ``StorageEngine`` that holds the store's write lock.
///
/// Reads through the transaction include its own changes. Other readers see these changes after ``commit()``. Use a
/// transaction from one isolation domain at a time. Deallocating an open transaction rolls it back and releases the
/// lock.
public final class WriteTransaction {
  private let engine: StorageEngine
  private var overlay = Memtable()
  private var memories: [RowMemory]
  /// Address of the next row, followed by ``left`` free bytes.
  private var next: UnsafeMutableRawPointer
  private var left: Int
  private(set) var changes = 0
  /// Deletions of keys that may have no saved row. The commit omits deletions of absent rows.
  private var unsure: Set<UnsafeRawPointer> = []
  /// Result of the last lookup, kept because most writes follow a read of the same key.
  private var looked: (kind: UInt8, key: RowKey, isSaved: Bool)?
  /// Result of the lookup before ``looked``, kept because a new entity is often written together with a second row.
  private var lookedBefore: (kind: UInt8, key: RowKey, isSaved: Bool)?
  /// Row numbers in ``overlay`` whose keys are known to have no saved row.
  private var newRows = RowSet()
  private let ahead = PrefetchCache()
  /// All rows written so far in order, for restoring savepoints, or `nil` before the first savepoint.
  private var history: [UnsafeRawPointer]?
  /// Whether the transaction can still be committed or rolled back. A commit whose sync failed counts as committed.
  private(set) var isOpen = true
  private var pin: RowPin?

  init(engine: StorageEngine) {
    self.engine = engine
    let memory = RowMemory(4096)
    memories = [memory]
    next = memory.base
    left = memory.count
  }

  deinit { rollback() }

  /// Whether nothing has been put or deleted so far.
  public var isEmpty: Bool { changes == 0 }

  /// Returns a lower bound for the sequence number of this save, higher than the number of any earlier save.
  public func sequence() throws(StorageError) -> UInt64 { try engine.nextSequence() }

  // MARK: Reads

  /// Returns the row with this kind and key as changed by this unit, or `nil` if there is none.
  public func get(kind: UInt8, key: RowKey) throws(StorageError) -> Row? {
    guard let pointer = overlay.find(kind: kind, key: key) else {
      // No other handle can save in the meantime, so an absent row stays absent.
      if let looked, looked.kind == kind, looked.key == key, !looked.isSaved { return nil }
      if let lookedBefore, lookedBefore.kind == kind, lookedBefore.key == key, !lookedBefore.isSaved { return nil }
      let saved = try savedRecord(kind: kind, key: key)
      lookedBefore = looked
      looked = (kind, key, saved != nil)
      return saved
    }
    return RowLayout.isDeletion(pointer) ? nil : Row(pointer: pointer, pin: ownPin())
  }

  private func savedRecord(kind: UInt8, key: RowKey) throws(StorageError) -> Row? {
    if !ahead.isEmpty, let pin = ahead.pin {
      switch ahead.record(kind: kind, key: key) {
      case .absent: return nil
      case .found(let record): return Row(pointer: record, pin: pin)
      case .unknown: break
      }
    }
    return try engine.get(kind: kind, key: key)
  }

  /// Prefetches saved rows in one pass, which is faster than looking them up one by one.
  func lookAhead(kind: UInt8, keys: [RowKey]) throws(StorageError) {
    try engine.lookAhead(kind: kind, keys: keys, ahead)
  }

  /// Prefetches the rows of all strings with these hashes. `hashes` contains the first key of each hash.
  func lookAhead(kind: UInt8, hashes: [RowKey]) throws(StorageError) {
    try engine.lookAhead(kind: kind, hashes: hashes, ahead)
  }

  /// Whether the hash was prefetched and none of its keys has a row. `hash` is the first key of the hash.
  func isFree(kind: UInt8, hash: RowKey) -> Bool {
    guard ahead.isAbsent(kind: kind, hash: hash) else { return false }
    return !overlay.mayHold(kind: kind) || hash.places.allSatisfy { overlay.find(kind: kind, key: $0) == nil }
  }

  func lookAhead(kind: UInt8, groups: [UInt64]) throws(StorageError) {
    try engine.lookAhead(kind: kind, groups: groups, ahead)
  }

  /// Returns for each key whether neither saved rows nor this unit's changes use it. May be `false` for an unused key.
  public func areNew(kind: UInt8, keys: [RowKey]) throws(StorageError) -> [Bool] {
    var areNew = try engine.holds(kind: kind, keys: keys).map { !$0 }
    if overlay.mayHold(kind: kind) {
      for (index, key) in keys.enumerated() where overlay.find(kind: kind, key: key) != nil { areNew[index] = false }
    }
    return areNew
  }

  /// Returns for each group whether it has no row of the kind. May be `false` for an empty group.
  func areNew(kind: UInt8, groups: [UInt64]) throws(StorageError) -> [Bool] {
    var areNew = try engine.mayHold(kind: kind, groups: groups).map { !$0 }
    if overlay.mayHold(kind: kind) {
      for (index, group) in groups.enumerated() where overlay.mayHold(kind: kind, group: group) {
        areNew[index] = false
      }
    }
    return areNew
  }

  /// Performs ``StorageEngine/scan(kind:group:from:to:descending:limit:)`` as if this unit's changes were saved.
  public func scan(
    kind: UInt8, group: UInt64? = nil, from lower: Int64 = .min, to upper: Int64 = .max, descending: Bool = false,
    limit: Int = .max
  ) throws(StorageError) -> RowList {
    if lower == .min, upper == .max, !descending, limit == .max, let group, let pin = ahead.pin,
      let saved = ahead.records(kind: kind, group: group)
    {
      return merged(saved, pin, kind: kind, group: group)
    }
    guard overlay.mayHold(kind: kind) else {
      return try engine.scan(
        kind: kind, group: group, from: lower, to: upper, descending: descending, limit: limit)
    }
    let own = overlay.scan(
      kind: kind, group: group, from: lower, to: upper, descending: descending, limit: limit)
    let saved = try engine.scan(
      kind: kind, group: group, from: lower, to: upper, descending: descending, limit: limit,
      hiddenBy: overlay)
    let merged = ScanOrder.merge(saved.pointers, own, descending: descending, limit: limit)
    return RowList(pointers: merged, pin: RowPin(memories: memories, others: [saved.pin]))
  }

  private func merged(_ saved: [UnsafeRawPointer], _ pin: RowPin, kind: UInt8, group: UInt64) -> RowList {
    guard overlay.mayHold(kind: kind) else { return RowList(pointers: saved, pin: pin) }
    let own = overlay.scan(kind: kind, group: group, from: .min, to: .max, descending: false, limit: .max)
    let others = saved.filter { overlay.find(kind: kind, key: RowLayout.key($0)) == nil }
    if own.isEmpty, others.count == saved.count { return RowList(pointers: saved, pin: pin) }
    return RowList(
      pointers: ScanOrder.merge(others, own, descending: false, limit: .max),
      pin: RowPin(memories: memories, others: [pin]))
  }

  /// Performs ``StorageEngine/counts(kind:group:boundaries:)`` as if this unit's changes were saved.
  public func counts(
    kind: UInt8, group: UInt64? = nil, boundaries: [Int64]
  ) throws(StorageError) -> [Int] {
    try counts(kind: kind, group: group, boundaries: SortBoundaries(boundaries))
  }

  func counts(kind: UInt8, group: UInt64?, boundaries: SortBoundaries) throws(StorageError) -> [Int] {
    var counts = try engine.counts(kind: kind, group: group, boundaries: boundaries)
    let boundaries = boundaries.sorts
    guard overlay.count > 0, !counts.isEmpty else { return counts }
    overlay.addCounts(kind: kind, group: group, boundaries: boundaries, to: &counts)
    for sort in try hiddenSorts(kind: kind, group: group) {
      guard let after = boundaries.firstIndex(where: { $0 > sort }), after > 0 else { continue }
      counts[after - 1] -= 1
    }
    return counts
  }

  /// Whether there may be rows of the kind. `false` means that there are certainly none. Takes constant time.
  func mayHold(kind: UInt8) throws(StorageError) -> Bool {
    if overlay.mayHold(kind: kind) { return true }
    return try engine.mayHold(kind: kind)
  }

  /// Returns the number of rows of a kind, or of one of its groups, including this unit's changes.
  public func count(kind: UInt8, group: UInt64? = nil) throws(StorageError) -> Int {
    let saved = try engine.count(kind: kind, group: group)
    return try saved + overlay.count(kind: kind, group: group) - hiddenSorts(kind: kind, group: group).count
  }

  // MARK: Writes

  /// Stores a row, replacing any row with the same kind and key.
  ///
  /// `sort` must be below `Int64.max`. `group` is 0 for a row without a group. If `isNew` is set, the commit does not
  /// search for a row to replace, so the key must be known to have no saved row (see ``areNew(kind:keys:)``).
  /// - Throws: ``StorageError/tooLarge(bytes:limit:)`` for a payload over 1 GiB.
  public func put(
    kind: UInt8, key: RowKey, sort: Int64, group: UInt64 = 0, payload: UnsafeRawBufferPointer, isNew: Bool = false
  ) throws(StorageError) {
    guard payload.count <= RowLayout.largestPayload else {
      throw .tooLarge(bytes: payload.count, limit: RowLayout.largestPayload)
    }
    precondition(sort < .max, "the sort value must be less than Int64.max")
    let row = add(kind: kind, key: key, sort: sort, group: group, isDeletion: false, payload: payload).row
    if isNew { newRows.insert(row) }
  }

  /// Stores a row with an array as its payload.
  public func put(
    kind: UInt8, key: RowKey, sort: Int64, group: UInt64 = 0, payload: [UInt8], isNew: Bool = false
  ) throws(StorageError) {
    try payload.withUnsafeBufferPointer { bytes throws(StorageError) in
      try put(
        kind: kind, key: key, sort: sort, group: group, payload: UnsafeRawBufferPointer(bytes), isNew: isNew)
    }
  }

  /// Deletes a row. Deleting an absent row is not an error.
  public func delete(kind: UInt8, key: RowKey) {
    let isSaved = looked.map { $0.kind == kind && $0.key == key && $0.isSaved } ?? false
    let record = add(
      kind: kind, key: key, sort: 0, group: 0, isDeletion: true,
      payload: UnsafeRawBufferPointer(start: nil, count: 0)
    ).record
    if !isSaved { unsure.insert(record) }
  }

  // MARK: Commit

  /// Saves all changes or none. When this returns, the changes are durable and the write lock has been released.
  ///
  /// If this throws, the transaction is unchanged and can be committed again or rolled back. The exception is
  /// ``StorageError/syncFailed(path:code:)``: the changes may or may not have been saved, and the store must be
  /// reopened.
  public func commit() throws(StorageError) {
    try engine.check()
    precondition(isOpen, "commit of a finished transaction")
    var bytes = GroupHeader.bytes
    try forEachChange { bytes += RowLayout.size($0) }
    var sequence: UInt64?
    do {
      let isTooLong = bytes >= GroupHeader.largest
      let isSegment =
        engine.isLarge(bytes) ? try engine.saveAsSegment(overlay, newRows: newRows, mustWait: isTooLong) : false
      if !isSegment {
        var records: [UnsafeRawPointer] = []
        records.reserveCapacity(overlay.count)
        try forEachChange { records.append($0) }
        sequence = try engine.append(records, bytes: bytes)
      }
    } catch {
      // An unusable handle must not block other writers.
      if !engine.isUsable { rollback() }
      throw error
    }
    isOpen = false
    engine.releaseWriteLock()
    if let sequence { try engine.waitUntilDurable(sequence) }
    // The save is complete, so a maintenance failure is not reported here. Explicit maintenance calls report it, and
    // a failed sync makes the handle unusable.
    try? engine.maintainIfOverdue()
  }

  /// Saves all changes or none, and makes them visible only once they are durable.
  ///
  /// Until then, reads on this handle return the previous state without waiting for the disk. The write lock is held
  /// throughout.
  /// - Parameter publish: calls its argument exactly once to make the save visible in memory. The caller can exclude
  ///   its own readers during that call.
  /// - Throws: the same errors as ``commit()``.
  public func commit(
    publishing publish: (_ show: () throws(StorageError) -> Void) throws(StorageError) -> Void
  ) throws(StorageError) {
    try engine.check()
    precondition(isOpen, "commit of a finished transaction")
    var bytes = GroupHeader.bytes
    try forEachChange { bytes += RowLayout.size($0) }
    do {
      let isTooLong = bytes >= GroupHeader.largest
      let isSegment =
        engine.isLarge(bytes)
        ? try engine.saveAsSegment(overlay, newRows: newRows, mustWait: isTooLong, publishing: publish) : false
      if !isSegment {
        var records: [UnsafeRawPointer] = []
        records.reserveCapacity(overlay.count)
        try forEachChange { records.append($0) }
        try engine.appendDurably(records, bytes: bytes, publishing: publish)
      }
    } catch {
      if !engine.isUsable { rollback() }
      throw error
    }
    isOpen = false
    engine.releaseWriteLock()
    // As in commit(), a failure of maintenance is not reported here.
    try? engine.maintainIfOverdue()
  }

  // MARK: Savepoints

  /// Earlier state of a unit of work that ``rollback(to:)`` can restore.
  public struct Savepoint: Hashable, Sendable {
    fileprivate let count: Int
  }

  /// Returns a savepoint of the current state. Take the first savepoint before any change.
  public func savepoint() -> Savepoint {
    if history == nil {
      precondition(isEmpty, "the first savepoint must precede all changes; there are \(changes)")
      history = []
    }
    return Savepoint(count: changes)
  }

  /// Discards all changes since the savepoint. The transaction stays open.
  public func rollback(to savepoint: Savepoint) {
    guard let history, savepoint.count < changes else { return }
    let kept = history.prefix(savepoint.count)
    overlay = Memtable()
    newRows = RowSet()
    for record in kept { overlay.apply(record) }
    unsure.formIntersection(kept)
    looked = nil
    lookedBefore = nil
    changes = kept.count
    self.history = Array(kept)
  }

  /// Calls `body` for each change to save. Omits deletions of absent rows.
  private func forEachChange(_ body: (UnsafeRawPointer) -> Void) throws(StorageError) {
    let nobody = Memtable.nobody
    for record in overlay.records where record != nobody {
      if !unsure.isEmpty, unsure.contains(record) {
        let (kind, key) = (RowLayout.kind(record), RowLayout.key(record))
        if try engine.get(kind: kind, key: key) == nil { continue }
      }
      body(record)
    }
  }

  /// Returns the saved and the new row for each key of these kinds that this unit put or deleted, in no particular
  /// order. Either row is `nil` if it does not exist.
  func changes(ofKinds isMeant: (UInt8) -> Bool) throws(StorageError) -> [(before: Row?, after: Row?)] {
    var changes: [(before: Row?, after: Row?)] = []
    for record in overlay.records where record != Memtable.nobody && isMeant(RowLayout.kind(record)) {
      let before = try engine.get(kind: RowLayout.kind(record), key: RowLayout.key(record))
      let after = RowLayout.isDeletion(record) ? nil : Row(pointer: record, pin: ownPin())
      if before != nil || after != nil { changes.append((before, after)) }
    }
    return changes
  }

  /// Discards all changes and releases the write lock. Has no effect on a closed transaction.
  public func rollback() {
    guard isOpen else { return }
    isOpen = false
    engine.releaseWriteLock()
  }
}

@available(*, unavailable)
extension WriteTransaction: Sendable {}

extension WriteTransaction {
  @discardableResult
  private func add(
    kind: UInt8, key: RowKey, sort: Int64, group: UInt64, isDeletion: Bool, payload: UnsafeRawBufferPointer
  ) -> (record: UnsafeRawPointer, row: Int) {
    precondition(isOpen, "write to a finished transaction")
    let size = RowLayout.size(payloadCount: payload.count)
    if size > left { makeRoom(size) }
    let record = next
    next += size
    left -= size
    RowLayout.write(
      to: record, kind: kind, key: key, sort: sort, group: group, isDeletion: isDeletion, payload: payload)
    changes += 1
    history?.append(UnsafeRawPointer(record))
    return (UnsafeRawPointer(record), overlay.apply(UnsafeRawPointer(record)))
  }

  private func makeRoom(_ size: Int) {
    let memory = RowMemory(max(size, min(4096 << min(memories.count, 8), 1 << 20)))
    memories.append(memory)
    next = memory.base
    left = memory.count
    pin = nil
  }

  private func ownPin() -> RowPin {
    if let pin { return pin }
    let made = RowPin(memories: memories)
    pin = made
    return made
  }

  /// Returns the sort values of saved rows that this unit replaces or deletes.
  private func hiddenSorts(kind: UInt8, group: UInt64?) throws(StorageError) -> [Int64] {
    var names: [RowKey] = []
    for record in overlay.records where record != Memtable.nobody && RowLayout.kind(record) == kind {
      names.append(RowLayout.key(record))
    }
    var sorts: [Int64] = []
    for name in names {
      if let saved = try engine.get(kind: kind, key: name), group == nil || saved.group == group {
        sorts.append(saved.sort)
      }
    }
    return sorts
  }
}
