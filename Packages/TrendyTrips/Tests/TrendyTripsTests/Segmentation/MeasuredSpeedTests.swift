import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

@Suite("MeasuredSpeed", .timeLimit(.minutes(5)))
struct MeasuredSpeedTests {
  /// Returns the fixes of half an hour at home, a few minutes by bicycle on a winding path, and half an hour at the
  /// destination. The phone records satellite fixes with a speed and Wi-Fi fixes without one.
  /// - Parameter told: Ratio of the measured to the true speed, or `nil` if the phone measures no speed.
  private func ride(seed: UInt64, told: Double?) -> [Location] {
    var random = SeededGenerator(seed: seed)
    func part() -> Double { Double(random.next() >> 11) / 9_007_199_254_740_992 }
    func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + part() } }
    let (speed, turn, seconds) = (3 + 2.5 * part(), 0.05 + 0.1 * part(), 150 + 140 * part())
    var (north, east, heading) = (0.0, 0.0, 2 * Double.pi * part())
    var fixes: [Location] = []
    var next = 0.0
    for second in stride(from: 0.0, to: 3600 + seconds, by: 1) {
      let isRiding = second > 1800 && second < 1800 + seconds
      if isRiding {
        heading += 1.2 * turn * normal()
        north += speed * cos(heading)
        east += speed * sin(heading)
      }
      guard second >= next else { continue }
      next = second + (isRiding ? 20 + 30 * part() : 30)
      let isSatellite = part() < 0.6
      let (errorNorth, errorEast) = (6 * normal(), 6 * normal())
      let measured = isSatellite ? abs((isRiding ? speed : 0) + 0.4 * normal()) : nil
      fixes.append(
        fix(
          second, east: east + errorEast, north: north + errorNorth, accuracy: isSatellite ? 10 : 25,
          speed: told.flatMap { told in measured.map { told * $0 } }))
    }
    return fixes
  }

  @Test func `a short winding ride is a trip only if at least half of its speed is measured`() throws {
    var found = 0
    for seed in 200..<1400 as Range<UInt64> where TripDetector.trips(in: ride(seed: seed, told: nil)).isEmpty {
      let trips = TripDetector.trips(in: ride(seed: seed, told: 1))
      guard let trip = trips.first else { continue }
      found += 1
      #expect(trips.count == 1)
      #expect(abs(trip.trip.startTime.timeIntervalSince(at(1800))) < 60)
      let told = try #require(trip.decisions.first { $0.rule == .measured })
      #expect(try #require(told.meters) >= #require(told.limit) / 2)
      #expect(TripDetector.trips(in: ride(seed: seed, told: 0.4)).isEmpty)
    }
    #expect(found >= 3)
  }

  @Test("a clear trip has no decision about measured speed", arguments: SimulatedDay.Recorder.allCases)
  func plain(recorder: SimulatedDay.Recorder) {
    let day = SimulatedDay(seed: 31, world: .town, recorder: recorder).tellingSpeed()
    let trips = TripDetector.trips(in: day.fixes)
    #expect(!trips.isEmpty && trips.flatMap(\.decisions).allSatisfy { $0.rule != .measured })
  }

  @Test("a receiver that jumps indoors measures no speed", arguments: SimulatedDay.Recorder.allCases)
  func indoors(recorder: SimulatedDay.Recorder) {
    for seed in 200..<220 as Range<UInt64> {
      let day = SimulatedDay(seed: seed, world: .indoors, recorder: recorder)
      let (told, silent) = (TripDetector.trips(in: day.tellingSpeed().fixes), TripDetector.trips(in: day.fixes))
      #expect(told.map(\.trip.id) == silent.map(\.trip.id))
    }
  }
}
