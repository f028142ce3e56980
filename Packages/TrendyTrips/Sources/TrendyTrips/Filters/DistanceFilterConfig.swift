/// Which fixes count towards a distance as it is shown while a trip goes on.
public struct DistanceFilterConfig: Hashable, Sendable, Codable {
  /// Metres, exclusive: a hop this long or longer is a jump of the receiver and adds nothing.
  public var maxJumpDistance: Double
  /// Metres, exclusive: a fix this uncertain or worse adds nothing. An unknown accuracy is no reason to refuse one.
  public var maxAccuracy: Double

  public init(maxJumpDistance: Double = 1000, maxAccuracy: Double = 50) {
    self.maxJumpDistance = maxJumpDistance
    self.maxAccuracy = maxAccuracy
  }
}
