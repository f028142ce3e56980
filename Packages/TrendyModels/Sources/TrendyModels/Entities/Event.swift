public import TrendyFoundation

/// Something that happened: a moment, or a span when it has an end.
///
/// Small for what it can hold, as stores read many at once: its identifier is text only when asked for, its properties become
/// a dictionary when asked for, and what few events have lies apart.
public struct Event: Hashable, Sendable, Identifiable {
  @usableFromInline var storedIdentifier: CompactIdentifier
  public var isAllDay: Bool
  public var sourceType: EventSourceType {
    didSet { forgetUnknownSourceType() }
  }
  public var syncStatus: SyncStatus
  public var eventTypeId: String
  public var timestamp: Date
  /// Never before `timestamp`.
  public var endDate: Date?
  public var notes: String?
  /// Degrees, -90 to 90, WGS 84.
  public var locationLatitude: Double?
  /// Degrees, -180 to 180, WGS 84.
  public var locationLongitude: Double?
  public var locationName: String?
  /// IANA name of the zone it was recorded in.
  public var timeZone: String?
  @usableFromInline var packed: PackedProperties
  @usableFromInline var seldom: Seldom?

  public init(
    id: String, eventTypeId: String, timestamp: Date, endDate: Date? = nil, isAllDay: Bool = false,
    notes: String? = nil, sourceType: EventSourceType = .manual, externalId: String? = nil,
    originalTitle: String? = nil, geofenceId: String? = nil, locationLatitude: Double? = nil,
    locationLongitude: Double? = nil, locationName: String? = nil, healthKitSampleId: String? = nil,
    healthKitCategory: String? = nil, timeZone: String? = nil, properties: [String: PropertyValue] = [:],
    syncStatus: SyncStatus = .pending, unknownFields: [String: JSONValue] = [:]
  ) {
    self.init(
      identifier: CompactIdentifier(id), eventTypeId: eventTypeId, timestamp: timestamp, isAllDay: isAllDay,
      sourceType: sourceType, syncStatus: syncStatus)
    self.endDate = endDate
    self.notes = notes
    self.locationLatitude = locationLatitude
    self.locationLongitude = locationLongitude
    self.locationName = locationName
    self.timeZone = timeZone
    packed = PackedProperties(properties)
    seldom = Seldom(
      Seldom.Fields(
        externalId: externalId, originalTitle: originalTitle, geofenceId: geofenceId,
        healthKitSampleId: healthKitSampleId, healthKitCategory: healthKitCategory, unknownFields: unknownFields))
  }

  /// As a store begins one; all else is `nil` or empty. Inlined into other modules, so that it is made where it stays.
  @inlinable public init(
    identifier: CompactIdentifier, eventTypeId: String, timestamp: Date, isAllDay: Bool = false,
    sourceType: EventSourceType = .manual, syncStatus: SyncStatus = .pending
  ) {
    storedIdentifier = identifier
    self.eventTypeId = eventTypeId
    self.timestamp = timestamp
    self.isAllDay = isAllDay
    self.sourceType = sourceType
    self.syncStatus = syncStatus
    packed = PackedProperties()
  }

  /// Shows each property in the order of the names, by its place in the shape of all of them, as it lies in the event: no text
  /// is made, and nothing is copied.
  @inlinable public func forEachPackedProperty(_ body: (PropertyShape, Int, PackedValue) -> Void) {
    packed.forEachPacked(body)
  }

  /// Takes properties as a file keeps them; the bytes are copied.
  /// - Returns: `false`, and nothing changes, where they are not a value for each name.
  @inlinable public mutating func setPackedProperties(
    _ shape: consuming PropertyShape, _ bytes: UnsafeRawBufferPointer
  ) -> Bool {
    packed.set(shape, bytes)
  }
}

extension Event {
  /// What ``id`` is the text of.
  @inlinable public var identifier: CompactIdentifier { storedIdentifier }

  /// 1 to 128 bytes, opaque; a UUIDv7 when made here.
  public var id: String { identifier.text }

  /// Returns the event as another one: all but its id.
  public func with(id: String) -> Event {
    var event = self
    event.storedIdentifier = CompactIdentifier(id)
    return event
  }

  /// What ``properties`` are made of when asked for.
  @inlinable public var packedProperties: PackedProperties { packed }

  /// By the key of the property's definition.
  public var properties: [String: PropertyValue] {
    get { packed.dictionary }
    set {
      packed = PackedProperties(newValue)
      forgetUnknownProperties()
    }
  }
}

// What few events have.
extension Event {
  /// Never changed, so that events may share it; none where every field is empty.
  @usableFromInline final class Seldom: Hashable, Sendable {
    struct Fields: Hashable {
      var externalId: String?
      var originalTitle: String?
      var geofenceId: String?
      var healthKitSampleId: String?
      var healthKitCategory: String?
      var unknownFields: [String: JSONValue] = [:]
    }

    let fields: Fields

    init?(_ fields: Fields) {
      if fields == Fields() { return nil }
      self.fields = fields
    }

    @usableFromInline static func == (left: Seldom, right: Seldom) -> Bool { left.fields == right.fields }

    @usableFromInline func hash(into hasher: inout Hasher) { hasher.combine(fields) }
  }

  /// Whether any of the fields below is set: who writes many events down asks once instead of for each.
  public var hasSeldomFields: Bool { seldom != nil }

  private var seldomFields: Seldom.Fields {
    get { seldom?.fields ?? Seldom.Fields() }
    set { seldom = Seldom(newValue) }
  }

  /// The id in the place it was imported from.
  public var externalId: String? {
    get { seldom?.fields.externalId }
    set { seldomFields.externalId = newValue }
  }

  public var originalTitle: String? {
    get { seldom?.fields.originalTitle }
    set { seldomFields.originalTitle = newValue }
  }

  public var geofenceId: String? {
    get { seldom?.fields.geofenceId }
    set { seldomFields.geofenceId = newValue }
  }

  public var healthKitSampleId: String? {
    get { seldom?.fields.healthKitSampleId }
    set { seldomFields.healthKitSampleId = newValue }
  }

  public var healthKitCategory: String? {
    get { seldom?.fields.healthKitCategory }
    set { seldomFields.healthKitCategory = newValue }
  }

  /// What a newer version wrote and this one cannot represent, by wire name; written back unchanged.
  public var unknownFields: [String: JSONValue] {
    get { seldom?.fields.unknownFields ?? [:] }
    set { seldomFields.unknownFields = newValue }
  }
}
