import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

@Suite("Ids of trips that began in a gap", .timeLimit(.minutes(10)))
struct TripNameTests {
  /// Fixes of an hour at a stay point with noise, a gap of seven minutes, a slow start and a drive.
  private static let fixes: [Location] = {
    var generator = SeededGenerator(seed: 4)
    let rest = stride(from: 0.0, through: 3600, by: 30).map { second in
      fix(
        second, east: Double.random(in: -15...15, using: &generator),
        north: Double.random(in: -15...15, using: &generator))
    }
    return rest + drive(from: 120, speed: 3, start: 4025, end: 4085, interval: 10)
      + drive(from: 310, speed: 13, start: 4095, end: 5000, interval: 10)
  }()

  private static func id(_ fixes: [Location], motion: [MotionActivity] = []) throws -> String {
    let trips = TripDetector.trips(in: fixes, motion: motion)
    #expect(trips.count == 1)
    #expect(trips.first?.decisions.contains { $0.rule == .woke } == true)
    return try #require(trips.first).trip.id
  }

  @Test func `the id does not depend on motion readings, and therefore not on the time of detection`() throws {
    // During live detection, the trip is detected at the third fix. If detection is repeated with late motion readings,
    // the trip is detected a kilometre later.
    let still = stride(from: 3900.0, through: 4200, by: 60).map { motion(.stationary, $0) }
    #expect(try Self.id(Self.fixes) == Self.id(Self.fixes, motion: still))
  }

  @Test("the id does not depend on the duration of the stay before", arguments: [900.0, 1800, 3000])
  func history(start: Double) throws {
    #expect(try Self.id(Self.fixes) == Self.id(Self.fixes.filter { $0.timestamp >= at(start) }))
  }
}
