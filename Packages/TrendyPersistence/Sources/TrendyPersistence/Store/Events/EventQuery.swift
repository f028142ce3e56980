public import TrendyFoundation
public import TrendyModels

/// Conditions of an event search, all of which must hold. `nil` matches any value.
public struct EventQuery: Hashable, Sendable {
  /// Half-open range of timestamps.
  public var range: Range<Date>?
  /// Id of the event type.
  public var eventTypeId: String?
  /// Source of the event.
  public var sourceType: EventSourceType?
  /// Id of the place.
  public var geofenceId: String?
  /// Part of the place's name, case-insensitive.
  public var place: String?
  /// Part of the notes, the title, the place's name or a text property, case-insensitive.
  public var text: String?

  /// Creates a query.
  public init(
    range: Range<Date>? = nil, eventTypeId: String? = nil, sourceType: EventSourceType? = nil,
    geofenceId: String? = nil, place: String? = nil, text: String? = nil
  ) {
    self.range = range
    self.eventTypeId = eventTypeId
    self.sourceType = sourceType
    self.geofenceId = geofenceId
    self.place = place
    self.text = text
  }
}

/// End of a page in a list of events, newest first. Remains valid when events are saved or deleted.
public struct EventCursor: Hashable, Sendable, Codable {
  /// Timestamp of the last event on the page.
  public var timestamp: Date
  /// Id of the last event on the page.
  public var id: String

  /// Creates a cursor after an event.
  public init(timestamp: Date, id: String) {
    self.timestamp = timestamp
    self.id = id
  }
}

/// One page of query results.
public struct EventPage: Hashable, Sendable {
  /// Events, newest first.
  public var events: [Event]
  /// Cursor for the next page, or `nil` on the last page.
  public var next: EventCursor?
}

extension LocalStore {
  /// Returns one page of at most `limit` events that match a query, newest first. `cursor` is the end of the previous
  /// page, or `nil` for the first page. Only events on the page are decoded.
  /// - Throws: ``StorageError``.
  public func events(matching query: EventQuery, after cursor: EventCursor? = nil, limit: Int) throws -> EventPage {
    precondition(limit > 0, "the page limit must be positive, found \(limit)")
    let filter = EventFilter(query)
    var page = EventPage(events: [], next: nil)
    var start = cursor
    // With conditions, read about twice as many rows as the page has events. Without conditions, one more row than the
    // page suffices, plus a margin for events with the same timestamp as the cursor.
    let wanted = min(limit, 1 << 20)
    var piece = max(filter.isOfAll ? wanted + 16 : wanted * 2, 256)
    while true {
      guard let range = Self.range(query.range, upTo: start) else { return page }
      let found = try eventRecords(in: range, ofType: query.eventTypeId, limit: piece)
      defer { withExtendedLifetime(found.pin) {} }
      try pass(bytes: found.pointers.reduce(0) { $0 + RowLayout.size($1) })
      var last: EventRowFields?
      for record in found.pointers {
        let fields = try Self.fields(record)
        if let start, !fields.isBehind(start) { continue }
        if page.events.count == limit {
          page.next = last.map { EventCursor($0) } ?? start
          return page
        }
        last = fields
        if try filter.matches(fields, reader) { page.events.append(try decode(Event.self, record)) }
      }
      if found.pointers.count < piece { return page }
      if let last {
        start = EventCursor(last)
      } else {
        // All rows in the batch have the cursor's timestamp, so read larger batches.
        piece *= 4
      }
    }
  }

  /// Returns the part of a range that can follow a cursor, including events with the cursor's timestamp.
  private static func range(_ range: Range<Date>?, upTo cursor: EventCursor?) -> Range<Date>? {
    let lower = range?.lowerBound ?? Date(timeIntervalSinceReferenceDate: -.greatestFiniteMagnitude)
    var upper = range?.upperBound ?? Date(timeIntervalSinceReferenceDate: .greatestFiniteMagnitude)
    if let cursor {
      upper = min(upper, Date(timeIntervalSinceReferenceDate: cursor.timestamp.timeIntervalSinceReferenceDate.nextUp))
    }
    return lower < upper ? lower..<upper : nil
  }
}

extension EventCursor {
  fileprivate init(_ fields: EventRowFields) { self.init(timestamp: fields.date, id: fields.identifier.text) }
}

extension EventRowFields {
  fileprivate func isBehind(_ cursor: EventCursor) -> Bool {
    date != cursor.timestamp ? date < cursor.timestamp : identifier.text < cursor.id
  }
}

/// Query conditions other than time and type.
private struct EventFilter {
  private let sourceType: EventSourceType?
  private let geofenceId: String?
  private let place: [UInt8]?
  private let text: [UInt8]?

  init(_ query: EventQuery) {
    sourceType = query.sourceType
    geofenceId = query.geofenceId
    place = query.place.map { Array($0.lowercased().utf8) }
    text = query.text.map { Array($0.lowercased().utf8) }
  }

  var isOfAll: Bool { sourceType == nil && geofenceId == nil && place == nil && text == nil }

  func matches(_ fields: EventRowFields, _ reader: EventReader) throws(StorageError) -> Bool {
    if let sourceType, fields.sourceType != sourceType { return false }
    if let place, !Self.has(place, fields.locationName) { return false }
    guard geofenceId != nil || text != nil else { return true }
    let seldom = fields.hasMore ? SeldomFields(fields.record) : nil
    if let geofenceId, seldom?.geofenceId != geofenceId { return false }
    guard let text else { return true }
    if Self.has(text, fields.notes) || Self.has(text, fields.locationName) { return true }
    if let title = seldom?.originalTitle, Self.has(text, title) { return true }
    var isFound = false
    let isRead = reader.forEachProperty(fields) { _, property in
      if !isFound, let value = property.stringValue { isFound = Self.has(text, value) }
    }
    guard isRead else { throw .unreadableRow(kind: RowKind.event, key: RowLayout.key(fields.record)) }
    return isFound
  }

  private static func has(_ part: [UInt8], _ text: String) -> Bool {
    var text = text
    return text.withUTF8 { has(part, UnsafeRawBufferPointer($0)) }
  }

  /// Whether the text contains `part`, which must be lower-case.
  private static func has(_ part: [UInt8], _ text: UnsafeRawBufferPointer?) -> Bool {
    guard let text else { return false }
    guard text.allSatisfy({ $0 < 0x80 }) else {
      let lower = Array(String(decoding: text, as: UTF8.self).lowercased().utf8)
      return lower.withUnsafeBytes { find(part, in: $0) { $0 } }
    }
    return find(part, in: text) { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
  }

  private static func find(_ part: [UInt8], in text: UnsafeRawBufferPointer, _ lower: (UInt8) -> UInt8) -> Bool {
    guard part.count <= text.count else { return false }
    for start in 0...(text.count - part.count) {
      var length = 0
      while length < part.count, lower(text[start + length]) == part[length] { length += 1 }
      if length == part.count { return true }
    }
    return false
  }
}
