public import TrendyFoundation
public import TrendyModels

/// Order number of an event saved on this device.
///
/// The number is kept after the event is deleted, so that undoing the deletion restores the event's position.
struct SavedEvent: StoredRow {
  var eventId: String
  /// Order number, higher than any in the store when this event was saved. Usually the time of the save in microseconds
  /// since 2001-01-01T00:00:00Z.
  var order: Int64

  static var kind: UInt8 { RowKind.savedEvent }
  static var lastField: Int { 2 }
  var rowIdentifier: String { eventId }
  var rowSort: Int64 { order }

  init(eventId: String, order: Int64) {
    self.eventId = eventId
    self.order = order
  }

  func write(to writer: RowWriter) { writer.signed(2, order) }

  init?(identifier: @autoclosure () -> String, fields: inout RowReader) {
    var order: Int64?
    while let field = fields.next() {
      if field.number == 2 { order = field.signed }
    }
    guard !fields.isBroken, let order else { return nil }
    self.init(eventId: identifier(), order: order)
  }
}

extension LocalStore {
  /// Minimum number of order numbers to keep. Events without a number are ordered by the time in their id.
  private static let keptOrders = 1000

  /// Records the order in which this device saved events. An event with an order number keeps it.
  public func noteSaved(events ids: [String], at date: Date) throws {
    guard !ids.isEmpty else { return }
    let transaction = try writing()
    // Keep the numbers increasing even if the clock was set back, or an event from another device has a later time.
    var order = max(
      RowOrder.sort(date), try scan(SavedEvent.kind, descending: true, limit: 1).first?.sort ?? .min, try latestTime())
    order = min(order, .max - Int64(Self.keptOrders) - 1)
    for id in ids.suffix(Self.keptOrders) {
      let place = try place(SavedEvent.kind, id)
      guard place.record == nil else { continue }
      order += 1
      try put(SavedEvent(eventId: id, order: order), at: place, in: transaction)
    }
    guard try transaction.count(kind: SavedEvent.kind) > 2 * Self.keptOrders else { return }
    for old in try transaction.scan(kind: SavedEvent.kind, limit: Self.keptOrders) {
      transaction.delete(kind: SavedEvent.kind, key: old.key)
    }
  }

  private func latestTime() throws(StorageError) -> Int64 {
    let found = try committed { engine throws(StorageError) in try engine.latest(kind: RowKind.event, count: 1) }
    defer { withExtendedLifetime(found.pin) {} }
    var latest = Int64.min
    for record in found.pointers { latest = try max(latest, RecordedOrder(record).number) }
    return latest
  }

  /// Returns the `count` most recently recorded events with any of these sources, last recorded first.
  public func lastRecordedEvents(_ count: Int, from sources: Set<EventSourceType>) throws -> [Event] {
    guard count > 0 else { return [] }
    try refresh()
    // Events found so far, most recently recorded first.
    var last: [(order: RecordedOrder, record: Row)] = []
    let isChoosy = sources.count < EventSourceType.allCases.count
    func isMeant(_ record: UnsafeRawPointer) throws -> Bool {
      isChoosy ? try sources.contains(Self.fields(record).sourceType) : true
    }
    for saved in try scan(SavedEvent.kind, descending: true) where last.count < count {
      guard let record = try place(RowKind.event, decode(SavedEvent.self, saved).eventId).record,
        try isMeant(record.pointer)
      else { continue }
      last.append((RecordedOrder(number: saved.sort, key: record.key), record))
    }
    // Scan from the newest event. Most events that started early were also recorded early, so they are skipped quickly.
    let found = try isChoosy ? scan(RowKind.event, descending: true) : latest(RowKind.event, count: count)
    for record in found.pointers {
      var order = RecordedOrder(timeOf: record)
      if last.count == count, order < last[count - 1].order { continue }
      guard try isMeant(record) else { continue }
      order = try RecordedOrder(record)
      if last.count == count, order < last[count - 1].order { continue }
      // An event with an order number is either in the list already or was recorded before all `count` events in it.
      if try hasOrder(record) { continue }
      if last.count == count { last.removeLast() }
      let place = last.lastIndex { order < $0.order }.map { $0 + 1 } ?? 0
      last.insert((order, Row(pointer: record, pin: found.pin)), at: place)
    }
    return try last.map { try decode(Event.self, $0.record) }
  }

  private func hasOrder(_ record: UnsafeRawPointer) throws(StorageError) -> Bool {
    let key = RowLayout.key(record)
    guard key.isHash else { return try get(SavedEvent.kind, key) != nil }
    return try place(SavedEvent.kind, Self.fields(record).identifier.text).record != nil
  }
}

/// Time when an event was recorded, comparable with the order numbers in ``SavedEvent``.
private struct RecordedOrder: Comparable {
  let number: Int64
  let key: RowKey

  init(number: Int64, key: RowKey) {
    self.number = number
    self.key = key
  }

  /// Derives the order of an event without an order number from the time in a version 7 UUID, or else from the event's
  /// start.
  init(timeOf record: UnsafeRawPointer) {
    key = RowLayout.key(record)
    number = key.timeOfVersion7.map { ($0 - 978_307_200_000) * 1000 } ?? RowLayout.sort(record)
  }

  /// Like ``init(timeOf:)``, but puts imported events before all other events, because an imported appointment can be
  /// in the future.
  init(_ record: UnsafeRawPointer) throws(StorageError) {
    self.init(timeOf: record)
    if key.timeOfVersion7 == nil, [.imported, .healthKit].contains(try LocalStore.fields(record).sourceType) {
      self.init(number: .min / 2 + number / 4, key: key)
    }
  }

  static func < (left: RecordedOrder, right: RecordedOrder) -> Bool {
    left.number != right.number ? left.number < right.number : left.key < right.key
  }
}

extension RowKey {
  /// Milliseconds since 1970-01-01T00:00:00Z in a version 7 UUID, or `nil` for other keys.
  fileprivate var timeOfVersion7: Int64? {
    isVersionSeven ? Int64(high >> 16) : nil
  }
}
