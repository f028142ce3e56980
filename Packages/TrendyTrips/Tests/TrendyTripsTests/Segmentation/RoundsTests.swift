import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

@Suite("TripDetector with laps near the stay point", .timeLimit(.minutes(10)))
struct RoundsTests {
  /// Returns a position on a running track of 400 m, given the distance from the middle of its southern straight.
  private static func track(_ metres: Double) -> (east: Double, north: Double) {
    let (straight, radius) = (84.39, 36.5)
    let bend = Double.pi * radius
    switch (metres + straight / 2).truncatingRemainder(dividingBy: 2 * (straight + bend)) {
    case let along where along < straight: return (along - straight / 2, 0)
    case let along where along < straight + bend:
      let angle = (along - straight) / radius
      return (straight / 2 + radius * sin(angle), radius - radius * cos(angle))
    case let along where along < 2 * straight + bend: return (1.5 * straight + bend - along, 2 * radius)
    case let along:
      let angle = (along - 2 * straight - bend) / radius
      return (-straight / 2 - radius * sin(angle), radius + radius * cos(angle))
    }
  }

  /// Returns a random number with mean 0 and standard deviation 1.
  private static func error(_ random: inout SeededGenerator) -> Double {
    Double.random(in: -1...1, using: &random) * 3.0.squareRoot()
  }

  /// Returns the fixes of a stay of one minute, `metres` along a path, and a stay of `rest` seconds, with independent
  /// errors of 2 m.
  private static func round(
    on way: (Double) -> (east: Double, north: Double), metres: Double, speed: Double, interval: Double, seed: UInt64,
    rest: Double = 600
  ) -> [Location] {
    var random = SeededGenerator(seed: seed)
    return stride(from: 0, through: 60 + metres / speed + rest, by: interval).map { second in
      let place = way(min(metres, max(0, second - 60) * speed))
      return fix(
        second, east: place.east + 2 * error(&random), north: place.north + 2 * error(&random), accuracy: -1)
    }
  }

  @Test("laps of a running track are one trip", arguments: [1.4, 2.8, 4.5], [1.0, 3])
  func laps(speed: Double, interval: Double) throws {
    let fixes = Self.round(on: Self.track, metres: 3210, speed: speed, interval: interval, seed: UInt64(speed * 10))
    let trips = TripDetector.trips(in: fixes)
    try #require(trips.count == 1)
    let trip = trips[0].trip
    #expect(abs(trip.startTime.timeIntervalSince(at(60))) <= 30)
    #expect(abs(try #require(trip.endTime).timeIntervalSince(at(60 + 3210 / speed))) <= 60)
    #expect(abs(trip.distanceMeters / 3210 - 1) < 0.05, "\(trip.distanceMeters)")
    #expect(trips[0].decisions.contains { [.departed, .rounds].contains($0.rule) })
  }

  @Test("laps of less than two minutes that begin in a bend are one trip", arguments: [1.0, 3, 8])
  func quickLaps(interval: Double) throws {
    let bend = { (metres: Double) in Self.track(100 + metres) }
    let trips = TripDetector.trips(
      in: Self.round(on: bend, metres: 3210, speed: 3.6, interval: interval, seed: 7))
    try #require(trips.count == 1)
    #expect(abs(trips[0].trip.startTime.timeIntervalSince(at(60))) <= 30)
  }

  @Test func `a recording that begins and ends on the running track is a trip with its reason`() throws {
    let fixes = Self.round(on: Self.track, metres: 2000, speed: 3, interval: 1, seed: 1, rest: 0)
      .filter { $0.timestamp >= at(60) }
    // Seen from the middle of a straight, no position on the track is as far away as a departure requires.
    let trips = TripDetector.trips(in: fixes)
    try #require(trips.count == 1)
    #expect(abs(trips[0].trip.startTime.timeIntervalSince(at(60))) <= 30)
    let decision = try #require(trips[0].decisions.first)
    #expect(decision.rule == .rounds)
    #expect(decision.words.hasPrefix("Departed on laps: "))
  }

