public import TrendyFoundation
public import TrendyModels

/// Thresholds for trips, and the user's car and skip places.
public struct TripConfiguration: Hashable, Sendable, Codable {
  /// Name of the car in the live activity.
  public var carName: String
  /// Places at which a stop does not end a trip, such as a school.
  public var skipPlaces: [Coordinate]
  /// Radius of a skip place in metres.
  public var skipRadiusMeters: Double
  /// Device that records the trips. Part of the id of each trip, so that two phones in one car record two trips.
  public var deviceId: String
  /// Thresholds for the displayed distance.
  public var distanceFilter: DistanceFilterConfig
  /// Minimum confidence of motion readings; others are ignored.
  public var minimumConfidence: MotionActivity.Confidence
  /// Duration of driving in seconds before it is confirmed.
  public var automotiveDebounceSeconds: TimeInterval
  /// Duration of any other motion in seconds before the end of driving is confirmed.
  public var nonAutomotiveDebounceSeconds: TimeInterval
  /// Minimum time in seconds between two pings.
  public var pingIntervalSeconds: TimeInterval
  /// Time in seconds after a stop within which driving continues the same trip, inclusive.
  public var resumeWindowSeconds: TimeInterval
  /// Time in seconds without movement after which a trip ends, even if paused at a skip place.
  public var silenceSeconds: TimeInterval
  /// Minimum length of a trip in metres, exclusive.
  public var minimumDistanceMeters: Double
  /// Time in seconds for which the live activity stays visible after the end of a trip.
  public var keepVisibleSeconds: TimeInterval

  /// Creates a configuration.
  public init(
    carName: String = "Car", skipPlaces: [Coordinate] = [], skipRadiusMeters: Double = 200, deviceId: String = "",
    distanceFilter: DistanceFilterConfig = DistanceFilterConfig(),
    minimumConfidence: MotionActivity.Confidence = .medium, automotiveDebounceSeconds: TimeInterval = 2,
    nonAutomotiveDebounceSeconds: TimeInterval = 3, pingIntervalSeconds: TimeInterval = 15,
    resumeWindowSeconds: TimeInterval = 1800, silenceSeconds: TimeInterval = 7200,
    minimumDistanceMeters: Double = 100, keepVisibleSeconds: TimeInterval = 300
  ) {
    self.carName = carName
    self.skipPlaces = skipPlaces
    self.skipRadiusMeters = skipRadiusMeters
    self.deviceId = deviceId
    self.distanceFilter = distanceFilter
    self.minimumConfidence = minimumConfidence
    self.automotiveDebounceSeconds = automotiveDebounceSeconds
    self.nonAutomotiveDebounceSeconds = nonAutomotiveDebounceSeconds
    self.pingIntervalSeconds = pingIntervalSeconds
    self.resumeWindowSeconds = resumeWindowSeconds
    self.silenceSeconds = silenceSeconds
    self.minimumDistanceMeters = minimumDistanceMeters
    self.keepVisibleSeconds = keepVisibleSeconds
  }

  /// Whether a stop at this position only pauses the trip.
  public func isSkipPlace(_ place: Coordinate) -> Bool {
    skipPlaces.contains { Geodesic.distanceMeters(from: $0, to: place) <= skipRadiusMeters }
  }
}
