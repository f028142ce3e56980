public import TrendyFoundation

/// An event as the hub gives it.
public struct APIEvent: Hashable, Sendable, Identifiable {
  public let id: String
  public var userId: String
  public var eventTypeId: String
  public var timestamp: Date
  public var notes: String?
  public var isAllDay: Bool
  public var endDate: Date?
  public var sourceType: String
  public var externalId: String?
  public var originalTitle: String?
  public var geofenceId: String?
  public var locationLatitude: Double?
  public var locationLongitude: Double?
  public var locationName: String?
  public var healthKitSampleId: String?
  public var healthKitCategory: String?
  public var timeZone: String?
  public var properties: [String: APIPropertyValue]?
  public var createdAt: Date?
  public var updatedAt: Date?
  public var eventType: APIEventType?
  /// Members this version does not know, kept and written back.
  public var unknownFields: [String: JSONValue]

  public init(
    id: String, userId: String = "", eventTypeId: String, timestamp: Date, notes: String? = nil,
    isAllDay: Bool = false, endDate: Date? = nil, sourceType: String = "manual", externalId: String? = nil,
    originalTitle: String? = nil, geofenceId: String? = nil, locationLatitude: Double? = nil,
    locationLongitude: Double? = nil, locationName: String? = nil, healthKitSampleId: String? = nil,
    healthKitCategory: String? = nil, timeZone: String? = nil, properties: [String: APIPropertyValue]? = nil,
    createdAt: Date? = nil, updatedAt: Date? = nil, eventType: APIEventType? = nil,
    unknownFields: [String: JSONValue] = [:]
  ) {
    self.id = id
    self.userId = userId
    self.eventTypeId = eventTypeId
    self.timestamp = timestamp
    self.notes = notes
    self.isAllDay = isAllDay
    self.endDate = endDate
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
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.eventType = eventType
    self.unknownFields = unknownFields
  }
}

extension APIEvent: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.required("id")
    userId = try fields.optional("user_id", default: "")
    eventTypeId = try fields.required("event_type_id")
    timestamp = try fields.date("timestamp")
    notes = try fields.optional("notes")
    isAllDay = try fields.optional("is_all_day", default: false)
    endDate = try fields.optionalDate("end_date")
    sourceType = try fields.optional("source_type", default: "manual")
    externalId = try fields.optional("external_id")
    originalTitle = try fields.optional("original_title")
    geofenceId = try fields.optional("geofence_id")
    locationLatitude = try fields.optional("location_latitude")
    locationLongitude = try fields.optional("location_longitude")
    locationName = try fields.optional("location_name")
    healthKitSampleId = try fields.optional("healthkit_sample_id")
    healthKitCategory = try fields.optional("healthkit_category")
    timeZone = try fields.optional("time_zone")
    properties = try fields.optional("properties")
    createdAt = try fields.optionalDate("created_at")
    updatedAt = try fields.optionalDate("updated_at")
    eventType = try fields.optional("event_type")
    unknownFields = try fields.unknown()
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write(unknown: unknownFields)
    try fields.writeIfPresent("created_at", createdAt)
    try fields.writeIfPresent("end_date", endDate)
    try fields.writeIfPresent("event_type", eventType)
    try fields.write("event_type_id", eventTypeId)
    try fields.writeIfPresent("external_id", externalId)
    try fields.writeIfPresent("geofence_id", geofenceId)
    try fields.writeIfPresent("healthkit_category", healthKitCategory)
    try fields.writeIfPresent("healthkit_sample_id", healthKitSampleId)
    try fields.write("id", id)
    try fields.write("is_all_day", isAllDay)
    try fields.writeIfPresent("location_latitude", locationLatitude)
    try fields.writeIfPresent("location_longitude", locationLongitude)
    try fields.writeIfPresent("location_name", locationName)
    try fields.writeIfPresent("notes", notes)
    try fields.writeIfPresent("original_title", originalTitle)
    try fields.writeIfPresent("properties", properties)
    try fields.write("source_type", sourceType)
    try fields.writeIfPresent("time_zone", timeZone)
    try fields.write("timestamp", timestamp)
    try fields.writeIfPresent("updated_at", updatedAt)
    try fields.write("user_id", userId)
  }
}