  @Test("a walk around the block twice is a trip", arguments: [1.0, 5])
  func block(interval: Double) throws {
    let way = { (metres: Double) -> (east: Double, north: Double) in
      switch metres.truncatingRemainder(dividingBy: 360) {
      case let along where along < 110: (along, 0)
      case let along where along < 180: (110, along - 110)
      case let along where along < 290: (290 - along, 70)
      case let along: (0, 360 - along)
      }
    }
    let trips = TripDetector.trips(in: Self.round(on: way, metres: 720, speed: 1.3, interval: interval, seed: 2))
    try #require(trips.count == 1)
    #expect(abs(trips[0].trip.distanceMeters / 720 - 1) < 0.08, "\(trips[0].trip.distanceMeters)")
  }

  @Test("a round with four corners is a trip, also with sparse fixes", arguments: [5.0, 20, 30, 60])
  func corners(interval: Double) throws {
    let side = 200.0
    let way = { (metres: Double) -> (east: Double, north: Double) in
      switch metres {
      case ..<side: (metres, 0)
      case ..<(2 * side): (side, metres - side)
      case ..<(3 * side): (3 * side - metres, side)
      default: (0, 4 * side - metres)
      }
    }
    let trips = TripDetector.trips(in: Self.round(on: way, metres: 4 * side, speed: 1.3, interval: interval, seed: 8))
    try #require(trips.count == 1)
    #expect(abs(trips[0].trip.startTime.timeIntervalSince(at(60))) <= 60)
    #expect(abs(try #require(trips[0].trip.endTime).timeIntervalSince(at(60 + 4 * side / 1.3))) <= 60)
  }

  @Test func `one small round is not a trip`() {
    #expect(
      TripDetector.trips(in: Self.round(on: Self.track, metres: 350, speed: 1.4, interval: 1, seed: 3)).isEmpty)
  }

  @Test("mowing a lawn is not a trip", arguments: [1.0, 3])
  func lawn(interval: Double) {
    let way = { (metres: Double) -> (east: Double, north: Double) in
      let strip = metres.truncatingRemainder(dividingBy: 50)
      return (strip < 25 ? strip : 50 - strip, (metres / 25).rounded(.down) / 2)
    }
    #expect(
      TripDetector.trips(in: Self.round(on: way, metres: 3000, speed: 1.1, interval: interval, seed: 4)).isEmpty)
  }

  /// Returns fixes at one position with a slowly changing error. The autocorrelation of the error falls to 1/e within
  /// `memory` seconds.
  private static func wander(
    from start: Double, to end: Double, spread: Double, memory: Double, seed: UInt64
  ) -> [Location] {
    var random = SeededGenerator(seed: seed)
    var (east, north) = (0.0, 0.0)
    let keep = exp(-1 / memory)
    let fresh = spread * (1 - keep * keep).squareRoot()
    return stride(from: start, through: end, by: 1).map {
      (east, north) = (keep * east + fresh * error(&random), keep * north + fresh * error(&random))
      return fix($0, east: east, north: north, accuracy: -1)
    }
  }

  @Test(
    "a receiver whose error drifts for hours makes no trip", arguments: [10.0, 20, 30],
    [5.0, 20, 60, 120])
  func wandering(spread: Double, memory: Double) {
    for seed in UInt64(1)...4 {
      let fixes = Self.wander(from: 0, to: 10_800, spread: spread, memory: memory, seed: seed)
      for interval in [1, 30, 60] {
        let seldom = fixes.enumerated().filter { $0.offset.isMultiple(of: interval) }.map(\.element)
        let rules = TripDetector.trips(in: seldom).flatMap(\.decisions).map(\.rule)
        #expect(rules.allSatisfy { ![.rounds, .slowly].contains($0) }, "a fix each \(interval) s")
      }
    }
  }

  @Test("laps end at the runner's stop, even if the receiver drifts there", arguments: [10.0, 20])
  func restAfterLaps(spread: Double) throws {
    let end = 60 + 3210 / 3.0
    let laps = Self.round(on: Self.track, metres: 3210, speed: 3, interval: 1, seed: 5, rest: 0)
    let rest = Self.wander(from: end.rounded() + 1, to: end + 7200, spread: spread, memory: 30, seed: 6)
    let first = try #require(TripDetector.trips(in: laps + rest).first)
    let late = try #require(first.trip.endTime).timeIntervalSince(at(end))
    #expect(abs(late) <= 300)
  }
}
