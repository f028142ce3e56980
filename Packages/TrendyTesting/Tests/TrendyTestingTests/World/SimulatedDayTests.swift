import Foundation
import Testing
import TrendyModels
import TrendyTesting

@Suite("SimulatedDay", .timeLimit(.minutes(10)))
struct SimulatedDayTests {
  typealias Day = SimulatedDay

  @Test("a day is determined by its seed", arguments: Day.World.allCases)
  func repeats(world: Day.World) {
    let day = Day(seed: 3, world: world, recorder: .phone)
    #expect(day == Day(seed: 3, world: world, recorder: .phone))
    #expect(day.fixes != Day(seed: 4, world: world, recorder: .phone).fixes)
  }

  @Test("a day has valid fixes in chronological order", arguments: Day.World.allCases, Day.Recorder.allCases)
  func isOrdered(world: Day.World, recorder: Day.Recorder) {
    let fixes = Day(seed: 5, world: world, recorder: recorder).fixes
    #expect(fixes.count > 20)
    #expect(zip(fixes, fixes.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
    #expect(fixes.allSatisfy { $0.coordinate.isValid })
  }

  @Test("a day has stays of twelve minutes or more between trips", arguments: Day.World.allCases)
  func rests(world: Day.World) {
    for seed in 1...4 {
      let trips = Day(seed: UInt64(seed), world: world, recorder: .logger).trips
      #expect(trips.isEmpty == [.indoors, .parked].contains(world))
      #expect(zip(trips, trips.dropFirst()).allSatisfy { $1.startTime.timeIntervalSince($0.endTime) >= 719 })
    }
  }

  @Test("the legs of a trip cover it from start to end", arguments: Day.World.allCases)
  func hasLegs(world: Day.World) {
    for trip in Day(seed: 6, world: world, recorder: .phone).trips {
      #expect(trip.legs.first?.startTime == trip.startTime)
      #expect(trip.legs.last?.endTime == trip.endTime)
      #expect(abs(trip.legs.reduce(0) { $0 + $1.distanceMeters } - trip.distanceMeters) < 0.001)
      #expect(zip(trip.legs, trip.legs.dropFirst()).allSatisfy { $0.endTime <= $1.startTime && $0.mode != $1.mode })
    }
  }

  @Test func `a logger records the path length up to its own errors`() throws {
    let day = Day(seed: 9, world: .fastRail, recorder: .logger)
    let trip = try #require(day.trips.first)
    let seen = day.fixes.filter { $0.timestamp >= trip.startTime && $0.timestamp <= trip.endTime }
    let every30 = seen.enumerated().filter { $0.offset.isMultiple(of: 30) }.map(\.element.coordinate)
    let seenMetres = zip(every30, every30.dropFirst()).reduce(0) { $0 + metres($1.0, $1.1) }
    #expect(abs(seenMetres / trip.distanceMeters - 1) < 0.03)
    #expect(trip.distanceMeters > 90_000)
  }

  @Test func `a phone sleeps at rest and a logger has no reception in a tunnel`() {
    let phone = Day(seed: 2, world: .town, recorder: .phone)
    let tunnels = (1...6).map { Day(seed: UInt64($0), world: .tunnels, recorder: .logger) }
    #expect(longestSilence(phone.fixes) > 800)
    #expect(tunnels.contains { day in day.trips.contains { trip in longestSilence(day.fixes, in: trip) > 120 } })
  }

  @Test func `Wi-Fi moves a stationary phone by hundreds of metres and back`() {
    let fixes = Day(seed: 1, world: .indoors, recorder: .phone).fixes
    let home = fixes[0].coordinate
    let isFar = fixes.map { metres(home, $0.coordinate) > 150 }
    #expect(zip(isFar, isFar.dropFirst()).count { $0 != $1 } >= 4)
    #expect(fixes.allSatisfy { $0.horizontalAccuracy <= 100 })
  }

  @Test("a poorer receiver has fewer or worse fixes of the same trips")
  func variants() {
    let day = Day(seed: 8, world: .town, recorder: .logger)
    let thinned = day.thinned(toSeconds: 60)
    let spans = zip(thinned.fixes, thinned.fixes.dropFirst()).map { $1.timestamp.timeIntervalSince($0.timestamp) }
    #expect(spans.allSatisfy { $0 >= 60 })
    #expect(day.withoutAccuracy().fixes.allSatisfy { $0.horizontalAccuracy < 0 })
    let part = Double(day.dropping(0.2, seed: 1).fixes.count) / Double(day.fixes.count)
    #expect(part > 0.77 && part < 0.83)
    #expect(longestSilence(day.withHoles(seed: 1).fixes) >= 60)
    let off = zip(day.fixes, day.scattered(byMeters: 30, seed: 1).fixes).map { metres($0.coordinate, $1.coordinate) }
    // The mean of a Rayleigh distribution is 1.2533 times its parameter.
    #expect(abs(off.reduce(0, +) / Double(off.count) - 37.6) < 1)
    for other in [thinned, day.withoutAccuracy(), day.dropping(0.2, seed: 1), day.withHoles(seed: 1)] {
      #expect(other.trips == day.trips)
    }
  }

