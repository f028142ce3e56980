import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting
import TrendyTrips

@Suite("TripCoordinator", .timeLimit(.minutes(10)))
struct TripCoordinatorTests {
  /// Coordinator with simulated services that records the calls of its delegate.
  final class Bench: TripCoordinatorDelegate {
    let simulator = DriveSimulator()
    let log = ReportLog()
    let clock = ManualClock()
    let coordinator: TripCoordinator
    var finished: [TripRecord] = []
    var cancelled: [TripRecord] = []

    init(_ configuration: TripConfiguration = TripConfiguration(carName: "Blue Estate"), restoring: TripTracker? = nil)
    {
      coordinator = TripCoordinator(
        location: simulator.locationService, motion: simulator.motionHandler,
        liveActivity: simulator.liveActivityManager, watch: simulator.watchService, reporting: log, clock: clock,
        configuration: configuration, restoring: restoring)
      coordinator.delegate = self
    }

    func tripCoordinator(_ coordinator: TripCoordinator, didFinish record: TripRecord) { finished.append(record) }
    func tripCoordinator(_ coordinator: TripCoordinator, didCancel record: TripRecord) { cancelled.append(record) }

    func playAll() { while simulator.remainingFixes > 0 { simulator.triggerPing() } }
    var lastFixTime: Date { simulator.locationService.lastLocation?.timestamp ?? at(0) }
  }

  @Test func `driving starts tracking, displays the car, reports the start and notifies the watch once`() throws {
    let bench = Bench()
    bench.simulator.setupHomeToOfficeTrip()
    bench.simulator.startTrip()
    #expect(bench.simulator.didStartTracking)
    #expect(bench.coordinator.isTracking)
    #expect(bench.simulator.liveActivityManager.lastCarName == "Blue Estate")
    #expect(bench.simulator.liveActivityManager.lastStartTime == at(0))
    #expect(bench.log.kinds == [.start])
    let start = try #require(bench.log.reports.first?.location)
    #expect(abs(start.coordinate.latitude - DriveScenarios.homeLat) < 0.001)
    #expect(abs(start.coordinate.longitude - DriveScenarios.homeLng) < 0.001)
    #expect(start.timestamp == at(0))
    #expect(bench.simulator.watchService.tripStartNotificationCount == 1)
    #expect(bench.simulator.watchService.lastTripActiveState == true)
  }

  @Test func `a stop ends tracking immediately and keeps the display for five minutes`() {
    let bench = Bench()
    bench.simulator.setupHomeToOfficeTrip()
    bench.simulator.startTrip()
    bench.playAll()
    bench.simulator.endTrip()
    #expect(bench.simulator.didStopTracking)
    #expect(!bench.coordinator.isTracking)
    #expect(!bench.simulator.liveActivityManager.isActivityRunning)
    #expect(bench.simulator.liveActivityManager.lastKeepVisibleDuration == 300)
    #expect(bench.simulator.watchService.lastTripActiveState == false)
    #expect(bench.log.all(.end).count == 1)
    #expect(bench.finished.isEmpty, "the trip stays open for half an hour")
  }

  @Test func `walking does not start anything`() {
    let bench = Bench()
    bench.simulator.setupHomeToOfficeTrip()
    bench.simulator.triggerPing()
    bench.simulator.motionHandler.simulateWalking()
    bench.playAll()
    #expect(!bench.simulator.didStartTracking)
    #expect(bench.log.reports.isEmpty)
    #expect(!bench.simulator.didNotifyWatch)
  }

  @Test func `the drive from home to the office is 8.6 km with one start and one end`() throws {
    let bench = Bench()
    bench.simulator.setupHomeToOfficeTrip()
    bench.simulator.startTrip()
    bench.playAll()
    bench.simulator.endTrip()
    bench.coordinator.tick(at: bench.lastFixTime.addingTimeInterval(1800))
    let record = try #require(bench.finished.first)
    #expect(bench.finished.count == 1)
    #expect(abs(record.trip.distanceMeters - 8600) < 50)
    #expect(record.trip.startTime == at(0))
    #expect(record.trip.endTime == bench.lastFixTime)
    #expect(bench.log.all(.start).count == 1)
    #expect(bench.log.all(.end).count == 1)
    #expect(bench.log.kinds.first == .start)
    #expect(bench.log.kinds.last == .end)
    #expect(bench.log.reports.last?.location == bench.simulator.locationService.lastLocation)
    #expect(abs(bench.simulator.liveActivityManager.totalDistanceKm - 8.6) < 0.05)
  }

