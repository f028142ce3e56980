public import TrendyModels

/// Source of fixes with two levels of accuracy.
///
/// Fixes are reported unfiltered in the order they were measured. Delegate methods are called on the isolation that
/// owns the service.
public protocol LocationTrackingServiceProtocol: AnyObject {
  /// Receives fixes and errors. Held weakly.
  var delegate: (any LocationTrackingServiceDelegate)? { get set }
  /// Whether monitoring has been started and not stopped.
  var isMonitoring: Bool { get }
  /// Newest fix, even if it was received before a delegate was set, or `nil` before the first fix.
  var lastLocation: Location? { get }

  /// Prepares the service and, if needed, requests the user's authorization, without starting updates. Called once,
  /// before all other methods.
  func setupLocationManager()
  /// Starts reporting fixes. A second call does nothing.
  func startMonitoring()
  /// Stops reporting fixes. No fix is reported after this returns.
  func stopMonitoring()
  /// Requests every fix that the device can provide. For use during a trip.
  func setHighAccuracy()
  /// Requests only the fixes needed to detect the start of a trip.
  func setLowAccuracy()
}

/// Delegate that receives fixes, errors and authorization changes.
public protocol LocationTrackingServiceDelegate: AnyObject {
  /// Called with each new fix.
  func locationService(_ service: any LocationTrackingServiceProtocol, didUpdateLocation location: Location)
  /// Called when the device cannot determine its position. The service keeps running and reports later fixes as usual.
  func locationService(_ service: any LocationTrackingServiceProtocol, didFailWithError error: any Error)
  /// Called when the authorization changes, and once with its current value after
  /// ``LocationTrackingServiceProtocol/setupLocationManager()``.
  func locationService(
    _ service: any LocationTrackingServiceProtocol, didChangeAuthorization status: LocationAuthorizationStatus)
}
