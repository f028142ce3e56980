import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting

@Suite("Service mocks", .timeLimit(.minutes(10)))
struct ServiceMockTests {
  /// Records the delegate calls of the services.
  final class Listener: LocationTrackingServiceDelegate, MotionActivityHandlerDelegate, WatchConnectivityServiceDelegate
  {
    var fixes: [Location] = []
    var calls: [String] = []
    var token: String? = "secret"

    func locationService(_ service: any LocationTrackingServiceProtocol, didUpdateLocation location: Location) {
      fixes.append(location)
    }
    func locationService(_ service: any LocationTrackingServiceProtocol, didFailWithError error: any Error) {
      calls.append("failed \(error)")
    }
    func locationService(
      _ service: any LocationTrackingServiceProtocol, didChangeAuthorization status: LocationAuthorizationStatus
    ) {
      calls.append("\(status)")
    }
    func motionHandler(_ handler: any MotionActivityHandlerProtocol, didDetectAutomotive isAutomotive: Bool) {
      calls.append("detected \(isAutomotive)")
    }
    func motionHandler(_ handler: any MotionActivityHandlerProtocol, didConfirmAutomotive isAutomotive: Bool) {
      calls.append("confirmed \(isAutomotive)")
    }
    func motionHandler(_ handler: any MotionActivityHandlerProtocol, didChangeState state: MotionState) {
      calls.append("\(state)")
    }
    func watchConnectivityService(
      _ service: any WatchConnectivityServiceProtocol, requestsAuthToken completion: @escaping (String?) -> Void
    ) {
      completion(token)
    }
    func watchConnectivityServiceDidActivate(_ service: any WatchConnectivityServiceProtocol) {
      calls.append("activated")
    }
  }

  let listener = Listener()

