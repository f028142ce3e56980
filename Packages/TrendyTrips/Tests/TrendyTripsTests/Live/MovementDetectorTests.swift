import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

@Suite("Places that a trip passes between two fixes", .timeLimit(.minutes(5)))
struct MovementDetectorTests {
  /// Returns a drive past a place after a stay. The place is between two fixes.
  private static func drive(speed: Double, interval: Double, north: Double = 0) -> [Location] {
    let steps = (4000 / speed / interval).rounded()
    let start = -(steps + 0.5) * interval * speed
    return stride(from: 0.0, to: 600, by: 30).map { fix($0, east: start, north: north, accuracy: 8) }
      + stride(from: 0.0, through: 12_000 / speed, by: interval).map {
        fix(600 + $0, east: start + $0 * speed, north: north, accuracy: 8)
      }
  }

  private static func crossings(_ fixes: [Location]) -> [GeofenceMonitor.Effect] {
    var detector = MovementDetector(places: GeofenceMonitor(geofences: [GeofenceMonitorTests.fence()]))
    return fixes.flatMap { detector.onLocation($0).crossings } + detector.finish().crossings
  }

  @Test(
    "a place that a trip passes between two fixes is entered and left at interpolated times",
    arguments: [(30.0, 30.0), (12, 60), (20, 30), (30, 60), (14, 20), (25, 120)])
  func passing(speed: Double, interval: Double) throws {
    let fixes = Self.drive(speed: speed, interval: interval)
    let crossings = Self.crossings(fixes)
    try #require(crossings.count == 2)
    guard case .entered(_, let entry) = crossings[0], case .exited(_, let exit) = crossings[1] else {
      Issue.record("\(crossings)")
      return
    }
    let middle = try #require(fixes.last { $0.coordinate.longitude < GeofenceMonitorTests.fence().longitude }).timestamp
      .addingTimeInterval(interval / 2)
    #expect(abs(entry.timestamp.timeIntervalSince(middle) + 100 / speed) < 0.3)
    #expect(abs(exit.timestamp.timeIntervalSince(middle) - 100 / speed) < 0.3)
  }

  @Test("less than 3 s inside does not count", arguments: [(90.0, 0), (85, 2)])
  func brief(north: Double, count: Int) {
    // At 30 m/s, the paths inside the place are 87 m and 105 m long.
    #expect(Self.crossings(Self.drive(speed: 30, interval: 30, north: north)).count == count)
  }

  @Test func `two fixes that belong to no trip pass no place`() {
    let rest = stride(from: 0.0, to: 600, by: 30).map { fix($0, east: -900, accuracy: 8) }
    // The receiver stays at the new position, but no trip is possible between the two positions.
    let after = stride(from: 660.0, to: 4000, by: 30).map { fix($0, east: 900, accuracy: 8) }
    #expect(Self.crossings(rest + after).isEmpty)
  }
}
