public import TrendyFoundation

/// What makes an event.
public struct CreateEventRequest: Hashable, Sendable {
  public let id: String
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
  public var properties: [String: APIPropertyValue]
  /// Members this version does not know, kept and written back.
  public var unknownFields: [String: JSONValue]

  public init(
    id: String, eventTypeId: String, timestamp: Date, notes: String? = nil, isAllDay: Bool = false,
    endDate: Date? = nil, sourceType: String = "manual", externalId: String? = nil, originalTitle: String? = nil,
    geofenceId: String? = nil, locationLatitude: Double? = nil, locationLongitude: Double? = nil,
    locationName: String? = nil, healthKitSampleId: String? = nil, healthKitCategory: String? = nil,
    timeZone: String? = nil, properties: [String: APIPropertyValue] = [:], unknownFields: [String: JSONValue] = [:]
  ) {
    self.id = id
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
    self.unknownFields = unknownFields
  }
}

extension CreateEventRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.required("id")
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
    properties = try fields.optional("properties", default: [:])
    unknownFields = try fields.unknown()
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write(unknown: unknownFields)
    try fields.writeIfPresent("end_date", endDate)
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
    try fields.write("properties", properties)
    try fields.write("source_type", sourceType)
    try fields.writeIfPresent("time_zone", timeZone)
    try fields.write("timestamp", timestamp)
  }
}

/// What changes of an event; what is absent stays.
public struct UpdateEventRequest: Hashable, Sendable {
  public var eventTypeId: String?
  public var timestamp: Date?
  public var notes: Patch<String>
  public var isAllDay: Bool?
  public var endDate: Patch<Date>
  public var sourceType: String?
  public var externalId: Patch<String>
  public var originalTitle: Patch<String>
  public var geofenceId: Patch<String>
  public var locationLatitude: Patch<Double>
  public var locationLongitude: Patch<Double>
  public var locationName: Patch<String>
  public var healthKitSampleId: Patch<String>
  public var healthKitCategory: Patch<String>
  public var timeZone: Patch<String>
  /// By key; an inner `nil` takes that property away, a key that is absent stays.
  public var properties: [String: APIPropertyValue?]?

  public init(
    eventTypeId: String? = nil, timestamp: Date? = nil, notes: Patch<String> = .absent, isAllDay: Bool? = nil,
    endDate: Patch<Date> = .absent, sourceType: String? = nil, externalId: Patch<String> = .absent,
    originalTitle: Patch<String> = .absent, geofenceId: Patch<String> = .absent,
    locationLatitude: Patch<Double> = .absent, locationLongitude: Patch<Double> = .absent,
    locationName: Patch<String> = .absent, healthKitSampleId: Patch<String> = .absent,
    healthKitCategory: Patch<String> = .absent, timeZone: Patch<String> = .absent,
    properties: [String: APIPropertyValue?]? = nil
  ) {
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
  }
}

extension UpdateEventRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    eventTypeId = try fields.optional("event_type_id")
    timestamp = try fields.optionalDate("timestamp")
    notes = try fields.patch("notes")
    isAllDay = try fields.optional("is_all_day")
    endDate = try fields.datePatch("end_date")
    sourceType = try fields.optional("source_type")
    externalId = try fields.patch("external_id")
    originalTitle = try fields.patch("original_title")
    geofenceId = try fields.patch("geofence_id")
    locationLatitude = try fields.patch("location_latitude")
    locationLongitude = try fields.patch("location_longitude")
    locationName = try fields.patch("location_name")
    healthKitSampleId = try fields.patch("healthkit_sample_id")
    healthKitCategory = try fields.patch("healthkit_category")
    timeZone = try fields.patch("time_zone")
    properties = try fields.optional("properties")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("end_date", endDate)
    try fields.writeIfPresent("event_type_id", eventTypeId)
    try fields.write("external_id", externalId)
    try fields.write("geofence_id", geofenceId)
    try fields.write("healthkit_category", healthKitCategory)
    try fields.write("healthkit_sample_id", healthKitSampleId)
    try fields.writeIfPresent("is_all_day", isAllDay)
    try fields.write("location_latitude", locationLatitude)
    try fields.write("location_longitude", locationLongitude)
    try fields.write("location_name", locationName)
    try fields.write("notes", notes)
    try fields.write("original_title", originalTitle)
    try fields.writeIfPresent("properties", properties)
    try fields.writeIfPresent("source_type", sourceType)
    try fields.write("time_zone", timeZone)
    try fields.writeIfPresent("timestamp", timestamp)
  }
}
