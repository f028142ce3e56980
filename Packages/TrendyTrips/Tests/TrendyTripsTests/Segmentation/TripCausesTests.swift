import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

@Suite("TripDetector with tracks of other receivers", .timeLimit(.minutes(10)))
struct TripCausesTests {
  private static func rules(_ record: TripRecord?) -> [TripDecision.Rule] { record?.decisions.map(\.rule) ?? [] }

  private static func rest(at east: Double = 0, from start: Double, to end: Double, interval: Double) -> [Location] {
    stride(from: start, to: end, by: interval).map { fix($0, east: east) }
  }

  // MARK: Fast trains

  /// Returns the fixes of a train that accelerates to `speed` and brakes again within `meters`, starting at second 600.
  private static func train(speed: Double, meters: Double, interval: Double) -> [Location] {
    let ramp = speed / 0.5
    let cruise = (meters - speed * ramp) / speed
    let ride = stride(from: 0.0, through: 2 * ramp + cruise, by: interval).map { second in
      let east =
        switch second {
        case ..<ramp: 0.25 * second * second
        case ..<(ramp + cruise): speed * ramp / 2 + speed * (second - ramp)
        default: meters - 0.25 * pow(2 * ramp + cruise - second, 2)
        }
      return fix(600 + second, east: east)
    }
    return rest(from: 0, to: 600, interval: interval) + ride
      + rest(at: meters, from: 610 + 2 * ramp + cruise, to: 1600 + 2 * ramp + cruise, interval: interval)
  }

  @Test("a fast train is one trip of the right length", arguments: [5.0, 20, 60], [75.0, 84, 92])
  func fastTrain(interval: Double, speed: Double) throws {
    let trips = TripDetector.trips(in: Self.train(speed: speed, meters: 90_000, interval: interval))
    #expect(trips.count == 1)
    #expect(abs(try #require(trips.first).trip.distanceMeters / 90_000 - 1) < 0.01)
    #expect(try #require(trips.first?.topSpeed) > speed - 4)
  }

  @Test("a fast train that brakes before its detection is one trip", arguments: [20.0, 40])
  func braked(after seconds: Double) throws {
    // The train accelerates at 1 m/s² to 78 m/s, then stops for two seconds.
    let fixes = stride(from: 0.0, through: 600, by: 3).map { second in
      let moving = second <= 78 + seconds ? second : max(78 + seconds, second - 2)
      return fix(600 + second, east: moving < 78 ? moving * moving / 2 : 3042 + 78 * (moving - 78))
    }
    let trips = TripDetector.trips(in: Self.rest(from: 0, to: 600, interval: 3) + fixes)
    #expect(trips.count == 1)
    #expect(abs(try #require(trips.first).trip.distanceMeters / (3042 + 78 * 520) - 1) < 0.01)
  }

  @Test func `a recording that begins in a fast train is a trip from the first minutes on`() throws {
    let fixes = Self.train(speed: 84, meters: 90_000, interval: 5).filter { $0.timestamp > at(1000) }
    let trips = TripDetector.trips(in: fixes)
    #expect(trips.count == 1)
    #expect(try #require(trips.first).trip.distanceMeters > 60_000)
  }

  @Test("one outlier is not a train", arguments: [4500.0, 5500])
  func badFix(off: Double) {
    var fixes = drive(speed: 15, start: 600, end: 3600, interval: 60)
    fixes[20].coordinate = fix(0, east: 20 * 900, north: off).coordinate
    let trips = TripDetector.trips(in: Self.rest(from: 0, to: 600, interval: 60) + fixes)
    #expect(trips.count == 1)
    #expect(Self.rules(trips.first).contains(.displaced))
    #expect(!Self.rules(trips.first).contains(.leapt))
  }

  // MARK: Displacements

  @Test("a displacement during movement continues the trip", arguments: [3.0, 12, 60])
  func displaced(seconds: Double) throws {
    var fixes = Self.rest(from: 0, to: 600, interval: 1) + drive(speed: 12, start: 600, end: 2400, interval: 1)
    for index in fixes.indices where fixes[index].timestamp >= at(1200) && fixes[index].timestamp < at(1200 + seconds) {
      fixes[index].coordinate.latitude += 500 / 111_260
    }
    let trips = TripDetector.trips(in: fixes)
    #expect(trips.count == 1)
    #expect(abs(try #require(trips.first).trip.distanceMeters / 21_600 - 1) < 0.01)
    #expect(Self.rules(trips.first).contains(.displaced))
  }

