public import TrendyFoundation

/// Trip in progress, detected by a hub from a device's readings.
public struct APILiveTrip: Hashable, Sendable, Identifiable {
  /// Identifier that the trip's event will have.
  public let id: String
  /// Device whose fixes were used.
  public var deviceId: String
  public var deviceName: String
  public var isPaused: Bool
  public var mode: MotionState
  public var start: Date
  /// Path length in metres.
  public var distance: Double
  /// Ground speed in metres per second, or `nil` if unknown.
  public var speed: Double?
  /// Time of the last fix.
  public var fixedAt: Date?

  public init(
    id: String, deviceId: String, deviceName: String, isPaused: Bool = false, mode: MotionState = .unknown,
    start: Date, distance: Double, speed: Double? = nil, fixedAt: Date? = nil
  ) {
    self.id = id
    self.deviceId = deviceId
    self.deviceName = deviceName
    self.isPaused = isPaused
    self.mode = mode
    self.start = start
    self.distance = distance
    self.speed = speed
    self.fixedAt = fixedAt
  }
}

extension APILiveTrip: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.required("id")
    deviceId = try fields.required("device_id")
    deviceName = try fields.optional("device_name", default: "")
    isPaused = try fields.optional("paused", default: false)
    // Newer hubs may send other transport modes.
    mode = MotionState(rawValue: try fields.optional("mode", default: "")) ?? .unknown
    start = try fields.required("start")
    distance = try fields.required("distance_m")
    speed = try fields.optional("speed_mps")
    fixedAt = try fields.optional("fixed")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("device_id", deviceId)
    try fields.write("device_name", deviceName)
    try fields.write("distance_m", distance)
    try fields.writeIfPresent("fixed", fixedAt)
    try fields.write("id", id)
    try fields.write("mode", mode.rawValue)
    try fields.write("paused", isPaused)
    try fields.writeIfPresent("speed_mps", speed)
    try fields.write("start", start)
  }
}

/// Trips in progress and rejected posts, as known to a hub.
public struct LiveTripsResponse: Hashable, Sendable {
  /// Current time by the hub's clock.
  public var now: Date
  /// Trips ordered by device.
  public var trips: [APILiveTrip]
  /// Rejected posts ordered by device.
  public var leftOut: [APILeftOut]

  public init(now: Date, trips: [APILiveTrip], leftOut: [APILeftOut] = []) {
    self.now = now
    self.trips = trips
    self.leftOut = leftOut
  }
}

extension LiveTripsResponse: WireDocument {
  public init(from fields: inout WireReader) throws {
    now = try fields.required("now")
    trips = try fields.required("trips")
    leftOut = try fields.optional("left_out", default: [])
  }

  public func write(to fields: inout WireWriter) throws {
    if !leftOut.isEmpty { try fields.write("left_out", leftOut) }
    try fields.write("now", now)
    try fields.write("trips", trips)
  }
}

/// Recent posts from a device that the hub did not store.
public struct APILeftOut: Hashable, Sendable {
  public var deviceId: String
  /// Name of the device, or an empty string if the user has removed the device.
  public var deviceName: String
  /// Number of posts from the first to the last, inclusive.
  public var count: Int
  public var first: Date
  public var last: Date
  /// Reason why the last post was not stored, as text.
  public var reason: String
  /// Whether the last post was rejected as a whole, in which case the device retains the post and sends it again.
  public var isHeldBySender: Bool

  public init(
    deviceId: String, deviceName: String, count: Int, first: Date, last: Date, reason: String, isHeldBySender: Bool
  ) {
    self.deviceId = deviceId
    self.deviceName = deviceName
    self.count = count
    self.first = first
    self.last = last
    self.reason = reason
    self.isHeldBySender = isHeldBySender
  }
}

extension APILeftOut: WireDocument {
  public init(from fields: inout WireReader) throws {
    deviceId = try fields.required("device_id")
    deviceName = try fields.optional("device_name", default: "")
    count = try fields.required("count")
    first = try fields.required("first")
    last = try fields.required("last")
    reason = try fields.optional("reason", default: "")
    isHeldBySender = try fields.optional("held_by_sender", default: false)
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("count", count)
    try fields.write("device_id", deviceId)
    try fields.write("device_name", deviceName)
    try fields.write("first", first)
    try fields.write("held_by_sender", isHeldBySender)
    try fields.write("last", last)
    try fields.write("reason", reason)
  }
}
