public import TrendyFoundation

/// Fields of an event on the wire.
///
/// A new field needs a property here and in ``Event`` and ``UpdateEventRequest``, and an entry in the lists of this
/// file.
public struct EventFields: WireFields {
  public var own = OwnMembers()
  public var eventTypeId = ""
  public var timestamp = Date(timeIntervalSinceReferenceDate: 0)
  public var notes: String?
  public var isAllDay = false
  public var endDate: Date?
  public var sourceType = EventSourceType.manual.rawValue
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
  var eventType: APIEventType?
}

extension EventFields: VisitedFields {
  static var unchanged: UpdateEventRequest { UpdateEventRequest() }

  mutating func visit<Visitor: FieldVisitor & ~Copyable>(
    _ changes: inout UpdateEventRequest, _ visitor: inout Visitor
  ) throws(Visitor.Failure) {
    try visitor.assigned("created_at", &own.createdAt)
    try visitor.clearable("end_date", &endDate, &changes.endDate)
    try visitor.assigned("event_type", &eventType)
    try visitor.required("event_type_id", &eventTypeId, &changes.eventTypeId)
    try visitor.clearable("external_id", &externalId, &changes.externalId)
    try visitor.clearable("geofence_id", &geofenceId, &changes.geofenceId)
    try visitor.clearable("healthkit_category", &healthKitCategory, &changes.healthKitCategory)
    try visitor.clearable("healthkit_sample_id", &healthKitSampleId, &changes.healthKitSampleId)
    try visitor.identifier("id", &own.id)
    try visitor.optional("is_all_day", &isAllDay, &changes.isAllDay)
    try visitor.clearable("location_latitude", &locationLatitude, &changes.locationLatitude)
    try visitor.clearable("location_longitude", &locationLongitude, &changes.locationLongitude)
    try visitor.clearable("location_name", &locationName, &changes.locationName)
    try visitor.clearable("notes", &notes, &changes.notes)
    try visitor.clearable("original_title", &originalTitle, &changes.originalTitle)
    try visitor.merged("properties", &properties, &changes.properties)
    try visitor.optional("source_type", &sourceType, &changes.sourceType)
    try visitor.clearable("time_zone", &timeZone, &changes.timeZone)
    try visitor.required("timestamp", &timestamp, &changes.timestamp)
    try visitor.assigned("updated_at", &own.updatedAt)
    try visitor.assigned("user_id", &own.userId)
  }
}

extension EventFields {
  /// Converts all fields except ``properties``, which are expensive to convert.
  init(_ event: Event) {
    self.init(
      own: OwnMembers(id: event.id, unknown: event.unknownFields), eventTypeId: event.eventTypeId,
      timestamp: event.timestamp, notes: event.notes, isAllDay: event.isAllDay, endDate: event.endDate,
      sourceType: event.wireSourceType, externalId: event.externalId, originalTitle: event.originalTitle,
      geofenceId: event.geofenceId, locationLatitude: event.locationLatitude,
      locationLongitude: event.locationLongitude, locationName: event.locationName,
      healthKitSampleId: event.healthKitSampleId, healthKitCategory: event.healthKitCategory, timeZone: event.timeZone)
  }
}

extension Event {
  /// Sets all fields except ``properties``.
  mutating func set(_ fields: EventFields) {
    eventTypeId = fields.eventTypeId
    timestamp = fields.timestamp
    notes = fields.notes
    isAllDay = fields.isAllDay
    endDate = fields.endDate
    locationLatitude = fields.locationLatitude
    locationLongitude = fields.locationLongitude
    locationName = fields.locationName
    timeZone = fields.timeZone
    seldom = Seldom(
      Seldom.Fields(
        externalId: fields.externalId, originalTitle: fields.originalTitle, geofenceId: fields.geofenceId,
        healthKitSampleId: fields.healthKitSampleId, healthKitCategory: fields.healthKitCategory,
        unknownFields: fields.own.unknown))
    setSourceType(fields.sourceType)
  }
}

extension SyncedKind {
  /// Kind of ``Event``.
  public static let event = SyncedKind(
    "event", path: "events", rank: 3, nestedMember: "properties", listOrder: "timestamp",
    fields: [
      .required("event_type_id", .identifier, Reference(kind: "event_type", onDelete: .cascade)),
      .required("timestamp", .date),
      .clearable("notes", .text(maximumBytes: maximumTextBytes)),
      .optional("is_all_day", .boolean),
      .clearable("end_date", .date),
      .optional("source_type", .text(maximumBytes: 64)),
      .clearable("external_id", .text(maximumBytes: 1024)),
      .clearable("original_title", .text(maximumBytes: 4096)),
      // Not a reference: if the place is deleted, the event remains and keeps the id and name of the place.
      .clearable("geofence_id", .identifier),
      .clearable("location_latitude", .number(-90...90)),
      .clearable("location_longitude", .number(-180...180)),
      .clearable("location_name", .text(maximumBytes: 4096)),
      .clearable("healthkit_sample_id", .text(maximumBytes: 1024)),
      .clearable("healthkit_category", .text(maximumBytes: 1024)),
      .clearable("time_zone", .text(maximumBytes: 128)),
    ])
}

