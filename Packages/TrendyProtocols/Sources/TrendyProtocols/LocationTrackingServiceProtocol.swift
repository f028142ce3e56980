public import TrendyModels

/// Source of fixes at one of two levels of accuracy.
///
/// Fixes are reported unfiltered, in the order in which the device measured them. Delegate methods are called on the
/// isolation that owns the service.
public protocol LocationTrackingServiceProtocol: AnyObject {
  /// Receives fixes and errors. Held weakly.
  var delegate: (any LocationTrackingServiceDelegate)? { get set }
  /// Whether monitoring has been started and not stopped since.
  var isMonitoring: Bool { get }
  /// Newest fix, even one received before a delegate was set; `nil` before the first.
  var lastLocation: Location? { get }

  /// Prepares the service and requests the user's authorization if needed, without starting updates. Called once,
  /// before all other methods.
  func setupLocationManager()
  /// Starts reporting fixes. A second call does nothing.
  func startMonitoring()
  /// Stops reporting fixes. After it returns, no fix is reported.
  func stopMonitoring()
  /// Requests every fix that the device can provide, for use during a trip.
  func setHighAccuracy()
  /// Requests only the fixes needed to detect the start of a trip.
  func setLowAccuracy()
}

/// Delegate that receives fixes, errors and authorization changes from a ``LocationTrackingServiceProtocol``.
public protocol LocationTrackingServiceDelegate: AnyObject {
  /// Called with each new fix.
  func locationService(_ service: any LocationTrackingServiceProtocol, didUpdateLocation location: Location)
  /// Called when the device cannot determine its position. The service keeps running and reports the next fix as usual.
  func locationService(_ service: any LocationTrackingServiceProtocol, didFailWithError error: any Error)
  /// Called when the authorization changes, and once after ``LocationTrackingServiceProtocol/setupLocationManager()``
  /// with its current value.
  func locationService(
    _ service: any LocationTrackingServiceProtocol, didChangeAuthorization status: LocationAuthorizationStatus)
}