  /// Returns two drives with a stop between them at second 1200, during which the receiver is displaced by 500 m for a
  /// few seconds.
  private static func stop(_ stop: Double, displaced: Range<Double>, interval: Double) -> [Location] {
    let end = 1200 + stop
    let fixes =
      rest(from: 0, to: 600, interval: interval) + drive(speed: 12, start: 600, end: 1199, interval: interval)
      + rest(at: 7200, from: 1200, to: end, interval: interval)
      + drive(from: 7200, speed: 12, start: end, end: end + 1200, interval: interval)
      + rest(at: 21_600, from: end + 1201, to: end + 2400, interval: interval)
    return fixes.map { fix in
      var fix = fix
      if displaced.contains(fix.timestamp.timeIntervalSince(at(0))) { fix.coordinate.latitude += 500 / 111_260 }
      return fix
    }
  }

  @Test("a displacement during a stop continues the trip", arguments: [1.0, 2, 4], [30.0, 90])
  func displacedStanding(interval: Double, seconds: Double) throws {
    let trips = TripDetector.trips(in: Self.stop(240, displaced: 1300..<(1300 + seconds), interval: interval))
    #expect(trips.count == 1)
    #expect(abs(try #require(trips.first).trip.distanceMeters / 21_600 - 1) < 0.01)
    #expect(Self.rules(trips.first).contains(.displaced))
  }

  @Test("a displacement that ends after the stop continues the trip", arguments: [1.0, 2, 4])
  func displacedLeaving(interval: Double) throws {
    let trips = TripDetector.trips(in: Self.stop(120, displaced: 1300..<1340, interval: interval))
    #expect(trips.count == 1)
    #expect(abs(try #require(trips.first).trip.distanceMeters / 21_600 - 1) < 0.02)
  }

  @Test("a displacement does not change the duration of a stop", arguments: [1.0, 2, 4])
  func displacedStop(interval: Double) throws {
    let trips = TripDetector.trips(in: Self.stop(340, displaced: 1300..<1330, interval: interval))
    #expect(trips.count == 2)
    #expect(abs(try #require(trips.first?.trip.endTime).timeIntervalSince(at(1200))) <= 2 * interval)
  }

  @Test("a permanent displacement after an arrival ends the trip before it", arguments: [1.0, 2, 4])
  func thrownAfterArrival(interval: Double) throws {
    let fixes = Self.stop(3600, displaced: 1300..<4800, interval: interval).filter { $0.timestamp < at(4800) }
    let trips = TripDetector.trips(in: fixes)
    #expect(trips.count == 1)
    #expect(abs(try #require(trips.first?.trip.endTime).timeIntervalSince(at(1200))) <= 2 * interval)
    #expect(abs(try #require(trips.first).trip.distanceMeters / 7200 - 1) < 0.01)
    #expect(Self.rules(trips.first).last == .leapt)
  }

  @Test("a drive from a displaced position starts there", arguments: [1.0, 2])
  func drivesFromThere(interval: Double) throws {
    let east = 7200.0
    let fixes =
      Self.stop(3600, displaced: 1300..<4800, interval: interval).filter { $0.timestamp < at(1360) }
      + drive(from: east, speed: 12, start: 1425, end: 2400, interval: interval).map { fix in
        var fix = fix
        fix.coordinate.latitude += 500 / 111_260
        return fix
      }
    let trips = TripDetector.trips(in: fixes)
    #expect(trips.count == 2)
    #expect(abs(try #require(trips.last).trip.distanceMeters / 11_700 - 1) < 0.02)
  }

  @Test("ticks do not affect trips with displacements", arguments: UInt64(0)..<6, [60.0, 900])
  func displacedTicks(seed: UInt64, seconds: Double) throws {
    let fixes = SimulatedDay(seed: seed, world: .canyon, recorder: .logger).fixes
    let live = try TripRulesTests.live(fixes, every: seconds, TripDetector.Configuration())
    #expect(live.map(\.trip) == TripDetector.trips(in: fixes).map(\.trip))
  }

  // MARK: Gaps

  @Test(
    "the meaning of a gap depends on the sampling interval",
    arguments: [(1.0, 420.0, 1), (5, 420, 1), (5, 900, 2), (30, 420, 2)])
  func silence(interval: Double, seconds: Double, count: Int) {
    let way = drive(speed: 12, start: 600, end: 1800, interval: interval)
    let east = 14_400.0
    let on = drive(from: east + 30, speed: 12, start: 1800 + seconds, end: 3000 + seconds, interval: interval)
    let trips = TripDetector.trips(in: Self.rest(from: 0, to: 600, interval: interval) + way + on)
    #expect(trips.count == count)
    #expect(Self.rules(trips.first).contains(.unheard) == (count == 1))
  }

