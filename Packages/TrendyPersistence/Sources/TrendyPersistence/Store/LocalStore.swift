import TrendyFoundation
import TrendyModels
public import TrendyProtocols

/// Record of a user on this device: a unit of work on a ``StorageEngine``.
///
/// Until the first write, reads return the data saved by all processes. From then on the unit holds the store's write
/// lock, and reads include its own changes. ``save()``, ``rollback()`` and deallocation end the unit. All errors are
/// ``StorageError``, except errors from `configure` closures, which are rethrown.
public final class LocalStore: DataStoreProtocol {
  private let engine: Result<StorageEngine, StorageError>
  private var transaction: WriteTransaction?
  private let writer = RowWriter()
  let reader = EventReader()
  /// Day boundaries from the last count by day, reused for the next count.
  var knownDays: DayTable?
  /// Total length in bytes of the rows read since memory was last released.
  private var bytesPassed = 0
  /// Kinds of rows that have been read; bit n represents kind n.
  private var kindsRead: UInt128 = 0
  /// Number of queue positions assigned by this unit.
  private var placesGiven: UInt64 = 0

  /// Creates a unit of work on an open engine.
  public init(engine: StorageEngine) { self.engine = .success(engine) }

  /// Creates a unit of work on a store that could not be opened. Every operation except ``rollback()`` throws this
  /// error.
  public init(failure: StorageError) { engine = .failure(failure) }

  // MARK: Unit of work

  /// Acquires the write lock, unless this unit already holds it.
  /// - Throws: ``StorageError/busy(path:)`` if another unit holds it for too long.
  public func beginWriting() throws { _ = try writing() }

  /// Saves all of this unit's changes or none, and releases the write lock. When this returns, the changes are durable.
  /// - Throws: ``StorageError``. The changes are kept and can be saved again, except after
  ///   ``StorageError/syncFailed(path:code:)``.
  public func save() throws {
    let engine = try engine.get()
    guard let transaction else { return try engine.check() }
    try transaction.commit()
    self.transaction = nil
  }

  /// Discards this unit's changes and releases the write lock.
  public func rollback() {
    transaction?.rollback()
    transaction = nil
  }
}

@available(*, unavailable)
extension LocalStore: Sendable {}

// MARK: - Rows

extension LocalStore {
  struct Place {
    var key: RowKey
    var record: Row?
    /// Whether the key is known to have no saved row.
    var isNew = false
  }

  func writing() throws(StorageError) -> WriteTransaction {
    let engine = try engine.get()
    if let transaction {
      // After a failed sync the transaction is closed, so nothing can be added to it.
      if !transaction.isOpen { try engine.check() }
      return transaction
    }
    let begun = try engine.beginWrite()
    transaction = begun
    placesGiven = 0
    return begun
  }

  /// Returns the engine to read rows of a kind, or `nil` if this unit has written, because reads must then include the
  /// unit's changes.
  func engine(toRead kind: UInt8) throws(StorageError) -> StorageEngine? {
    onRead(kind)
    return transaction == nil ? try engine.get() : nil
  }

  @inline(__always) private func onRead(_ kind: UInt8) { kindsRead |= 1 &<< UInt128(kind) }

  public func isAffected(by change: StoreChange) -> Bool {
    guard let entities = change.entities else { return true }
    for kind: UInt8 in 0..<128 where kindsRead & 1 &<< UInt128(kind) != 0 {
      if RowKind.entity(kind).map({ entities[$0] != nil }) ?? change.hasSyncState { return true }
    }
    return false
  }

  func get(_ kind: UInt8, _ key: RowKey) throws(StorageError) -> Row? {
    onRead(kind)
    if let transaction { return try transaction.get(kind: kind, key: key) }
    return try engine.get().get(kind: kind, key: key)
  }

  func scan(
    _ kind: UInt8, group: UInt64? = nil, from lower: Int64 = .min, to upper: Int64 = .max, descending: Bool = false,
    limit: Int = .max
  ) throws(StorageError) -> RowList {
    onRead(kind)
    if let transaction {
      return try transaction.scan(
        kind: kind, group: group, from: lower, to: upper, descending: descending, limit: limit)
    }
    return try engine.get().scan(
      kind: kind, group: group, from: lower, to: upper, descending: descending, limit: limit)
  }

  /// Returns the rows of a kind whose keys are hashes or UUIDs in a range, and possibly further rows.
  func records(_ kind: UInt8, keys: ClosedRange<RowKey>?) throws(StorageError) -> RowList {
    onRead(kind)
    if transaction != nil { return try scan(kind) }
    return try engine.get().records(kind: kind, keys: keys)
  }

  /// Returns the `count` most recently created rows of a kind, and possibly further rows.
  func latest(_ kind: UInt8, count: Int) throws(StorageError) -> RowList {
    onRead(kind)
    if transaction != nil { return try scan(kind) }
    return try engine.get().latest(kind: kind, count: count)
  }

