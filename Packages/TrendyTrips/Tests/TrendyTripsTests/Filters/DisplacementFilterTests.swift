import Foundation
import Testing
import TrendyModels
import TrendyTesting

@testable import TrendyTrips

@Suite("DisplacementFilter", .timeLimit(.minutes(5)))
struct DisplacementFilterTests {
  private func passed(_ fixes: [Location], isOver: Bool = true) -> [Location] {
    var displacements = DisplacementFilter()
    let passed = fixes.flatMap { displacements.passes($0) ? [$0] : displacements.add($0).passed }
    return passed + (isOver ? displacements.take() : [])
  }

  /// Returns the fixes of a walk due east. The fixes in the time range `aside` are displaced by `north` metres.
  private func walk(interval: Double, aside: ClosedRange<Double>, north: Double) -> [Location] {
    stride(from: 0.0, through: 300, by: interval).map {
      fix($0, east: 1.2 * $0, north: aside.contains($0) ? north : 0)
    }
  }

  @Test("a displacement of seconds during a walk is removed", arguments: [2.0, 10, 30, 60], [0.0, 12, 28])
  func walker(interval: Double, seconds: Double) {
    let row = walk(interval: interval, aside: 120...(120 + seconds), north: 400)
    let aside = row.filter { $0.timestamp >= at(120) && $0.timestamp <= at(120 + seconds) }
    #expect(passed(row) == row.filter { !aside.contains($0) })
  }

  @Test("only displacements of up to half a minute are removed", arguments: [30.0, 32])
  func long(seconds: Double) {
    let row = walk(interval: 2, aside: 120...(120 + seconds), north: 400)
    #expect((passed(row) == row) == (seconds > 30))
  }

  @Test("only displacements of more than 200 m are removed", arguments: [190.0, 210])
  func near(north: Double) {
    let row = walk(interval: 30, aside: 120...120, north: north)
    #expect((passed(row) == row) == (north < 200))
  }

  @Test("a turn is accepted if the path is less than 1.6 times as long as the direct one", arguments: [80.0, 110])
  func corner(degrees: Double) {
    let angle = degrees * .pi / 180
    let row = [
      fix(0, north: -90), fix(10), fix(30, north: 300), fix(50, east: 300 * sin(angle), north: 300 + 300 * cos(angle)),
      fix(70, east: 600 * sin(angle), north: 300 + 600 * cos(angle)),
    ]
    #expect((passed(row) == row) == (degrees < 90))
  }

  @Test("a jump to a third position is not a return", arguments: [150.0, 400])
  func thrown(east: Double) {
    let row = [fix(0), fix(30), fix(60, north: 500), fix(90, east: east), fix(120, east: east)]
    #expect((passed(row) == row) == (east > 200))
  }

  @Test func `a car that turns around at constant speed is not displaced`() {
    let out = stride(from: 0.0, through: 200, by: 20).map { fix($0, east: 15 * $0) }
    let back = stride(from: 220.0, through: 400, by: 20).map { fix($0, east: 15 * (400 - $0)) }
    #expect(passed(out + back, isOver: false) == out + back)
  }

  @Test("after a gap of two minutes nothing is removed", arguments: [119.0, 120])
  func silence(seconds: Double) {
    let row = [fix(0), fix(10), fix(40, north: 500), fix(40 + seconds, east: 20)]
    #expect((passed(row) == row) == (seconds >= 120))
  }

  @Test func `a fix is delayed by at most two minutes`() {
    var displacements = DisplacementFilter()
    for fix in [fix(0), fix(10), fix(20, north: 500)] where !displacements.passes(fix) { _ = displacements.add(fix) }
    let soon = displacements.take(at: at(139))
    #expect(soon.isEmpty)
    let late = displacements.take(at: at(140))
    #expect(late == [fix(20, north: 500)])
    let last = displacements.take()
    #expect(last.isEmpty)
  }

  @Test func `positions on both sides of the antimeridian are near`() {
    let row = (0..<10).map { index in
      var fix = fix(Double(index) * 15)
      fix.coordinate.longitude = (179.999 + Double(index) * 0.0003).remainder(dividingBy: 360)
      return fix
    }
    #expect(passed(row, isOver: false) == row)
  }

  // MARK: Trips

  @Test(
    "walks and rides between tall buildings are detected",
    arguments: zip(
      [131_000_393_197, 131_000_394_349, 131_000_394_477, 131_000_395_245, 131_000_394_989] as [UInt64],
      [SimulatedDay.Recorder.phone, .phone, .tracker, .tracker, .logger]))
  func canyon(seed: UInt64, recorder: SimulatedDay.Recorder) {
    let day = SimulatedDay(seed: seed, world: .canyon, recorder: recorder)
    let found = TripDetector.trips(in: day.fixes).map { $0.trip.startTime...($0.trip.endTime ?? $0.trip.startTime) }
    for trip in day.trips {
      #expect(
        found.contains { span in
          let common = min(span.upperBound, trip.endTime).timeIntervalSince(max(span.lowerBound, trip.startTime))
          let united = max(span.upperBound, trip.endTime).timeIntervalSince(min(span.lowerBound, trip.startTime))
          return common > united / 2
        }, "the trip at \(trip.startTime)")
    }
  }

  @Test func `a displacement at the departure is reported`() throws {
    let walk = walk(interval: 15, aside: 60...60, north: 500)
    let rest = (0..<40).map { fix(Double($0) * 15 - 600) }
    let arrived = (1...40).map { fix(300 + Double($0) * 15, east: 360) }
    let trips = TripDetector.trips(in: rest + walk + arrived)
    #expect(trips.count == 1)
    let trip = try #require(trips.first)
    #expect(abs(trip.trip.distanceMeters / 360 - 1) < 0.1)
    let told = try #require(trip.decisions.first { $0.rule == .displaced })
    #expect(abs(try #require(told.meters) - 500) < 5)
    #expect(told.seconds == 30)
  }

  @Test("a delayed fix is used once nothing can show that it is an outlier", arguments: [100.0, 120])
  func live(seconds: Double) {
    var detector = TripDetector()
    for fix in (0..<40).map({ fix(Double($0) * 15) }) { _ = detector.onLocation(fix) }
    let way = [fix(600, east: 100), fix(620, east: 190), fix(640, east: 600)]
    for fix in way { _ = detector.onLocation(fix) }
    _ = detector.onTick(at: at(640 + seconds))
    #expect((detector.currentTrip == nil) == (seconds < 120))
  }
}
