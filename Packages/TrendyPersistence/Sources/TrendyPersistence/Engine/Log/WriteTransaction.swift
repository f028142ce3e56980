/// A unit of work on a ``StorageEngine`` that holds the store's write lock: it sees its own changes, others see them after
/// ``commit()``. Used by one isolation at a time; it lets go of the lock when it is forgotten.
public final class WriteTransaction {
  private let engine: StorageEngine
  private var overlay = Memtable()
  private var memories: [RecordMemory]
  /// Where the next record goes, and how much room there is.
  private var next: UnsafeMutableRawPointer
  private var left: Int
  /// How often something was put or deleted so far.
  private(set) var changes = 0
  /// Deletions of records that may not be saved at all.
  private var unsure: Set<UnsafeRawPointer> = []
  /// What the last look beneath this unit found, as who changes something has mostly just read it.
  private var looked: (kind: UInt8, key: RecordKey, isSaved: Bool)?
  /// The one before, as what is made mostly brings a second record along.
  private var lookedBefore: (kind: UInt8, key: RecordKey, isSaved: Bool)?
  /// The rows of ``overlay`` whose names are known to be those of no saved record.
  private var newRows = RowSet()
  /// What it looked for in advance.
  private let ahead = LookAhead()
  /// Every record of this unit, in order: what a savepoint is restored from. Kept from the first savepoint on.
  private var history: [UnsafeRawPointer]?
  /// Until it is committed, even if the sync then failed, or rolled back.
  private(set) var isOpen = true
  private var pin: RecordPin?

  init(engine: StorageEngine) {
    self.engine = engine
    let memory = RecordMemory(4096)
    memories = [memory]
    next = memory.base
    left = memory.count
  }

  deinit { rollback() }

  /// Whether nothing was put or deleted so far.
  public var isEmpty: Bool { changes == 0 }

  /// The number that this save will at least have, higher than that of any save before it.
  public func sequence() throws(StorageError) -> UInt64 { try engine.nextSequence() }

  // MARK: Reads

  public func get(kind: UInt8, key: RecordKey) throws(StorageError) -> Record? {
    guard let pointer = overlay.find(kind: kind, key: key) else {
      // Nobody else saves meanwhile: what was not there is not there.
      if let looked, looked.kind == kind, looked.key == key, !looked.isSaved { return nil }
      if let lookedBefore, lookedBefore.kind == kind, lookedBefore.key == key, !lookedBefore.isSaved { return nil }
      let saved = try savedRecord(kind: kind, key: key)
      lookedBefore = looked
      looked = (kind, key, saved != nil)
      return saved
    }
    return RecordLayout.isDeletion(pointer) ? nil : Record(pointer: pointer, pin: ownPin())
  }

  private func savedRecord(kind: UInt8, key: RecordKey) throws(StorageError) -> Record? {
    if !ahead.isEmpty, let pin = ahead.pin {
      switch ahead.record(kind: kind, key: key) {
      case .absent: return nil
      case .found(let record): return Record(pointer: record, pin: pin)
      case .unknown: break
      }
    }
    return try engine.get(kind: kind, key: key)
  }

  /// Looks for many saved records at once, which a unit that will ask for each does sooner than one by one.
  func lookAhead(kind: UInt8, keys: [RecordKey]) throws(StorageError) {
    try engine.lookAhead(kind: kind, keys: keys, ahead)
  }

  /// As above, for whoever will ask for the keys that texts of each hash may have.
  /// - Parameter hashes: the first place of each.
  func lookAhead(kind: UInt8, hashes: [RecordKey]) throws(StorageError) {
    try engine.lookAhead(kind: kind, hashes: hashes, ahead)
  }

  /// Whether no record has a key of a hash, as far as that was looked for in advance.
  /// - Parameter hash: its first place.
  func isFree(kind: UInt8, hash: RecordKey) -> Bool {
    guard ahead.isAbsent(kind: kind, hash: hash) else { return false }
    return !overlay.mayHold(kind: kind) || hash.places.allSatisfy { overlay.find(kind: kind, key: $0) == nil }
  }

  /// As above, for whoever will ask for all records of each group.
  func lookAhead(kind: UInt8, groups: [UInt64]) throws(StorageError) {
    try engine.lookAhead(kind: kind, groups: groups, ahead)
  }

  /// Whether each of these keys is that of no record, saved or put by this unit. May be `false` for one that is.
  public func areNew(kind: UInt8, keys: [RecordKey]) throws(StorageError) -> [Bool] {
    var areNew = try engine.holds(kind: kind, keys: keys).map { !$0 }
    if overlay.mayHold(kind: kind) {
      for (index, key) in keys.enumerated() where overlay.find(kind: kind, key: key) != nil { areNew[index] = false }
    }
    return areNew
  }

