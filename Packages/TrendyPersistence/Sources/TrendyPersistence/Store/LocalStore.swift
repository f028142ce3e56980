import TrendyFoundation
import TrendyModels
public import TrendyProtocols

/// A person's record on this device: a unit of work on a ``StorageEngine``.
///
/// Reads answer from what is saved, by any process, until the first write; from then on the unit has the write lock of the
/// store, reads what is newest, and sees its own changes. ``save()`` and ``rollback()`` end that, and so does letting go of
/// the store. Everything throws ``StorageError``; a `configure` closure's own error is passed on.
public final class LocalStore: DataStoreProtocol {
  private let engine: Result<StorageEngine, StorageError>
  private var transaction: WriteTransaction?
  private let writer = RowWriter()
  let reader = EventReader()
  /// Of the last count by days.
  var knownDays: DayTable?
  /// Length of the rows that pages went through since memory was let go of.
  private var bytesPassed = 0
  /// Insertions in this unit so far that keep a place.
  private var placesGiven: UInt64 = 0

  public init(engine: StorageEngine) { self.engine = .success(engine) }

  /// A store that does not open: every operation but ``rollback()`` throws why.
  public init(failure: StorageError) { engine = .failure(failure) }

  // MARK: The unit

  public func beginWriting() throws { _ = try writing() }

  public func save() throws {
    let engine = try engine.get()
    guard let transaction else { return try engine.check() }
    try transaction.commit()
    self.transaction = nil
  }

  public func rollback() {
    transaction?.rollback()
    transaction = nil
  }
}

@available(*, unavailable)
extension LocalStore: Sendable {}

// MARK: - Rows

extension LocalStore {
  /// Where a row is, or would be.
  struct Place {
    var key: RecordKey
    var record: Record?
    /// Whether it is known that no saved record has its name.
    var isNew = false
  }

  /// Has the write lock from here on.
  func writing() throws(StorageError) -> WriteTransaction {
    let engine = try engine.get()
    if let transaction {
      // Its save may have failed at the sync: then nothing may be added to it.
      if !transaction.isOpen { try engine.check() }
      return transaction
    }
    let begun = try engine.beginWrite()
    transaction = begun
    placesGiven = 0
    return begun
  }

  /// `nil` where this unit has written: then what it wrote counts as well.
  func engineToRead() throws(StorageError) -> StorageEngine? { transaction == nil ? try engine.get() : nil }

  func get(_ kind: UInt8, _ key: RecordKey) throws(StorageError) -> Record? {
    if let transaction { return try transaction.get(kind: kind, key: key) }
    return try engine.get().get(kind: kind, key: key)
  }

  func scan(
    _ kind: UInt8, group: UInt64? = nil, from lower: Int64 = .min, to upper: Int64 = .max, descending: Bool = false,
    limit: Int = .max
  ) throws(StorageError) -> RecordList {
    if let transaction {
      return try transaction.scan(
        kind: kind, group: group, from: lower, to: upper, descending: descending, limit: limit)
    }
    return try engine.get().scan(
      kind: kind, group: group, from: lower, to: upper, descending: descending, limit: limit)
  }

  /// At least the records of a kind whose keys are of UUIDs in a range and those whose keys are hashes.
  func records(_ kind: UInt8, keys: ClosedRange<RecordKey>?) throws(StorageError) -> RecordList {
    if transaction != nil { return try scan(kind) }
    return try engine.get().records(kind: kind, keys: keys)
  }

  /// At least the `count` records of a kind that were made last.
  func latest(_ kind: UInt8, count: Int) throws(StorageError) -> RecordList {
    if transaction != nil { return try scan(kind) }
    return try engine.get().latest(kind: kind, count: count)
  }

  /// `false` where there is no row of the kind: at once, and for certain.
  func mayHold(_ kind: UInt8) throws(StorageError) -> Bool {
    if let transaction { return try transaction.mayHold(kind: kind) }
    return try engine.get().mayHold(kind: kind)
  }

  func count(_ kind: UInt8) throws(StorageError) -> Int {
    if let transaction { return try transaction.count(kind: kind) }
    return try engine.get().count(kind: kind)
  }

