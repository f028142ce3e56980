import TrendyFoundation
import TrendyModels

/// Field numbers in an event row. They are part of the file format.
enum EventField {
  static let eventType = 2
  static let timestamp = 3
  static let endDate = 4
  static let notes = 6
  static let externalId = 8
  static let originalTitle = 9
  static let geofence = 10
  static let latitude = 11
  static let longitude = 12
  static let locationName = 13
  static let healthKitSample = 14
  static let healthKitCategory = 15
  static let timeZone = 16
  static let unknownMember = 19
  static let traits = 20
  static let properties = 21
}

/// Rule for deriving a timestamp from the sort value, which is the timestamp in whole microseconds. A row uses the
/// first rule that reproduces every bit, so most rows need no timestamp field.
enum TimestampRule: UInt64 {
  /// The timestamp is stored in a field.
  case field
  case microsecond
  /// The next microsecond, because the double nearest to a decimal fraction may be just below it.
  case nextMicrosecond
  /// Whole milliseconds since 1970, as provided by system clocks and other programs.
  case unixMillisecond

  private static let unixEpoch: Int64 = 978_307_200_000_000

  @inline(__always) func seconds(sort: Int64) -> Double {
    switch self {
    case .field: .nan
    case .microsecond: Double(sort) / 1_000_000
    case .nextMicrosecond: Double(sort &+ 1) / 1_000_000
    case .unixMillisecond: Double((sort &+ Self.unixEpoch &+ 500) / 1000) / 1000 - 978_307_200
    }
  }

  /// Selects the first rule that reproduces every bit of the timestamp.
  init(of date: Date) {
    let bits = date.timeIntervalSinceReferenceDate.bitPattern
    let sort = RowOrder.sort(date)
    if Self.microsecond.seconds(sort: sort).bitPattern == bits {
      self = .microsecond
    } else if Self.nextMicrosecond.seconds(sort: sort).bitPattern == bits {
      self = .nextMicrosecond
    } else if Self.unixMillisecond.seconds(sort: sort).bitPattern == bits {
      self = .unixMillisecond
    } else {
      self = .field
    }
  }
}

struct EventTraits {
  var word: UInt64 = 0

  var isAllDay: Bool {
    get { word & 1 != 0 }
    set { set(newValue ? 1 : 0, at: 0, mask: 1) }
  }
  var timestamp: TimestampRule {
    get { TimestampRule(rawValue: word >> 1 & 3) ?? .field }
    set { set(newValue.rawValue, at: 1, mask: 3) }
  }
  var source: UInt64 {
    get { word >> 3 & 7 }
    set { set(newValue, at: 3, mask: 7) }
  }
  /// Sync status, together with higher bits that later versions may add.
  var status: UInt64 {
    get { word >> 6 }
    set { set(newValue, at: 6, mask: 3) }
  }

  private mutating func set(_ value: UInt64, at shift: UInt64, mask: UInt64) {
    word = word & ~(mask << shift) | value << shift
  }
}

extension Event: StoredRow {
  static var kind: UInt8 { RowKind.event }
  static var lastField: Int { EventField.properties }
  var rowIdentifier: String { id }
  var rowSort: Int64 { RowOrder.sort(timestamp) }
  var rowGroup: UInt64 { RowOrder.group(eventTypeId) }
  func rowGroup(writtenBy writer: RowWriter) -> UInt64 { writer.typeGroup }

  func isNamed(_ identifier: String, at key: RowKey) -> Bool {
    guard let bits = self.identifier.bits else { return id == identifier }
    return key == RowKey(high: bits.high, low: bits.low)
  }

  func write(to writer: RowWriter) {
    var traits = EventTraits()
    traits.isAllDay = isAllDay
    traits.timestamp = TimestampRule(of: timestamp)
    traits.source = StoredCode.code(sourceType)
    traits.status = StoredCode.code(syncStatus)
    writer.eventType(EventField.eventType, eventTypeId)
    if traits.timestamp == .field { writer.date(EventField.timestamp, timestamp) }
    writer.date(EventField.endDate, endDate)
    writer.text(EventField.notes, notes)
    if hasSeldomFields {
      writer.text(EventField.externalId, externalId)
      writer.text(EventField.originalTitle, originalTitle)
      writer.identifier(EventField.geofence, geofenceId)
    }
    writer.double(EventField.latitude, locationLatitude)
    writer.double(EventField.longitude, locationLongitude)
    writer.text(EventField.locationName, locationName)
    if hasSeldomFields {
      writer.text(EventField.healthKitSample, healthKitSampleId)
      writer.text(EventField.healthKitCategory, healthKitCategory)
    }
    writer.text(EventField.timeZone, timeZone)
    if hasSeldomFields { writer.members(EventField.unknownMember, unknownFields) }
    if traits.word != 0 { writer.integer(EventField.traits, traits.word) }
    writer.properties(EventField.properties, packedProperties)
  }

  @inline(__always) static func read(_ record: UnsafeRawPointer, with reader: EventReader) -> Event? {
    reader.event(record)
  }

  /// Returns `nil`, because events are decoded with ``EventReader``.
  init?(identifier: @autoclosure () -> String, fields: inout RowReader) { return nil }
}
