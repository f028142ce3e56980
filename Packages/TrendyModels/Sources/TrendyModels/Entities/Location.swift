public import TrendyFoundation

/// A point on the ground, WGS 84.
public struct Coordinate: Hashable, Sendable, Codable {
  /// Degrees, -90 to 90.
  public var latitude: Double
  /// Degrees, -180 to 180.
  public var longitude: Double

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether both are finite and within their ranges.
  public var isValid: Bool {
    latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180
  }
}

/// One fix of a positioning device.
public struct Location: Hashable, Sendable, Codable {
  public var coordinate: Coordinate
  /// Metres, the radius of 68 % confidence; negative means unknown.
  public var horizontalAccuracy: Double
  /// When the fix was taken, not when it arrived.
  public var timestamp: Date
  /// Metres above the ellipsoid.
  public var altitude: Double?
  /// Metres a second.
  public var speed: Double?
  /// Degrees clockwise from true north, 0 to 360.
  public var course: Double?

  public init(
    coordinate: Coordinate, horizontalAccuracy: Double, timestamp: Date, altitude: Double? = nil,
    speed: Double? = nil, course: Double? = nil
  ) {
    self.coordinate = coordinate
    self.horizontalAccuracy = horizontalAccuracy
    self.timestamp = timestamp
    self.altitude = altitude
    self.speed = speed
    self.course = course
  }
}

/// How a person moves, as the device's motion sensor says.
public enum MotionState: String, Hashable, Sendable, CaseIterable, Codable {
  case unknown
  case stationary
  case walking
  case running
  case cycling
  case automotive
}

/// One reading of a motion sensor.
public struct MotionActivity: Hashable, Sendable, Codable {
  /// How certain the sensor is, from `low` to `high`.
  public enum Confidence: Int, Hashable, Sendable, CaseIterable, Codable, Comparable {
    case low
    case medium
    case high

    public static func < (left: Confidence, right: Confidence) -> Bool { left.rawValue < right.rawValue }
  }

  public var state: MotionState
  public var confidence: Confidence
  public var timestamp: Date

  public init(state: MotionState, confidence: Confidence, timestamp: Date) {
    self.state = state
    self.confidence = confidence
    self.timestamp = timestamp
  }
}

/// What a person lets the app know of where they are.
public enum LocationAuthorizationStatus: String, Hashable, Sendable, CaseIterable, Codable {
  case notDetermined
  case restricted
  case denied
  case authorizedWhenInUse
  case authorizedAlways
}

/// A journey from a first movement to a last one.
public struct Trip: Hashable, Sendable, Identifiable, Codable {
  /// 1 to 128 bytes, opaque.
  public let id: String
  public var startTime: Date
  /// `nil` while it goes on.
  public var endTime: Date?
  public var startCoordinate: Coordinate
  public var endCoordinate: Coordinate?
  /// Metres along the way; never falls while the trip goes on.
  public var distanceMeters: Double

  public init(
    id: String, startTime: Date, endTime: Date? = nil, startCoordinate: Coordinate, endCoordinate: Coordinate? = nil,
    distanceMeters: Double = 0
  ) {
    self.id = id
    self.startTime = startTime
    self.endTime = endTime
    self.startCoordinate = startCoordinate
    self.endCoordinate = endCoordinate
    self.distanceMeters = distanceMeters
  }
}

/// What a live display shows of the trip that goes on.
public struct LiveActivityState: Hashable, Sendable, Codable {
  public var distanceMeters: Double
  /// Seconds since the start.
  public var durationSeconds: Double
  /// Metres a second; `nil` when unknown.
  public var speedMetersPerSecond: Double?
  public var isPaused: Bool

  public init(
    distanceMeters: Double, durationSeconds: Double, speedMetersPerSecond: Double? = nil, isPaused: Bool = false
  ) {
    self.distanceMeters = distanceMeters
    self.durationSeconds = durationSeconds
    self.speedMetersPerSecond = speedMetersPerSecond
    self.isPaused = isPaused
  }

  /// Metres a second since the start, stops included; `nil` before any time has passed.
  public var averageSpeedMetersPerSecond: Double? { durationSeconds > 0 ? distanceMeters / durationSeconds : nil }
}
