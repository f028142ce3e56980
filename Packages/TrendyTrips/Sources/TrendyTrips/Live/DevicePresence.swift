public import TrendyFoundation
public import TrendyModels

/// Where a device is in its day, as far as it told: what a live display shows.
public struct DevicePresence: Hashable, Sendable {
  public var device: String
  public var lastFix: Location?
  /// The trip that goes on: under this id, and with no less of a way, it will be in the journal when it is over.
  public var trip: TripRecord?
  /// In which way the trip is gone just now; `unknown` without one.
  public var mode = MotionState.unknown
  /// Whether the trip stands at a skip place, or its car is off.
  public var isPaused = false
  /// The places the device is in, and since when.
  public var visits: [String: Date]

  public init(device: String, lastFix: Location? = nil, visits: [String: Date] = [:]) {
    self.device = device
    self.lastFix = lastFix
    self.visits = visits
  }
}