  @Test func `the display follows every fix and its distance never decreases`() {
    let bench = Bench()
    bench.simulator.setupHomeToOfficeTrip()
    bench.simulator.startTrip()
    bench.playAll()
    let states = bench.simulator.liveActivityManager.stateUpdates
    #expect(states.count == bench.simulator.locationUpdateCount - 1)
    #expect(zip(states, states.dropFirst()).allSatisfy { $0.distanceMeters < $1.distanceMeters })
    #expect(states.last?.durationSeconds == bench.lastFixTime.timeIntervalSince(at(0)))
    #expect(states.allSatisfy { !$0.isPaused })
  }

  @Test func `pings are sent every 15 seconds of fix time, not of arrival time`() {
    let bench = Bench()
    bench.simulator.setupCustomTrip(drive(speed: 15, start: 0, end: 120, interval: 5))
    bench.simulator.startTrip()
    bench.playAll()
    #expect(bench.log.all(.ping).map(\.location.timestamp) == stride(from: 15.0, through: 120, by: 15).map { at($0) })
  }

  @Test func `a fix with an accuracy of 100 m adds no distance`() {
    let bench = Bench()
    bench.simulator.setupHomeToOfficeTrip()
    bench.simulator.startTrip()
    for _ in 0..<4 { bench.simulator.triggerPing() }
    let before = bench.simulator.liveActivityManager.totalDistanceKm
    bench.simulator.locationService.injectLocation(lat: 51.9300, lng: 4.3700, accuracy: 100)
    #expect(bench.simulator.liveActivityManager.totalDistanceKm == before)
    #expect(before > 0.5)
  }

  @Test func `a second start changes nothing`() {
    let bench = Bench()
    bench.simulator.setupHomeToOfficeTrip()
    bench.simulator.startTrip()
    bench.simulator.triggerPing()
    let trip = bench.coordinator.tracker.currentTrip
    bench.simulator.motionHandler.simulateStartDriving()
    #expect(bench.log.all(.start).count == 1)
    #expect(bench.simulator.watchService.tripStartNotificationCount == 1)
    #expect(bench.coordinator.tracker.currentTrip == trip)
  }

  @Test func `a stop without a start changes nothing`() {
    let bench = Bench()
    bench.simulator.setupHomeToOfficeTrip()
    bench.simulator.triggerPing()
    bench.simulator.endTrip()
    #expect(!bench.simulator.liveActivityManager.endActivityCalled)
    #expect(!bench.simulator.locationService.lowAccuracyEnabled)
    #expect(bench.log.reports.isEmpty)
  }

  @Test func `a trip without movement is cancelled and creates no event`() {
    let bench = Bench()
    bench.simulator.setupStationaryTrip()
    bench.simulator.startTrip()
    bench.playAll()
    bench.simulator.endTrip()
    bench.coordinator.tick(at: bench.lastFixTime.addingTimeInterval(1800))
    #expect(bench.finished.isEmpty)
    #expect(bench.cancelled.count == 1)
    #expect(bench.log.kinds.last == .cancel)
  }

  @Test func `a stop at the skip place ends neither trip nor tracking`() {
    let skip = Coordinate(latitude: DriveScenarios.skipLat, longitude: DriveScenarios.skipLng)
    let bench = Bench(TripConfiguration(skipPlaces: [skip]))
    bench.simulator.setupTripWithSkipLocation()
    bench.simulator.startTrip()
    while bench.simulator.locationService.lastLocation?.coordinate != skip { bench.simulator.triggerPing() }
    bench.simulator.endTrip()
    #expect(bench.coordinator.isTracking)
    #expect(bench.log.all(.end).isEmpty)
    #expect(bench.simulator.liveActivityManager.lastState?.isPaused == true)
    for _ in 0..<4 { bench.simulator.triggerPing() }
    bench.simulator.motionHandler.simulateStartDriving()
    #expect(bench.simulator.liveActivityManager.lastState?.isPaused == false)
    bench.playAll()
    bench.simulator.endTrip()
    bench.coordinator.tick(at: bench.lastFixTime.addingTimeInterval(1800))
    #expect(bench.finished.count == 1)
    #expect(abs((bench.finished.first?.trip.distanceMeters ?? 0) - 8600) < 50)
    #expect(bench.log.kinds.filter { $0 != .ping } == [.start, .end])
    #expect(bench.simulator.watchService.tripStartNotificationCount == 1)
  }

