import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

@Suite("TripDetector with noisy fixes", .timeLimit(.minutes(10)))
struct StraightnessEstimatorTests {
  /// Returns fixes with independent errors of up to this many metres in each direction.
  static func tossed(
    seed: UInt64, from start: Double, to end: Double, interval: Double, by metres: Double, east: Double
  )
    -> [Location]
  {
    var generator = SeededGenerator(seed: seed)
    return stride(from: start, through: end, by: interval).map {
      fix(
        $0, east: east + .random(in: -metres...metres, using: &generator),
        north: .random(in: -metres...metres, using: &generator), accuracy: -1)
    }
  }

  @Test(
    "arriving where fixes are noisy ends the trip, and the next drive is another trip",
    arguments: Array(UInt64(1)...6), [10.0, 30])
  func noisyStop(seed: UInt64, interval: Double) throws {
    var fixes = stride(from: 0.0, to: 120, by: interval).map { fix($0, accuracy: -1) }
    fixes += drive(speed: 12, start: 120, end: 720, interval: interval)
    fixes += Self.tossed(seed: seed, from: 720 + interval, to: 7920, interval: interval, by: 90, east: 7200)
    fixes += drive(from: 7200, speed: 12, start: 7920 + interval, end: 8520, interval: interval)
    let trips = TripDetector.trips(in: fixes)
    try #require(trips.count == 2)
    #expect(abs(try #require(trips[0].trip.endTime).timeIntervalSince(at(720))) <= 180)
    #expect(abs(trips[1].trip.startTime.timeIntervalSince(at(7920))) <= 180)
    #expect(abs(trips[0].trip.distanceMeters - 7200) < 500)
  }

  @Test func `walks are trips even with noise as large as the steps`() {
    var walks = 0
    var found = 0
    for seed in UInt64(700)..<730 {
      let day = SimulatedDay(seed: seed, world: .railway, recorder: .tracker).scattered(byMeters: 30, seed: seed)
      let trips = TripDetector.trips(in: day.fixes)
      for walk in day.trips where walk.legs.map(\.mode) == [.walking] {
        walks += 1
        let half = walk.endTime.timeIntervalSince(walk.startTime) / 2
        found +=
          trips.contains { record in
            min(record.trip.endTime ?? walk.endTime, walk.endTime).timeIntervalSince(
              max(record.trip.startTime, walk.startTime)) > half
          } ? 1 : 0
      }
    }
    #expect(walks >= 60)
    #expect(found * 3 >= walks * 2, "\(found) of \(walks)")
  }

  @Test("a stationary receiver with noisy fixes makes no trip", arguments: Array(UInt64(1)...6), [10.0, 30, 60])
  func tossedAbout(seed: UInt64, interval: Double) {
    let fixes = Self.tossed(seed: seed, from: 0, to: 28_800, interval: interval, by: 90, east: 0)
    #expect(TripDetector.trips(in: fixes).isEmpty)
  }

  @Test("jumps between two positions are not trips", arguments: [30.0, 60])
  func thrownBack(interval: Double) {
    // One hour at each of two positions 180 m apart, with few fixes between them.
    let fixes = stride(from: 0.0, through: 36_000, by: interval).map { second -> Location in
      let phase = second.truncatingRemainder(dividingBy: 7200)
      let part = phase < 3600 ? min(1, phase / 180) : 1 - min(1, (phase - 3600) / 180)
      return fix(second, east: second < 3600 ? 0 : 180 * part, north: second.truncatingRemainder(dividingBy: 7) - 3)
    }
    #expect(TripDetector.trips(in: fixes).count <= 1)
  }

  /// Returns the fixes of a parked receiver with independent errors of changing size and displacements of up to two
  /// minutes.

  static func thrownOut(seed: UInt64, hours: Double, interval: Double, by metres: Double) -> [Location] {
    var generator = SeededGenerator(seed: seed)
    func normal() -> Double {
      // The sum of twelve uniform numbers has a standard deviation of 1.
      (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0...1, using: &generator) }
    }
    var out = (east: 0.0, north: 0.0)
    var outUntil = -1.0
    return stride(from: 0.0, to: hours * 3600, by: interval).map { second in
      if second > outUntil {
        out = (0, 0)
        if second >= 900, Double.random(in: 0...1, using: &generator) < interval / 1800 {
          out = (600 * normal(), 600 * normal())
          outUntil = second + Double.random(in: 0...120, using: &generator)
        }
      }
      let error = metres * exp(0.7 * normal())
      return fix(second, east: out.east + error * normal(), north: out.north + error * normal(), accuracy: -1)
    }
  }

  @Test("a displacement and return is not a trip", arguments: Array(UInt64(1)...24), [5.0, 60])
  func thrownOut(seed: UInt64, interval: Double) {
    let fixes = Self.thrownOut(seed: seed, hours: 6, interval: interval, by: 20)
    #expect(TripDetector.trips(in: fixes).isEmpty)
  }

  @Test func `strong acceleration from rest is part of the trip`() throws {
    // The car accelerates at 5 m/s² to 40 m/s within 160 m and eight seconds.
    let fixes = stride(from: 0.0, through: 600, by: 1).map { second -> Location in
      let driven = max(0, second - 300)
      return fix(second, east: driven < 8 ? 2.5 * driven * driven : 160 + 40 * (driven - 8))
    }
    let trips = TripDetector.trips(in: fixes)
    try #require(trips.count == 1)
    #expect(abs(trips[0].trip.startTime.timeIntervalSince(at(300))) <= 10)
    #expect(abs(trips[0].trip.distanceMeters - 11_840) < 150)
  }

  @Test("zigzags of one fix per second do not lengthen a walk", arguments: Array(UInt64(1)...4))
  func zigzag(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let fixes = stride(from: 0.0, through: 1200, by: 1).map {
      fix(
        $0, east: 1.4 * $0 + .random(in: -4...4, using: &generator),
        north: .random(in: -4...4, using: &generator), accuracy: -1)
    }
    let trip = try #require(TripDetector.trips(in: fixes).first).trip
    // The path through all fixes is three times as long.
    #expect(TripDetectorTests.length(fixes) > 3 * 1680)
    #expect((1600...2000).contains(trip.distanceMeters))
  }
}
