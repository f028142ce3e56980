public import TrendyFoundation
public import TrendyModels

/// Configuration of a ``TripTracker``: thresholds, name of the car, and skip places.
public struct TripConfiguration: Hashable, Sendable, Codable {
  /// Name of the car in the live activity.
  public var carName: String
  /// Places where a stop does not end a trip, such as a school.
  public var skipPlaces: [Coordinate]
  /// Radius of a skip place in metres.
  public var skipRadiusMeters: Double
  /// Device that records the trips. The device is part of trip ids, so two phones in one car record two trips.
  public var deviceId: String
  /// Thresholds for the distance displayed during a trip.
  public var distanceFilter: DistanceFilterConfig
  /// Minimum confidence of motion readings. Less certain readings are ignored.
  public var minimumConfidence: MotionActivity.Confidence
  /// Time in seconds after which driving is confirmed.
  public var automotiveDebounceSeconds: TimeInterval
  /// Time in seconds without driving after which the end of driving is confirmed.
  public var nonAutomotiveDebounceSeconds: TimeInterval
  /// Minimum time in seconds between two pings.
  public var pingIntervalSeconds: TimeInterval
  /// Maximum time in seconds, inclusive, from a stop to the next drive for the trip to resume.
  public var resumeWindowSeconds: TimeInterval
  /// Time in seconds without movement after which a trip ends, even if it is paused at a skip place.
  public var silenceSeconds: TimeInterval
  /// Minimum length of a trip in metres.
  public var minimumDistanceMeters: Double
  /// Time in seconds that the live activity remains visible after a trip ends.
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

  /// Returns whether a stop at this position pauses the trip without ending it.
  public func isSkipPlace(_ place: Coordinate) -> Bool {
    skipPlaces.contains { Geodesic.distanceMeters(from: $0, to: place) <= skipRadiusMeters }
  }
}
