/// Thresholds for the distance displayed during a trip.
public struct DistanceFilterConfig: Hashable, Sendable, Codable {
  /// Minimum length in metres of a step that counts as a jump of the receiver and adds no distance.
  public var maxJumpDistance: Double
  /// Upper bound for the accuracy in metres, exclusive. Less accurate fixes are ignored, but fixes of unknown accuracy
  /// are used.
  public var maxAccuracy: Double

  /// Creates thresholds. The defaults are 1 km and 50 m.
  public init(maxJumpDistance: Double = 1000, maxAccuracy: Double = 50) {
    self.maxJumpDistance = maxJumpDistance
    self.maxAccuracy = maxAccuracy
  }
}