  /// Whether no record of a kind has each of these groups. May be `false` for one that none has.
  func areNew(kind: UInt8, groups: [UInt64]) throws(StorageError) -> [Bool] {
    var areNew = try engine.mayHold(kind: kind, groups: groups).map { !$0 }
    if overlay.mayHold(kind: kind) {
      for (index, group) in groups.enumerated() where overlay.mayHold(kind: kind, group: group) {
        areNew[index] = false
      }
    }
    return areNew
  }

  /// As ``StorageEngine/scan(kind:group:from:to:descending:limit:)``, with the changes of this unit.
  public func scan(
    kind: UInt8, group: UInt64? = nil, from lower: Int64 = .min, to upper: Int64 = .max, descending: Bool = false,
    limit: Int = .max
  ) throws(StorageError) -> RecordList {
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
    let merged = RecordOrder.merge(saved.pointers, own, descending: descending, limit: limit)
    return RecordList(pointers: merged, pin: RecordPin(memories: memories, others: [saved.pin]))
  }

  /// Records of a group that were looked for in advance, with the changes of this unit.
  private func merged(_ saved: [UnsafeRawPointer], _ pin: RecordPin, kind: UInt8, group: UInt64) -> RecordList {
    guard overlay.mayHold(kind: kind) else { return RecordList(pointers: saved, pin: pin) }
    let own = overlay.scan(kind: kind, group: group, from: .min, to: .max, descending: false, limit: .max)
    let others = saved.filter { overlay.find(kind: kind, key: RecordLayout.key($0)) == nil }
    if own.isEmpty, others.count == saved.count { return RecordList(pointers: saved, pin: pin) }
    return RecordList(
      pointers: RecordOrder.merge(others, own, descending: false, limit: .max),
      pin: RecordPin(memories: memories, others: [pin]))
  }

  /// As ``StorageEngine/counts(kind:group:boundaries:)``, with the changes of this unit.
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

  /// `false` where there is no record of the kind: at once, and for certain.
  func mayHold(kind: UInt8) throws(StorageError) -> Bool {
    if overlay.mayHold(kind: kind) { return true }
    return try engine.mayHold(kind: kind)
  }

  public func count(kind: UInt8, group: UInt64? = nil) throws(StorageError) -> Int {
    let saved = try engine.count(kind: kind, group: group)
    return try saved + overlay.count(kind: kind, group: group) - hiddenSorts(kind: kind, group: group).count
  }

  // MARK: Writes

  /// Puts a record in place of what had its name. `sort` is below `Int64.max`, a `group` of 0 is none, and a payload has at
  /// most 1 GiB. `isNew` says that no saved record has its name, as ``areNew(kind:keys:)`` has found: then nothing is looked for that
  /// it takes the place of.
  public func put(
    kind: UInt8, key: RecordKey, sort: Int64, group: UInt64 = 0, payload: UnsafeRawBufferPointer, isNew: Bool = false
  ) throws(StorageError) {
    guard payload.count <= RecordLayout.largestPayload else {
      throw .tooLarge(bytes: payload.count, limit: RecordLayout.largestPayload)
    }
    precondition(sort < .max, "a sort value of Int64.max cannot be found again")
    let row = add(kind: kind, key: key, sort: sort, group: group, isDeletion: false, payload: payload).row
    if isNew { newRows.insert(row) }
  }

  public func put(
    kind: UInt8, key: RecordKey, sort: Int64, group: UInt64 = 0, payload: [UInt8], isNew: Bool = false
  ) throws(StorageError) {
    try payload.withUnsafeBufferPointer { bytes throws(StorageError) in
      try put(
        kind: kind, key: key, sort: sort, group: group, payload: UnsafeRawBufferPointer(bytes), isNew: isNew)
    }
  }

  /// Takes a record away; one that is not there is no error.
  public func delete(kind: UInt8, key: RecordKey) {
    let isSaved = looked.map { $0.kind == kind && $0.key == key && $0.isSaved } ?? false
    let record = add(
      kind: kind, key: key, sort: 0, group: 0, isDeletion: true,
      payload: UnsafeRawBufferPointer(start: nil, count: 0)
    ).record
    if !isSaved { unsure.insert(record) }
  }

  // MARK: The unit

