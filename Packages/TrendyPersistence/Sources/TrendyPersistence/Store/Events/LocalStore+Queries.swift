public import TrendyFoundation
public import TrendyModels
import TrendyProtocols

extension LocalStore {
  public func events(in range: Range<Date>?, ofType eventTypeId: String?, limit: Int?) throws -> [Event] {
    let found = try eventRecords(in: range, ofType: eventTypeId, limit: limit)
    defer { withExtendedLifetime(found.pin) {} }
    var unreadable: UnsafeRawPointer?
    let events = [Event](unsafeUninitializedCapacity: found.pointers.count) { buffer, count in
      guard let place = buffer.baseAddress else { return }
      for record in found.pointers {
        guard reader.read(record, to: place + count) else {
          unreadable = record
          return
        }
        count += 1
      }
    }
    if let unreadable { throw Self.unreadable(unreadable) }
    return events
  }

  /// Returns the events in a range of days.
  ///
  /// The timestamp of an all-day event can be days away from its day, so events around the range are read as well.
  /// Other events are skipped without decoding.
  public func events(
    of days: ClosedRange<CivilDate>, ofType eventTypeId: String?, in local: LocalTime
  ) throws -> [Event] {
    var (events, walk): ([Event], CachedDayCalendar) = ([], CachedDayCalendar(local))
    try eventRows(in: local.timestamps(of: days), ofType: eventTypeId).forEach { row in
      if row.isAllDay || !row.wasRecorded(in: local) {
        let event = try row.event()
        if days.contains(local.day(of: event)) { events.append(event) }
      } else if days.contains(walk.day(of: row.timestamp)) {
        events.append(try row.event())
      }
    }
    return events
  }

  /// Returns the events in a range with any of these sources. Other events are skipped without decoding.
  public func events(in range: Range<Date>?, from sources: Set<EventSourceType>) throws -> [Event] {
    var events: [Event] = []
    try eventRows(in: range).forEach { row in
      if sources.contains(row.sourceType) { events.append(try row.event()) }
    }
    return events
  }

  /// Like ``events(in:ofType:limit:)``, but returns rows whose values are decoded when they are used. A `nil` argument
  /// does not restrict the result.
  /// - Throws: ``StorageError``.
  public func eventRows(
    in range: Range<Date>? = nil, ofType eventTypeId: String? = nil, limit: Int? = nil
  ) throws -> EventRows {
    let found = try eventRecords(in: range, ofType: eventTypeId, limit: limit)
    return EventRows(records: found.pointers, source: EventRowSource(pin: found.pin, reader: reader))
  }
}

extension LocalStore {
  /// Returns event rows sorted by time, newest first, then by descending id.
  func eventRecords(
    in range: Range<Date>?, ofType eventTypeId: String?, limit: Int?
  ) throws(StorageError) -> RowList {
    try refresh()
    let wanted = limit ?? .max
    guard wanted > 0, range?.isEmpty != true else {
      return RowList(pointers: [], pin: RowPin(memories: []))
    }
    let group = eventTypeId.map(RowOrder.group)
    let (lower, upper) = Self.sorts(of: range)
    var asked = wanted
    while true {
      let found = try scan(RowKind.event, group: group, from: lower, to: upper, descending: true, limit: asked)
      var records = found.pointers
      var pin = found.pin
      let isFull = records.count == asked
      if isFull, let last = records.last.map(RowLayout.sort) {
        // Sort values have a resolution of one microsecond, within which rows are ordered by time and id. Read all rows
        // in the last microsecond and sort them below.
        while let record = records.last, RowLayout.sort(record) == last { records.removeLast() }
        let rest = try scan(RowKind.event, group: group, from: last, to: last + 1, descending: true)
        records += rest.pointers
        if rest.pin !== pin { pin = RowPin(memories: [], others: [pin, rest.pin]) }
      }
      if let eventTypeId { Self.keep(ofType: eventTypeId, in: &records) }
      if let range { try Self.keep(range, lower..<upper, in: &records) }
      if isFull && records.count < wanted {
        // Some rows at the edges were outside the range, so read more.
        asked = asked > Int.max / 2 ? .max : asked * 2
        continue
      }
      try Self.order(&records)
      if records.count > wanted { records.removeLast(records.count - wanted) }
      return RowList(pointers: records, pin: pin)
    }
  }

  /// Removes rows of other types, which can have the same group key because it is a hash.
  private static func keep(ofType eventTypeId: String, in records: inout [UnsafeRawPointer]) {
    let key = RowKey(canonicalUUID: eventTypeId)
    if records.allSatisfy({ refers($0, to: eventTypeId, key: key) }) { return }
    records.removeAll { !refers($0, to: eventTypeId, key: key) }
  }

  /// Removes rows in the first and last microsecond that are outside the range.
  private static func keep(
    _ range: Range<Date>, _ sorts: Range<Int64>, in records: inout [UnsafeRawPointer]
  ) throws(StorageError) {
    guard let first = records.first, let last = records.last,
      RowLayout.sort(first) == sorts.upperBound - 1 || RowLayout.sort(last) == sorts.lowerBound
    else { return }
    var kept: [UnsafeRawPointer] = []
    kept.reserveCapacity(records.count)
    for record in records {
      let sort = RowLayout.sort(record)
      if sort == sorts.upperBound - 1 || sort == sorts.lowerBound {
        guard range.contains(try fields(record).date) else { continue }
      }
      kept.append(record)
    }
    records = kept
  }

  private static func order(_ records: inout [UnsafeRawPointer]) throws(StorageError) {
    var start = 0
    while let first = firstOfOneSort(records, from: start) {
      let sort = RowLayout.sort(records[first])
      let end = records[first...].firstIndex { RowLayout.sort($0) != sort } ?? records.endIndex
      var same: [EventRowFields] = []
      for index in first..<end { same.append(try fields(records[index])) }
      same.sort { $0.isAfter($1) }
      for (offset, fields) in same.enumerated() { records[first + offset] = fields.record }
      start = end
    }
  }

  /// Returns the index of the next row with the same sort value as its successor. Such rows are rare.
  private static func firstOfOneSort(_ records: [UnsafeRawPointer], from start: Int) -> Int? {
    records.withUnsafeBufferPointer { records in
      guard start < records.count else { return nil }
      var before = RowLayout.sort(records[start])
      for index in start + 1..<records.count {
        let sort = RowLayout.sort(records[index])
        if sort == before { return index - 1 }
        before = sort
      }
      return nil
    }
  }

  static func fields(_ record: UnsafeRawPointer) throws(StorageError) -> EventRowFields {
    guard let fields = EventRowFields(record) else { throw unreadable(record) }
    return fields
  }

  private static func unreadable(_ record: UnsafeRawPointer) -> StorageError {
    .unreadableRow(kind: RowLayout.kind(record), key: RowLayout.key(record))
  }

  /// Returns bounds for the sort values in a range. Rows in the first and last microsecond may still be outside the
  /// range.
  static func sorts(of range: Range<Date>?) -> (lower: Int64, upper: Int64) {
    guard let range else { return (.min, .max) }
    return (RowOrder.sort(range.lowerBound), RowOrder.sort(range.upperBound) + 1)
  }
}

extension EventRowFields {
  var date: Date { Date(timeIntervalSinceReferenceDate: timestamp) }

  /// Whether the event comes before `other` in a list sorted newest first, then by descending id.
  func isAfter(_ other: EventRowFields) -> Bool {
    timestamp != other.timestamp ? timestamp > other.timestamp : identifier.text > other.identifier.text
  }
}
