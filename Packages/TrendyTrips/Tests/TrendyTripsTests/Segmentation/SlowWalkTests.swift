import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

@Suite("TripDetector below walking speed", .timeLimit(.minutes(10)))
struct SlowWalkTests {
  /// Returns the fixes of a stay of half an hour, a straight path of `metres`, and another stay, with position noise.
  private func walk(metres: Double, speed: Double, interval: Double, seed: UInt64) -> [Location] {
    var random = SeededGenerator(seed: seed)
    return stride(from: 0, through: 3600 + metres / speed, by: interval).map { second in
      fix(
        second, east: min(metres, max(0, second - 1800) * speed) + .random(in: -2...2, using: &random),
        north: .random(in: -2...2, using: &random), accuracy: 8)
    }
  }

  @Test("a path below walking speed is a trip with its reason", arguments: [0.25, 0.3, 0.4], [2.0, 15, 45])
  func straight(speed: Double, interval: Double) throws {
    let fixes = walk(metres: 500, speed: speed, interval: interval, seed: UInt64(100 * speed))
    let trips = TripDetector.trips(in: fixes)
    try #require(trips.count == 1)
    // The trip starts with a recorded fix, from which its id is derived.
    let trip = trips[0].trip
    #expect(fixes.contains { $0.timestamp == trip.startTime && $0.coordinate == trip.startCoordinate })
    #expect(abs(trips[0].trip.startTime.timeIntervalSince(at(1800))) <= 120)
    #expect(abs(try #require(trips[0].trip.endTime).timeIntervalSince(at(1800 + 500 / speed))) <= 120)
    #expect(abs(trips[0].trip.distanceMeters / 500 - 1) < 0.1, "\(trips[0].trip.distanceMeters)")
    let decision = try #require(trips[0].decisions.first)
    #expect(decision.rule == .slowly)
    #expect(decision.words.hasPrefix("Departed slowly: "))
  }

  @Test(
    "the departure of a sleeping phone is estimated from the walking speed, at most 300 s before the first fix",
    arguments: [0.25, 0.4, 0.7])
  func woken(speed: Double) throws {
    let wake = 1800 + 200 / speed
    let fixes = walk(metres: 700, speed: speed, interval: 30, seed: UInt64(1000 * speed)).filter {
      !(at(600)..<at(wake)).contains($0.timestamp)
    }
    let trips = TripDetector.trips(in: fixes)
    try #require(trips.count == 1)
    let start = max(1800, wake - 300)
    #expect(abs(trips[0].trip.startTime.timeIntervalSince(at(start))) <= 120, "\(trips[0].trip.startTime)")
    // The path includes the movement during the gap.
    #expect(abs(trips[0].trip.distanceMeters / 700 - 1) < 0.1, "\(trips[0].trip.distanceMeters)")
  }

  @Test("slower movement is a sequence of stops", arguments: [0.05, 0.1])
  func tooSlow(speed: Double) {
    #expect(TripDetector.trips(in: walk(metres: 400, speed: speed, interval: 5, seed: 1)).isEmpty)
  }

  @Test(
    "slow walks are detected with any recorder", arguments: [SimulatedDay.Recorder.phone: 8, .logger: 2, .tracker: 8])
  func days(recorder: SimulatedDay.Recorder, count: UInt64) {
    var (walks, found) = (0, 0)
    for seed in 7100..<7100 + count {
      let day = SimulatedDay(seed: seed, world: .slowWalks, recorder: recorder)
      let trips = TripDetector.trips(in: day.fixes).map(\.trip)
      walks += day.trips.count
      found += day.trips.count { walk in trips.contains { isMostly($0, walk) } }
    }
    #expect(found * 100 >= walks * 85, "\(found) of \(walks)")
  }

  /// Returns whether the detected and the true trip overlap for at least half of their combined time.
  private func isMostly(_ trip: Trip, _ walk: SimulatedDay.Trip) -> Bool {
    guard let end = trip.endTime else { return false }
    let common = min(end, walk.endTime).timeIntervalSince(max(trip.startTime, walk.startTime))
    return 2 * common >= max(end, walk.endTime).timeIntervalSince(min(trip.startTime, walk.startTime))
  }

  @Test("a jumping receiver is not a slow departure", arguments: [SimulatedDay.Recorder.phone, .tracker])
  func indoors(recorder: SimulatedDay.Recorder) {
    for seed in 7200..<7230 as Range<UInt64> {
      let day = SimulatedDay(seed: seed, world: .indoors, recorder: recorder)
      #expect(TripDetector.trips(in: day.fixes).flatMap(\.decisions).allSatisfy { $0.rule != .slowly })
    }
  }
}