  /// Saves everything, or nothing; durable on return, and the write lock is free.
  ///
  /// One that throws leaves the transaction as it was: commit again, or roll back. Only after
  /// ``StorageError/syncFailed(path:code:)`` is it unknown what was saved, and the store must be opened again.
  public func commit() throws(StorageError) {
    try engine.check()
    precondition(isOpen, "a transaction that was committed or rolled back is committed")
    var bytes = GroupHeader.bytes
    try forEachChange { bytes += RecordLayout.size($0) }
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
      // A handle that must not be used any more keeps nobody else from writing.
      if !engine.isUsable { rollback() }
      throw error
    }
    isOpen = false
    engine.releaseWriteLock()
    if let sequence { try engine.waitUntilDurable(sequence) }
    // The save is done. What stands in the way of this step, the owner's own call says; if it is a sync, the handle.
    try? engine.maintainIfOverdue()
  }

  /// Saves everything, or nothing, and shows it only once it is durable: until then reads on this handle answer as before,
  /// without waiting for the disk. The write lock is held meanwhile. Throws as ``commit()``.
  ///
  /// - Parameter publish: calls its argument, once, which makes the save visible in memory; so a caller can keep its own
  ///   readers out for that moment.
  public func commit(
    publishing publish: (_ show: () throws(StorageError) -> Void) throws(StorageError) -> Void
  ) throws(StorageError) {
    try engine.check()
    precondition(isOpen, "a transaction that was committed or rolled back is committed")
    var bytes = GroupHeader.bytes
    try forEachChange { bytes += RecordLayout.size($0) }
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
    // As in commit().
    try? engine.maintainIfOverdue()
  }

  // MARK: Savepoints

  /// A moment in a unit of work, to which ``rollback(to:)`` returns.
  public struct Savepoint: Hashable, Sendable {
    fileprivate let count: Int
  }

  /// The present moment. The first savepoint of a unit is taken before anything is put.
  public func savepoint() -> Savepoint {
    if history == nil {
      precondition(isEmpty, "the first savepoint of a transaction is taken after \(changes) changes")
      history = []
    }
    return Savepoint(count: changes)
  }

  /// Forgets what was put and deleted since; the unit goes on.
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

  /// What is to be saved: not the deletion of what is not there.
  private func forEachChange(_ body: (UnsafeRawPointer) -> Void) throws(StorageError) {
    let nobody = Memtable.nobody
    for record in overlay.records where record != nobody {
      if !unsure.isEmpty, unsure.contains(record) {
        let (kind, key) = (RecordLayout.kind(record), RecordLayout.key(record))
        if try engine.get(kind: kind, key: key) == nil { continue }
      }
      body(record)
    }
  }

  /// Each record of these kinds that this unit put or deleted, beside the one that was saved under its name; in no
  /// particular order.
  func changes(ofKinds isMeant: (UInt8) -> Bool) throws(StorageError) -> [(before: Record?, after: Record?)] {
    var changes: [(before: Record?, after: Record?)] = []
    for record in overlay.records where record != Memtable.nobody && isMeant(RecordLayout.kind(record)) {
      let before = try engine.get(kind: RecordLayout.kind(record), key: RecordLayout.key(record))
      let after = RecordLayout.isDeletion(record) ? nil : Record(pointer: record, pin: ownPin())
      if before != nil || after != nil { changes.append((before, after)) }
    }
    return changes
  }

  /// Forgets every change and lets go of the write lock.
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
    kind: UInt8, key: RecordKey, sort: Int64, group: UInt64, isDeletion: Bool, payload: UnsafeRawBufferPointer
  ) -> (record: UnsafeRawPointer, row: Int) {
    precondition(isOpen, "a transaction that was committed or rolled back is written to")
    let size = RecordLayout.size(payloadCount: payload.count)
    if size > left { makeRoom(size) }
    let record = next
    next += size
    left -= size
    RecordLayout.write(
      to: record, kind: kind, key: key, sort: sort, group: group, isDeletion: isDeletion, payload: payload)
    changes += 1
    history?.append(UnsafeRawPointer(record))
    return (UnsafeRawPointer(record), overlay.apply(UnsafeRawPointer(record)))
  }

  private func makeRoom(_ size: Int) {
    let memory = RecordMemory(max(size, min(4096 << min(memories.count, 8), 1 << 20)))
    memories.append(memory)
    next = memory.base
    left = memory.count
    pin = nil
  }

  private func ownPin() -> RecordPin {
    if let pin { return pin }
    let made = RecordPin(memories: memories)
    pin = made
    return made
  }

  /// The sort values of the saved records that this unit replaces or deletes.
  private func hiddenSorts(kind: UInt8, group: UInt64?) throws(StorageError) -> [Int64] {
    var names: [RecordKey] = []
    for record in overlay.records where record != Memtable.nobody && RecordLayout.kind(record) == kind {
      names.append(RecordLayout.key(record))
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
