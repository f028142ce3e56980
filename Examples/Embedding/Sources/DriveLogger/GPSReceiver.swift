import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Location source for a receiver that measures the ground speed, from which it also derives the motion.
@MainActor
public final class GPSReceiver: @MainActor LocationTrackingServiceProtocol {
  public weak var delegate: (any LocationTrackingServiceDelegate)?
  public private(set) var isMonitoring = false
  public private(set) var lastLocation: Location?
  /// Whether every fix is needed, or only enough fixes to detect the start of a trip.
  public private(set) var needsHighAccuracy = false
  public let motion = MotionActivityHandler()

  public init() {
    // A stop at a traffic light is part of the drive.
    motion.nonAutomotiveDebounceSeconds = 120
  }

  public func setupLocationManager() { delegate?.locationService(self, didChangeAuthorization: .authorizedAlways) }
  public func startMonitoring() { isMonitoring = true }
  public func stopMonitoring() { isMonitoring = false }
  public func setHighAccuracy() { needsHighAccuracy = true }
  public func setLowAccuracy() { needsHighAccuracy = false }

  /// Processes a fix from the device. Fixes must be in chronological order.
  public func receive(_ fix: Location) {
    guard isMonitoring else { return }
    lastLocation = fix
    delegate?.locationService(self, didUpdateLocation: fix)
    let state: MotionState = fix.speed.map { $0 >= 5 ? .automotive : $0 < 1 ? .stationary : .unknown } ?? .unknown
    motion.receive(MotionActivity(state: state, confidence: .high, timestamp: fix.timestamp))
  }
}