  /// Whether there may be rows of the kind. `false` means that there are certainly none. Takes constant time.
  func mayHold(_ kind: UInt8) throws(StorageError) -> Bool {
    onRead(kind)
    if let transaction { return try transaction.mayHold(kind: kind) }
    return try engine.get().mayHold(kind: kind)
  }

  func count(_ kind: UInt8) throws(StorageError) -> Int {
    onRead(kind)
    if let transaction { return try transaction.count(kind: kind) }
    return try engine.get().count(kind: kind)
  }

  func counts(_ kind: UInt8, group: UInt64?, boundaries: SortBoundaries) throws(StorageError) -> [Int] {
    onRead(kind)
    if let transaction { return try transaction.counts(kind: kind, group: group, boundaries: boundaries) }
    return try engine.get().counts(kind: kind, group: group, boundaries: boundaries)
  }

  /// Applies saves from other handles. Call this before a read without the write lock.
  func refresh() throws(StorageError) {
    let engine = try engine.get()
    if transaction == nil { try engine.refresh() }
  }

  func enginePosition() throws(StorageError) -> StorePosition {
    kindsRead = .max
    return try engine.get().position()
  }

  /// Reads from the engine, which does not include this unit's changes.
  func committed<Result>(
    _ body: (StorageEngine) throws(StorageError) -> Result
  ) throws(StorageError) -> Result { try body(engine.get()) }

  private static let maxBytesPassed = 4 << 20

  /// Counts the bytes of rows that are read only once, and regularly discards mapped pages. Reading a whole large store
  /// then takes no more memory than reading a small one.
  func pass(bytes: Int) throws(StorageError) {
    bytesPassed += bytes
    guard bytesPassed >= Self.maxBytesPassed else { return }
    bytesPassed = 0
    try engine.get().releaseMemory()
  }

  /// Returns the location of a row by its identifier. A canonical UUID is its own key. For any other identifier, the
  /// key is derived from the identifier's hash. The key belongs to a row that contains the identifier, or is free.
  func place(_ kind: UInt8, _ identifier: String) throws(StorageError) -> Place {
    if let key = RowKey(canonicalUUID: identifier) { return Place(key: key, record: try get(kind, key)) }
    return try place(kind, byHashOf: identifier)
  }

  private func place(_ kind: UInt8, byHashOf identifier: String) throws(StorageError) -> Place {
    let hash = RowKey(hashing: identifier).firstPlace
    if let transaction, transaction.isFree(kind: kind, hash: hash) { return Place(key: hash, isNew: true) }
    var free: RowKey?
    for key in hash.places {
      guard let record = try get(kind, key) else {
        free = free ?? key
        continue
      }
      if record.withPayload(Self.keptIdentifier) == identifier { return Place(key: key, record: record) }
    }
    guard let free else { throw .unreadableRow(kind: kind, key: RowKey(hashing: identifier)) }
    return Place(key: free, record: nil)
  }

  /// Returns the identifier in the payload of a row whose key is a hash, or `nil` if it is malformed.
  static func keptIdentifier(_ payload: UnsafeRawBufferPointer) -> String? {
    var fields = RowReader(payload)
    guard let first = fields.next(), first.number == 1 else { return nil }
    return first.text
  }

  @inline(__always) func decode<Value: StoredRow>(_ type: Value.Type, _ record: Row) throws(StorageError) -> Value {
    defer { withExtendedLifetime(record.pin) {} }
    return try decode(type, record.pointer)
  }

  /// Decodes a row, whose memory the caller keeps alive.
  @inline(__always) func decode<Value: StoredRow>(
    _ type: Value.Type, _ record: UnsafeRawPointer
  ) throws(StorageError) -> Value {
    guard let row = Value.read(record, with: reader) else {
      throw .unreadableRow(kind: RowLayout.kind(record), key: RowLayout.key(record))
    }
    return row
  }

  func find<Value: StoredRow>(
    _ type: Value.Type, _ identifier: String, kind: UInt8 = Value.kind
  ) throws(StorageError) -> Value? {
    try refresh()
    guard let record = try place(kind, identifier).record else { return nil }
    return try decode(type, record)
  }

  func holds(_ kind: UInt8, _ identifier: String) throws(StorageError) -> Bool {
    try refresh()
    return try place(kind, identifier).record != nil
  }

  /// Acquires the write lock and returns the row, which then cannot change before this unit writes.
  func findForChange<Value: StoredRow>(_ type: Value.Type, _ identifier: String) throws(StorageError) -> Value? {
    _ = try writing()
    return try find(type, identifier)
  }

  func fetchAll<Value: StoredRow>(_ type: Value.Type, kind: UInt8 = Value.kind) throws(StorageError) -> [Value] {
    try refresh()
    return try rows(type, scan(kind))
  }

