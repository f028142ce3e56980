public import TrendyModels

/// Sums the distances between consecutive fixes. The caller must remove late and repeated fixes.
public struct DistanceCalculator: Hashable, Sendable, Codable {
  /// Thresholds for inaccurate fixes and for jumps.
  public let config: DistanceFilterConfig
  /// Total distance in metres.
  public private(set) var totalMeters = 0.0
  /// Last accepted fix, from which the next distance is measured.
  public private(set) var lastLocation: Location?

  /// Creates a calculator with distance 0.
  public init(config: DistanceFilterConfig = DistanceFilterConfig()) {
    self.config = config
  }

  /// Adds the distance from the last accepted fix, unless it is ``DistanceFilterConfig/maxJumpDistance`` or more.
  ///
  /// After such a jump, for example at the end of a tunnel, measuring continues from the new position.
  /// - Returns: the added distance in metres.
  @discardableResult
  public mutating func add(_ location: Location) -> Double {
    guard accepts(location) else { return 0 }
    defer { lastLocation = location }
    guard let last = lastLocation else { return 0 }
    let hop = Geodesic.distanceMeters(from: last.coordinate, to: location.coordinate)
    guard hop < config.maxJumpDistance else { return 0 }
    totalMeters += hop
    return hop
  }

  /// Returns whether the position is valid and its accuracy is either sufficient or unknown.
  public func accepts(_ location: Location) -> Bool {
    location.coordinate.isValid
      && (location.horizontalAccuracy < config.maxAccuracy || location.horizontalAccuracy.isNaN)
  }

  /// Starts a new section, for example after a pause. The distance between two sections is not added.
  mutating func startNewStretch() { lastLocation = nil }
}
