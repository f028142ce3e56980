import Foundation
import Testing
import TrendyModels
@testable import TrendyTrips

@Suite("Geodesic", .timeLimit(.minutes(10)))
struct GeodesicTests {
  /// Reads `Resources/geodesic-pairs.csv`: 1,000 random pairs at log-uniform distances from 1 m to 1,000 km, and 20
  /// special pairs (poles, antimeridian, nearly antipodal, failures of Vincenty's method). The distances come from
  /// GeographicLib.
  static func pairs() throws -> [(from: Coordinate, to: Coordinate, metres: Double)] {
    let url = try #require(Bundle.module.url(forResource: "Resources/geodesic-pairs", withExtension: "csv"))
    let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").dropFirst()
    return try lines.map { line in
      let numbers = line.split(separator: ",").compactMap { Double($0) }
      try #require(numbers.count == 5)
      return (
        Coordinate(latitude: numbers[0], longitude: numbers[1]),
        Coordinate(latitude: numbers[2], longitude: numbers[3]), numbers[4]
      )
    }
  }

  @Test func `every reference pair is accurate to a micrometre in both directions`() throws {
    let pairs = try Self.pairs()
    #expect(pairs.count == 1020)
    var worst = 0.0
    for pair in pairs {
      let forth = abs(Geodesic.distanceMeters(from: pair.from, to: pair.to) - pair.metres)
      let back = abs(Geodesic.distanceMeters(from: pair.to, to: pair.from) - pair.metres)
      // `max` would ignore a NaN.
      #expect(forth <= 1e-6 && back <= 1e-6, "\(pair)")
      worst = max(worst, forth, back)
    }
    #expect(worst <= 1e-6)
  }

  @Test func `short distances have a relative error of at most 1e-7`() throws {
    for pair in try Self.pairs() {
      let short = Geodesic.shortMeters(from: pair.from, to: pair.to)
      #expect(abs(short - pair.metres) <= 1e-7 * pair.metres + 1e-6, "\(pair): \(short)")
    }
  }

  /// Nearly antipodal example from Karney (2013, table 3): 19,989,832.82761 m.
  @Test func `the example of the paper is reproduced`() {
    let start = Coordinate(latitude: -30, longitude: 0)
    let end = Coordinate(latitude: 29.9, longitude: 179.8)
    #expect(abs(Geodesic.distanceMeters(from: start, to: end) - 19_989_832.827610) < 1e-6)
  }

  @Test(
    "longitudes beyond ±180° are wrapped",
    arguments: [(-180.0, 180.0), (190.0, -170.0), (360.0, 0.0), (-725.0, -5.0)])
  func turns(given: Double, same: Double) {
    let there = Coordinate(latitude: 48, longitude: 11)
    let one = Geodesic.distanceMeters(from: there, to: Coordinate(latitude: 47, longitude: given))
    let other = Geodesic.distanceMeters(from: there, to: Coordinate(latitude: 47, longitude: same))
    #expect(abs(one - other) < 1e-6)
    #expect(one > 100_000)
  }

  @Test func `the distance from a point to itself is zero`() {
    for latitude in stride(from: -90.0, through: 90, by: 7.5) {
      let point = Coordinate(latitude: latitude, longitude: 33.3)
      #expect(Geodesic.distanceMeters(from: point, to: point) == 0)
    }
  }

  @Test(
    "an invalid coordinate has no distance",
    arguments: [
      Coordinate(latitude: 90.000001, longitude: 0), Coordinate(latitude: .nan, longitude: 0),
      Coordinate(latitude: 0, longitude: .infinity), Coordinate(latitude: -200, longitude: 0),
    ])
  func noPlace(point: Coordinate) {
    let home = Coordinate(latitude: 52, longitude: 4)
    #expect(Geodesic.distanceMeters(from: point, to: home).isNaN)
    #expect(Geodesic.distanceMeters(from: home, to: point).isNaN)
  }

  /// Geodesics satisfy the triangle inequality. Choosing a wrong branch near the antipode would violate it.
  @Test("no detour is shorter than the geodesic", arguments: [UInt64(1), 2, 3])
  func triangle(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<400 {
      let a = Coordinate(
        latitude: .random(in: -89...89, using: &generator), longitude: .random(in: -180...180, using: &generator))
      let b = Coordinate(
        latitude: min(90, max(-90, -a.latitude + .random(in: -1...1, using: &generator))),
        longitude: a.longitude + 180 + .random(in: -1...1, using: &generator))
      let c = Coordinate(
        latitude: .random(in: -90...90, using: &generator), longitude: .random(in: -180...180, using: &generator))
      let straight = Geodesic.distanceMeters(from: a, to: b)
      let detour = Geodesic.distanceMeters(from: a, to: c) + Geodesic.distanceMeters(from: c, to: b)
      #expect(straight <= detour + 1e-6, "\(a) \(b) \(c)")
    }
  }
}
