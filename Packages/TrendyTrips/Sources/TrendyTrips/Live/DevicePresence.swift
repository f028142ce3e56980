public import TrendyFoundation
public import TrendyModels

/// Current state of one device for a live display: last position, trip in progress, and places.
public struct DevicePresence: Hashable, Sendable {
  /// Name of the device in the track log.
  public var device: String
  /// Last fix that the detector has processed.
  public var lastFix: Location?
  /// Trip in progress, if any. When the trip ends, it is saved with the same id and at least this path length.
  public var trip: TripRecord?
  /// Transport mode at the last fix, or `unknown` without a trip.
  public var mode = MotionState.unknown
  /// Whether the trip is paused, at a skip place or because the car is off.
  public var isPaused = false
  /// Entry time for each place that contains the device, by geofence id.
  public var visits: [String: Date]

  /// Creates the presence of a device without a trip in progress.
  public init(device: String, lastFix: Location? = nil, visits: [String: Date] = [:]) {
    self.device = device
    self.lastFix = lastFix
    self.visits = visits
  }
}
