import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting
import TrendyTrips

@Suite("Names of trips")
struct TripNamesTests {
  private struct Log: TripReporting {
    func report(_ report: TripReport) {}
  }

  @Test func `TripCoordinator members`() {
    let drive = DriveSimulator()
    _ = TripCoordinator(
      location: drive.locationService, motion: drive.motionHandler, liveActivity: drive.liveActivityManager,
      watch: drive.watchService)
    let coordinator = TripCoordinator(
      location: drive.locationService, motion: drive.motionHandler, liveActivity: drive.liveActivityManager,
      watch: drive.watchService, reporting: Log(), clock: ManualClock(), configuration: .init())
    coordinator.tick(at: DeterministicDate.jan1_2024)
    #expect(!drive.didStartTracking)
    coordinator.start()
    drive.setupHomeToOfficeTrip()
    drive.runCompleteTrip()
    #expect(drive.didStartTracking && drive.didStopTracking && drive.didNotifyWatch)
    drive.reset()
    #expect(!drive.didStartTracking && !drive.didStopTracking && !drive.didNotifyWatch)
  }

  @Test func `TripTracker members`() throws {
    var configuration = TripConfiguration()
    configuration.carName = "Car"
    configuration.skipPlaces = [Coordinate(latitude: 1, longitude: 2)]
    configuration.skipRadiusMeters = 200
    var tracker = TripTracker(configuration: configuration)
    #expect(tracker.phase == .idle && tracker.currentTrip == nil)
    tracker.onLocation(DriveScenarios.homeToOffice()[0])
    tracker.onMotion(MotionActivity(state: .walking, confidence: .high, timestamp: DeterministicDate.jan1_2024))
    tracker.onCarLink(isConnected: false, at: DeterministicDate.jan1_2024)
    let effects: [TripTracker.Effect] = tracker.onTick(at: DeterministicDate.jan1_2024)
    #expect(effects.isEmpty)
    #expect(try JSONDecoder().decode(TripTracker.self, from: JSONEncoder().encode(tracker)) == tracker)
    let phases: [TripTracker.Phase] = [.idle, .starting, .driving, .paused, .ended, .cancelled]
    #expect(Set(phases).count == 6)
    let trip = Trip(
      id: "t", startTime: DeterministicDate.jan1_2024, startCoordinate: Coordinate(latitude: 1, longitude: 2))
    let all: Set<TripTracker.Effect> = [
      .started(trip), .ping(DriveScenarios.homeToOffice()[0]), .paused(trip), .resumed(trip), .ended(trip),
      .cancelled(trip),
    ]
    #expect(all.count == 6)
  }

  @Test func `distance members`() {
    #expect(DistanceFilterConfig() == DistanceFilterConfig(maxJumpDistance: 1000, maxAccuracy: 50))
    var calculator = DistanceCalculator(config: DistanceFilterConfig())
    for fix in DriveScenarios.homeToOffice() { _ = calculator.add(fix) }
    #expect(abs(calculator.totalMeters - 8600) < 100)
    let metres: Double = Geodesic.distanceMeters(
      from: Coordinate(latitude: 0, longitude: 0), to: Coordinate(latitude: 0, longitude: 1))
    #expect(abs(metres - 111_319.49) < 0.01)
  }
}
