public import TrendyFoundation
public import TrendyModels

/// A part of a trip gone in one way.
public struct TripLeg: Hashable, Sendable, Codable {
  /// Walking, running, cycling or automotive; `unknown` where for half an hour and more nothing was seen.
  public var mode: MotionState
  public var startTime: Date
  public var endTime: Date
  /// Metres along the way.
  public var distanceMeters: Double

  public init(mode: MotionState, startTime: Date, endTime: Date, distanceMeters: Double) {
    self.mode = mode
    self.startTime = startTime
    self.endTime = endTime
    self.distanceMeters = distanceMeters
  }
}
