public import TrendyFoundation

/// Fields of a geofence on the wire.
public struct GeofenceFields: WireFields {
  public var own = OwnMembers()
  public var name = ""
  public var latitude = 0.0
  public var longitude = 0.0
  /// Metres, 50 to 10,000.
  public var radius = 0.0
  public var eventTypeEntryId: String?
  public var eventTypeExitId: String?
  public var isActive = true
  public var notifyOnEntry = false
  public var notifyOnExit = false
  /// Colour as `#RRGGBB`.
  public var color: String?
  public var role: String?
}

extension GeofenceFields: VisitedFields {
  static var unchanged: UpdateGeofenceRequest { UpdateGeofenceRequest() }

  mutating func visit<Visitor: FieldVisitor & ~Copyable>(
    _ changes: inout UpdateGeofenceRequest, _ visitor: inout Visitor
  ) throws(Visitor.Failure) {
    try visitor.clearable("color", &color, &changes.color)
    try visitor.assigned("created_at", &own.createdAt)
    try visitor.clearable("event_type_entry_id", &eventTypeEntryId, &changes.eventTypeEntryId)
    try visitor.clearable("event_type_exit_id", &eventTypeExitId, &changes.eventTypeExitId)
    try visitor.identifier("id", &own.id)
    try visitor.optional("is_active", &isActive, &changes.isActive)
    try visitor.required("latitude", &latitude, &changes.latitude)
    try visitor.required("longitude", &longitude, &changes.longitude)
    try visitor.required("name", &name, &changes.name)
    try visitor.optional("notify_on_entry", &notifyOnEntry, &changes.notifyOnEntry)
    try visitor.optional("notify_on_exit", &notifyOnExit, &changes.notifyOnExit)
    try visitor.required("radius", &radius, &changes.radius)
    try visitor.clearable("role", &role, &changes.role)
    try visitor.assigned("updated_at", &own.updatedAt)
    try visitor.assigned("user_id", &own.userId)
  }
}

extension GeofenceFields {
  init(_ geofence: Geofence) {
    self.init(
      own: OwnMembers(id: geofence.id, unknown: geofence.unknownFields), name: geofence.name,
      latitude: geofence.latitude, longitude: geofence.longitude, radius: geofence.radius,
      eventTypeEntryId: geofence.eventTypeEntryId, eventTypeExitId: geofence.eventTypeExitId,
      isActive: geofence.isActive, notifyOnEntry: geofence.notifyOnEntry, notifyOnExit: geofence.notifyOnExit,
      color: geofence.colorHex, role: geofence.role)
  }
}

extension Geofence {
  init(_ fields: GeofenceFields, syncStatus: SyncStatus) {
    self.init(
      id: fields.own.id, name: fields.name, latitude: fields.latitude, longitude: fields.longitude,
      radius: fields.radius, eventTypeEntryId: fields.eventTypeEntryId, eventTypeExitId: fields.eventTypeExitId,
      isActive: fields.isActive, notifyOnEntry: fields.notifyOnEntry, notifyOnExit: fields.notifyOnExit,
      colorHex: fields.color, role: fields.role, syncStatus: syncStatus, unknownFields: fields.own.unknown)
  }
}

/// Geofence as returned by a hub.
public struct APIGeofence: StoredDocument {
  public var fields: GeofenceFields

  public init(fields: GeofenceFields) { self.fields = fields }

  public init(
    id: String, userId: String = "", name: String, latitude: Double, longitude: Double, radius: Double,
    eventTypeEntryId: String? = nil, eventTypeExitId: String? = nil, isActive: Bool = true,
    notifyOnEntry: Bool = false, notifyOnExit: Bool = false, color: String? = nil, role: String? = nil,
    createdAt: Date? = nil, updatedAt: Date? = nil,
    unknownFields: [String: JSONValue] = [:]
  ) {
    fields = GeofenceFields(
      own: OwnMembers(
        id: id, userId: userId, createdAt: createdAt, updatedAt: updatedAt, unknown: unknownFields),
      name: name, latitude: latitude, longitude: longitude, radius: radius, eventTypeEntryId: eventTypeEntryId,
      eventTypeExitId: eventTypeExitId, isActive: isActive, notifyOnEntry: notifyOnEntry,
      notifyOnExit: notifyOnExit, color: color, role: role)
  }
}

/// Request to create a geofence.
public struct CreateGeofenceRequest: EntityDocument {
  public var fields: GeofenceFields

  public init(fields: GeofenceFields) { self.fields = fields }

  public init(
    id: String, name: String, latitude: Double, longitude: Double, radius: Double, eventTypeEntryId: String? = nil,
    eventTypeExitId: String? = nil, isActive: Bool = true, notifyOnEntry: Bool = false, notifyOnExit: Bool = false,
    color: String? = nil, role: String? = nil, unknownFields: [String: JSONValue] = [:]
  ) {
    fields = GeofenceFields(
      own: OwnMembers(id: id, unknown: unknownFields), name: name, latitude: latitude, longitude: longitude,
      radius: radius, eventTypeEntryId: eventTypeEntryId, eventTypeExitId: eventTypeExitId, isActive: isActive,
      notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit, color: color, role: role)
  }
}

/// Changes to a geofence. Absent fields remain unchanged.
public struct UpdateGeofenceRequest: Hashable, Sendable {
  public var name: String?
  public var latitude: Double?
  public var longitude: Double?
  /// Metres, 50 to 10,000.
  public var radius: Double?
  public var eventTypeEntryId: Patch<String>
  public var eventTypeExitId: Patch<String>
  public var isActive: Bool?
  public var notifyOnEntry: Bool?
  public var notifyOnExit: Bool?
  /// Colour as `#RRGGBB`.
  public var color: Patch<String>
  public var role: Patch<String>

  public init(
    name: String? = nil, latitude: Double? = nil, longitude: Double? = nil, radius: Double? = nil,
    eventTypeEntryId: Patch<String> = .absent, eventTypeExitId: Patch<String> = .absent, isActive: Bool? = nil,
    notifyOnEntry: Bool? = nil, notifyOnExit: Bool? = nil, color: Patch<String> = .absent,
    role: Patch<String> = .absent
  ) {
    self.name = name
    self.latitude = latitude
    self.longitude = longitude
    self.radius = radius
    self.eventTypeEntryId = eventTypeEntryId
    self.eventTypeExitId = eventTypeExitId
    self.isActive = isActive
    self.notifyOnEntry = notifyOnEntry
    self.notifyOnExit = notifyOnExit
    self.color = color
    self.role = role
  }
}

extension APIGeofence: WireDocument {
  public init(from fields: inout WireReader) throws { self.fields = try GeofenceFields(from: &fields, as: .stored) }
  public func write(to fields: inout WireWriter) throws { try self.fields.write(to: &fields) }
}

extension CreateGeofenceRequest: WireDocument {
  public init(from fields: inout WireReader) throws { self.fields = try GeofenceFields(from: &fields, as: .create) }
  public func write(to fields: inout WireWriter) throws { try self.fields.write(to: &fields) }
}

extension UpdateGeofenceRequest: WireDocument {
  public init(from fields: inout WireReader) throws { self = try GeofenceFields.changes(from: &fields) }
  public func write(to fields: inout WireWriter) throws { try GeofenceFields.write(self, to: &fields) }
}
