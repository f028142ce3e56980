import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

@Suite("Trips without a direction", .timeLimit(.minutes(10)))
struct TripRefusalTests {
  private static func rest(_ seconds: ClosedRange<Double>, interval: Double) -> [Location] {
    stride(from: seconds.lowerBound, to: seconds.upperBound, by: interval).map { fix($0) }
  }

  @Test("walking around a lake three times is a trip", arguments: [5.0, 15, 60])
  func rounds(interval: Double) throws {
    let radius = 320.0
    let round = 2 * .pi * radius / 1.4
    let walk = stride(from: 600.0, through: 600 + 3 * round, by: interval).map { second in
      let angle = (second - 600) / round * 2 * .pi
      return fix(second, east: radius * (1 - cos(angle)), north: radius * sin(angle))
    }
    let end = 600 + 3 * round + interval
    let trips = TripDetector.trips(
      in: Self.rest(0...600, interval: interval) + walk + Self.rest(end...(end + 900), interval: interval))
    let trip = try #require(trips.first)
    #expect(trips.count == 1)
    #expect(abs(trip.trip.distanceMeters / (6 * .pi * radius) - 1) < 0.1)
  }

  @Test func `a delivery round in a town is one trip`() throws {
    // Forty stops of four minutes each within 2 km, at walking speed on average.
    var fixes = Self.rest(0...600, interval: 10)
    var time = 600.0
    var east = 0.0
    for door in 0..<40 {
      let isOutward = door % 10 < 5
      for _ in 0..<4 {
        time += 10
        east += isOutward ? 90 : -90
        fixes.append(fix(time, east: east))
      }
      for _ in 0..<24 {
        time += 10
        fixes.append(fix(time, east: east))
      }
    }
    let trips = TripDetector.trips(in: fixes)
    #expect(trips.count == 1)
    #expect(try #require(trips.first).trip.distanceMeters > 14_000)
  }
}
