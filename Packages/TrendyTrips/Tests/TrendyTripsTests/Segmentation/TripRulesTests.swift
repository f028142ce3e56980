import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

@Suite("Rules and decisions of TripDetector", .timeLimit(.minutes(10)))
struct TripRulesTests {
  /// Returns drives at 12 m/s to the east with stops of `seconds` between them.
  static func stopped(for seconds: Double, interval: Double = 10, legs: Int = 1) -> [Location] {
    var fixes = stride(from: 0.0, through: 60, by: interval).map { fix($0) }
    var time = 60.0
    var east = 0.0
    for leg in 0...legs {
      fixes += drive(from: east, speed: 12, start: time, end: time + 600, interval: interval).dropFirst()
      time += 600
      east += 7200
      if leg < legs {
        fixes += stride(from: time + interval, through: time + seconds, by: interval).map { fix($0, east: east) }
        time += seconds
      }
    }
    return fixes
  }

  static func configuration(skipping easts: [Double]) -> TripDetector.Configuration {
    var configuration = TripDetector.Configuration(deviceId: "phone")
    configuration.skipPlaces = easts.map { fix(0, east: $0).coordinate }
    return configuration
  }

  static func rules(_ record: TripRecord?) -> [TripDecision.Rule] { record?.decisions.map(\.rule) ?? [] }

  @Test("a stop at a skip place does not end a trip", arguments: [(400.0, 1), (3600, 1), (7000, 1), (7300, 2)])
  func skipPlace(seconds: Double, count: Int) throws {
    let fixes = Self.stopped(for: seconds)
    #expect(TripDetector.trips(in: fixes).count == 2)
    let trips = TripDetector.trips(in: fixes, configuration: Self.configuration(skipping: [7200]))
    #expect(trips.count == count)
    guard count == 1 else { return }
    #expect(abs(try #require(trips.first).trip.distanceMeters - 14_400) < 30)
    #expect(Self.rules(trips.first) == [.departed, .paused, .resumed, .recordingEnded])
  }

  @Test("several skip places have a radius of 200 m each", arguments: [(190.0, 1), (210, 3)])
  func skipPlaces(off: Double, count: Int) {
    let fixes = Self.stopped(for: 900, legs: 2)
    let configuration = Self.configuration(skipping: [90_000, 7200 - off, 14_400 + off])
    #expect(TripDetector.trips(in: fixes, configuration: configuration).count == count)
  }

  @Test func `walking around at a skip place while the phone sleeps continues the trip`() throws {
    let drive = Self.stopped(for: 2400)
    var fixes = drive.filter { $0.timestamp < at(665) || $0.timestamp > at(3055) }
    let configuration = Self.configuration(skipping: [7200])
    #expect(TripDetector.trips(in: fixes, configuration: configuration).count == 1)
    // The user walks to the door and back, repeatedly.
    fixes = drive.map { one in
      guard one.timestamp > at(700), one.timestamp < at(3000) else { return one }
      var one = one
      let way = one.timestamp.timeIntervalSince(at(700)).truncatingRemainder(dividingBy: 240)
      one.coordinate = fix(0, east: 7200, north: way < 120 ? way : 240 - way).coordinate
      return one
    }
    let trips = TripDetector.trips(in: fixes, configuration: configuration)
    #expect(trips.count == 1)
    #expect(Self.rules(trips.first).filter { $0 != .shortStop } == [.departed, .paused, .resumed, .recordingEnded])
    // Walking counts only until the stop is detected.
    #expect(abs(try #require(trips.first).trip.distanceMeters - 14_400) < 320)
  }

  @Test func `one outlier at a skip place does not resume the trip`() {
    var fixes = Self.stopped(for: 3000)
    let index = fixes.firstIndex { $0.timestamp >= at(2000) }!
    fixes[index].coordinate = fix(0, east: 7200, north: 400).coordinate
    // Remove the neighbouring fixes, so that there is enough time to reach the outlier.
    let time = fixes[index].timestamp
    fixes.removeAll { $0.timestamp != time && abs($0.timestamp.timeIntervalSince(time)) < 45 }
    let trips = TripDetector.trips(in: fixes, configuration: Self.configuration(skipping: [7200]))
    #expect(Self.rules(trips.first) == [.departed, .paused, .displaced, .resumed, .recordingEnded])
  }

