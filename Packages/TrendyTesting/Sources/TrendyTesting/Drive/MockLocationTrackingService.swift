public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// A location service that gives the fixes a test injects, and records what it was asked.
public final class MockLocationTrackingService: LocationTrackingServiceProtocol {
  public weak var delegate: (any LocationTrackingServiceDelegate)?
  public private(set) var isMonitoring = false
  /// The last injected fix.
  public var lastLocation: Location? { locationHistory.last }

  public private(set) var setupCalled = false
  public private(set) var startMonitoringCalled = false
  public private(set) var stopMonitoringCalled = false
  /// Whether high accuracy is what was asked last.
  public private(set) var highAccuracyEnabled = false
  /// Whether low accuracy is what was asked last.
  public private(set) var lowAccuracyEnabled = false
  /// Every injected fix, in order.
  public private(set) var locationHistory: [Location] = []

  public init() {}

  public func setupLocationManager() { setupCalled = true }

  public func startMonitoring() {
    startMonitoringCalled = true
    isMonitoring = true
  }

  public func stopMonitoring() {
    stopMonitoringCalled = true
    isMonitoring = false
  }

  public func setHighAccuracy() {
    highAccuracyEnabled = true
    lowAccuracyEnabled = false
  }

  public func setLowAccuracy() {
    lowAccuracyEnabled = true
    highAccuracyEnabled = false
  }

  /// The accuracy is in metres; negative means unknown. Without a timestamp it is 15 s after the last fix, the first at
  /// 2024-01-01T00:00:00Z: no clock is read.
  public func injectLocation(lat: Double, lng: Double, accuracy: Double = 10, timestamp: Date? = nil) {
    let next = locationHistory.last.map { $0.timestamp.addingTimeInterval(15) } ?? DriveScenarios.start
    injectLocation(
      Location(
        coordinate: Coordinate(latitude: lat, longitude: lng), horizontalAccuracy: accuracy,
        timestamp: timestamp ?? next))
  }

  public func injectLocation(_ location: Location) {
    locationHistory.append(location)
    delegate?.locationService(self, didUpdateLocation: location)
  }

  public func injectAuthorizationChange(_ status: LocationAuthorizationStatus) {
    delegate?.locationService(self, didChangeAuthorization: status)
  }

  public func injectError(_ error: any Error) {
    delegate?.locationService(self, didFailWithError: error)
  }

  /// Forgets everything but the delegate.
  public func reset() {
    isMonitoring = false
    setupCalled = false
    startMonitoringCalled = false
    stopMonitoringCalled = false
    highAccuracyEnabled = false
    lowAccuracyEnabled = false
    locationHistory = []
  }
}

@available(*, unavailable) extension MockLocationTrackingService: Sendable {}