  func counts(_ kind: UInt8, group: UInt64?, boundaries: SortBoundaries) throws(StorageError) -> [Int] {
    if let transaction { return try transaction.counts(kind: kind, group: group, boundaries: boundaries) }
    return try engine.get().counts(kind: kind, group: group, boundaries: boundaries)
  }

  /// Before anything is read without the write lock: takes in what others saved.
  func refresh() throws(StorageError) {
    let engine = try engine.get()
    if transaction == nil { try engine.refresh() }
  }

  func enginePosition() throws(StorageError) -> StorePosition { try engine.get().position() }

  /// Reads the rows that are saved, without the changes of this unit.
  func committed<Result>(
    _ body: (StorageEngine) throws(StorageError) -> Result
  ) throws(StorageError) -> Result { try body(engine.get()) }

  private static let mostBytesPassed = 4 << 20

  /// Notes rows that were looked through on the way to others: now and then lets go of what the system has mapped of the files for it, so
  /// that to go through all of a large store takes no more memory than through a small one.
  func pass(bytes: Int) throws(StorageError) {
    bytesPassed += bytes
    guard bytesPassed >= Self.mostBytesPassed else { return }
    bytesPassed = 0
    try engine.get().releaseMemory()
  }

  /// Finds a row by its identifier: under the bits of a canonical UUID, else under its hash or one of the places after it,
  /// where the text decides.
  func place(_ kind: UInt8, _ identifier: String) throws(StorageError) -> Place {
    if let key = RecordKey(canonicalUUID: identifier) { return Place(key: key, record: try get(kind, key)) }
    return try place(kind, byHashOf: identifier)
  }

  private func place(_ kind: UInt8, byHashOf identifier: String) throws(StorageError) -> Place {
    let hash = RecordKey(hashing: identifier).firstPlace
    if let transaction, transaction.isFree(kind: kind, hash: hash) { return Place(key: hash, isNew: true) }
    var free: RecordKey?
    for key in hash.places {
      guard let record = try get(kind, key) else {
        free = free ?? key
        continue
      }
      if Self.keptIdentifier(record) == identifier { return Place(key: key, record: record) }
    }
    guard let free else { throw .unreadableRow(kind: kind, key: RecordKey(hashing: identifier)) }
    return Place(key: free, record: nil)
  }

  /// The identifier that the row keeps as text, if its key is a hash.
  private static func keptIdentifier(_ record: Record) -> String? {
    record.withPayload { bytes in
      var fields = RowReader(bytes)
      guard let first = fields.next(), first.number == 1 else { return nil }
      return first.text
    }
  }

  @inline(__always) func decode<Row: StoredRow>(_ type: Row.Type, _ record: Record) throws(StorageError) -> Row {
    defer { withExtendedLifetime(record.pin) {} }
    return try decode(type, record.pointer)
  }

  /// - Parameter record: kept by the caller.
  @inline(__always) func decode<Row: StoredRow>(
    _ type: Row.Type, _ record: UnsafeRawPointer
  ) throws(StorageError) -> Row {
    guard let row = Row.read(record, with: reader) else {
      throw .unreadableRow(kind: RecordLayout.kind(record), key: RecordLayout.key(record))
    }
    return row
  }

  func find<Row: StoredRow>(
    _ type: Row.Type, _ identifier: String, kind: UInt8 = Row.kind
  ) throws(StorageError) -> Row? {
    try refresh()
    guard let record = try place(kind, identifier).record else { return nil }
    return try decode(type, record)
  }

  func holds(_ kind: UInt8, _ identifier: String) throws(StorageError) -> Bool {
    try refresh()
    return try place(kind, identifier).record != nil
  }

  /// As ``find(_:_:)``, with the write lock: nobody changes it before this unit does.
  func findForChange<Row: StoredRow>(_ type: Row.Type, _ identifier: String) throws(StorageError) -> Row? {
    _ = try writing()
    return try find(type, identifier)
  }

  func fetchAll<Row: StoredRow>(_ type: Row.Type, kind: UInt8 = Row.kind) throws(StorageError) -> [Row] {
    try refresh()
    return try rows(type, scan(kind))
  }

