import TrendyFoundation
import TrendyModels

/// Fields of an event row. Numbers are decoded, while other values are only located. Pointers are valid as long as the
/// row.
struct EventRowFields {
  let record: UnsafeRawPointer
  /// Id of the event type, if it is a canonical UUID.
  private(set) var typeBits: (high: UInt64, low: UInt64)?
  private(set) var typeText: UnsafeRawBufferPointer?
  /// Seconds since 2001-01-01T00:00:00Z.
  private(set) var timestamp = Double.nan
  private(set) var endDate: Double?
  private(set) var latitude: Double?
  private(set) var longitude: Double?
  private(set) var notes: UnsafeRawBufferPointer?
  private(set) var locationName: UnsafeRawBufferPointer?
  private(set) var timeZone: UnsafeRawBufferPointer?
  private(set) var properties: UnsafeRawBufferPointer?
  private(set) var traits = EventTraits()
  /// Whether the row has fields in ``SeldomFields`` or unknown fields.
  private(set) var hasMore = false
  /// Id of the event, unless it is a canonical UUID.
  private(set) var identifierText: UnsafeRawBufferPointer?

  /// Returns `nil` if a required field is missing or malformed.
  @inline(__always) init?(_ record: UnsafeRawPointer) {
    self.init(unread: record)
    guard read() else { return nil }
  }

  @inline(__always) init(unread record: UnsafeRawPointer) { self.record = record }

  /// Returns whether all required fields are present and valid.
  @inline(__always) mutating func read() -> Bool {
    var cursor = RowCursor(record)
    var hasTimestamp = false
    while !cursor.isAtEnd {
      guard let header = cursor.number() else { return false }
      switch Int(truncatingIfNeeded: header) {
      case EventField.eventType << 2 | 2:
        guard let high = cursor.word(), let low = cursor.word(), low &>> 62 == 2 else { return false }
        typeBits = (high, low)
      case EventField.timestamp << 2 | 1:
        guard let word = cursor.word() else { return false }
        timestamp = Double(bitPattern: word)
        hasTimestamp = true
      case EventField.endDate << 2 | 1:
        guard let word = cursor.word() else { return false }
        endDate = Double(bitPattern: word)
      case EventField.notes << 2 | 3:
        guard let bytes = cursor.bytes() else { return false }
        notes = bytes
      case EventField.latitude << 2 | 1:
        guard let word = cursor.word() else { return false }
        latitude = Double(bitPattern: word)
      case EventField.longitude << 2 | 1:
        guard let word = cursor.word() else { return false }
        longitude = Double(bitPattern: word)
      case EventField.traits << 2:
        guard let word = cursor.number() else { return false }
        traits.word = word
      case EventField.properties << 2 | 3:
        guard let bytes = cursor.bytes() else { return false }
        properties = bytes
      case EventField.locationName << 2 | 3:
        guard let bytes = cursor.bytes() else { return false }
        locationName = bytes
      case EventField.timeZone << 2 | 3:
        guard let bytes = cursor.bytes() else { return false }
        timeZone = bytes
      case 1 << 2 | 3:
        guard let bytes = cursor.bytes() else { return false }
        identifierText = bytes
      case EventField.eventType << 2 | 3:
        guard let bytes = cursor.bytes() else { return false }
        typeText = bytes
      default:
        hasMore = true
        guard cursor.skip(header) else { return false }
      }
    }
    if !hasTimestamp {
      guard traits.timestamp != .field else { return false }
      timestamp = traits.timestamp.seconds(sort: RowLayout.sort(record))
    }
    guard typeBits != nil || typeText != nil, identifierText != nil || RowLayout.key(record).isUUID,
      StoredCode.source(traits.source) != nil, StoredCode.status(traits.status) != nil
    else { return false }
    return true
  }

  @inline(__always) var identifier: CompactIdentifier {
    if let identifierText { return CompactIdentifier(String(decoding: identifierText, as: UTF8.self)) }
    let key = RowLayout.key(record)
    return CompactIdentifier(high: key.high, low: key.low)
  }

  @inline(__always) var sourceType: EventSourceType { StoredCode.source(traits.source) ?? .imported }
  @inline(__always) var syncStatus: SyncStatus { StoredCode.status(traits.status) ?? .pending }
}