  @Test func `a gap with both ends at one position was a stop`() throws {
    let way = drive(speed: 12, start: 600, end: 1800, interval: 1)
    let after = Self.rest(at: 14_400, from: 2200, to: 3000, interval: 1)
    let trips = TripDetector.trips(in: Self.rest(from: 0, to: 600, interval: 1) + way + after)
    #expect(trips.count == 1)
    #expect(abs(try #require(trips.first?.trip.endTime).timeIntervalSince(at(1800))) < 10)
  }

  // MARK: Starts

  @Test("a trip does not begin before the gap that precedes it", arguments: [100.0, 290, 425])
  func start(silence: Double) throws {
    let before = Self.rest(from: 0, to: 601, interval: 30)
    let end = 600 + silence
    let after = [fix(end, east: 25)] + drive(from: 40, speed: 8, start: end + 5, end: end + 900, interval: 5)
    let trips = TripDetector.trips(in: before + after)
    #expect(trips.count == 1)
    #expect(abs(try #require(trips.first).trip.startTime.timeIntervalSince(at(end))) < 30)
    #expect(Self.rules(trips.first).first == .woke)
  }

  // MARK: Late first fixes

  /// Returns a stay of ten minutes, a gap, and a drive that begins at `start` but has fixes only from `heard`.
  private static func woken(speed: Double, start: Double, heard: Double) -> [Location] {
    let way = drive(speed: speed, start: start, end: start + 1800, interval: 15)
    return rest(from: 0, to: 630, interval: 30) + way.filter { $0.timestamp >= at(heard) }
      + rest(at: speed * 1800, from: start + 1815, to: start + 3000, interval: 30)
  }

  @Test("a phone that wakes up minutes late departed from its stay point", arguments: [60.0, 195, 300, 315])
  func wokenLate(seconds: Double) throws {
    let trips = TripDetector.trips(in: Self.woken(speed: 12, start: 7200, heard: 7200 + seconds))
    #expect(trips.count == 1)
    let trip = try #require(trips.first)
    // After more than 300 s at 12 m/s, the first fix is over 3.6 km from the stay, so the trip may have started
    // elsewhere.
    let isNear = seconds <= 300
    #expect(Self.rules(trip).contains(isNear ? .woke : .appeared))
    #expect(!Self.rules(trip).contains(.shortStop))
    #expect(abs(trip.trip.startTime.timeIntervalSince(at(isNear ? 7200 : 7200 + seconds))) <= 5)
    #expect(abs(trip.trip.distanceMeters / (isNear ? 21_600 : 21_600 - 12 * seconds) - 1) < 0.01)
  }

  @Test(
    "a device that was stationary half an hour ago departed from there, however slowly",
    arguments: [(1785.0, true), (1830, false)])
  func heardSoon(silence: Double, isNear: Bool) throws {
    let trips = TripDetector.trips(in: Self.woken(speed: 4, start: 1680, heard: 600 + silence))
    #expect(trips.count == 1)
    let start = try #require(trips.first).trip.startTime
    #expect(abs(start.timeIntervalSince(at(isNear ? 1680 : 600 + silence))) <= 5)
  }

  @Test func `noise before a flight is not part of it`() {
    var noisy = 0
    for seed in UInt64(1)...40 {
      var random = SeededGenerator(seed: seed)
      let gate = stride(from: 600.0, through: 1680, by: 60).map { second in
        fix(
          second, east: .random(in: 100...500, using: &random), north: .random(in: -200...200, using: &random),
          accuracy: 30)
      }
      let before = Self.rest(from: 0, to: 600, interval: 30) + gate
      let after = drive(from: 500_000, speed: 12, start: 9000, end: 10_800, interval: 15)
      var detector = TripDetector()
      for fix in before { _ = detector.onLocation(fix) }
      guard case .cancelled(let record)? = detector.finish().last,
        [.homebound, .zigzag, .thrown, .aimless].contains(record.decisions.last?.rule)
      else { continue }
      noisy += 1
      // With this much noise, the stay point is known for only a few minutes.
      let trips = TripDetector.trips(in: before + after)
      #expect(trips.map { $0.trip.startTime >= at(1380) } == [true], "seed \(seed)")
      #expect(trips.allSatisfy { $0.trip.distanceMeters > 515_000 }, "seed \(seed)")
    }
    #expect(noisy >= 5)
  }

  @Test func `a departure during a gap is estimated from the later speed`() throws {
    let trips = TripDetector.trips(in: Self.woken(speed: 15, start: 1005, heard: 1410))
    #expect(trips.count == 1)
    let trip = try #require(trips.first)
    #expect(Self.rules(trip).contains(.carried))
    #expect(abs(trip.trip.startTime.timeIntervalSince(at(1005))) <= 5)
    #expect(abs(trip.trip.distanceMeters / 27_000 - 1) < 0.01)
  }