  @Test func `the location mock delivers injected fixes and records calls`() {
    struct NoSignal: Error {}
    let mock = MockLocationTrackingService()
    mock.delegate = listener
    #expect(mock.lastLocation == nil)
    mock.setupLocationManager()
    mock.startMonitoring()
    mock.setHighAccuracy()
    #expect(mock.setupCalled && mock.startMonitoringCalled && mock.isMonitoring)
    #expect(mock.highAccuracyEnabled && !mock.lowAccuracyEnabled)
    mock.setLowAccuracy()
    #expect(!mock.highAccuracyEnabled && mock.lowAccuracyEnabled)
    mock.injectLocation(lat: 52, lng: 4)
    mock.injectLocation(lat: 52.1, lng: 4.1, accuracy: 30)
    mock.injectLocation(lat: 52.2, lng: 4.2, timestamp: Date(timeIntervalSince1970: 1_800_000_000))
    #expect(listener.fixes == mock.locationHistory)
    #expect(mock.locationHistory.map(\.horizontalAccuracy) == [10, 30, 10])
    #expect(
      mock.locationHistory.map { $0.timestamp.timeIntervalSince1970 } == [1_704_067_200, 1_704_067_215, 1_800_000_000])
    #expect(mock.lastLocation?.coordinate == Coordinate(latitude: 52.2, longitude: 4.2))
    mock.injectError(NoSignal())
    mock.injectAuthorizationChange(.denied)
    #expect(listener.calls == ["failed NoSignal()", "denied"])
    mock.stopMonitoring()
    #expect(mock.stopMonitoringCalled && !mock.isMonitoring)
    mock.reset()
    #expect(mock.locationHistory.isEmpty && !mock.setupCalled && !mock.stopMonitoringCalled && !mock.lowAccuracyEnabled)
    #expect(mock.delegate === listener)
  }

  @Test func `the motion mock reports every injected state immediately, even a repeated one`() {
    let mock = MockMotionActivityHandler()
    mock.delegate = listener
    #expect(mock.minimumConfidence == .medium)
    #expect(mock.currentState == .unknown)
    mock.simulateStartDriving()
    #expect(mock.isAutomotive)
    mock.simulateStartDriving()
    mock.simulateStopDriving()
    mock.simulateWalking()
    mock.injectState(.cycling)
    let driving = ["detected true", "confirmed true", "automotive"]
    #expect(
      listener.calls
        == driving + driving + ["detected false", "confirmed false", "stationary"]
        + ["detected false", "confirmed false", "walking"] + ["detected false", "confirmed false", "cycling"])
    #expect(mock.stateHistory == [.automotive, .automotive, .stationary, .walking, .cycling])
    mock.setupMotionManager()
    mock.startActivityUpdates()
    mock.cancelPendingDebounce()
    mock.stopActivityUpdates()
    #expect(mock.setupCalled && mock.startActivityCalled && mock.stopActivityCalled && mock.cancelPendingDebounceCalled)
    mock.reset()
    #expect(
      mock.stateHistory.isEmpty && mock.currentState == .unknown && !mock.setupCalled && !mock.startActivityCalled)
  }

  @Test func `the live activity mock records every state`() {
    let mock = MockLiveActivityManager()
    #expect(mock.totalDistanceKm == 0)
    let start = Date(timeIntervalSince1970: 1_704_067_200)
    mock.startActivity(carName: "Blue Estate", startTime: start)
    #expect(mock.isActivityRunning && mock.startActivityCalled && !mock.updateActivityCalled)
    #expect(mock.lastCarName == "Blue Estate" && mock.lastStartTime == start)
    let states = [1000.0, 2500].map { LiveActivityState(distanceMeters: $0, durationSeconds: 60) }
    for state in states { mock.updateActivity(state: state) }
    #expect(mock.stateUpdates == states && mock.lastState == states[1] && mock.updateCount == 2)
    #expect(mock.totalDistanceKm == 2.5)
    mock.endActivity(keepVisibleForSeconds: 300)
    #expect(!mock.isActivityRunning && mock.endActivityCalled && mock.lastKeepVisibleDuration == 300)
    mock.reset()
    #expect(!mock.startActivityCalled && mock.lastCarName == nil && mock.lastState == nil && !mock.endActivityCalled)
  }

  @Test func `the watch mock records its messages and requests a token`() {
    let mock = MockWatchConnectivityService()
    #expect(mock.isPaired && mock.isWatchAppInstalled && mock.isReachable)
    mock.simulateTokenRequest()
    #expect(mock.tokenAnswers.isEmpty, "nobody is there to answer")
    mock.delegate = listener
    mock.simulateTokenRequest()
    listener.token = nil
    mock.simulateTokenRequest()
    #expect(mock.tokenAnswers == ["secret", nil])
    mock.simulateActivation()
    #expect(listener.calls == ["activated"])
    mock.setup()
    mock.syncConfig(email: "a@b.c", apiUrl: "https://hub.example", token: "one")
    #expect(
      mock.lastSyncedEmail == "a@b.c" && mock.lastSyncedApiUrl == "https://hub.example" && mock.lastSyncedToken == "one"
    )
    mock.syncToken("two")
    #expect(mock.lastSyncedToken == "two")
    mock.notifyTripStarted()
    mock.notifyTripStarted()
    mock.updateTripActiveState(true)
    #expect(mock.tripStartNotificationCount == 2 && mock.lastTripActiveState == true)
    #expect(
      mock.setupCalled && mock.syncConfigCalled && mock.syncTokenCalled && mock.notifyTripStartedCalled
        && mock.updateTripActiveStateCalled)
    mock.isPaired = false
    mock.reset()
    #expect(
      mock.isPaired && mock.tokenAnswers.isEmpty && mock.lastSyncedToken == nil && mock.tripStartNotificationCount == 0)
    #expect(!mock.setupCalled && mock.lastTripActiveState == nil)
  }

  @Test func `a delegate is not retained`() {
    let mock = MockLocationTrackingService()
    do {
      let brief = Listener()
      mock.delegate = brief
      #expect(mock.delegate === brief)
    }
    #expect(mock.delegate == nil)
  }
}