  @Test func `a stop elsewhere ends tracking, and driving resumes the same trip`() {
    let bench = Bench()
    bench.simulator.setupTripWithSkipLocation()
    bench.simulator.startTrip()
    for _ in 0..<18 { bench.simulator.triggerPing() }
    bench.simulator.endTrip()
    #expect(bench.simulator.didStopTracking)
    for _ in 0..<4 { bench.simulator.triggerPing() }
    bench.simulator.motionHandler.simulateStartDriving()
    #expect(bench.simulator.didStartTracking)
    bench.playAll()
    bench.simulator.endTrip()
    bench.coordinator.tick(at: bench.lastFixTime.addingTimeInterval(1800))
    #expect(bench.log.kinds.filter { $0 != .ping } == [.start, .end, .resume, .end])
    #expect(bench.finished.count == 1)
    #expect(bench.simulator.watchService.tripStartNotificationCount == 1)
    #expect(bench.simulator.liveActivityManager.lastStartTime == at(0))
  }

  @Test("the clock determines the resumption without a fix", arguments: [(29, 1), (31, 2)])
  func clockDecides(minutes: Int, starts: Int) async {
    let bench = Bench()
    bench.simulator.setupCustomTrip(drive(speed: 20, start: 0, end: 60))
    bench.simulator.startTrip()
    bench.playAll()
    await bench.clock.advance(by: .seconds(60))
    bench.simulator.endTrip()
    await bench.clock.advance(by: .seconds(60 * minutes))
    bench.simulator.motionHandler.simulateStartDriving()
    #expect(bench.log.all(.start).count == starts)
    #expect(bench.log.all(.resume).count == 2 - starts)
  }

  @Test func `a recording of another year uses its own time`() {
    let bench = Bench()
    bench.simulator.setupCustomTrip(
      DriveScenarios.homeToOffice().map { fix in
        var fix = fix
        fix.timestamp += 40_000_000
        return fix
      })
    bench.simulator.startTrip()
    bench.playAll()
    bench.simulator.endTrip()
    bench.simulator.motionHandler.simulateStartDriving()
    #expect(bench.log.kinds.filter { $0 != .ping } == [.start, .end, .resume])
  }

  @Test func `a gap of two hours ends trip and tracking at the last movement`() {
    let bench = Bench()
    bench.simulator.setupHomeToOfficeTrip()
    bench.simulator.startTrip()
    for _ in 0..<10 { bench.simulator.triggerPing() }
    let last = bench.lastFixTime
    bench.coordinator.tick(at: last.addingTimeInterval(7199))
    #expect(bench.finished.isEmpty)
    bench.coordinator.tick(at: last.addingTimeInterval(7200))
    #expect(bench.finished.map(\.trip.endTime) == [last])
    #expect(bench.simulator.didStopTracking)
    #expect(bench.log.all(.end).map(\.location.timestamp) == [last])
  }

  @Test func `driving without a fix requests fixes, and the report waits for one`() {
    let bench = Bench()
    bench.simulator.motionHandler.simulateStartDriving()
    #expect(bench.simulator.didStartTracking)
    #expect(bench.log.reports.isEmpty)
    bench.simulator.locationService.injectLocation(fix(9))
    #expect(bench.log.kinds == [.start])
    #expect(bench.simulator.watchService.tripStartNotificationCount == 1)
  }

  @Test func `driving that ends before any fix has no effect`() {
    let bench = Bench()
    bench.simulator.motionHandler.simulateStartDriving()
    bench.simulator.motionHandler.simulateWalking()
    #expect(bench.simulator.didStopTracking)
    bench.simulator.locationService.injectLocation(fix(9))
    #expect(bench.log.reports.isEmpty)
    #expect(bench.coordinator.tracker.currentTrip == nil)
  }

