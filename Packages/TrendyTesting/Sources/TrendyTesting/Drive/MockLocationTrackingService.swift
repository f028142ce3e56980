public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Location service that delivers injected fixes and records its calls.
public final class MockLocationTrackingService: LocationTrackingServiceProtocol {
  public weak var delegate: (any LocationTrackingServiceDelegate)?
  /// Whether monitoring has been started and not yet stopped.
  public private(set) var isMonitoring = false
  /// Last injected fix.
  public var lastLocation: Location? { locationHistory.last }

  /// Whether `setupLocationManager()` was called.
  public private(set) var setupCalled = false
  /// Whether `startMonitoring()` was called.
  public private(set) var startMonitoringCalled = false
  /// Whether `stopMonitoring()` was called.
  public private(set) var stopMonitoringCalled = false
  /// Whether `setHighAccuracy()` was called.
  public private(set) var setHighAccuracyCalled = false
  /// Whether the last request was for high accuracy.
  public private(set) var highAccuracyEnabled = false
  /// Whether the last request was for low accuracy.
  public private(set) var lowAccuracyEnabled = false
  /// All injected fixes, oldest first.
  public private(set) var locationHistory: [Location] = []

  /// Creates a service that is not monitoring.
  public init() {}

  /// Records the call.
  public func setupLocationManager() { setupCalled = true }

  /// Records the call and starts monitoring.
  public func startMonitoring() {
    startMonitoringCalled = true
    isMonitoring = true
  }

  /// Records the call and stops monitoring.
  public func stopMonitoring() {
    stopMonitoringCalled = true
    isMonitoring = false
  }

  /// Switches to high accuracy.
  public func setHighAccuracy() {
    setHighAccuracyCalled = true
    highAccuracyEnabled = true
    lowAccuracyEnabled = false
  }

  /// Switches to low accuracy.
  public func setLowAccuracy() {
    lowAccuracyEnabled = true
    highAccuracyEnabled = false
  }

  /// Injects a fix.
  /// - Parameters:
  ///   - lat: latitude in degrees.
  ///   - lng: longitude in degrees.
  ///   - accuracy: horizontal accuracy in metres, or a negative number if unknown.
  ///   - timestamp: time of the fix. By default 15 s after the last fix, or 2024-01-01T00:00:00Z for the first fix.
  public func injectLocation(lat: Double, lng: Double, accuracy: Double = 10, timestamp: Date? = nil) {
    let next = locationHistory.last.map { $0.timestamp.addingTimeInterval(15) } ?? DriveScenarios.start
    injectLocation(
      Location(
        coordinate: Coordinate(latitude: lat, longitude: lng), horizontalAccuracy: accuracy,
        timestamp: timestamp ?? next))
  }

  /// Injects a fix and notifies the delegate.
  public func injectLocation(_ location: Location) {
    locationHistory.append(location)
    delegate?.locationService(self, didUpdateLocation: location)
  }

  /// Reports a new authorization status to the delegate.
  public func injectAuthorizationChange(_ status: LocationAuthorizationStatus) {
    delegate?.locationService(self, didChangeAuthorization: status)
  }

  /// Reports an error to the delegate.
  public func injectError(_ error: any Error) {
    delegate?.locationService(self, didFailWithError: error)
  }

  /// Resets everything except the delegate.
  public func reset() {
    isMonitoring = false
    setupCalled = false
    startMonitoringCalled = false
    stopMonitoringCalled = false
    setHighAccuracyCalled = false
    highAccuracyEnabled = false
    lowAccuracyEnabled = false
    locationHistory = []
  }
}

@available(*, unavailable) extension MockLocationTrackingService: Sendable {}
