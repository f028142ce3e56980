public import TrendyModels

/// Gives fixes, more or less often.
public protocol LocationTrackingServiceProtocol: AnyObject {
  /// Held weakly.
  var delegate: (any LocationTrackingServiceDelegate)? { get set }
  var isMonitoring: Bool { get }
  var lastLocation: Location? { get }

  func setupLocationManager()
  func startMonitoring()
  func stopMonitoring()
  /// Every fix the device can give: a trip goes on.
  func setHighAccuracy()
  /// As few fixes as will do to notice that a trip begins.
  func setLowAccuracy()
}

/// Is told of fixes.
public protocol LocationTrackingServiceDelegate: AnyObject {
  func locationService(_ service: any LocationTrackingServiceProtocol, didUpdateLocation location: Location)
  func locationService(_ service: any LocationTrackingServiceProtocol, didFailWithError error: any Error)
  func locationService(
    _ service: any LocationTrackingServiceProtocol, didChangeAuthorization status: LocationAuthorizationStatus)
}
