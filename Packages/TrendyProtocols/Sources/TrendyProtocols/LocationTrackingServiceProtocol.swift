public import TrendyModels

/// Gives fixes, more or less often.
///
/// A fix is reported as the device gives it, however poor: who listens judges. Fixes come in the order they were taken, and
/// each delegate call comes on the isolation that owns the service.
public protocol LocationTrackingServiceProtocol: AnyObject {
  /// Held weakly.
  var delegate: (any LocationTrackingServiceDelegate)? { get set }
  /// From ``startMonitoring()`` to ``stopMonitoring()``.
  var isMonitoring: Bool { get }
  /// The newest fix, also from before there was a delegate; `nil` before the first.
  var lastLocation: Location? { get }

  /// Called once, before all else: asks for the person's consent where that is needed, and starts nothing.
  func setupLocationManager()
  /// Fixes come from now on. A second call does nothing.
  func startMonitoring()
  /// No fix is reported after it returns.
  func stopMonitoring()
  /// Every fix the device can give: a trip goes on.
  func setHighAccuracy()
  /// As few fixes as will do to notice that a trip begins.
  func setLowAccuracy()
}

/// Is told of fixes.
public protocol LocationTrackingServiceDelegate: AnyObject {
  func locationService(_ service: any LocationTrackingServiceProtocol, didUpdateLocation location: Location)
  /// The service goes on; a later fix says that it is over.
  func locationService(_ service: any LocationTrackingServiceProtocol, didFailWithError error: any Error)
  /// Also once after ``LocationTrackingServiceProtocol/setupLocationManager()``, with what holds then.
  func locationService(
    _ service: any LocationTrackingServiceProtocol, didChangeAuthorization status: LocationAuthorizationStatus)
}