  // MARK: Indoors

  @Test("WiFi position jumps make few trips", arguments: [(0.0, 1), (15, 2), (30, 5)])
  func indoors(interval: Double, most: Int) {
    var found = 0
    for seed in 100..<130 {
      let day = SimulatedDay(seed: UInt64(seed), world: .indoors, recorder: seed.isMultiple(of: 2) ? .phone : .tracker)
      found += TripDetector.trips(in: day.thinned(toSeconds: interval).fixes).count
    }
    #expect(found <= most)
  }

  @Test(
    "a receiver with displacements is treated as jumping when it moves to another position",
    arguments: zip(
      [260_101_783_765, 260_101_800_661, 260_101_827_477, 260_101_829_973, 260_101_861_653] as [UInt64],
      [SimulatedDay.Recorder.phone, .phone, .tracker, .tracker, .tracker]))
  func displacedIndoors(seed: UInt64, recorder: SimulatedDay.Recorder) {
    let found = TripDetector.trips(in: SimulatedDay(seed: seed, world: .indoors, recorder: recorder).fixes)
    #expect(found.isEmpty, "\(found.flatMap(\.decisions).map(\.words))")
  }

  /// Returns the rejected trips.
  private static func refused(_ fixes: [Location]) -> [TripRecord] {
    var detector = TripDetector()
    return (fixes.flatMap { detector.onLocation($0) } + detector.finish()).compactMap {
      if case .cancelled(let record) = $0 { record } else { nil }
    }
  }

  @Test("one jump between two stationary positions is not a trip", arguments: [20.0, 30, 60], [300.0, 500])
  func jump(interval: Double, meters: Double) throws {
    // The WiFi position converges within a few fixes.
    let fixes = stride(from: 0.0, to: 3600, by: interval).map { second in
      fix(second, east: second < 1800 ? 0 : meters + min(55, (second - 1800) / interval * 20), accuracy: 40)
    }
    #expect(TripDetector.trips(in: fixes).isEmpty)
    let last = try #require(Self.refused(fixes).last?.decisions.last)
    #expect(last.rule == .atOnce)
    #expect(try #require(last.seconds) == interval)
    #expect(last.words.hasSuffix("between two stationary positions"))
  }

  @Test("a short drive is a trip at any sampling interval", arguments: [1.0, 5, 15, 30])
  func shortDrive(interval: Double) {
    let fixes = Self.way([(4, 10), (11, 70), (4, 10)], interval: interval)
    let end = fixes[fixes.count - 1]
    let after = stride(from: interval, to: 900, by: interval).map { second in
      Location(
        coordinate: end.coordinate, horizontalAccuracy: 10, timestamp: end.timestamp.addingTimeInterval(second))
    }
    #expect(TripDetector.trips(in: fixes + after).count == 1)
  }

  // MARK: Legs

  /// Returns a stay followed by sections with the given speeds in m/s and durations in seconds.
  private static func way(_ parts: [(speed: Double, seconds: Double)], interval: Double) -> [Location] {
    var fixes = rest(from: 0, to: 600, interval: interval)
    var (time, east) = (600.0, 0.0)
    for part in parts {
      fixes += drive(from: east, speed: part.speed, start: time, end: time + part.seconds - 0.5, interval: interval)
      time += part.seconds
      east += part.speed * part.seconds
    }
    return fixes
  }

  @Test("a change of trains is part of the ride", arguments: [1.0, 10])
  func change(interval: Double) {
    let fixes = Self.way([(20, 900), (0, 60), (1.2, 120), (0, 90), (20, 900)], interval: interval)
    #expect(TripDetector.trips(in: fixes).first?.legs.map(\.mode) == [.automotive])
  }

  @Test("a bus in traffic is not classified as a bicycle", arguments: [1.0, 5])
  func bus(interval: Double) {
    let stop: [(speed: Double, seconds: Double)] = [(10, 30), (0, 25), (2, 40)]
    let stops = Array(repeating: stop, count: 12).flatMap { $0 }
    #expect(TripDetector.trips(in: Self.way(stops, interval: interval)).first?.legs.map(\.mode) == [.automotive])
  }

  @Test("a ride ends where the vehicle was left", arguments: [1.0, 10])
  func ends(interval: Double) throws {
    let fixes = Self.way([(14, 900), (0, 150), (1.3, 600)], interval: interval)
    let legs = try #require(TripDetector.trips(in: fixes).first).legs
    #expect(legs.map(\.mode) == [.automotive, .walking])
    #expect(abs(try #require(legs.first?.endTime).timeIntervalSince(at(1500))) <= 30)
  }
}
