#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Something that happened: a moment, or a span when it has an end.
public struct Event: Hashable, Sendable, Identifiable {
  /// 1 to 128 bytes, opaque; a UUIDv7 when made here.
  public let id: String
  public var eventTypeId: String
  public var timestamp: Date
  /// Never before `timestamp`.
  public var endDate: Date?
  public var isAllDay: Bool
  public var notes: String?
  public var sourceType: EventSourceType {
    didSet { forgetUnknownSourceType() }
  }
  /// The id in the place it was imported from.
  public var externalId: String?
  public var originalTitle: String?
  public var geofenceId: String?
  /// Degrees, -90 to 90, WGS 84.
  public var locationLatitude: Double?
  /// Degrees, -180 to 180, WGS 84.
  public var locationLongitude: Double?
  public var locationName: String?
  public var healthKitSampleId: String?
  public var healthKitCategory: String?
  /// IANA name of the zone it was recorded in.
  public var timeZone: String?
  /// By the key of the property's definition.
  public var properties: [String: PropertyValue] {
    didSet { forgetUnknownProperties() }
  }
  public var syncStatus: SyncStatus
  /// What a newer version wrote and this one cannot represent, by wire name; written back unchanged.
  public var unknownFields: [String: JSONValue]

  public init(
    id: String, eventTypeId: String, timestamp: Date, endDate: Date? = nil, isAllDay: Bool = false,
    notes: String? = nil, sourceType: EventSourceType = .manual, externalId: String? = nil,
    originalTitle: String? = nil, geofenceId: String? = nil, locationLatitude: Double? = nil,
    locationLongitude: Double? = nil, locationName: String? = nil, healthKitSampleId: String? = nil,
    healthKitCategory: String? = nil, timeZone: String? = nil, properties: [String: PropertyValue] = [:],
    syncStatus: SyncStatus = .pending, unknownFields: [String: JSONValue] = [:]
  ) {
    self.id = id
    self.eventTypeId = eventTypeId
    self.timestamp = timestamp
    self.endDate = endDate
    self.isAllDay = isAllDay
    self.notes = notes
    self.sourceType = sourceType
    self.externalId = externalId
    self.originalTitle = originalTitle
    self.geofenceId = geofenceId
    self.locationLatitude = locationLatitude
    self.locationLongitude = locationLongitude
    self.locationName = locationName
    self.healthKitSampleId = healthKitSampleId
    self.healthKitCategory = healthKitCategory
    self.timeZone = timeZone
    self.properties = properties
    self.syncStatus = syncStatus
    self.unknownFields = unknownFields
  }
}
