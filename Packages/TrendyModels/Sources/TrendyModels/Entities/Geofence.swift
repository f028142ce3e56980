/// Circle on the map, defined by the user. Entering or leaving the circle can record an event.
///
/// Created on one device and synced to all other devices. Distances are geodesic on WGS 84.
public struct Geofence: Hashable, Sendable, Identifiable {
  /// Opaque identifier of 1 to 128 bytes. Identifiers generated on a device are UUIDv7s.
  public let id: String
  public var name: String
  /// Latitude of the centre in degrees, -90 to 90.
  public var latitude: Double
  /// Longitude of the centre in degrees, -180 to 180.
  public var longitude: Double
  /// Radius in metres, 50 to 10,000.
  public var radius: Double
  /// Id of the event type to record on entry, or `nil` to record nothing.
  public var eventTypeEntryId: String?
  /// Id of the event type to record on exit, or `nil` to record nothing.
  public var eventTypeExitId: String?
  /// Whether entries and exits are detected.
  public var isActive: Bool
  public var notifyOnEntry: Bool
  public var notifyOnExit: Bool
  /// Colour as `#RRGGBB`, or `nil` if none was chosen.
  public var colorHex: String?
  /// Purpose of the place: `skip` (a stop there does not end a trip), `office`, or custom text.
  public var role: String?
  public var syncStatus: SyncStatus
  /// JSON members that this version cannot represent, by wire name. They are written back unchanged.
  public var unknownFields: [String: JSONValue]

  public init(
    id: String, name: String, latitude: Double, longitude: Double, radius: Double = 100,
    eventTypeEntryId: String? = nil, eventTypeExitId: String? = nil, isActive: Bool = true,
    notifyOnEntry: Bool = false, notifyOnExit: Bool = false, colorHex: String? = nil, role: String? = nil,
    syncStatus: SyncStatus = .pending, unknownFields: [String: JSONValue] = [:]
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
    self.colorHex = colorHex
    self.role = role
    self.syncStatus = syncStatus
    self.unknownFields = unknownFields
  }

  public var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }
}
