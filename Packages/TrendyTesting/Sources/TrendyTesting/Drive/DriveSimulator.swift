public import TrendyModels

/// Four mock services and a drive to play on them.
///
/// Give the services to the `TripCoordinator` under test, set a trip up, then ``startTrip()``, ``triggerPing()`` as often
/// as there are fixes, ``endTrip()``.
public final class DriveSimulator {
  public let locationService = MockLocationTrackingService()
  public let motionHandler = MockMotionActivityHandler()
  public let liveActivityManager = MockLiveActivityManager()
  public let watchService = MockWatchConnectivityService()

  private var fixes: [Location] = []
  private var nextFix = 0

  public init() {}

  public func setupHomeToOfficeTrip() { setupCustomTrip(DriveScenarios.homeToOffice()) }
  public func setupStationaryTrip() { setupCustomTrip(DriveScenarios.stationaryTrip()) }
  public func setupTripWithSkipLocation() { setupCustomTrip(DriveScenarios.tripWithSkipLocation()) }

  /// Plays these fixes from the first; what the mocks recorded stays.
  public func setupCustomTrip(_ locations: [Location]) {
    fixes = locations
    nextFix = 0
  }

  /// How many fixes are still to come.
  public var remainingFixes: Int { fixes.count - nextFix }

  /// The first fix, then automotive. With nothing set up, automotive alone.
  public func startTrip() {
    triggerPing()
    motionHandler.simulateStartDriving()
  }

  /// The next fix; nothing once all are given.
  public func triggerPing() {
    guard nextFix < fixes.count else { return }
    nextFix += 1
    locationService.injectLocation(fixes[nextFix - 1])
  }

  /// Stationary.
  public func endTrip() { motionHandler.simulateStopDriving() }

  /// The whole drive: ``startTrip()``, every fix that is left, ``endTrip()``.
  public func runCompleteTrip() {
    startTrip()
    while remainingFixes > 0 { triggerPing() }
    endTrip()
  }

  /// Fixes one after the other, beside those that were set up.
  public func injectLocationSequence(_ locations: [Location]) {
    for location in locations { locationService.injectLocation(location) }
  }

  /// As new, but for the delegates of the services.
  public func reset() {
    locationService.reset()
    motionHandler.reset()
    liveActivityManager.reset()
    watchService.reset()
    setupCustomTrip([])
  }
}

extension DriveSimulator {
  /// The live activity was started, and high accuracy is on.
  public var didStartTracking: Bool { liveActivityManager.startActivityCalled && locationService.highAccuracyEnabled }
  /// The live activity was ended, and low accuracy is on.
  public var didStopTracking: Bool { liveActivityManager.endActivityCalled && locationService.lowAccuracyEnabled }
  public var didNotifyWatch: Bool { watchService.notifyTripStartedCalled }
  public var locationUpdateCount: Int { locationService.locationHistory.count }
  public var liveActivityUpdateCount: Int { liveActivityManager.updateCount }
}

@available(*, unavailable) extension DriveSimulator: Sendable {}
