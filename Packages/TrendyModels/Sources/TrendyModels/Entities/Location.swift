public import TrendyFoundation

/// Geographic coordinate in WGS 84.
public struct Coordinate: Hashable, Sendable, Codable {
  /// Latitude in degrees, -90 to 90.
  public var latitude: Double
  /// Longitude in degrees, -180 to 180.
  public var longitude: Double

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether latitude and longitude are finite and within their ranges.
  public var isValid: Bool {
    latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180
  }
}

/// Position fix from a location receiver.
public struct Location: Hashable, Sendable, Codable {
  public var coordinate: Coordinate
  /// Radius of 68 % confidence in metres. Negative if unknown.
  public var horizontalAccuracy: Double
  /// Time of the measurement, not of its arrival.
  public var timestamp: Date
  /// Altitude in metres above the ellipsoid.
  public var altitude: Double?
  /// Ground speed in metres per second.
  public var speed: Double?
  /// Heading in degrees clockwise from true north, 0 to 360.
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

/// The user's motion, as classified by the device's motion sensor.
public enum MotionState: String, Hashable, Sendable, CaseIterable, Codable {
  case unknown
  case stationary
  case walking
  case running
  case cycling
  case automotive
}

/// Reading of a motion sensor.
public struct MotionActivity: Hashable, Sendable, Codable {
  /// Confidence of the sensor in the state.
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

/// Authorization to use the device's location.
public enum LocationAuthorizationStatus: String, Hashable, Sendable, CaseIterable, Codable {
  case notDetermined
  case restricted
  case denied
  case authorizedWhenInUse
  case authorizedAlways
}

/// Movement from a departure to an arrival.
public struct Trip: Hashable, Sendable, Identifiable, Codable {
  /// Opaque identifier, 1 to 128 bytes.
  public let id: String
  public var startTime: Date
  /// End of the trip, or `nil` while it is in progress.
  public var endTime: Date?
  public var startCoordinate: Coordinate
  public var endCoordinate: Coordinate?
  /// Path length in metres. Never decreases during the trip.
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

/// State of the current trip for a live display.
public struct LiveActivityState: Hashable, Sendable, Codable {
  public var distanceMeters: Double
  /// Seconds since the start of the trip.
  public var durationSeconds: Double
  /// Ground speed in metres per second, or `nil` if unknown.
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

  /// Average speed since the start in metres per second, including stops, or `nil` if the duration is 0.
  public var averageSpeedMetersPerSecond: Double? { durationSeconds > 0 ? distanceMeters / durationSeconds : nil }
}