  func rows<Row: StoredRow>(_ type: Row.Type, _ records: RecordList) throws(StorageError) -> [Row] {
    var rows: [Row] = []
    for record in records { rows.append(try decode(type, record)) }
    return rows
  }

  /// Puts a row in place of the one of its identifier, if there is one.
  func put<Row: StoredRow>(_ row: Row) throws(StorageError) {
    let transaction = try writing()
    try put(row, at: place(row.rowKind, row.rowIdentifier), in: transaction)
  }

  func put<Row: StoredRow>(
    _ row: Row, at place: Place, in transaction: WriteTransaction
  ) throws(StorageError) {
    writer.reset()
    if place.key.isHash { writer.text(1, row.rowIdentifier) }
    row.write(to: writer)
    let (sort, group) = (row.rowSort, row.rowGroup(writtenBy: writer))
    if let old = place.record {
      old.withPayload { writer.unknownFields(of: $0, above: Row.lastField) }
      if old.sort == sort && old.group == group && old.isPayload(writer.bytes) { return }
    }
    try transaction.put(
      kind: row.rowKind, key: place.key, sort: sort, group: group, payload: writer.bytes, isNew: place.isNew)
  }

  /// Changes a row, or makes one. When `configure` throws, the row is as it was, and so is the write lock.
  func upsert<Row: StoredRow>(
    _ identifier: String, making new: (RecordKey) -> Row, configure: (inout Row) throws -> Void
  ) throws -> Row {
    guard (1...128).contains(identifier.utf8.count) else { throw StorageError.invalidIdentifier(identifier) }
    let hadLock = transaction != nil
    let begun = try writing()
    do {
      let before = try place(Row.kind, identifier)
      let changes = begun.changes
      var row: Row = if let record = before.record { try decode(Row.self, record) } else { new(before.key) }
      try configure(&row)
      // The closure may have used the store too.
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

  /// Puts an event in place of the one of its identifier, if there is one.
  func put(_ event: Event) throws(StorageError) {
    let transaction = try writing()
    let place: Place
    if let bits = event.identifier.bits {
      let key = RecordKey(high: bits.high, low: bits.low)
      place = Place(key: key, record: try transaction.get(kind: RowKind.event, key: key))
    } else {
      place = try self.place(RowKind.event, byHashOf: event.id)
    }
    try put(event, at: place, in: transaction)
  }

  /// What the present unit put and deleted of these kinds; nothing where it has not written yet.
  func changes(ofKinds isMeant: (UInt8) -> Bool) throws(StorageError) -> [(before: Record?, after: Record?)] {
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

  /// Removes the rows of a kind that refer to an event type.
  func removeAll(_ kind: UInt8, ofType eventTypeId: String) throws(StorageError) {
    let transaction = try writing()
    for record in try transaction.scan(kind: kind, group: RowOrder.group(eventTypeId))
    where Self.refers(record, to: eventTypeId) {
      transaction.delete(kind: kind, key: record.key)
    }
  }

  /// Whether field 2 of an event or a definition, its type, is this identifier: groups are hashes, and may meet.
  static func refers(_ record: Record, to eventTypeId: String) -> Bool {
    defer { withExtendedLifetime(record.pin) {} }
    return refers(record.pointer, to: eventTypeId, key: RecordKey(canonicalUUID: eventTypeId))
  }

  /// - Parameter key: of the identifier, if it is a canonical UUID.
  static func refers(_ record: UnsafeRawPointer, to eventTypeId: String, key: RecordKey?) -> Bool {
    var cursor = RowCursor(record)
    // Nearly always the first field.
    if let key, cursor.number() == 2 << 2 | 2, let high = cursor.word(), let low = cursor.word() {
      return high == key.high && low == key.low
    }
    var fields = RowReader(RecordLayout.payload(record))
    while let field = fields.next() {
      if field.number == 2 { return field.isIdentifier(eventTypeId, key: key) }
    }
    return false
  }

  /// A number above that of every row inserted before, in any process.
  func nextPlace() throws(StorageError) -> UInt64 {
    let sequence = try writing().sequence()
    placesGiven += 1
    return sequence << 24 &+ placesGiven
  }
}
