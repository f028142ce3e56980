import Foundation
import Testing
import TrendyModels
import TrendyTesting

@testable import TrendyTrips

@Suite("CellTowerFilter", .timeLimit(.minutes(5)))
struct CellTowerFilterTests {
  private static func place(_ second: Double, east: Double, north: Double = 0, accuracy: Double = -1) -> Location {
    fix(second, east: east, north: north, accuracy: accuracy)
  }

  private func passed(_ fixes: [Location], isOver: Bool = true) -> [Location] {
    var masts = CellTowerFilter()
    let passed = fixes.flatMap { masts.passes($0) ? [$0] : masts.add($0).passed }
    return passed + (isOver ? masts.take().map { [$0] } ?? [] : [])
  }

  /// Returns the fixes of a drive at 10 m/s, one every 30 s. `others` replaces the fixes with the same timestamps.
  private func drive(_ others: [Location]) -> [Location] {
    let own = stride(from: 0.0, through: 600, by: 30).map { Self.place($0, east: 10 * $0) }
    return (own.filter { fix in !others.contains { $0.timestamp == fix.timestamp } } + others).sorted {
      $0.timestamp < $1.timestamp
    }
  }

  @Test func `a drive is accepted unchanged`() { #expect(passed(drive([])) == drive([])) }

  @Test func `all occurrences of a repeated tower position are removed`() {
    let mast = [180.0, 210, 360].map { Self.place($0, east: 2600, north: 300) }
    #expect(passed(drive(mast)) == drive(mast).filter { !mast.contains($0) })
  }

  @Test("a single fix is removed if it makes the path much longer", arguments: [(150.0, true), (900, false)])
  func single(north: Double, isPassed: Bool) {
    let aside = [Self.place(300, east: 3000, north: north)]
    #expect(passed(drive(aside)).contains(aside[0]) == isPassed)
  }

  @Test func `a path around a corner is accepted`() {
    let fixes =
      stride(from: 0.0, through: 300, by: 30).map { Self.place($0, east: 10 * $0) }
      + stride(from: 330.0, through: 600, by: 30).map { Self.place($0, east: 3000, north: 10 * ($0 - 300)) }
    #expect(passed(fixes) == fixes)
  }

  @Test func `the last tower position before a flight, repeated after it, is removed`() {
    let before = [0.0, 30].map { Self.place($0, east: 0) }
    let stale = Self.place(8000, east: 700)
    let after = [8035.0, 8095, 8125].map { Self.place($0, east: 400_000 + 5 * ($0 - 8035)) }
    #expect(passed(before + [stale] + after) == before + after)
  }

  @Test("identical coordinates for the duration of a stop are a stay", arguments: [270.0, 300])
  func rests(seconds: Double) {
    let before = stride(from: 0.0, through: 300, by: 30).map { Self.place($0, east: 10 * $0) }
    let stay = stride(from: 330.0, through: 330 + seconds, by: 30).map { Self.place($0, east: 3250) }
    let away = Self.place(360 + seconds, east: 4000)
    let row = passed(before + stay + [away])
    #expect(row.contains(stay[0]) == (seconds >= 300))
    #expect(row.contains(stay[stay.count - 1]) == (seconds >= 300))
    #expect(row.last == away)
  }

  @Test func `a later fix near repeated coordinates confirms them`() {
    let before = stride(from: 0.0, through: 300, by: 30).map { Self.place($0, east: 10 * $0) }
    let stay = [330.0, 360, 390].map { Self.place($0, east: 3250) }
    let near = Self.place(4000, east: 3300)
    #expect(passed(before + stay + [near]) == before + [stay[0], stay[2], near])
  }

  @Test("fixes with accuracy and frequent fixes are accepted", arguments: [true, false])
  func others(tellsAccuracy: Bool) {
    let interval = tellsAccuracy ? 30.0 : 5
    let fixes = (0..<60).map { index in
      Self.place(
        Double(index) * interval, east: index % 7 < 3 ? 2000 : Double(index) * 10, accuracy: tellsAccuracy ? 40 : -1)
    }
    #expect(passed(fixes) == fixes)
  }

  @Test func `a jump before a gap is accepted once nothing can decide it, by a fix or a tick`() {
    let fixes = [0.0, 30].map { Self.place($0, east: 0) } + [Self.place(60, east: 400)]
    #expect(passed(fixes, isOver: false) == Array(fixes.prefix(2)))
    var masts = CellTowerFilter()
    for fix in fixes { _ = masts.passes(fix) ? [] : masts.add(fix).passed }
    #expect(masts.take(at: at(179)) == nil)
    #expect(masts.take(at: at(180)) == fixes[2])
    // A return to the earlier position shows that the jump was a detour, unless a gap of two minutes precedes it.
    #expect(passed(fixes + [Self.place(179, east: 0)]).contains(fixes[2]) == false)
    #expect(passed(fixes + [Self.place(180, east: 0)]).contains(fixes[2]))
  }

  @Test(
    "cell-tower positions without accuracy hardly change the trips",
    arguments: [
      SimulatedDay.World.town, .buses, .railway,
    ])
  func days(world: SimulatedDay.World) {
    var (real, found, wrong) = (0, 0, 0)
    for seed in UInt64(0)..<24 {
      let day = SimulatedDay(seed: 9000 + seed, world: world, recorder: seed.isMultiple(of: 2) ? .phone : .tracker)
      let trips = TripDetector.trips(in: day.askingCells(0.3, seed: seed).withoutAccuracy().fixes).map(\.trip)
      let matched = day.trips.filter { trip in
        trips.contains {
          abs($0.startTime.timeIntervalSince(trip.startTime)) < 300
            && abs(($0.endTime ?? $0.startTime).timeIntervalSince(trip.endTime)) < 300
        }
      }.count
      real += day.trips.count
      found += matched
      wrong += trips.count - matched
    }
    #expect(found * 10 >= real * 7)
    #expect(wrong * 6 <= real)
  }

  @Test("ticks do not affect trips with cell-tower positions", arguments: UInt64(0)..<6)
  func ticks(seed: UInt64) throws {
    let day = SimulatedDay(seed: seed, world: .buses, recorder: .phone).askingCells(0.3, seed: seed).withoutAccuracy()
    let whole = TripDetector.trips(in: day.fixes)
    let live = try TripRulesTests.live(day.fixes, every: 60, TripDetector.Configuration())
    #expect(live.map(\.trip) == whole.map(\.trip))
    #expect(whole.contains { $0.decisions.contains { $0.rule == .cell } })
  }
}
