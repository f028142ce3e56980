import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

/// Trackers that record every few seconds while moving and every few minutes while parked, and phones that sleep during
/// a trip.
@Suite("Reports of a parked car, and trips without fixes", .timeLimit(.minutes(10)))
struct ParkedTrackerTests {
  /// Recorder of fixes with the errors of a good receiver.
  private struct Recorder {
    var generator: SeededGenerator
    var fixes: [Location] = []

    init(seed: Double) { generator = SeededGenerator(seed: UInt64(seed)) }

    mutating func add(_ seconds: Double, east: Double) {
      fixes.append(
        fix(
          seconds, east: east + .random(in: -5...5, using: &generator), north: .random(in: -5...5, using: &generator),
          accuracy: 8))
    }

    mutating func rest(from start: Double, to end: Double, every interval: Double, east: Double) {
      for second in stride(from: start, to: end, by: interval) { add(second, east: east) }
    }

    mutating func drive(from start: Double, seconds: Double, every interval: Double, east: Double) {
      for second in stride(from: interval, through: seconds, by: interval) {
        add(start + second, east: east + 12 * second)
      }
    }
  }

  /// Returns two drives of 10 min with a stop between them.
  private static func drives(every interval: Double, parked heartbeat: Double, hours: Double) -> [Location] {
    var recorder = Recorder(seed: interval * 1_000_000 + heartbeat * 1000 + hours * 2)
    let again = 3000 + hours * 3600
    recorder.rest(from: 0, to: 2400, every: heartbeat, east: 0)
    recorder.drive(from: 2400, seconds: 600, every: interval, east: 0)
    recorder.rest(from: 3001, to: again, every: heartbeat, east: 7200)
    recorder.drive(from: again, seconds: 600, every: interval, east: 7200)
    recorder.rest(from: again + 601, to: again + 6000, every: heartbeat, east: 14_400)
    return recorder.fixes
  }

  @Test(
    "a parked car that keeps reporting makes two trips with exact ends", arguments: [1.0, 5, 10, 15, 30],
    [180.0, 300, 480, 600])
  func parked(interval: Double, heartbeat: Double) throws {
    for hours in [0.5, 1, 4, 14] {
      let fixes = Self.drives(every: interval, parked: heartbeat, hours: hours)
      let again = 3000 + hours * 3600
      let trips = TripDetector.trips(in: fixes)
      let words = trips.map { $0.decisions.map(\.words) }
      try #require(trips.count == 2, "parked for \(hours) h: \(words)")
      let expected = [(2400.0, 3000.0), (again, again + 600)]
      for (trip, (start, end)) in zip(trips.map(\.trip), expected) {
        let comment: Comment = "parked for \(hours) h: \(words)"
        #expect(abs(trip.startTime.timeIntervalSince(at(start))) <= 5, comment)
        #expect(abs(try #require(trip.endTime).timeIntervalSince(at(end))) <= 3, comment)
        #expect(abs(trip.distanceMeters / 7200 - 1) < 0.03, comment)
      }
      let live = try TripRulesTests.live(fixes, every: 60, TripDetector.Configuration())
      #expect(live.map(\.trip) == trips.map(\.trip))
    }
  }

  @Test("gaps at a stop that ends during a gap count as rest", arguments: [(480.0, 900.0), (240, 600), (600, 1200)])
  func leftDuringGap(heartbeat: Double, stop: Double) throws {
    let fixes = Self.drives(every: 5, parked: heartbeat, hours: stop / 3600)
    let trips = TripDetector.trips(in: fixes).map(\.trip)
    try #require(trips.count == 2)
    #expect(abs(try #require(trips[0].endTime).timeIntervalSince(at(3000))) <= 3)
    #expect(abs(trips[1].startTime.timeIntervalSince(at(3000 + stop))) <= 5)
  }

  // MARK: Trips without fixes

  /// Returns the fixes of a phone that is stationary, first at one position and after a gap at another.
  private static func slept(meters: Double, seconds: Double, every interval: Double = 60) -> [Location] {
    var recorder = Recorder(seed: meters + seconds)
    recorder.rest(from: 0, to: 1801, every: interval, east: 0)
    recorder.rest(from: 1800 + seconds, to: 5400 + seconds, every: interval, east: meters)
    return recorder.fixes
  }

  @Test(
    "a drive that the phone slept through is a trip between the last fix before and the first one after it",
    arguments: [3.0, 5, 9, 20, 40, 60], [10.0, 20, 40, 90, 180, 480])
  func slept(kilometres: Double, minutes: Double) throws {
    let (meters, seconds) = (kilometres * 1000, minutes * 60)
    // Skip combinations that are faster than a car.
    guard meters <= 50 * seconds else { return }
    for interval in [60.0, 300, 900] {
      let fixes = Self.slept(meters: meters, seconds: seconds, every: interval)
      let trips = TripDetector.trips(in: fixes)
      try #require(trips.count == 1)
      #expect(trips[0].trip.startTime == at(1800))
      #expect(trips[0].trip.endTime == at(1800 + seconds))
      #expect(abs(trips[0].trip.distanceMeters / meters - 1) < 0.05)
      let decision = try #require(trips[0].decisions.first)
      #expect(decision.rule == .unseen)
      #expect(decision.words.hasSuffix("start and end times are bounds"))
      let live = try TripRulesTests.live(fixes, every: 60, TripDetector.Configuration())
      #expect(live.map(\.trip) == trips.map(\.trip))
    }
  }

  @Test("too short a distance or too long a gap proves no trip", arguments: [(1900.0, 1200.0), (9000, 46_800)])
  func notSlept(meters: Double, seconds: Double) {
    #expect(TripDetector.trips(in: Self.slept(meters: meters, seconds: seconds)).isEmpty)
  }

  @Test("an estimated start is at most 300 s before the first fix", arguments: [0.7, 1.2, 4])
  func estimatedStart(speed: Double) throws {
    var recorder = Recorder(seed: 1)
    recorder.rest(from: 0, to: 601, every: 30, east: 0)
    let way = stride(from: 0.0, through: 900, by: 15).map { fix(2300 + $0, east: 450 + speed * $0, accuracy: 8) }
    let trips = TripDetector.trips(in: recorder.fixes + way)
    try #require(trips.count == 1)
    let seconds = min(300, 450 / speed)
    #expect(abs(trips[0].trip.startTime.timeIntervalSince(at(2300 - seconds))) <= 15)
  }
}
