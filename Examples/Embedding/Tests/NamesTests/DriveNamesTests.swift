import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting

@Suite("Names of the device services, their mocks and the drive simulator")
struct DriveNamesTests {
  @Test func `the location service has the documented names`() {
    final class Listener: LocationTrackingServiceDelegate {
      var heard: [String] = []
      func locationService(_ service: any LocationTrackingServiceProtocol, didUpdateLocation location: Location) {
        heard.append("fix")
      }
      func locationService(_ service: any LocationTrackingServiceProtocol, didFailWithError error: any Error) {
        heard.append("error")
      }
      func locationService(
        _ service: any LocationTrackingServiceProtocol, didChangeAuthorization status: LocationAuthorizationStatus
      ) {
        heard.append("\(status)")
      }
    }
    let listener = Listener()
    let mock = MockLocationTrackingService()
    let service: any LocationTrackingServiceProtocol = mock
    service.delegate = listener
    service.setupLocationManager()
    service.startMonitoring()
    #expect(service.isMonitoring && service.lastLocation == nil)
    service.setHighAccuracy()
    #expect(mock.highAccuracyEnabled && !mock.lowAccuracyEnabled)
    service.setLowAccuracy()
    #expect(mock.lowAccuracyEnabled)
    mock.injectLocation(lat: 1, lng: 2)
    mock.injectLocation(lat: 1, lng: 2, accuracy: 10, timestamp: nil)
    mock.injectLocation(
      Location(
        coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 10,
        timestamp: DeterministicDate.jan1_2024))
    mock.injectAuthorizationChange(.authorizedAlways)
    mock.injectError(TestError())
    service.stopMonitoring()
    #expect(mock.setupCalled && mock.startMonitoringCalled && mock.stopMonitoringCalled)
    #expect(mock.locationHistory.count == 3 && service.lastLocation == mock.locationHistory.last)
    #expect(mock.locationHistory.first?.horizontalAccuracy == 10)
    #expect(listener.heard == ["fix", "fix", "fix", "authorizedAlways", "error"])
  }

  @Test func `the motion handler has the documented names`() {
    final class Listener: MotionActivityHandlerDelegate {
      var heard: [String] = []
      func motionHandler(_ handler: any MotionActivityHandlerProtocol, didDetectAutomotive isAutomotive: Bool) {
        heard.append("detected \(isAutomotive)")
      }
      func motionHandler(_ handler: any MotionActivityHandlerProtocol, didConfirmAutomotive isAutomotive: Bool) {
        heard.append("confirmed \(isAutomotive)")
      }
      func motionHandler(_ handler: any MotionActivityHandlerProtocol, didChangeState state: MotionState) {
        heard.append("\(state)")
      }
    }
    let listener = Listener()
    let mock = MockMotionActivityHandler()
    let handler: any MotionActivityHandlerProtocol = mock
    handler.delegate = listener
    #expect(handler.minimumConfidence == .medium)
    let seconds: [TimeInterval] = [handler.automotiveDebounceSeconds, handler.nonAutomotiveDebounceSeconds]
    #expect(seconds == [2, 3])
    handler.setupMotionManager()
    handler.startActivityUpdates()
    mock.simulateStartDriving()
    #expect(handler.isAutomotive && handler.currentState == .automotive)
    mock.simulateStopDriving()
    mock.simulateWalking()
    mock.injectState(.cycling)
    handler.cancelPendingDebounce()
    handler.stopActivityUpdates()
    #expect(mock.setupCalled && mock.startActivityCalled && mock.stopActivityCalled)
    #expect(mock.stateHistory == [.automotive, .stationary, .walking, .cycling])
    #expect(listener.heard.prefix(3) == ["detected true", "confirmed true", "automotive"])
  }

  @Test func `the live activity has the documented names`() {
    let mock = MockLiveActivityManager()
    let manager: any LiveActivityManagerProtocol = mock
    manager.startActivity(carName: "Car", startTime: DeterministicDate.jan1_2024)
    #expect(manager.isActivityRunning)
    let state = LiveActivityState(distanceMeters: 1500, durationSeconds: 60)
    manager.updateActivity(state: state)
    manager.endActivity(keepVisibleForSeconds: 300)
    #expect(mock.startActivityCalled && mock.updateActivityCalled && mock.endActivityCalled)
    #expect(mock.lastCarName == "Car" && mock.lastStartTime == DeterministicDate.jan1_2024)
    #expect(mock.lastState == state && mock.stateUpdates == [state] && mock.updateCount == 1)
    #expect(mock.lastKeepVisibleDuration == 300 && mock.totalDistanceKm == 1.5)
  }

