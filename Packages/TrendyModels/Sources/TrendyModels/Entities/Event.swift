public import TrendyFoundation

/// Recorded occurrence with a start, an optional end and property values.
///
/// The layout is compact, because stores read many events at once: id and properties are stored packed and converted on
/// access, and rarely used fields are stored out of line.
public struct Event: Hashable, Sendable, Identifiable {
  @usableFromInline var storedIdentifier: CompactIdentifier
  public var isAllDay: Bool
  public var sourceType: EventSourceType {
    didSet { forgetUnknownSourceType() }
  }
  public var syncStatus: SyncStatus
  public var eventTypeId: String
  public var timestamp: Date
  /// End of the event, never before ``timestamp``, or `nil` for a single point in time or a running event.
  public var endDate: Date?
  public var notes: String?
  /// Latitude in degrees, -90 to 90 (WGS 84).
  public var locationLatitude: Double?
  /// Longitude in degrees, -180 to 180 (WGS 84).
  public var locationLongitude: Double?
  public var locationName: String?
  /// IANA name of the time zone the event was recorded in.
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

  /// Creates an event from the fields that every stored event has. All other fields are `nil` or empty.
  ///
  /// Inlinable, so that callers construct the event in place.
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

  /// Calls `body` with the shape, index and packed value of each property, ordered by key.
  ///
  /// Unlike ``properties``, this copies and converts nothing.
  @inlinable public func forEachPackedProperty(_ body: (PropertyShape, Int, PackedValue) -> Void) {
    packed.forEachPacked(body)
  }

  /// Sets the properties from a copy of their storage format.
  ///
  /// - Returns: `false`, leaving the event unchanged, if the bytes do not contain exactly one value per name.
  @inlinable public mutating func setPackedProperties(
    _ shape: consuming PropertyShape, _ bytes: UnsafeRawBufferPointer
  ) -> Bool {
    packed.set(shape, bytes)
  }
}

extension Event {
  /// Packed form of ``id``.
  @inlinable public var identifier: CompactIdentifier { storedIdentifier }

  /// Opaque identifier of 1 to 128 bytes. Identifiers generated on a device are UUIDv7s.
  public var id: String { identifier.text }

  /// Returns a copy of the event with another id.
  public func with(id: String) -> Event {
    var event = self
    event.storedIdentifier = CompactIdentifier(id)
    return event
  }

  /// Packed form of ``properties``.
  @inlinable public var packedProperties: PackedProperties { packed }

  /// Property values by the key of their definition. Converted on each access.
  public var properties: [String: PropertyValue] {
    get { packed.dictionary }
    set {
      packed = PackedProperties(newValue)
      forgetUnknownProperties()
    }
  }
}

extension Event {
  /// Box for the rarely used fields. Events without such fields have no box. The box is immutable, so copies of an
  /// event can share it.
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

  /// Whether any of the rarely used fields, ``externalId`` to ``unknownFields``, is set. Bulk writers check this first.
  public var hasSeldomFields: Bool { seldom != nil }

  private var seldomFields: Seldom.Fields {
    get { seldom?.fields ?? Seldom.Fields() }
    set { seldom = Seldom(newValue) }
  }

  /// Identifier of the event in the program that it was imported from.
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

  /// JSON members that this version cannot represent, by wire name. They are written back unchanged.
  public var unknownFields: [String: JSONValue] {
    get { seldom?.fields.unknownFields ?? [:] }
    set { seldomFields.unknownFields = newValue }
  }
}
