/// A circle on the ground whose crossings become events.
///
/// Drawn by a person on one device, then the same on all. Distances are geodesic on WGS 84.
public struct Geofence: Hashable, Sendable, Identifiable {
  /// 1 to 128 bytes, opaque; a UUIDv7 when made here.
  public let id: String
  public var name: String
  /// Degrees, -90 to 90.
  public var latitude: Double
  /// Degrees, -180 to 180.
  public var longitude: Double
  /// Metres, 50 to 10,000.
  public var radius: Double
  /// The type of event that coming in records, if any.
  public var eventTypeEntryId: String?
  /// The type of event that leaving records, if any.
  public var eventTypeExitId: String?
  public var isActive: Bool
  public var notifyOnEntry: Bool
  public var notifyOnExit: Bool
  /// `#RRGGBB`; `nil` where nobody chose one.
  public var colorHex: String?
  /// What the place is to the person: `skip` for one at which a stop does not end a trip, `office`, or a word of theirs.
  public var role: String?
  public var syncStatus: SyncStatus
  /// What a newer version wrote and this one cannot represent, by wire name; written back unchanged.
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