  @Test func `the watch connectivity has the documented names`() {
    final class Listener: WatchConnectivityServiceDelegate {
      var isActive = false
      func watchConnectivityService(
        _ service: any WatchConnectivityServiceProtocol, requestsAuthToken completion: @escaping (String?) -> Void
      ) {
        completion("token")
      }
      func watchConnectivityServiceDidActivate(_ service: any WatchConnectivityServiceProtocol) { isActive = true }
    }
    let listener = Listener()
    let mock = MockWatchConnectivityService()
    let service: any WatchConnectivityServiceProtocol = mock
    service.delegate = listener
    #expect(service.isPaired && service.isWatchAppInstalled && service.isReachable)
    service.setup()
    service.syncConfig(email: "a@example.org", apiUrl: "https://example.org", token: "t")
    service.syncToken("t2")
    service.notifyTripStarted()
    service.updateTripActiveState(true)
    mock.simulateTokenRequest()
    mock.simulateActivation()
    #expect(listener.isActive)
    #expect(mock.setupCalled && mock.syncConfigCalled && mock.syncTokenCalled && mock.notifyTripStartedCalled)
    #expect(mock.updateTripActiveStateCalled && mock.lastSyncedEmail == "a@example.org")
    #expect(mock.lastSyncedApiUrl == "https://example.org" && mock.lastSyncedToken == "t2")
    #expect(mock.lastTripActiveState == true && mock.tripStartNotificationCount == 1)
  }

  @Test func `the drive simulator has the documented names`() {
    let drive = DriveSimulator()
    let services:
      (
        MockLocationTrackingService, MockMotionActivityHandler, MockLiveActivityManager, MockWatchConnectivityService
      ) = (drive.locationService, drive.motionHandler, drive.liveActivityManager, drive.watchService)
    drive.setupStationaryTrip()
    drive.setupTripWithSkipLocation()
    drive.setupCustomTrip(DriveScenarios.stationaryTrip())
    drive.setupHomeToOfficeTrip()
    drive.startTrip()
    drive.triggerPing()
    drive.endTrip()
    #expect(drive.locationUpdateCount == 2 && services.1.stateHistory == [.automotive, .stationary])
    #expect(!drive.didStartTracking && !drive.didStopTracking && !drive.didNotifyWatch, "nobody listens")
    #expect(drive.liveActivityUpdateCount == 0)
    drive.runCompleteTrip()
    drive.reset()
    #expect(drive.locationUpdateCount == 0)
    #expect(DriveScenarios.homeLat == 51.9270 && DriveScenarios.homeLng == 4.3620)
    #expect(DriveScenarios.officeLat == 51.9420 && DriveScenarios.officeLng == 4.4850)
    #expect(DriveScenarios.skipLat == 51.9350 && DriveScenarios.skipLng == 4.4200)
    let ways: [[Location]] = [
      DriveScenarios.homeToOffice(), DriveScenarios.stationaryTrip(), DriveScenarios.tripWithSkipLocation(),
    ]
    for way in ways {
      #expect(way.first?.timestamp == DeterministicDate.jan1_2024 && way.allSatisfy { $0.horizontalAccuracy == 10 })
      #expect(zip(way, way.dropFirst()).allSatisfy { $1.timestamp.timeIntervalSince($0.timestamp) <= 30 })
    }
  }

  @Test func `a trip report has the documented names`() {
    struct Log: TripReporting {
      func report(_ report: TripReport) {}
    }
    let fix = Location(
      coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 10, timestamp: DeterministicDate.jan1_2024)
    let kinds: [TripReport.Kind] = [.start, .ping, .resume, .end, .cancel]
    for kind in kinds { Log().report(TripReport(kind: kind, location: fix)) }
    #expect(Set(kinds).count == 5)
  }
}