  @Test func `a live trip pauses, resumes, and ends with a tick after a gap of two hours`() throws {
    var detector = TripDetector(configuration: Self.configuration(skipping: [7200]))
    var told: [String] = []
    func tell(_ effects: [TripDetector.Effect]) {
      for effect in effects {
        switch effect {
        case .started: told.append("started")
        case .paused: told.append("paused")
        case .resumed: told.append("resumed")
        case .ended: told.append("ended")
        case .cancelled: told.append("cancelled")
        }
      }
    }
    let fixes = Self.stopped(for: 1200)
    for one in fixes {
      tell(detector.onLocation(one))
      #expect(detector.isPaused == (told.last == "paused"))
    }
    #expect(told == ["started", "paused", "resumed"])
    let last = try #require(fixes.last).timestamp
    #expect(detector.nextDeadline == last.addingTimeInterval(7200))
    tell(detector.onTick(at: last.addingTimeInterval(7199)))
    #expect(told.count == 3)
    tell(detector.onTick(at: last.addingTimeInterval(7200)))
    #expect(told.last == "ended")
    #expect(detector.currentTrip == nil)
    #expect(detector.nextDeadline == nil)
    tell(detector.onTick(at: last.addingTimeInterval(90_000)) + detector.finish())
    #expect(told.count == 4)
  }

  /// Returns the trips detected with ticks between the fixes, at intervals of `seconds`.
  static func live(
    _ fixes: [Location], motion: [MotionActivity] = [], every seconds: TimeInterval,
    _ configuration: TripDetector.Configuration
  ) throws -> [TripRecord] {
    var detector = TripDetector(configuration: configuration)
    var trips: [TripRecord] = []
    var next = 0
    var tick = fixes[0].timestamp
    for fix in fixes {
      while tick <= fix.timestamp {
        for effect in detector.onTick(at: tick) { effect.apply(to: &trips) }
        tick += seconds
      }
      while next < motion.count, motion[next].timestamp <= fix.timestamp {
        detector.onMotion(motion[next])
        next += 1
      }
      for effect in detector.onLocation(fix) { effect.apply(to: &trips) }
    }
    for effect in detector.finish() { effect.apply(to: &trips) }
    return trips
  }

  @Test("ticks do not affect the trips", arguments: PhoneDayTests.days, [60.0, 1800])
  func ticks(name: String, seconds: Double) throws {
    let day = try PhoneDayTests.Day(name)
    var configuration = TripDetector.Configuration()
    // The ends of all trips of the day become skip places.
    for skips in [[], day.trips.compactMap(\.trip.endCoordinate)] {
      configuration.skipPlaces = skips
      let whole = TripDetector.trips(in: day.fixes, motion: day.motion, configuration: configuration)
      #expect(!whole.isEmpty)
      let live = try Self.live(day.fixes, motion: day.motion, every: seconds, configuration)
      #expect(live.map(\.trip) == whole.map(\.trip))
      #expect(live.map(\.legs) == whole.map(\.legs))
    }
  }

  @Test func `a flight of more than two hours reopens the trip that the gap ended`() throws {
    var fixes = stride(from: 0.0, through: 60, by: 10).map { fix($0) }
    fixes += drive(speed: 12, start: 60, end: 660, interval: 10).dropFirst()
    fixes += drive(from: 900_000, speed: 12, start: 9000, end: 9600, interval: 10)
    var detector = TripDetector()
    var trips: [TripRecord] = []
    var ids: [String] = []
    for one in fixes {
      let effects = detector.onLocation(one) + detector.onTick(at: one.timestamp)
      for case .ended(let record) in effects { ids.append(record.trip.id) }
      for effect in effects { effect.apply(to: &trips) }
    }
    for effect in detector.finish() { effect.apply(to: &trips) }
    #expect(trips.count == 1)
    #expect(ids == [trips[0].trip.id])
    #expect(trips[0].trip.endTime == at(9600))
    #expect(trips.map(\.trip) == TripDetector.trips(in: fixes).map(\.trip))
    #expect(Self.rules(trips.first) == [.departed, .bridged, .recordingEnded])
  }

