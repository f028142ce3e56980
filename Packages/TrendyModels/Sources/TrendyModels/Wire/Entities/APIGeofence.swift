public import TrendyFoundation

/// A geofence as the hub gives it.
public struct APIGeofence: Hashable, Sendable, Identifiable {
  public let id: String
  public var userId: String
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
  public var createdAt: Date?
  public var updatedAt: Date?
  /// Members this version does not know, kept and written back.
  public var unknownFields: [String: JSONValue]

  public init(
    id: String, userId: String = "", name: String, latitude: Double, longitude: Double, radius: Double,
    eventTypeEntryId: String? = nil, eventTypeExitId: String? = nil, isActive: Bool = true,
    notifyOnEntry: Bool = false, notifyOnExit: Bool = false, color: String? = nil, role: String? = nil,
    createdAt: Date? = nil, updatedAt: Date? = nil,
    unknownFields: [String: JSONValue] = [:]
  ) {
    self.id = id
    self.userId = userId
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
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.unknownFields = unknownFields
  }
}

extension APIGeofence: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.required("id")
    userId = try fields.optional("user_id", default: "")
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
    createdAt = try fields.optionalDate("created_at")
    updatedAt = try fields.optionalDate("updated_at")
    unknownFields = try fields.unknown()
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write(unknown: unknownFields)
    try fields.writeIfPresent("color", color)
    try fields.writeIfPresent("created_at", createdAt)
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
    try fields.writeIfPresent("updated_at", updatedAt)
    try fields.write("user_id", userId)
  }
}