  @Test func `a fix from before the coordinator is the start of the trip`() {
    let simulator = DriveSimulator()
    simulator.locationService.injectLocation(fix(0))
    let log = ReportLog()
    let coordinator = TripCoordinator(
      location: simulator.locationService, motion: simulator.motionHandler,
      liveActivity: simulator.liveActivityManager, watch: simulator.watchService, reporting: log, clock: ManualClock())
    simulator.motionHandler.simulateStartDriving()
    #expect(log.reports.map(\.location) == [fix(0)])
    #expect(coordinator.isTracking)
  }

  @Test func `a restart during a drive continues the same trip`() throws {
    let first = Bench()
    first.simulator.setupHomeToOfficeTrip()
    first.simulator.startTrip()
    for _ in 0..<15 { first.simulator.triggerPing() }
    let saved = try JSONEncoder().encode(first.coordinator.tracker)

    let second = Bench(restoring: try JSONDecoder().decode(TripTracker.self, from: saved))
    #expect(second.simulator.didStartTracking)
    #expect(second.simulator.liveActivityManager.lastCarName == "Blue Estate")
    #expect(!second.simulator.didNotifyWatch, "the watch was told before")
    second.simulator.setupCustomTrip(Array(DriveScenarios.homeToOffice().dropFirst(16)))
    second.playAll()
    second.simulator.endTrip()
    second.coordinator.tick(at: second.lastFixTime.addingTimeInterval(1800))
    #expect(abs((second.finished.first?.trip.distanceMeters ?? 0) - 8600) < 50)
    #expect(second.log.all(.start).isEmpty)
    #expect(second.log.all(.end).count == 1)
  }

  @Test func `start sets up every service with low accuracy`() {
    let bench = Bench()
    bench.coordinator.start()
    #expect(bench.simulator.locationService.setupCalled)
    #expect(bench.simulator.locationService.isMonitoring)
    #expect(bench.simulator.locationService.lowAccuracyEnabled)
    #expect(bench.simulator.motionHandler.setupCalled)
    #expect(bench.simulator.motionHandler.startActivityCalled)
    #expect(bench.simulator.watchService.setupCalled)
    bench.coordinator.stop()
    #expect(!bench.simulator.locationService.isMonitoring)
    #expect(bench.simulator.motionHandler.stopActivityCalled)
  }

  @Test func `stopping during a drive ends tracking and the display, and starting again resumes the trip`() {
    let bench = Bench()
    bench.coordinator.start()
    bench.simulator.setupHomeToOfficeTrip()
    bench.simulator.startTrip()
    for _ in 0..<5 { bench.simulator.triggerPing() }
    let trip = bench.coordinator.tracker.currentTrip?.id
    bench.coordinator.stop()
    #expect(!bench.coordinator.isTracking)
    #expect(bench.simulator.didStopTracking)
    #expect(!bench.simulator.liveActivityManager.isActivityRunning)
    #expect(bench.simulator.watchService.lastTripActiveState == false)
    #expect(!bench.simulator.locationService.isMonitoring)
    #expect(bench.log.kinds.last == .end)
    #expect(bench.finished.isEmpty && bench.coordinator.tracker.currentTrip?.id == trip)
    // Late readings from the services are ignored.
    bench.simulator.triggerPing()
    bench.simulator.motionHandler.simulateStartDriving()
    #expect(!bench.coordinator.isTracking && bench.log.kinds.last == .end)
    bench.coordinator.stop()
    #expect(bench.log.all(.end).count == 1)

    bench.coordinator.start()
    #expect(bench.coordinator.isTracking)
    #expect(bench.simulator.liveActivityManager.isActivityRunning)
    #expect(bench.log.kinds.last == .resume)
    bench.playAll()
    bench.simulator.endTrip()
    #expect(bench.log.kinds.filter { $0 != .ping } == [.start, .end, .resume, .end])
    #expect(bench.simulator.watchService.tripStartNotificationCount == 1)
    #expect(bench.coordinator.tracker.currentTrip?.id == trip)
  }