  @Test func `cell-tower fixes are at one of a few towers within kilometres`() {
    let day = Day(seed: 3, world: .buses, recorder: .phone)
    let asking = day.askingCells(0.3, seed: 1)
    let changed = zip(day.fixes, asking.fixes).filter { $0.coordinate != $1.coordinate }
    let part = Double(changed.count) / Double(day.fixes.count)
    #expect(part > 0.1 && part < 0.5)
    #expect(changed.allSatisfy { $1.horizontalAccuracy >= 400 && metres($0.coordinate, $1.coordinate) < 3500 })
    #expect(Set(changed.map(\.1.coordinate)).count * 2 < changed.count)
    #expect(asking.trips == day.trips)
    // A logger takes fixes too frequently to be affected.
    let logger = Day(seed: 8, world: .town, recorder: .logger)
    #expect(zip(logger.fixes, logger.askingCells(0.9, seed: 1).fixes).count { $0 != $1 } < 100)
  }

  @Test func `access points add some fixes that are less accurate than their neighbours`() {
    let day = Day(seed: 3, world: .buses, recorder: .tracker)
    let asking = day.askingAccessPoints(0.7, seed: 1)
    let own = Set(day.fixes)
    let others = asking.fixes.filter { !own.contains($0) }
    #expect(asking.fixes.filter(own.contains) == day.fixes)
    #expect(others.count * 4 > day.fixes.count)
    #expect(others.allSatisfy { (20...50).contains($0.horizontalAccuracy) })
    #expect(zip(asking.fixes, asking.fixes.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
    #expect(asking.trips == day.trips)
  }

  @Test func `a phone that wakes up late starts minutes later and is unchanged after that`() {
    let day = Day(seed: 2, world: .town, recorder: .phone)
    let late = day.wakingLate(seed: 1)
    #expect(Set(late.fixes).isSubset(of: day.fixes))
    #expect(late.fixes[0] == day.fixes[0])
    for trip in day.trips.dropFirst() {
      let first = late.fixes.first { $0.timestamp >= trip.startTime }
      #expect(first.map { $0.timestamp.timeIntervalSince(trip.startTime) > 60 } ?? true)
    }
    #expect(day.fixes.count - late.fixes.count < day.trips.count * 30)
    #expect(late.trips == day.trips)
  }

  @Test("a receiver reports the true speed, even while displaced", arguments: Day.Recorder.allCases)
  func speed(recorder: Day.Recorder) {
    for seed in 20..<24 as Range<UInt64> {
      let plain = Day(seed: seed, world: .canyon, recorder: recorder)
      let day = plain.tellingSpeed()
      #expect(day.fixes.map(\.coordinate) == plain.fixes.map(\.coordinate) && day.trips == plain.trips)
      #expect(day.fixes.allSatisfy { ($0.speed == nil) == ($0.horizontalAccuracy >= 30) })
      let isOnTheWay = { (fix: Location) in
        day.trips.contains { $0.startTime < fix.timestamp && fix.timestamp < $0.endTime }
      }
      #expect(day.fixes.filter { !isOnTheWay($0) }.allSatisfy { $0.speed ?? 0 < 4 })
      for leg in day.trips.flatMap(\.legs) where leg.distanceMeters > 1000 {
        let told = day.fixes.filter { $0.timestamp > leg.startTime && $0.timestamp < leg.endTime }.compactMap(\.speed)
        let pace = leg.distanceMeters / leg.endTime.timeIntervalSince(leg.startTime)
        #expect(told.count < 20 || abs(told.reduce(0, +) / Double(told.count) / pace - 1) < 0.3)
      }
    }
  }

  private func longestSilence(_ fixes: [Location], in trip: Day.Trip? = nil) -> TimeInterval {
    let seen = fixes.filter { fix in trip.map { $0.startTime <= fix.timestamp && fix.timestamp <= $0.endTime } ?? true }
    return zip(seen, seen.dropFirst()).map { $1.timestamp.timeIntervalSince($0.timestamp) }.max() ?? 0
  }

  /// Returns the distance in metres on a sphere, accurate to one percent.
  private func metres(_ one: Coordinate, _ other: Coordinate) -> Double {
    let north = (other.latitude - one.latitude) * 111_200
    let east = (other.longitude - one.longitude) * 111_320 * cos((one.latitude + other.latitude) * .pi / 360)
    return (north * north + east * east).squareRoot()
  }
}
