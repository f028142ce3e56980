public import TrendyFoundation
public import TrendyModels

/// Part of a trip with one transport mode.
public struct TripLeg: Hashable, Sendable, Codable {
  /// Walking, running, cycling or automotive, or `unknown` for a gap of half an hour or more.
  public var mode: MotionState
  /// Departure time.
  public var startTime: Date
  /// Arrival time.
  public var endTime: Date
  /// Path length in metres.
  public var distanceMeters: Double

  /// Creates a leg.
  public init(mode: MotionState, startTime: Date, endTime: Date, distanceMeters: Double) {
    self.mode = mode
    self.startTime = startTime
    self.endTime = endTime
    self.distanceMeters = distanceMeters
  }
}
