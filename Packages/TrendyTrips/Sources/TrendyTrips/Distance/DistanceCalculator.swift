public import TrendyModels

/// Sums the distances between consecutive fixes. The sum never decreases.
///
/// Considers only positions: the caller removes late and repeated fixes.
public struct DistanceCalculator: Hashable, Sendable, Codable {
  /// Thresholds for fixes and jumps.
  public let config: DistanceFilterConfig
  /// Distance in metres.
  public private(set) var totalMeters = 0.0
  /// Last fix accurate enough to measure from.
  public private(set) var lastLocation: Location?

  /// Creates a calculator with distance 0.
  public init(config: DistanceFilterConfig = DistanceFilterConfig()) {
    self.config = config
  }

  /// Adds the distance from the last accurate fix, unless it is a jump.
  ///
  /// After a jump the next distance is measured from its end, so that one tunnel does not stop the measurement.
  /// - Returns: distance added in metres.
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

  /// Whether the position is valid and the accuracy good enough or unknown.
  public func accepts(_ location: Location) -> Bool {
    location.coordinate.isValid
      && (location.horizontalAccuracy < config.maxAccuracy || location.horizontalAccuracy.isNaN)
  }

  /// Starts a new section: the distance to the next fix is not added.
  mutating func startNewStretch() { lastLocation = nil }
}
