import Foundation
import Testing
import TrendyModels
import TrendyTrips

@Suite("Speed of a trip over time", .timeLimit(.minutes(5)))
struct SpeedProfileTests {
  private let start = Date(timeIntervalSince1970: 1_704_096_000)

  /// Returns a movement to the north at the given speeds, with a fix every ten seconds. A speed of `nil` is a gap.
  private func drive(_ parts: [(speed: Double?, seconds: Double, far: Double)], tellsSpeed: Bool) -> [Location] {
    var fixes: [Location] = []
    var (time, metres) = (0.0, 0.0)
    func add(_ speed: Double?) {
      fixes.append(
        Location(
          coordinate: Coordinate(latitude: 52 + metres / 111_267, longitude: 5), horizontalAccuracy: 5,
          timestamp: start.addingTimeInterval(time), speed: tellsSpeed ? speed : nil))
    }
    add(parts[0].speed)
    for part in parts {
      guard let speed = part.speed else {
        time += part.seconds
        metres += part.far
        add(nil)
        continue
      }
      for _ in 0..<Int(part.seconds / 10) {
        time += 10
        metres += speed * 10
        add(speed)
      }
    }
    return fixes
  }

  private func made(_ fixes: [Location], seconds: Double) -> SpeedProfile? {
    SpeedProfile(fixes, during: start...start.addingTimeInterval(seconds))
  }

  @Test("the speed of each interval is measured or computed from the fixes", arguments: [true, false])
  func speeds(tellsSpeed: Bool) throws {
    let fixes = drive([(10, 600, 0), (0, 120, 0), (20, 480, 0)], tellsSpeed: tellsSpeed)
    let profile = try #require(made(fixes, seconds: 1200))
    #expect(profile.stepSeconds == 5 && profile.steps.count == 240)
    func speed(at second: Int) -> Double { profile.steps[second / 5].speed ?? -1 }
    #expect(abs(speed(at: 300) - 10) < 0.05 && abs(speed(at: 660)) < 0.05 && abs(speed(at: 900) - 20) < 0.1)
    #expect(abs(profile.topSpeed - 20) < 0.1)
    #expect(abs(profile.steps[60].coordinate.latitude - (52 + 3025 / 111_267)) < 0.0001)
    #expect(profile.stops.count == 1)
    let stop = try #require(profile.stops.first)
    #expect(abs(stop.start.timeIntervalSince(start) - 605) <= 5 && abs(stop.end.timeIntervalSince(start) - 715) <= 5)
    #expect(abs(stop.coordinate.latitude - (52 + 6000 / 111_267)) < 0.0001)
    #expect(profile.standingSeconds == stop.end.timeIntervalSince(stop.start))
  }

  @Test("a stop lasts at least a minute", arguments: zip([50.0, 60, 70], [0, 1, 1]))
  func shortStops(seconds: Double, count: Int) {
    let fixes = drive([(10, 300, 0), (0, seconds, 0), (10, 300, 0)], tellsSpeed: false)
    #expect(made(fixes, seconds: 600 + seconds)?.stops.count == count)
  }

  @Test func `stationary times at both ends and gaps with movement are not stops`() throws {
    let fixes = drive([(0, 120, 0), (10, 300, 0), (nil, 300, 4000), (10, 300, 0), (0, 120, 0)], tellsSpeed: false)
    let profile = try #require(made(fixes, seconds: 1140))
    #expect(profile.stops.isEmpty)
    #expect(profile.steps[Int(570 / profile.stepSeconds)].speed == nil)
    #expect(profile.steps.filter { $0.speed == nil }.count == Int(300 / profile.stepSeconds))
  }

  @Test func `a gap at one position is a stop`() throws {
    let fixes = drive([(10, 300, 0), (nil, 600, 20), (10, 300, 0)], tellsSpeed: false)
    let stop = try #require(made(fixes, seconds: 1200)?.stops.first)
    #expect(stop.end.timeIntervalSince(stop.start) == 600)
  }

  @Test func `the number of intervals is bounded`() throws {
    let long = drive([(20, 36_000, 0)], tellsSpeed: true)
    let profile = try #require(made(long, seconds: 36_000))
    #expect(profile.steps.count == 240 && profile.stepSeconds == 150)
    #expect(profile.steps.allSatisfy { abs(($0.speed ?? 0) - 20) < 0.01 })
    #expect(made(Array(long.prefix(2)), seconds: 100) == nil)
    #expect(made([], seconds: 100) == nil)
    #expect(made(long, seconds: 0) == nil)
  }
}