/// Event as returned by a hub.
public struct APIEvent: StoredDocument {
  public var fields: EventFields

  public init(fields: EventFields) { self.fields = fields }

  public init(
    id: String, userId: String = "", eventTypeId: String, timestamp: Date, notes: String? = nil,
    isAllDay: Bool = false, endDate: Date? = nil, sourceType: String = "manual", externalId: String? = nil,
    originalTitle: String? = nil, geofenceId: String? = nil, locationLatitude: Double? = nil,
    locationLongitude: Double? = nil, locationName: String? = nil, healthKitSampleId: String? = nil,
    healthKitCategory: String? = nil, timeZone: String? = nil, properties: [String: APIPropertyValue]? = nil,
    createdAt: Date? = nil, updatedAt: Date? = nil, eventType: APIEventType? = nil,
    unknownFields: [String: JSONValue] = [:]
  ) {
    fields = EventFields(
      own: OwnMembers(
        id: id, userId: userId, createdAt: createdAt, updatedAt: updatedAt, unknown: unknownFields),
      eventTypeId: eventTypeId, timestamp: timestamp, notes: notes, isAllDay: isAllDay, endDate: endDate,
      sourceType: sourceType, externalId: externalId, originalTitle: originalTitle, geofenceId: geofenceId,
      locationLatitude: locationLatitude, locationLongitude: locationLongitude, locationName: locationName,
      healthKitSampleId: healthKitSampleId, healthKitCategory: healthKitCategory, timeZone: timeZone,
      properties: properties, eventType: eventType)
  }

  public var eventType: APIEventType? {
    get { fields.eventType }
    set { fields.eventType = newValue }
  }
}

/// Request to create an event.
public struct CreateEventRequest: EntityDocument {
  public var fields: EventFields

  public init(fields: EventFields) { self.fields = fields }

  public init(
    id: String, eventTypeId: String, timestamp: Date, notes: String? = nil, isAllDay: Bool = false,
    endDate: Date? = nil, sourceType: String = "manual", externalId: String? = nil, originalTitle: String? = nil,
    geofenceId: String? = nil, locationLatitude: Double? = nil, locationLongitude: Double? = nil,
    locationName: String? = nil, healthKitSampleId: String? = nil, healthKitCategory: String? = nil,
    timeZone: String? = nil, properties: [String: APIPropertyValue] = [:], unknownFields: [String: JSONValue] = [:]
  ) {
    fields = EventFields(
      own: OwnMembers(id: id, unknown: unknownFields), eventTypeId: eventTypeId, timestamp: timestamp, notes: notes,
      isAllDay: isAllDay, endDate: endDate, sourceType: sourceType, externalId: externalId,
      originalTitle: originalTitle, geofenceId: geofenceId, locationLatitude: locationLatitude,
      locationLongitude: locationLongitude, locationName: locationName, healthKitSampleId: healthKitSampleId,
      healthKitCategory: healthKitCategory, timeZone: timeZone, properties: properties)
  }

  public var properties: [String: APIPropertyValue] {
    get { fields.properties ?? [:] }
    set { fields.properties = newValue }
  }
}

/// Changes to an event. Absent fields remain unchanged.
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
  /// Changes by key. An inner `nil` removes a property, and absent keys remain unchanged.
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

extension APIEvent: WireDocument {
  public init(from fields: inout WireReader) throws { self.fields = try EventFields(from: &fields, as: .stored) }
  public func write(to fields: inout WireWriter) throws { try self.fields.write(to: &fields) }
}

extension CreateEventRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    self.fields = try EventFields(from: &fields, as: .create)
    if self.fields.properties == nil { self.fields.properties = [:] }
  }

  public func write(to fields: inout WireWriter) throws { try self.fields.write(to: &fields) }
}

extension UpdateEventRequest: WireDocument {
  public init(from fields: inout WireReader) throws { self = try EventFields.changes(from: &fields) }
  public func write(to fields: inout WireWriter) throws { try EventFields.write(self, to: &fields) }
}
