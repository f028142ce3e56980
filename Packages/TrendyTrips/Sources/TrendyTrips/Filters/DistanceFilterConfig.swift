/// Thresholds for the distance displayed during a trip.
public struct DistanceFilterConfig: Hashable, Sendable, Codable {
  /// Step length in metres from which on (exclusive below) a step is a jump of the receiver and not added.
  public var maxJumpDistance: Double
  /// Accuracy in metres, exclusive. Less accurate fixes are ignored; fixes of unknown accuracy are not.
  public var maxAccuracy: Double

  /// Creates a configuration.
  public init(maxJumpDistance: Double = 1000, maxAccuracy: Double = 50) {
    self.maxJumpDistance = maxJumpDistance
    self.maxAccuracy = maxAccuracy
  }
}
