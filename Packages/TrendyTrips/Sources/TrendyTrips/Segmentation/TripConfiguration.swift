public import TrendyFoundation
public import TrendyModels

/// What a trip is, in numbers; and the person's car and skip places.
public struct TripConfiguration: Hashable, Sendable, Codable {
  /// What the live display calls the car.
  public var carName: String
  /// Places at which a stop does not end a trip: a school gate, a day nursery.
  public var skipPlaces: [Coordinate]
  /// Metres around a skip place.
  public var skipRadiusMeters: Double
  /// Which device's trips these are; part of the id of every trip, so that two phones in one car make two trips.
  public var deviceId: String
  public var distanceFilter: DistanceFilterConfig
  /// Readings of motion below it are passed over.
  public var minimumConfidence: MotionActivity.Confidence
  /// Seconds of driving before it is confirmed.
  public var automotiveDebounceSeconds: TimeInterval
  /// Seconds of anything else before the end of driving is confirmed.
  public var nonAutomotiveDebounceSeconds: TimeInterval
  /// Seconds of fix time between two pings, at least.
  public var pingIntervalSeconds: TimeInterval
  /// Seconds after a stop in which driving again goes on with the same trip; the last one counts.
  public var resumeWindowSeconds: TimeInterval
  /// Seconds without movement that close a trip, also one paused at a skip place.
  public var silenceSeconds: TimeInterval
  /// Metres, exclusive: a trip shorter than this was none.
  public var minimumDistanceMeters: Double
  /// Seconds for which the live display stays after tracking ended.
  public var keepVisibleSeconds: TimeInterval

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

  /// Whether a stop here leaves the trip open.
  public func isSkipPlace(_ place: Coordinate) -> Bool {
    skipPlaces.contains { Geodesic.distanceMeters(from: $0, to: place) <= skipRadiusMeters }
  }
}
