public import TrendyModels

/// Four mock services that play back a drive.
///
/// Pass the services to the `TripCoordinator` under test and set up a trip. Then call ``startTrip()``,
/// ``triggerPing()`` once per fix, and ``endTrip()``.
public final class DriveSimulator {
  /// Location service that delivers the fixes.
  public let locationService = MockLocationTrackingService()
  /// Motion handler that reports `automotive` and `stationary`.
  public let motionHandler = MockMotionActivityHandler()
  /// Live activity that records its updates.
  public let liveActivityManager = MockLiveActivityManager()
  /// Watch service that records its messages.
  public let watchService = MockWatchConnectivityService()

  private var fixes: [Location] = []
  private var nextFix = 0

  /// Creates a simulator without a trip.
  public init() {}

  /// Sets up ``DriveScenarios/homeToOffice()``.
  public func setupHomeToOfficeTrip() { setupCustomTrip(DriveScenarios.homeToOffice()) }
  /// Sets up ``DriveScenarios/stationaryTrip()``.
  public func setupStationaryTrip() { setupCustomTrip(DriveScenarios.stationaryTrip()) }
  /// Sets up ``DriveScenarios/tripWithSkipLocation()``.
  public func setupTripWithSkipLocation() { setupCustomTrip(DriveScenarios.tripWithSkipLocation()) }

  /// Sets up a trip with the given fixes, to be played from the first fix. The mocks keep their recorded calls.
  public func setupCustomTrip(_ locations: [Location]) {
    fixes = locations
    nextFix = 0
  }

  /// Number of fixes not delivered yet.
  public var remainingFixes: Int { fixes.count - nextFix }

  /// Delivers the first fix, if there is one, then the motion state `automotive`.
  public func startTrip() {
    triggerPing()
    motionHandler.simulateStartDriving()
  }

  /// Delivers the next fix, if there is one.
  public func triggerPing() {
    guard nextFix < fixes.count else { return }
    nextFix += 1
    locationService.injectLocation(fixes[nextFix - 1])
  }

  /// Delivers the motion state `stationary`.
  public func endTrip() { motionHandler.simulateStopDriving() }

  /// Plays the whole drive: ``startTrip()``, all remaining fixes, ``endTrip()``.
  public func runCompleteTrip() {
    startTrip()
    while remainingFixes > 0 { triggerPing() }
    endTrip()
  }

  /// Delivers additional fixes without affecting the trip that was set up.
  public func injectLocationSequence(_ locations: [Location]) {
    for location in locations { locationService.injectLocation(location) }
  }

  /// Resets all services except for their delegates.
  public func reset() {
    locationService.reset()
    motionHandler.reset()
    liveActivityManager.reset()
    watchService.reset()
    setupCustomTrip([])
  }
}

extension DriveSimulator {
  /// Whether the live activity has been started and high accuracy enabled since the last ``reset()``. Remains `true`
  /// after the trip ends.
  public var didStartTracking: Bool { liveActivityManager.startActivityCalled && locationService.setHighAccuracyCalled }
  /// Whether the live activity was ended and low accuracy is enabled.
  public var didStopTracking: Bool { liveActivityManager.endActivityCalled && locationService.lowAccuracyEnabled }
  /// Whether the watch was notified of a trip.
  public var didNotifyWatch: Bool { watchService.notifyTripStartedCalled }
  /// Number of fixes delivered.
  public var locationUpdateCount: Int { locationService.locationHistory.count }
  /// Number of live activity updates.
  public var liveActivityUpdateCount: Int { liveActivityManager.updateCount }
}

@available(*, unavailable) extension DriveSimulator: Sendable {}
