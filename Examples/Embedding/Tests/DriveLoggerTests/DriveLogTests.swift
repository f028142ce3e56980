import DriveLogger
import Foundation
import Testing
import TrendyModels
import TrendyTesting

@MainActor @Suite(.timeLimit(.minutes(10)))
final class DriveLogTests {
  private let directory = FileManager.default.temporaryDirectory.appending(path: "drives-\(UUID())")
  private let home = Coordinate(latitude: DriveScenarios.homeLat, longitude: DriveScenarios.homeLng)
  private let office = Coordinate(latitude: DriveScenarios.officeLat, longitude: DriveScenarios.officeLng)

  deinit { try? FileManager.default.removeItem(at: directory) }

  @Test func `a drive is shown live, then stored with the names of its places`() throws {
    let drive = DriveSimulator()
    let log = try DriveLog(
      directory: directory, location: drive.locationService, motion: drive.motionHandler, clock: ManualClock())
    try log.addPlace("Home", at: home)
    try log.addPlace("Office", at: office)

    drive.setupHomeToOfficeTrip()
    drive.startTrip()
    while drive.remainingFixes > 0 { drive.triggerPing() }
    let live = try #require(log.live.state)
    #expect(log.live.isActivityRunning && abs(live.distanceMeters - 8600) < 100)
    #expect(log.trips.isEmpty)

    drive.endTrip()
    #expect(!log.live.isActivityRunning)
    // The user could drive on within half an hour.
    let arrival = try #require(drive.locationService.lastLocation?.timestamp)
    try log.tick(at: arrival.addingTimeInterval(1801))
    let trip = try #require(log.trips.first)
    #expect(log.trips.count == 1 && trip.locationName == "Home" && trip.notes == "to Office")
    #expect(trip.timestamp == DeterministicDate.jan1_2024 && trip.endDate == arrival)
  }

  @Test func `a trip continues after the app was terminated`() throws {
    let fixes = DriveScenarios.homeToOffice()
    for part in [fixes.prefix(18), fixes.dropFirst(18)] {
      let drive = DriveSimulator()
      let log = try DriveLog(
        directory: directory, location: drive.locationService, motion: drive.motionHandler, clock: ManualClock())
      drive.setupCustomTrip(Array(part))
      drive.startTrip()
      while drive.remainingFixes > 0 { drive.triggerPing() }
      try log.tick(at: part[part.endIndex - 1].timestamp)
      #expect(log.live.isActivityRunning && log.trips.isEmpty)
    }
    let drive = DriveSimulator()
    let log = try DriveLog(
      directory: directory, location: drive.locationService, motion: drive.motionHandler, clock: ManualClock())
    drive.endTrip()
    try log.tick(at: fixes[fixes.count - 1].timestamp.addingTimeInterval(1801))
    #expect(log.trips.map(\.timestamp) == [fixes[0].timestamp])
    #expect(abs((log.trips.first?.properties["distance"]?.doubleValue ?? 0) - 8600) < 100)
  }

  @Test func `a receiver without a motion sensor detects a drive by its speed`() throws {
    let receiver = GPSReceiver()
    let log = try DriveLog(
      directory: directory, location: receiver, motion: receiver.motion, clock: ManualClock())
    try log.addPlace("Home", at: home)
    let fixes = DriveScenarios.homeToOffice()
    for var fix in fixes {
      fix.speed = 16
      receiver.receive(fix)
    }
    #expect(log.live.isActivityRunning && receiver.needsHighAccuracy)
    for seconds in [15.0, 120, 240] {
      var fix = fixes[fixes.count - 1]
      fix.timestamp += seconds
      fix.speed = 0
      receiver.receive(fix)
    }
    #expect(!log.live.isActivityRunning && !receiver.needsHighAccuracy)
    try log.tick(at: fixes[fixes.count - 1].timestamp.addingTimeInterval(2100))
    #expect(log.trips.map(\.locationName) == ["Home"])
  }
}
