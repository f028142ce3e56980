import Foundation
import Testing
import TrendyModels
import TrendyTesting

@testable import TrendyTrips

@Suite("Path length", .timeLimit(.minutes(5)))
struct PathLengthEstimatorTests {
  private static let start = Date(timeIntervalSince1970: 1_704_096_000)

  /// Returns a drive along straight sections of 300 m with alternating bends of 50°, between two stays of 15 minutes.

  private func streets(seconds: Int, corners: Int = 24, speed: Double = 10, tellsSpeed: Bool = false) -> [Location] {
    let way = 300.0 * Double(corners)
    let heading = 25 * Double.pi / 180
    return stride(from: 0, through: 1800 + Int(way / speed), by: seconds).map { second in
      let metres = min(way, max(0, Double(second - 900) * speed))
      let straight = (metres / 300).rounded(.down)
      let rest = metres - straight * 300
      let aside = straight.truncatingRemainder(dividingBy: 2) == 0 ? rest : 300 - rest
      return Location(
        coordinate: Geodesic.place(
          from: Coordinate(latitude: 48, longitude: 11), offset: SIMD2(metres * cos(heading), aside * sin(heading))),
        horizontalAccuracy: 8, timestamp: Self.start.addingTimeInterval(Double(second)),
        speed: tellsSpeed ? (metres > 0 && metres < way ? speed : 0) : nil)
    }
  }

  private func scattered(_ fixes: [Location], by metres: Double, seed: UInt64) -> [Location] {
    var random = SeededGenerator(seed: seed)
    // The sum of twelve uniform numbers is approximately normal.
    func normal() -> Double {
      (0..<12).reduce(-6.0) { sum, _ in sum + Double(random.next() >> 11) / 9_007_199_254_740_992 }
    }
    return fixes.map {
      var fix = $0
      fix.coordinate = Geodesic.place(from: fix.coordinate, offset: SIMD2(normal(), normal()) * metres)
      return fix
    }
  }

  @Test(
    "position noise of 30 m does not lengthen the path", arguments: [1, 5, 15],
    [7, 8, 9] as [UInt64])
  func scatter(seconds: Int, seed: UInt64) throws {
    let found = TripDetector.trips(in: scattered(streets(seconds: seconds), by: 30, seed: seed))
    let trip = try #require(found.count == 1 ? found.first : nil, "\(found.map(\.trip))")
    #expect(abs(trip.trip.distanceMeters / 7200 - 1) < 0.1, "\(trip.trip.distanceMeters) m of 7200 m")
    #expect(abs(trip.trip.startTime.timeIntervalSince(Self.start) - 900) < 240)
    #expect(abs((trip.trip.endTime ?? .distantPast).timeIntervalSince(Self.start) - 1620) < 120)
    let decision = try #require(trip.decisions.first { $0.rule == .scattered })
    #expect(try abs(#require(decision.meters) - 30) < 15, "\(decision)")
    #expect(decision.words.hasPrefix("Length corrected for position noise of about "))
  }

  @Test(
    "a trip that begins at an average of fixes has an id derived from a recorded fix", arguments: [1, 5],
    [7, 8, 9] as [UInt64])
  func id(seconds: Int, seed: UInt64) throws {
    let fixes = scattered(streets(seconds: seconds), by: 30, seed: seed)
    let trip = try #require(TripDetector.trips(in: fixes).first).trip
    let origin = try #require(fixes.first { NaturalKey.trip(deviceId: "", start: $0) == trip.id })
    let seconds = trip.startTime.timeIntervalSince(origin.timestamp)
    #expect(seconds >= 0 && seconds < 30, "\(seconds) s from the fix to the start")
  }

  @Test("the length of a path without noise is exact", arguments: [1, 5, 10])
  func exact(seconds: Int) throws {
    let trip = try #require(TripDetector.trips(in: streets(seconds: seconds)).first)
    #expect(abs(trip.trip.distanceMeters / 7200 - 1) < 0.02, "\(trip.trip.distanceMeters) m of 7200 m")
    #expect(!trip.decisions.contains { [.scattered, .sparse].contains($0.rule) })
  }