struct SeldomFields {
  var externalId: String?
  var originalTitle: String?
  var geofenceId: String?
  var healthKitSampleId: String?
  var healthKitCategory: String?
  var unknownFields: [String: JSONValue] = [:]

  /// Returns `nil` if any of the fields is malformed.
  init?(_ record: UnsafeRawPointer) {
    var fields = RowReader(RowLayout.payload(record))
    while let field = fields.next() {
      switch field.number {
      case EventField.externalId: externalId = field.text
      case EventField.originalTitle: originalTitle = field.text
      case EventField.geofence: geofenceId = field.identifier
      case EventField.healthKitSample: healthKitSampleId = field.text
      case EventField.healthKitCategory: healthKitCategory = field.text
      case EventField.unknownMember:
        guard let (name, value) = field.member else { return nil }
        unknownFields[name] = value
      default: break
      }
    }
    if fields.isBroken { return nil }
  }

  func set(_ event: inout Event) {
    event.externalId = externalId
    event.originalTitle = originalTitle
    event.geofenceId = geofenceId
    event.healthKitSampleId = healthKitSampleId
    event.healthKitCategory = healthKitCategory
    event.unknownFields = unknownFields
  }
}

/// Decodes events from rows. Events with the same type, place, time zone or property names share these strings. Not
/// thread-safe.
final class EventReader {
  private let types = SharedIdentifiers()
  private let texts = SharedTexts()
  let shapes = SharedShapes()
  /// Memory for creating a single event before it is moved to the caller.
  private let place = UnsafeMutablePointer<Event>.allocate(capacity: 1)

  deinit { place.deallocate() }

  /// Decodes an event. Returns `nil` if a required field is missing, or has content unknown to this version.
  @inline(__always) func event(_ record: UnsafeRawPointer) -> Event? { read(record, to: place) ? place.move() : nil }

  /// Decodes an event directly into its final memory, because a copy would retain every reference in it. `place` must
  /// be uninitialized, and stays so if the result is `false`.
  /// - Returns: whether the event could be decoded.
  func read(_ record: UnsafeRawPointer, to place: UnsafeMutablePointer<Event>) -> Bool {
    // Read in place, because an optional would be copied.
    var fields = EventRowFields(unread: record)
    guard fields.read() else { return false }
    var seldom: SeldomFields?
    if fields.hasMore {
      seldom = SeldomFields(record)
      if seldom == nil { return false }
    }
    place.initialize(
      to: Event(
        identifier: fields.identifier, eventTypeId: eventTypeId(fields),
        timestamp: Date(timeIntervalSinceReferenceDate: fields.timestamp), isAllDay: fields.traits.isAllDay,
        sourceType: fields.sourceType, syncStatus: fields.syncStatus))
    if let bytes = fields.properties {
      guard let (shape, values) = shapes.split(bytes), place.pointee.setPackedProperties(shape, values) else {
        place.deinitialize(count: 1)
        return false
      }
    }
    if let end = fields.endDate { place.pointee.endDate = Date(timeIntervalSinceReferenceDate: end) }
    if let notes = fields.notes { place.pointee.notes = String(decoding: notes, as: UTF8.self) }
    if let latitude = fields.latitude { place.pointee.locationLatitude = latitude }
    if let longitude = fields.longitude { place.pointee.locationLongitude = longitude }
    if let name = fields.locationName { place.pointee.locationName = texts.text(name) }
    if let zone = fields.timeZone { place.pointee.timeZone = texts.text(zone) }
    seldom?.set(&place.pointee)
    return true
  }

  @inline(__always) func eventTypeId(_ fields: EventRowFields) -> String {
    if let bits = fields.typeBits { return types.text(high: bits.high, low: bits.low) }
    return fields.typeText.map(texts.text) ?? ""
  }

  /// Calls `body` with each property, ordered by name.
  /// - Returns: whether the properties could be decoded.
  func forEachProperty(_ fields: EventRowFields, _ body: (String, PropertyValue) -> Void) -> Bool {
    guard let bytes = fields.properties else { return true }
    guard let (shape, values) = shapes.split(bytes) else { return false }
    return PackedProperties.forEach(shape, values, body)
  }
}
