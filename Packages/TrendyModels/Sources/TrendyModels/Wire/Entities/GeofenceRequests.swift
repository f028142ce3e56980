/// What makes a geofence.
public struct CreateGeofenceRequest: Hashable, Sendable {
  public let id: String
  public var name: String
  public var latitude: Double
  public var longitude: Double
  /// Metres, 50 to 10,000.
  public var radius: Double
  public var eventTypeEntryId: String?
  public var eventTypeExitId: String?
  public var isActive: Bool
  public var notifyOnEntry: Bool
  public var notifyOnExit: Bool
  /// `#RRGGBB`.
  public var color: String?
  public var role: String?
  /// Members this version does not know, kept and written back.
  public var unknownFields: [String: JSONValue]

  public init(
    id: String, name: String, latitude: Double, longitude: Double, radius: Double, eventTypeEntryId: String? = nil,
    eventTypeExitId: String? = nil, isActive: Bool = true, notifyOnEntry: Bool = false, notifyOnExit: Bool = false,
    color: String? = nil, role: String? = nil, unknownFields: [String: JSONValue] = [:]
  ) {
    self.id = id
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
    self.unknownFields = unknownFields
  }
}

extension CreateGeofenceRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.required("id")
    name = try fields.required("name")
    latitude = try fields.required("latitude")
    longitude = try fields.required("longitude")
    radius = try fields.required("radius")
    eventTypeEntryId = try fields.optional("event_type_entry_id")
    eventTypeExitId = try fields.optional("event_type_exit_id")
    isActive = try fields.optional("is_active", default: true)
    notifyOnEntry = try fields.optional("notify_on_entry", default: false)
    notifyOnExit = try fields.optional("notify_on_exit", default: false)
    color = try fields.optional("color")
    role = try fields.optional("role")
    unknownFields = try fields.unknown()
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write(unknown: unknownFields)
    try fields.writeIfPresent("color", color)
    try fields.writeIfPresent("event_type_entry_id", eventTypeEntryId)
    try fields.writeIfPresent("event_type_exit_id", eventTypeExitId)
    try fields.write("id", id)
    try fields.write("is_active", isActive)
    try fields.write("latitude", latitude)
    try fields.write("longitude", longitude)
    try fields.write("name", name)
    try fields.write("notify_on_entry", notifyOnEntry)
    try fields.write("notify_on_exit", notifyOnExit)
    try fields.write("radius", radius)
    try fields.writeIfPresent("role", role)
  }
}

/// What changes of a geofence; what is absent stays.
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
  /// `#RRGGBB`.
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

extension UpdateGeofenceRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    name = try fields.optional("name")
    latitude = try fields.optional("latitude")
    longitude = try fields.optional("longitude")
    radius = try fields.optional("radius")
    eventTypeEntryId = try fields.patch("event_type_entry_id")
    eventTypeExitId = try fields.patch("event_type_exit_id")
    isActive = try fields.optional("is_active")
    notifyOnEntry = try fields.optional("notify_on_entry")
    notifyOnExit = try fields.optional("notify_on_exit")
    color = try fields.patch("color")
    role = try fields.patch("role")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("color", color)
    try fields.write("event_type_entry_id", eventTypeEntryId)
    try fields.write("event_type_exit_id", eventTypeExitId)
    try fields.writeIfPresent("is_active", isActive)
    try fields.writeIfPresent("latitude", latitude)
    try fields.writeIfPresent("longitude", longitude)
    try fields.writeIfPresent("name", name)
    try fields.writeIfPresent("notify_on_entry", notifyOnEntry)
    try fields.writeIfPresent("notify_on_exit", notifyOnExit)
    try fields.writeIfPresent("radius", radius)
    try fields.write("role", role)
  }
}
