import Foundation
import Testing
import TrendyModels
import TrendyTesting

@testable import TrendyTrips

@Suite("AccuracyFilter", .timeLimit(.minutes(5)))
struct AccuracyFilterTests {
  private func passed(_ fixes: [Location], isOver: Bool = true) -> [Location] {
    var precision = AccuracyFilter()
    let passed = fixes.flatMap { precision.passes($0) ? [$0] : precision.add($0).passed }
    return passed + (isOver ? precision.take() : [])
  }

  @Test("a fix between two fixes that are three times as accurate is removed", arguments: [29.0, 30, 31])
  func between(accuracy: Double) {
    let aside = fix(15, east: 500, accuracy: accuracy)
    let row = [fix(0, accuracy: 10), aside, fix(30, accuracy: 10)]
    #expect(passed(row).contains(aside) == (accuracy < 30))
  }

  @Test("a fix is removed only if the accurate fixes are at most a minute apart", arguments: [59.0, 60, 61])
  func soon(seconds: Double) {
    let aside = [5.0, 50].map { fix($0, east: 500, accuracy: 50) }
    let row = [fix(0, accuracy: 5)] + aside + [fix(seconds, accuracy: 5)]
    #expect(passed(row) == (seconds <= 60 ? [row[0], row[3]] : row))
  }

  @Test func `WiFi fixes in a building are accepted`() {
    let row = [fix(0, accuracy: 5)] + stride(from: 20.0, through: 200, by: 20).map { fix($0, east: 40, accuracy: 40) }
    #expect(passed(row) == row)
    #expect(passed(Array(row.prefix(3)), isOver: false) == [row[0]])
  }

  @Test func `a fix is delayed by at most a minute after the precise one`() {
    var precision = AccuracyFilter()
    for fix in [fix(0, accuracy: 5), fix(10, accuracy: 50)] where !precision.passes(fix) { _ = precision.add(fix) }
    let soon = precision.take(at: at(60))
    #expect(soon.isEmpty)
    let late = precision.take(at: at(61))
    #expect(late == [fix(10, accuracy: 50)])
    let last = precision.take()
    #expect(last.isEmpty)
  }

  @Test("fixes without accuracy, and WiFi fixes alone, are accepted", arguments: [-1.0, 40])
  func others(accuracy: Double) {
    let row = (0..<20).map { fix(Double($0) * 15, east: Double($0), accuracy: accuracy) }
    #expect(passed(row) == row)
  }

  @Test func `fixes with accuracy 0 are accepted immediately`() {
    let row = (0..<20).map { fix(Double($0) * 15, east: Double($0), accuracy: 0) }
    #expect(passed(row, isOver: false) == row)
  }

  // MARK: Trips

  @Test func `outdated Wi-Fi positions do not delay a trip`() throws {
    let way = drive(speed: 12, start: 600, end: 1800, interval: 20)
    let stale = stride(from: 610.0, to: 1800, by: 20).map { fix($0, accuracy: 40) }
    let rest =
      stride(from: 0.0, to: 600, by: 30).map { fix($0, accuracy: 40) }
      + stride(from: 1820.0, through: 2600, by: 30).map { fix($0, east: 14_400, accuracy: 40) }
    let trips = TripDetector.trips(in: (rest + way + stale).sorted { $0.timestamp < $1.timestamp })
    #expect(trips.count == 1)
    let trip = try #require(trips.first)
    #expect(abs(trip.trip.distanceMeters / 14_400 - 1) < 0.01)
    let outweighed = trip.decisions.filter { $0.rule == .outweighed }
    // The rule applies once at the departure and once on the path.
    #expect(outweighed.count == 2)
    #expect(outweighed.last.map { $0.meters ?? 0 > 14_000 && $0.limit == 10 } ?? false)
  }

  @Test func `Wi-Fi positions between satellite fixes hardly change the trips`() {
    var found = (plain: 0, asking: 0)
    for seed in UInt64(1)...6 {
      for (world, recorder) in zip(
        [SimulatedDay.World.town, .railway, .buses, .fastRail],
        [SimulatedDay.Recorder.phone, .tracker, .phone, .tracker])
      {
        let day = SimulatedDay(seed: 5000 + seed, world: world, recorder: recorder)
        found.plain += matched(day)
        found.asking += matched(day.askingAccessPoints(0.7, seed: seed))
      }
    }
    // Without the filter, only three quarters of the trips would be detected.
    #expect(Double(found.asking) >= 0.93 * Double(found.plain))
  }

  /// Returns the number of trips detected within two minutes of their true start and end.
  private func matched(_ day: SimulatedDay) -> Int {
    let found = TripDetector.trips(in: day.fixes).map(\.trip)
    return day.trips.count { trip in
      found.contains {
        abs($0.startTime.timeIntervalSince(trip.startTime)) <= 120
          && abs(($0.endTime ?? $0.startTime).timeIntervalSince(trip.endTime)) <= 120
      }
    }
  }
}
