import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

@Suite("TripDetector", .timeLimit(.minutes(10)))
struct TripDetectorTests {
  static func recorded(_ name: String) throws -> [Location] {
    let url = try #require(Bundle.module.url(forResource: "Resources/\(name)", withExtension: "csv"))
    return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").dropFirst().map { line in
      let numbers = line.split(separator: ",").compactMap { Double($0) }
      try #require(numbers.count == 3)
      return Location(
        coordinate: Coordinate(latitude: numbers[1], longitude: numbers[2]), horizontalAccuracy: -1,
        timestamp: Date(timeIntervalSince1970: numbers[0]))
    }
  }

  static func length(_ fixes: [Location]) -> Double {
    zip(fixes, fixes.dropFirst()).reduce(0) {
      $0 + Geodesic.distanceMeters(from: $1.0.coordinate, to: $1.1.coordinate)
    }
  }

  /// Returns the fixes of a stationary receiver with slow drift, noise and occasional outliers.
  static func parked(
    seed: UInt64, hours: Double, interval: Double, noise: Double, outlier: Double, from start: Double = 0,
    east: Double = 0
  ) -> [Location] {
    var generator = SeededGenerator(seed: seed)
    func normal() -> Double {
      let one = Double.random(in: Double.ulpOfOne...1, using: &generator)
      let other = Double.random(in: 0...1, using: &generator)
      return (-2 * log(one)).squareRoot() * cos(2 * .pi * other)
    }
    var drift = (east: 0.0, north: 0.0)
    var leap = (east: 0.0, north: 0.0)
    var leapUntil = -1.0
    let keep = exp(-interval / 300)
    let step = noise * (1 - keep * keep).squareRoot()
    return stride(from: start, to: start + hours * 3600, by: interval).map { second in
      drift = (drift.east * keep + step * normal(), drift.north * keep + step * normal())
      if second > leapUntil {
        leap = (0, 0)
        if Double.random(in: 0...1, using: &generator) < interval / 900 {
          leap = (outlier * normal(), outlier * normal())
          leapUntil = second + Double.random(in: 0...120, using: &generator)
        }
      }
      return fix(
        second, east: east + drift.east + leap.east + noise / 3 * normal(),
        north: drift.north + leap.north + noise / 3 * normal(), accuracy: -1)
    }
  }

  @Test(
    "a recorded drive is one trip of the same length",
    arguments: [
      "around-visnjan-with-car", "bus-304", "gotrack-00033",
    ])
  func drives(name: String) throws {
    let fixes = try Self.recorded(name)
    let trips = TripDetector.trips(in: fixes)
    #expect(trips.count == 1)
    let record = try #require(trips.first)
    let length = Self.length(fixes)
    #expect(abs(record.trip.distanceMeters - length) <= 0.02 * length)
    let duration = try #require(record.duration)
    let whole = fixes[fixes.count - 1].timestamp.timeIntervalSince(fixes[0].timestamp)
    #expect(duration >= 0.65 * whole)
    #expect((8...35).contains(try #require(record.topSpeed)))
    #expect(record.route.count > 10)
  }

  @Test func `start and end are at the stay points`() throws {
    var fixes = Self.parked(seed: 1, hours: 0.5, interval: 10, noise: 4, outlier: 0)
    fixes += drive(speed: 12, start: 1800, end: 2400, interval: 5)
    fixes += Self.parked(seed: 2, hours: 0.5, interval: 10, noise: 4, outlier: 0, from: 2410, east: 7200)
    let trips = TripDetector.trips(in: fixes)
    let trip = try #require(trips.first).trip
    #expect(trips.count == 1)
    #expect(abs(trip.startTime.timeIntervalSince(at(1800))) <= 10)
    #expect(abs(try #require(trip.endTime).timeIntervalSince(at(2400))) <= 10)
    #expect(Geodesic.distanceMeters(from: trip.startCoordinate, to: fix(0).coordinate) < 10)
    #expect(Geodesic.distanceMeters(from: try #require(trip.endCoordinate), to: fix(0, east: 7200).coordinate) < 10)
    #expect(abs(trip.distanceMeters - 7200) < 30)
  }

  @Test("a stop of five minutes ends a trip", arguments: [(280.0, 1), (330.0, 2)])
  func stops(seconds: Double, trips: Int) {
    var fixes = drive(speed: 12, start: 0, end: 300, interval: 5)
    fixes += Self.parked(
      seed: 3, hours: seconds / 3600, interval: 5, noise: 3, outlier: 0, from: 305, east: 3600)
    fixes += drive(from: 3600, speed: 12, start: 305 + seconds, end: 605 + seconds, interval: 5)
    #expect(TripDetector.trips(in: fixes).count == trips)
  }

  @Test func `one outlier does not shorten a stop`() {
    var fixes = drive(speed: 12, start: 0, end: 300, interval: 5)
    fixes += stride(from: 305.0, through: 705, by: 10).map { fix($0, east: 3600, north: $0 == 505 ? 130 : 0) }
    fixes += drive(from: 3600, speed: 12, start: 710, end: 1000, interval: 5)
    #expect(TripDetector.trips(in: fixes).count == 2)
  }

  @Test("a drifting parked receiver makes no trip", arguments: Array(UInt64(1)...6))
  func still(seed: UInt64) {
    for noise in [3.0, 8, 15, 20] {
      for interval in [1.0, 10, 60] {
        let fixes = Self.parked(seed: seed, hours: 2.5, interval: interval, noise: noise, outlier: 150)
        let trips = TripDetector.trips(in: fixes)
        #expect(trips.isEmpty, "noise \(noise), every \(interval) s: \(trips.map(\.trip))")
      }
    }
  }

  @Test("noise around one position makes no trip", arguments: Array(UInt64(1)...10))
  func scattered(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let fixes = stride(from: 0.0, to: 7200, by: 10).map { second in
      Int.random(in: 0..<2, using: &generator) == 0
        ? fix(second)
        : fix(
          second, east: .random(in: -200...200, using: &generator),
          north: .random(in: -200...200, using: &generator), accuracy: -1)
    }
    #expect(TripDetector.trips(in: fixes).isEmpty)
  }

  @Test func `an unreachable fix is ignored`() throws {
    var fixes = drive(speed: 15, start: 0, end: 600, interval: 10)
    fixes[30].coordinate.latitude += 1
    let trips = TripDetector.trips(in: fixes)
    #expect(trips.count == 1)
    #expect(abs((trips.first?.trip.distanceMeters ?? 0) - 9000) < 20)
  }

  /// Returns twenty minutes of fixes at home, one fix while leaving, a gap of two minutes, and the fixes of a drive.
  private static func woken(_ elsewhere: [Location], drivingFrom east: Double = 900) -> [Location] {
    stride(from: 0.0, through: 1200, by: 60).map { fix($0) } + [fix(1240, east: 80)] + elsewhere
      + drive(from: east, speed: 12, start: 1378, end: 1978, interval: 3)
      + stride(from: 2040.0, through: 2640, by: 60).map { fix($0, east: east + 7200) }
  }

  @Test func `a waking phone's cell-tower position does not affect the departure`() {
    // Positions one kilometre away without an accuracy, seconds before the true positions.
    let cell = [fix(1374.6, east: 700, north: 1100, accuracy: -1), fix(1375, east: 700, north: 1100, accuracy: -1)]
    let wanted = TripDetector.trips(in: Self.woken([]))
    #expect(wanted.count == 1 && wanted[0].trip.startTime <= at(1240))
    let trips = TripDetector.trips(in: Self.woken(cell))
    #expect(trips.map(\.trip.startTime) == wanted.map(\.trip.startTime))
    #expect(trips.map(\.trip.endTime) == wanted.map(\.trip.endTime))
    // The outliers affect only the estimated noise, which slightly changes the length.
    #expect(abs((trips.first?.trip.distanceMeters ?? 0) - wanted[0].trip.distanceMeters) < 5)
    // Positions that vary and last longer may be true, although the next position is unreachable from them.
    let stay = stride(from: 1330.0, through: 1370, by: 10).map {
      fix($0, east: 700 + ($0 / 10).remainder(dividingBy: 3), north: 1100, accuracy: -1)
    }
    #expect(TripDetector.trips(in: Self.woken(stay)).last?.trip.startTime ?? .distantPast >= at(1370))
    // If the next true position is unreachable from the stay point as well, the path to it is unknown.
    let far = TripDetector.trips(in: Self.woken(cell, drivingFrom: 11_000))
    #expect(far.last?.trip.startTime ?? .distantPast >= at(1370))
  }

  @Test func `a walk during a gap of minutes began before the gap`() throws {
    var fixes = stride(from: 0.0, through: 1200, by: 60).map { fix($0) } + [fix(1240, east: 90)]
    // Five minutes later, the first fix is inaccurate.
    fixes += [fix(1556, east: 460, north: 30, accuracy: 74), fix(1559, east: 410), fix(1603, east: 450)]
    fixes += drive(from: 500, speed: 1.2, start: 1650, end: 2250, interval: 50)
    fixes += stride(from: 2310.0, through: 2910, by: 60).map { fix($0, east: 1220) }
    let trips = TripDetector.trips(in: fixes)
    #expect(trips.map(\.trip.startTime) == [at(1200)])
    #expect(try abs(#require(trips.first).trip.distanceMeters - 1220) < 150)
    // If the fixes remain at the new position, the jump is not a trip.
    let thrown = fixes.prefix(22) + stride(from: 1556.0, through: 3000, by: 300).map { fix($0, east: 460) }
    #expect(TripDetector.trips(in: thrown).isEmpty)
  }

  @Test func `a permanent jump adds no distance`() {
    var fixes = drive(speed: 15, start: 0, end: 600, interval: 10)
    fixes += drive(from: 400_000, speed: 15, start: 610, end: 1200, interval: 10)
    let trips = TripDetector.trips(in: fixes)
    #expect(trips.reduce(0) { $0 + $1.trip.distanceMeters } < 18_000)
    #expect(trips.reduce(0) { $0 + $1.trip.distanceMeters } > 16_500)
  }

  @Test(
    "a gap is part of the trip if the movement continues after it",
    arguments: [(1500.0, 3.0, 1), (1500, 1, 2), (1900, 3, 2), (1900, 10, 1), (14000, 10, 1), (14500, 10, 2)])
  func gaps(seconds: Double, speed: Double, trips: Int) {
    var fixes = drive(speed: 15, start: 0, end: 600, interval: 10)
    fixes += drive(from: 9000 + speed * seconds, speed: 15, start: 600 + seconds, end: 1200 + seconds, interval: 10)
    #expect(TripDetector.trips(in: fixes).count == trips)
  }

  @Test func `order and repetitions in a file have no effect`() throws {
    let fixes = try Self.recorded("gotrack-00033")
    var generator = SeededGenerator(seed: 5)
    let shuffled = (fixes + fixes.prefix(50)).shuffled(using: &generator)
    #expect(TripDetector.trips(in: shuffled) == TripDetector.trips(in: fixes))
  }

  @Test func `a file with invalid times makes no trip`() throws {
    let fixes = try Self.recorded("gotrack-00033").map { fix in
      Location(coordinate: fix.coordinate, horizontalAccuracy: -1, timestamp: at(0))
    }
    #expect(TripDetector.trips(in: fixes).isEmpty)
  }

  @Test func `the same recording gives the same trip on every device`() throws {
    let fixes = try Self.recorded("around-visnjan-with-car")
    let one = TripDetector.trips(in: fixes)
    #expect(one == TripDetector.trips(in: fixes))
    #expect(one.map(\.trip.id) == ["\(one[0].trip.id)"])
    let other = TripDetector.trips(in: fixes, configuration: .init(deviceId: "phone"))
    #expect(one.map(\.trip.id) != other.map(\.trip.id))
  }

  @Test("a restart after any fix changes nothing", arguments: ["around-visnjan-with-car", "gotrack-00033"])
  func restarts(name: String) throws {
    var steady = TripDetector()
    var restarted = steady
    var ends = 0
    for fix in try Self.recorded(name) + Self.parked(seed: 9, hours: 0.3, interval: 10, noise: 5, outlier: 0) {
      var fix = fix
      // Move the remaining fixes to a later year. The gap before them ends the drive.
      if fix.timestamp >= at(0), fix.timestamp < at(2000) { fix.timestamp += 400_000_000 }
      let expected = steady.onLocation(fix)
      #expect(restarted.onLocation(fix) == expected)
      ends += expected.count { if case .ended = $0 { true } else { false } }
      restarted = try JSONDecoder().decode(TripDetector.self, from: JSONEncoder().encode(restarted))
      #expect(restarted == steady)
    }
    #expect(ends == 1)
    #expect(steady.currentTrip == nil)
  }

  @Test func `a live stream reports the start before the end`() throws {
    var detector = TripDetector()
    var started: [Trip] = []
    for fix in try Self.recorded("gotrack-00033").prefix(60) {
      for case .started(let trip) in detector.onLocation(fix) { started.append(trip) }
    }
    #expect(started.count == 1)
    #expect(detector.currentTrip?.id == started.first?.id)
    #expect((detector.currentTrip?.distanceMeters ?? 0) > (started.first?.distanceMeters ?? 0))
  }
}