  @Test("a granted authorization starts monitoring", arguments: LocationAuthorizationStatus.allCases)
  func authorisation(_ status: LocationAuthorizationStatus) {
    let bench = Bench()
    bench.simulator.locationService.injectAuthorizationChange(status)
    #expect(!bench.simulator.locationService.isMonitoring, "not before it is started")
    bench.coordinator.start()
    let isRefused = status == .denied || status == .restricted
    #expect(bench.simulator.locationService.isMonitoring == !isRefused)
    for granted in [LocationAuthorizationStatus.authorizedWhenInUse, .authorizedAlways] {
      bench.simulator.locationService.injectAuthorizationChange(.denied)
      #expect(!bench.simulator.locationService.isMonitoring)
      bench.simulator.locationService.injectAuthorizationChange(granted)
      #expect(bench.simulator.locationService.isMonitoring)
    }
    bench.coordinator.stop()
    bench.simulator.locationService.injectAuthorizationChange(.authorizedAlways)
    #expect(!bench.simulator.locationService.isMonitoring, "not after it is stopped")
  }

  @Test(
    "revoking authorization ends tracking, and granting it again resumes the trip",
    arguments: [
      LocationAuthorizationStatus.denied, .restricted,
    ])
  func revoked(_ status: LocationAuthorizationStatus) {
    let bench = Bench()
    bench.coordinator.start()
    bench.simulator.setupHomeToOfficeTrip()
    bench.simulator.startTrip()
    for _ in 0..<5 { bench.simulator.triggerPing() }
    bench.simulator.locationService.injectAuthorizationChange(status)
    #expect(!bench.coordinator.isTracking)
    #expect(!bench.simulator.locationService.isMonitoring)
    #expect(!bench.simulator.liveActivityManager.isActivityRunning)
    #expect(bench.log.kinds.last == .end)
    bench.simulator.locationService.injectAuthorizationChange(.authorizedWhenInUse)
    #expect(bench.coordinator.isTracking)
    #expect(bench.simulator.locationService.isMonitoring)
    bench.playAll()
    bench.simulator.endTrip()
    #expect(bench.log.kinds.filter { $0 != .ping } == [.start, .end, .resume, .end])
    #expect(bench.simulator.watchService.tripStartNotificationCount == 1)
  }

  @Test func `driving without permission is not displayed or reported until it is granted`() {
    let bench = Bench()
    bench.coordinator.start()
    bench.simulator.locationService.injectAuthorizationChange(.denied)
    bench.simulator.motionHandler.simulateStartDriving()
    #expect(!bench.coordinator.isTracking)
    #expect(!bench.simulator.didStartTracking)
    bench.simulator.locationService.injectAuthorizationChange(.authorizedAlways)
    #expect(bench.coordinator.isTracking)
    #expect(bench.log.reports.isEmpty)
    bench.simulator.locationService.injectLocation(fix(9))
    #expect(bench.log.kinds == [.start])
    #expect(bench.simulator.watchService.tripStartNotificationCount == 1)
  }

  @Test func `a failing receiver does not end a trip`() {
    struct NoSignal: Error {}
    let bench = Bench()
    bench.simulator.setupHomeToOfficeTrip()
    bench.simulator.startTrip()
    bench.simulator.locationService.injectError(NoSignal())
    bench.simulator.locationService.injectAuthorizationChange(.authorizedAlways)
    #expect(bench.coordinator.isTracking)
    #expect(bench.coordinator.lastLocationError is NoSignal)
    #expect(bench.coordinator.authorization == .authorizedAlways)
    bench.simulator.triggerPing()
    #expect(bench.coordinator.lastLocationError == nil)
  }

  @Test func `delegates are not retained`() {
    weak var gone: TripCoordinator?
    let simulator = DriveSimulator()
    do {
      let coordinator = TripCoordinator(
        location: simulator.locationService, motion: simulator.motionHandler,
        liveActivity: simulator.liveActivityManager, watch: simulator.watchService, clock: ManualClock())
      coordinator.start()
      gone = coordinator
    }
    #expect(gone == nil)
  }

  @Test func `the built-in handler uses the coordinator's ticks`() {
    let simulator = DriveSimulator()
    let handler = MotionActivityHandler()
    let coordinator = TripCoordinator(
      location: simulator.locationService, motion: handler, liveActivity: simulator.liveActivityManager,
      watch: simulator.watchService, clock: ManualClock())
    coordinator.start()
    simulator.locationService.injectLocation(fix(0))
    handler.receive(motion(.automotive, 0))
    coordinator.tick(at: at(1))
    #expect(!coordinator.isTracking)
    coordinator.tick(at: at(2))
    #expect(coordinator.isTracking)
  }
}