  @Test("a trip contains the decisions about its start and end")
  func reasons() throws {
    // The car waits two minutes at a traffic light, and seven minutes at the end.
    var fixes = stride(from: 0.0, through: 60, by: 10).map { fix($0) }
    fixes += drive(speed: 12, start: 60, end: 660, interval: 10).dropFirst()
    fixes += stride(from: 670.0, through: 780, by: 10).map { fix($0, east: 7200) }
    fixes += drive(from: 7200, speed: 12, start: 780, end: 1380, interval: 10).dropFirst()
    fixes += stride(from: 1390.0, through: 1800, by: 10).map { fix($0, east: 14_400) }
    let record = try #require(TripDetector.trips(in: fixes).first)
    #expect(Self.rules(record) == [.departed, .shortStop, .stopped])
    #expect(record.decisions.map(\.time) == [at(60), at(660), at(1380)])
    #expect(record.decisions[0].words == "Departed: 360 m from the stay point after 30 s (threshold 150 m)")
    #expect(record.decisions[1].words == "Short stop of 130 s (300 s would end the trip)")
    #expect(record.decisions[2].words == "Arrived: within 50 m for 300 s (a stop of 300 s ends a trip)")
  }

  @Test func `a rejected trip contains the reason`() {
    var fixes = stride(from: 0.0, through: 600, by: 10).map { fix($0) }
    // The user walks to a letter box 200 m away and back.
    fixes += stride(from: 0.0, through: 400, by: 10).map { fix(610 + $0, east: 200 * sin($0 / 400 * .pi)) }
    fixes += stride(from: 1020.0, through: 1600, by: 10).map { fix($0) }
    var detector = TripDetector()
    var refused: [TripRecord] = []
    for one in fixes { for case .cancelled(let record) in detector.onLocation(one) { refused.append(record) } }
    #expect(refused.count == 1)
    #expect(refused.first?.decisions.last?.rule == .near)
    #expect(refused.first?.decisions.last?.isRefusal == true)
    #expect(refused.first?.decisions.last?.words.hasPrefix("Not a trip: ") == true)
  }

  @Test func `the stationary state remembers suppressed departures`() {
    var detector = TripDetector()
    for second in stride(from: 0.0, through: 1200, by: 10) {
      if second.truncatingRemainder(dividingBy: 60) == 0 { detector.onMotion(motion(.stationary, second)) }
      _ = detector.onLocation(fix(second, east: second < 600 ? 0 : min(400, 2 * (second - 600))))
    }
    #expect(detector.restingDecisions.map(\.rule).contains(.heldByMotion))
    #expect(detector.currentTrip == nil)
  }

  @Test("every rule has a sentence, with and without figures", arguments: TripDecision.Rule.allCases)
  func words(rule: TripDecision.Rule) throws {
    let full = TripDecision(rule, at: at(0), seconds: 8000, meters: 1234, limit: 500)
    #expect(!full.words.isEmpty && full.words.allSatisfy { !$0.isNewline })
    #expect(!TripDecision(rule, at: at(0)).words.isEmpty)
    #expect(full.isRefusal == full.words.hasPrefix("Not a trip: "))
    #expect(try JSONDecoder().decode(TripDecision.self, from: JSONEncoder().encode(full)) == full)
  }

  @Test func `a trip with many stops has a bounded list of decisions with start and end`() throws {
    var fixes = stride(from: 0.0, through: 60, by: 10).map { fix($0) }
    var time = 60.0
    for leg in 0..<400 {
      fixes += drive(from: Double(leg) * 1200, speed: 12, start: time, end: time + 100, interval: 20).dropFirst()
      fixes += stride(from: 20.0, through: 100, by: 20).map { fix(time + 100 + $0, east: Double(leg + 1) * 1200) }
      time += 200
    }
    let record = try #require(TripDetector.trips(in: fixes).first)
    #expect(record.decisions.count <= 260)
    #expect(record.decisions.first?.rule == .departed)
    #expect(record.decisions.last?.rule == .recordingEnded)
  }
}