  @Test("bends cut off by sparse fixes are added", arguments: [60, 120])
  func sparse(seconds: Int) throws {
    let trip = try #require(TripDetector.trips(in: streets(seconds: seconds, corners: 60, speed: 8)).first)
    let decision = try #require(trip.decisions.first { $0.rule == .sparse })
    let added = try #require(decision.meters)
    let measured = trip.trip.distanceMeters - added
    let way = 60 * 300.0
    #expect(measured < 0.93 * way)
    #expect(abs(trip.trip.distanceMeters - way) < 0.85 * abs(measured - way), "\(measured) + \(added) m of \(way) m")
    #expect(try abs(#require(decision.seconds) - Double(seconds)) < 5)
    #expect(trip.legs.reduce(0) { $0 + $1.distanceMeters }.rounded() == trip.trip.distanceMeters.rounded())
  }

  @Test func `a fast train cuts off almost nothing between two fixes`() throws {
    let straight = (0..<60).map { minute in
      Location(
        coordinate: Geodesic.place(
          from: Coordinate(latitude: 48, longitude: 11), offset: SIMD2(Double(max(0, minute - 10)) * 4000, 0)),
        horizontalAccuracy: 8, timestamp: Self.start.addingTimeInterval(Double(minute) * 60))
    }
    let trip = try #require(TripDetector.trips(in: straight).first)
    let way = Geodesic.distanceMeters(from: straight[0].coordinate, to: straight[59].coordinate)
    #expect(abs(trip.trip.distanceMeters / way - 1) < 0.01)
  }

  @Test func `measured speeds improve the estimate of bends`() throws {
    let without = try #require(TripDetector.trips(in: streets(seconds: 60, corners: 60, speed: 8)).first)
    let told = try #require(
      TripDetector.trips(in: streets(seconds: 60, corners: 60, speed: 8, tellsSpeed: true)).first)
    let way = 60 * 300.0
    #expect(abs(told.trip.distanceMeters - way) < abs(without.trip.distanceMeters - way))
  }

  @Test func `a single displaced fix is not part of the path`() throws {
    var fixes = streets(seconds: 30, corners: 12)
    let plain = try #require(TripDetector.trips(in: fixes).first)
    let index = try #require(fixes.firstIndex { $0.timestamp >= Self.start.addingTimeInterval(1070) })
    fixes[index].coordinate = Geodesic.place(from: fixes[index].coordinate, offset: SIMD2(-300, 600))
    let displaced = try #require(TripDetector.trips(in: fixes).first)
    #expect(displaced.decisions.contains { $0.rule == .displaced })
    #expect(abs(displaced.trip.distanceMeters / plain.trip.distanceMeters - 1) < 0.05)
  }

  @Test("two consecutive displaced fixes are not part of the path", arguments: [SIMD2(-300.0, 600), SIMD2(500, 350)])
  func displacedTwice(offset: SIMD2<Double>) throws {
    var fixes = streets(seconds: 30, corners: 12)
    let plain = try #require(TripDetector.trips(in: fixes).first)
    let index = try #require(fixes.firstIndex { $0.timestamp >= Self.start.addingTimeInterval(1070) })
    for index in index...(index + 1) {
      fixes[index].coordinate = Geodesic.place(from: fixes[index].coordinate, offset: offset)
    }
    let displaced = try #require(TripDetector.trips(in: fixes).first)
    #expect(displaced.decisions.contains { $0.rule == .displaced })
    // The displacement hides up to three corners between the fixes before and after it.
    #expect(abs(displaced.trip.distanceMeters / plain.trip.distanceMeters - 1) < 0.08)
  }

  @Test func `a detour at a constant speed is part of the path`() throws {
    // The car turns into a side street and returns through another one, at a constant speed.
    let corners = [(0.0, 0.0), (900, 0), (900, 600), (1500, 600), (1500, 0), (3000, 0)]
    var fixes = stride(from: 0.0, to: 600, by: 30).map { fix($0) }
    var time = 600.0
    for (from, to) in zip(corners, corners.dropFirst()) {
      let metres = ((to.0 - from.0) * (to.0 - from.0) + (to.1 - from.1) * (to.1 - from.1)).squareRoot()
      for step in 1...Int(metres / 300) {
        let part = Double(step) * 300 / metres
        time += 30
        fixes.append(fix(time, east: from.0 + part * (to.0 - from.0), north: from.1 + part * (to.1 - from.1)))
      }
    }
    let trip = try #require(TripDetector.trips(in: fixes).first)
    #expect(!trip.decisions.contains { $0.rule == .displaced })
    #expect(trip.trip.distanceMeters > 4100)
  }

  @Test("ticks between noisy fixes have no effect", arguments: [11, 12] as [UInt64])
  func ticks(seed: UInt64) throws {
    let fixes = scattered(streets(seconds: 2), by: 25, seed: seed)
    var detector = TripDetector()
    var trips: [TripRecord] = []
    for fix in fixes {
      for effect in detector.onTick(at: fix.timestamp.addingTimeInterval(-0.5)) { effect.apply(to: &trips) }
      for effect in detector.onLocation(fix) { effect.apply(to: &trips) }
    }
    for effect in detector.finish() { effect.apply(to: &trips) }
    #expect(trips == TripDetector.trips(in: fixes))
    #expect(trips.count == 1)
  }

  @Test func `encoding and decoding the detector during averaging has no effect`() throws {
    let fixes = scattered(streets(seconds: 2), by: 25, seed: 3)
    var detector = TripDetector()
    var trips: [TripRecord] = []
    for (index, fix) in fixes.enumerated() {
      if index.isMultiple(of: 97) {
        detector = try JSONDecoder().decode(TripDetector.self, from: JSONEncoder().encode(detector))
      }
      for effect in detector.onLocation(fix) { effect.apply(to: &trips) }
    }
    for effect in detector.finish() { effect.apply(to: &trips) }
    #expect(trips.map(\.trip.id) == TripDetector.trips(in: fixes).map(\.trip.id))
  }
}

