public import TrendyModels

/// Adds up the way from fix to fix. The sum never falls.
///
/// It looks at places only: who feeds it leaves out fixes that are late or doubled.
public struct DistanceCalculator: Hashable, Sendable, Codable {
  public let config: DistanceFilterConfig
  /// Metres.
  public private(set) var totalMeters = 0.0
  /// The last fix that was good enough to measure from.
  public private(set) var lastLocation: Location?

  public init(config: DistanceFilterConfig = DistanceFilterConfig()) {
    self.config = config
  }

  /// Adds the hop from the last good fix, if this one is good and the hop is no jump.
  ///
  /// After a jump the next hop is measured from where it led, so that one tunnel does not end the counting.
  /// - Returns: the metres added.
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

  /// Whether the fix is of a place, and its accuracy unknown or good enough.
  public func accepts(_ location: Location) -> Bool {
    location.coordinate.isValid
      && (location.horizontalAccuracy < config.maxAccuracy || location.horizontalAccuracy.isNaN)
  }

  /// The next fix starts a new stretch: the way between is not counted.
  mutating func startNewStretch() { lastLocation = nil }
}
