import Foundation
import Testing
import TrendyModels
import TrendyTesting

@testable import TrendyTrips

@Suite("Stationary receivers that WiFi displaces for minutes", .timeLimit(.minutes(5)))
struct RelocationFilterTests {
  /// Returns the fixes of a phone that is at home all night and is displaced four times.
  private static func night(
    interval: Double, meters: Double, minutes: Double, accuracy: Double = 40, speed: Double? = nil
  ) -> [Location] {
    stride(from: 0.0, to: 18_000, by: interval).map { second in
      let isAway = second >= 1800 && (second - 1800).truncatingRemainder(dividingBy: 4200) < minutes * 60
      return isAway
        ? fix(second, east: -meters, accuracy: accuracy, speed: speed)
        : fix(second, east: (second / interval).truncatingRemainder(dividingBy: 3), accuracy: 8)
    }
  }

  private static func found(_ fixes: [Location]) -> (trips: Int, crossings: [String]) {
    var detector = MovementDetector(places: GeofenceMonitor(geofences: [GeofenceMonitorTests.fence()]))
    var trips: [TripRecord] = []
    var crossings: [GeofenceMonitor.Effect] = []
    for effects in fixes.map({ detector.onLocation($0) }) + [detector.finish()] {
      for effect in effects.trips { effect.apply(to: &trips) }
      crossings += effects.crossings
    }
    return (trips.count, GeofenceMonitorTests.words(crossings))
  }

  @Test(
    "a displacement of minutes at night is neither a trip nor a visit", arguments: [30.0, 60, 120],
    [(200.0, 3.0), (400, 8), (800, 15), (1200, 19)])
  func night(interval: Double, displacement: (meters: Double, minutes: Double)) {
    let fixes = Self.night(interval: interval, meters: displacement.meters, minutes: displacement.minutes)
    let found = Self.found(fixes)
    #expect(found.trips == 0)
    #expect(found.crossings == ["in 0"])
    #expect(
      GeofenceMonitorTests.words(
        GeofenceMonitor.crossings(in: fixes, geofences: [GeofenceMonitorTests.fence()])
      ).contains("out 1800"), "without the filter the place is left")
  }

  @Test(
    "a precise fix, a measured speed, a long stay and a path show that the user left",
    arguments: [(8.0, nil, 8.0), (40, 3.0, 8), (40, nil, 25)] as [(Double, Double?, Double)])
  func left(accuracy: Double, speed: Double?, minutes: Double) {
    let fixes = Self.night(interval: 60, meters: 400, minutes: minutes, accuracy: accuracy, speed: speed)
    #expect(Self.found(fixes).crossings.prefix(2) == ["in 0", "out 1800"])
  }

  @Test func `delayed fixes keep their times if the user moves on`() {
    let before = stride(from: 0.0, through: 600, by: 60).map { fix($0, accuracy: 40) }
    let after = stride(from: 660.0, through: 1800, by: 60).map { fix($0, east: ($0 - 600) * 6, accuracy: 40) }
    var filter = RelocationFilter()
    let passed = (before + after).flatMap { filter.passes($0) ? [$0] : filter.add($0).passed }
    #expect(passed + filter.take() == before + after)
    #expect(Self.found(before + after).crossings == ["in 0", "out 660"])
  }

  @Test("ticks change neither trips nor crossings", arguments: [60.0, 240])
  func ticks(interval: Double) {
    for minutes in [3.0, 8, 19, 21, 30] {
      let fixes = Self.night(interval: interval, meters: 500, minutes: minutes)
      var filter = RelocationFilter()
      var ticked = RelocationFilter()
      var passed: [Location] = []
      var passedTicked: [Location] = []
      for fix in fixes {
        for seconds in [interval / 2, 1] { passedTicked += ticked.take(at: fix.timestamp - seconds) }
        passed += filter.passes(fix) ? [fix] : filter.add(fix).passed
        passedTicked += ticked.passes(fix) ? [fix] : ticked.add(fix).passed
      }
      #expect(passed + filter.take() == passedTicked + ticked.take())
    }
  }
}