@Suite("PositionNoiseEstimator", .timeLimit(.minutes(5)))
struct ScatterTests {
  private func metres(of fixes: Int, seconds: Double, speed: Double, sigma: Double, seed: UInt64) -> Double {
    var random = SeededGenerator(seed: seed)
    // The sum of twelve uniform numbers is approximately normal.
    func normal() -> Double {
      (0..<12).reduce(-6.0) { sum, _ in sum + Double(random.next() >> 11) / 9_007_199_254_740_992 }
    }
    var scatter = PositionNoiseEstimator()
    for index in 0..<fixes {
      // On a circle with a radius of 400 m, so that the path bends.
      let angle = Double(index) * seconds * speed / 400
      let offset = SIMD2(400 * cos(angle), 400 * sin(angle)) + SIMD2(normal(), normal()) * sigma
      scatter.add(
        Location(
          coordinate: Geodesic.place(from: Coordinate(latitude: 48, longitude: 179.999), offset: offset),
          horizontalAccuracy: -1, timestamp: Date(timeIntervalSince1970: 1_704_096_000 + Double(index) * seconds)))
    }
    return scatter.metres
  }

  @Test(
    "noise is estimated at rest and in motion, also across the antimeridian", arguments: [10.0, 30], [0, 1.3, 12])
  func found(sigma: Double, speed: Double) {
    let found = metres(of: 400, seconds: 2, speed: speed, sigma: sigma, seed: 5)
    #expect(abs(found / sigma - 1) < 0.35, "\(found) m of \(sigma) m")
  }

  @Test("the estimate is near zero on a winding path without noise", arguments: [0, 1.3, 5, 12, 25])
  func none(speed: Double) {
    for seconds in [1.0, 5, 15, 60] {
      #expect(metres(of: 400, seconds: seconds, speed: speed, sigma: 0, seed: 6) < 3)
    }
  }

  @Test func `few fixes give no estimate`() {
    #expect(metres(of: 8, seconds: 2, speed: 0, sigma: 30, seed: 7) == 0)
  }
}