  func rows<Value: StoredRow>(_ type: Value.Type, _ records: RowList) throws(StorageError) -> [Value] {
    var rows: [Value] = []
    for record in records { rows.append(try decode(type, record)) }
    return rows
  }

  func put<Value: StoredRow>(_ row: Value) throws(StorageError) {
    let transaction = try writing()
    try put(row, at: place(row.rowKind, row.rowIdentifier), in: transaction)
  }

  func put<Value: StoredRow>(
    _ row: Value, at place: Place, in transaction: WriteTransaction
  ) throws(StorageError) {
    writer.reset()
    if place.key.isHash { writer.text(1, row.rowIdentifier) }
    row.write(to: writer)
    let (sort, group) = (row.rowSort, row.rowGroup(writtenBy: writer))
    if let old = place.record {
      old.withPayload { writer.unknownFields(of: $0, above: Value.lastField) }
      if old.sort == sort && old.group == group && old.isPayload(writer.bytes) { return }
    }
    try transaction.put(
      kind: row.rowKind, key: place.key, sort: sort, group: group, payload: writer.bytes, isNew: place.isNew)
  }

  /// Changes or creates a row. If `configure` throws, neither the row nor the state of the write lock changes.
  func upsert<Value: StoredRow>(
    _ identifier: String, making new: (RowKey) -> Value, configure: (inout Value) throws -> Void
  ) throws -> Value {
    guard (1...128).contains(identifier.utf8.count) else { throw StorageError.invalidIdentifier(identifier) }
    let hadLock = transaction != nil
    let begun = try writing()
    do {
      let before = try place(Value.kind, identifier)
      let changes = begun.changes
      var row: Value = if let record = before.record { try decode(Value.self, record) } else { new(before.key) }
      try configure(&row)
      // If the closure has written to the store, look up the location again.
      if transaction === begun, begun.changes == changes, row.isNamed(identifier, at: before.key) {
        try put(row, at: before, in: begun)
      } else {
        try put(row)
      }
      return row
    } catch {
      if !hadLock, let transaction, transaction.isEmpty { rollback() }
      throw error
    }
  }

  func put(_ event: Event) throws(StorageError) {
    let transaction = try writing()
    let place: Place
    if let bits = event.identifier.bits {
      let key = RowKey(high: bits.high, low: bits.low)
      place = Place(key: key, record: try transaction.get(kind: RowKind.event, key: key))
    } else {
      place = try self.place(RowKind.event, byHashOf: event.id)
    }
    try put(event, at: place, in: transaction)
  }

  func changes(ofKinds isMeant: (UInt8) -> Bool) throws(StorageError) -> [(before: Row?, after: Row?)] {
    try transaction?.changes(ofKinds: isMeant) ?? []
  }

  func remove(_ kind: UInt8, _ identifier: String) throws(StorageError) {
    let transaction = try writing()
    let place = try place(kind, identifier)
    if place.record != nil { transaction.delete(kind: kind, key: place.key) }
  }

  func removeAll(_ kind: UInt8) throws(StorageError) {
    let transaction = try writing()
    for record in try transaction.scan(kind: kind) { transaction.delete(kind: kind, key: record.key) }
  }

  func removeAll(_ kind: UInt8, ofType eventTypeId: String) throws(StorageError) {
    let transaction = try writing()
    for record in try transaction.scan(kind: kind, group: RowOrder.group(eventTypeId))
    where Self.refers(record, to: eventTypeId) {
      transaction.delete(kind: kind, key: record.key)
    }
  }

  /// Whether an event or a property definition refers to this event type. Comparing the group key is not enough,
  /// because it is a hash.
  static func refers(_ record: Row, to eventTypeId: String) -> Bool {
    defer { withExtendedLifetime(record.pin) {} }
    return refers(record.pointer, to: eventTypeId, key: RowKey(canonicalUUID: eventTypeId))
  }

  /// Whether a row refers to this event type. `key` is the type's key if its id is a canonical UUID.
  static func refers(_ record: UnsafeRawPointer, to eventTypeId: String, key: RowKey?) -> Bool {
    var cursor = RowCursor(record)
    // The type is almost always the first field.
    if let key, cursor.number() == 2 << 2 | 2, let high = cursor.word(), let low = cursor.word() {
      return high == key.high && low == key.low
    }
    var fields = RowReader(RowLayout.payload(record))
    while let field = fields.next() {
      if field.number == 2 { return field.isIdentifier(eventTypeId, key: key) }
    }
    return false
  }

  /// Returns a queue position higher than any position assigned before, by any process.
  func nextPlace() throws(StorageError) -> UInt64 {
    let sequence = try writing().sequence()
    placesGiven += 1
    return sequence << 24 &+ placesGiven
  }
}
