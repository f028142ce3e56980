import Foundation
import Testing
import TrendyModels
import TrendyTesting

@Suite("DriveSimulator", .timeLimit(.minutes(10)))
struct DriveSimulatorTests {
  /// Returns the distance in metres on a sphere, accurate enough to check the length of a scenario.
  static func metres(_ from: Coordinate, _ to: Coordinate) -> Double {
    let radians = Double.pi / 180
    let north = sin((to.latitude - from.latitude) * radians / 2)
    let east = sin((to.longitude - from.longitude) * radians / 2)
    let h = north * north + cos(from.latitude * radians) * cos(to.latitude * radians) * east * east
    return 2 * 6_371_009 * asin(h.squareRoot())
  }

  static func hops(_ fixes: [Location]) -> [Double] {
    zip(fixes, fixes.dropFirst()).map { metres($0.coordinate, $1.coordinate) }
  }

  @Test(
    "a scenario begins in 2024 and has a fix at least every half minute and no jump",
    arguments: [
      DriveScenarios.homeToOffice(), DriveScenarios.stationaryTrip(), DriveScenarios.tripWithSkipLocation(),
    ])
  func regular(fixes: [Location]) {
    #expect(fixes.first?.timestamp == Date(timeIntervalSince1970: 1_704_067_200))
    #expect(fixes.first?.coordinate == Coordinate(latitude: DriveScenarios.homeLat, longitude: DriveScenarios.homeLng))
    #expect(fixes.allSatisfy { $0.horizontalAccuracy == 10 })
    for (from, to) in zip(fixes, fixes.dropFirst()) {
      let seconds = to.timestamp.timeIntervalSince(from.timestamp)
      #expect(seconds > 0 && seconds <= 30)
    }
    #expect(Self.hops(fixes).allSatisfy { $0 < 1000 })
  }

  @Test func `the drive from home to the office is 8.6 km along the documented route`() {
    let fixes = DriveScenarios.homeToOffice()
    #expect(abs(Self.hops(fixes).reduce(0, +) - 8600) < 60)
    #expect(fixes[fixes.count - 1].timestamp.timeIntervalSince(fixes[0].timestamp) >= 240)
    for place in [(51.9300, 4.3900), (51.9350, 4.4200), (51.9380, 4.4500), (51.9420, 4.4850)] {
      #expect(fixes.contains { $0.coordinate == Coordinate(latitude: place.0, longitude: place.1) })
    }
    #expect(
      fixes.last?.coordinate == Coordinate(latitude: DriveScenarios.officeLat, longitude: DriveScenarios.officeLng))
  }

  @Test func `the stationary trip stays at home for two minutes`() {
    let fixes = DriveScenarios.stationaryTrip()
    #expect(Set(fixes.map(\.coordinate)).count == 1)
    #expect(fixes[fixes.count - 1].timestamp.timeIntervalSince(fixes[0].timestamp) == 120)
  }

  @Test func `the trip with a skip place stops at that place for a minute`() {
    let skip = Coordinate(latitude: DriveScenarios.skipLat, longitude: DriveScenarios.skipLng)
    let there = DriveScenarios.tripWithSkipLocation().filter { $0.coordinate == skip }
    #expect(there[there.count - 1].timestamp.timeIntervalSince(there[0].timestamp) == 60)
    #expect(DriveScenarios.tripWithSkipLocation().last?.coordinate.latitude == DriveScenarios.officeLat)
  }

  @Test func `a trip starts with its first fix and automotive, continues fix by fix, and ends stationary`() {
    let simulator = DriveSimulator()
    simulator.setupHomeToOfficeTrip()
    let fixes = DriveScenarios.homeToOffice()
    #expect(simulator.remainingFixes == fixes.count)
    simulator.startTrip()
    #expect(simulator.locationService.locationHistory == [fixes[0]])
    #expect(simulator.motionHandler.stateHistory == [.automotive])
    simulator.triggerPing()
    #expect(simulator.locationService.lastLocation == fixes[1])
    while simulator.remainingFixes > 0 { simulator.triggerPing() }
    simulator.triggerPing()
    #expect(simulator.locationUpdateCount == fixes.count)
    simulator.endTrip()
    #expect(simulator.motionHandler.stateHistory == [.automotive, .stationary])
  }

  @Test func `tracking state is derived from the mocks`() {
    let simulator = DriveSimulator()
    #expect(!simulator.didStartTracking && !simulator.didStopTracking && !simulator.didNotifyWatch)
    simulator.liveActivityManager.startActivity(carName: "Car", startTime: Date(timeIntervalSince1970: 0))
    #expect(!simulator.didStartTracking, "high accuracy is part of it")
    simulator.locationService.setHighAccuracy()
    #expect(simulator.didStartTracking)
    simulator.liveActivityManager.updateActivity(state: LiveActivityState(distanceMeters: 1, durationSeconds: 1))
    #expect(simulator.liveActivityUpdateCount == 1)
    simulator.liveActivityManager.endActivity(keepVisibleForSeconds: 300)
    #expect(!simulator.didStopTracking, "low accuracy is part of it")
    simulator.locationService.setLowAccuracy()
    #expect(simulator.didStopTracking && simulator.didStartTracking, "the end of a trip does not hide its start")
    simulator.watchService.notifyTripStarted()
    #expect(simulator.didNotifyWatch)
  }

  @Test func `a new trip replaces the last one, and reset clears everything`() {
    let simulator = DriveSimulator()
    simulator.setupStationaryTrip()
    simulator.startTrip()
    simulator.liveActivityManager.startActivity(carName: "Car", startTime: Date(timeIntervalSince1970: 0))
    simulator.locationService.setHighAccuracy()
    #expect(simulator.didStartTracking)
    simulator.setupCustomTrip(Array(DriveScenarios.tripWithSkipLocation().suffix(3)))
    #expect(simulator.remainingFixes == 3)
    #expect(simulator.locationUpdateCount == 1)
    simulator.setupTripWithSkipLocation()
    #expect(simulator.remainingFixes == DriveScenarios.tripWithSkipLocation().count)
    simulator.reset()
    #expect(simulator.remainingFixes == 0 && simulator.locationUpdateCount == 0)
    #expect(simulator.motionHandler.stateHistory.isEmpty && !simulator.didNotifyWatch && !simulator.didStartTracking)
  }

  @Test func `a complete trip delivers every fix once, between start and end of the drive`() {
    let drive = DriveSimulator()
    drive.setupHomeToOfficeTrip()
    drive.runCompleteTrip()
    #expect(drive.locationService.locationHistory == DriveScenarios.homeToOffice())
    #expect(drive.motionHandler.stateHistory == [.automotive, .stationary])
    #expect(drive.remainingFixes == 0)
    drive.injectLocationSequence(DriveScenarios.stationaryTrip())
    #expect(drive.locationUpdateCount == DriveScenarios.homeToOffice().count + DriveScenarios.stationaryTrip().count)
  }

  @Test func `a trip without setup starts without a fix`() {
    let simulator = DriveSimulator()
    simulator.startTrip()
    #expect(simulator.locationUpdateCount == 0)
    #expect(simulator.motionHandler.isAutomotive)
  }
}
