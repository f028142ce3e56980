import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

@Suite("TripDetector on phone days", .timeLimit(.minutes(10)))
struct PhoneDayTests {
  struct Day {
    var fixes: [Location] = []
    var motion: [MotionActivity] = []

    /// Reads a file with lines of `t,lat,lon,alt_m,acc_m,speed_mps,course_deg,activity,confidence`.
    init(_ name: String) throws {
      let url = try #require(Bundle.module.url(forResource: "Resources/\(name)", withExtension: "csv"))
      for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n").dropFirst() {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        try #require(fields.count == 9)
        let numbers = fields.map { Double($0) }
        let time = Date(timeIntervalSince1970: try #require(numbers[0]))
        fixes.append(
          Location(
            coordinate: Coordinate(latitude: try #require(numbers[1]), longitude: try #require(numbers[2])),
            horizontalAccuracy: numbers[4] ?? -1, timestamp: time, speed: numbers[5]))
        if let state = MotionState(rawValue: String(fields[7])) {
          let confidence = numbers[8] ?? 100
          motion.append(
            MotionActivity(
              state: state, confidence: confidence >= 67 ? .high : confidence >= 34 ? .medium : .low, timestamp: time))
        }
      }
    }

    var trips: [TripRecord] { TripDetector.trips(in: fixes, motion: motion) }
  }

  /// Returns the minutes since the first fix, rounded to tenths.
  static func minutes(_ date: Date?, _ day: Day) -> Double {
    ((date ?? .distantPast).timeIntervalSince(day.fixes[0].timestamp) / 60 * 10).rounded() / 10
  }

  static let days = ["emission-iphone-2016-02-22", "emission-shankari-2016-07-22"]

  @Test func `a phone that sleeps between trips makes six trips`() throws {
    let day = try Day(Self.days[0])
    let trips = day.trips
    // Start and end of the trips in minutes, as confirmed by the owner of the phone.
    let expected = [(0.0, 7.2), (147.1, 151.1), (163.6, 177.9), (223.4, 230.9), (390.8, 402.5), (412, 426.1)]
    try #require(trips.count == expected.count)
    for (record, times) in zip(trips, expected) {
      let start = Self.minutes(record.trip.startTime, day)
      let end = Self.minutes(record.trip.endTime, day)
      let both = min(end, times.1) - max(start, times.0)
      #expect(both >= 0.5 * (max(end, times.1) - min(start, times.0)), "\(start) to \(end)")
    }
    #expect(trips.map(\.mode) == [.automotive, .automotive, .automotive, .automotive, .walking, .walking])
    #expect(trips[0].legs.map(\.mode) == [.automotive, .walking])
  }

  @Test func `a ride by bicycle, two trains and a walk is one trip with its legs`() throws {
    let day = try Day(Self.days[1])
    let trips = day.trips
    let first = try #require(trips.first)
    #expect(abs(first.trip.distanceMeters - 80_535) < 0.02 * 80_535)
    #expect(first.legs.first?.mode == .cycling)
    #expect(first.legs.last?.mode == .walking)
    #expect(first.mode == .automotive)
    #expect(abs(Self.minutes(first.trip.endTime, day) - 138.7) < 1)
    #expect(trips.dropFirst().allSatisfy { $0.legs.map(\.mode) == [.walking] })
    #expect(trips.count == 4)
  }

  @Test("legs cover the trip from start to end and have its length", arguments: days)
  func legs(name: String) throws {
    for record in try Day(name).trips {
      #expect(record.legs.first?.startTime == record.trip.startTime)
      #expect(record.legs.last?.endTime == record.trip.endTime)
      for (one, next) in zip(record.legs, record.legs.dropFirst()) {
        #expect(one.endTime <= next.startTime)
        #expect(one.mode != next.mode)
      }
      #expect(record.legs.allSatisfy { $0.endTime >= $0.startTime && $0.distanceMeters >= 0 })
      #expect(abs(record.legs.reduce(0) { $0 + $1.distanceMeters } - record.trip.distanceMeters) < 0.01)
    }
  }

  @Test("processing with a restart after each fix gives the same trips as the whole recording", arguments: days)
  func restarts(name: String) throws {
    let day = try Day(name)
    var detector = TripDetector()
    var found: [TripRecord] = []
    var next = 0
    for fix in day.fixes {
      while next < day.motion.count, day.motion[next].timestamp <= fix.timestamp {
        detector.onMotion(day.motion[next])
        next += 1
      }
      for case .ended(let record) in detector.onLocation(fix) { found.append(record) }
      let restarted = try JSONDecoder().decode(TripDetector.self, from: JSONEncoder().encode(detector))
      try #require(restarted == detector)
      detector = restarted
    }
    for case .ended(let record) in detector.finish() { found.append(record) }
    #expect(found == day.trips)
    #expect(found.count >= 4)
  }

  @Test("repeated and reordered fixes give the same trips", arguments: days, [UInt64(1), 2])
  func disorder(name: String, seed: UInt64) throws {
    let day = try Day(name)
    var generator = SeededGenerator(seed: seed)
    // Remove fixes with equal timestamps: their order matters, and shuffling would change it.
    var moments: Set<Date> = []
    let fixes = day.fixes.filter { moments.insert($0.timestamp).inserted }
    moments = []
    let motion = day.motion.filter { moments.insert($0.timestamp).inserted }
    let shuffled = TripDetector.trips(
      in: (fixes + fixes.prefix(80)).shuffled(using: &generator),
      motion: (motion + motion.prefix(80)).shuffled(using: &generator))
    #expect(shuffled == TripDetector.trips(in: fixes, motion: motion))
  }
}

@Suite("Motion readings and gaps in TripDetector")
struct TripEvidenceTests {
  @Test func `the path from the stay point to the first fix of a waking phone is part of the trip`() throws {
    var fixes = stride(from: 0.0, through: 600, by: 60).map { fix($0) }
    // The phone sleeps for an hour and wakes up 300 m from home, while the user is walking.
    fixes += stride(from: 0.0, through: 900, by: 20).map { fix(4200 + $0, east: 300 + 1.5 * $0) }
    let trip = try #require(TripDetector.trips(in: fixes).first)
    #expect(abs(trip.trip.startTime.timeIntervalSince(at(4000))) < 10)
    #expect(abs(trip.trip.distanceMeters - 1650) < 20)
    #expect(trip.trip.startCoordinate == fix(0).coordinate)
  }

  @Test func `a distant first fix after a gap is the start of the trip`() throws {
    var fixes = stride(from: 0.0, through: 600, by: 60).map { fix($0) }
    fixes += stride(from: 0.0, through: 900, by: 20).map { fix(4200 + $0, east: 5000 + 1.5 * $0) }
    let trip = try #require(TripDetector.trips(in: fixes).first)
    #expect(trip.trip.startTime == at(4200))
    #expect(abs(trip.trip.distanceMeters - 1350) < 20)
  }

  @Test func `a flight between two fixes is a leg of unknown mode`() throws {
    var fixes = stride(from: 0.0, through: 600, by: 30).map { fix($0) }
    fixes += stride(from: 0.0, through: 1200, by: 20).map { fix(6000 + $0, east: 300_000 + 1.4 * $0) }
    let trips = TripDetector.trips(in: fixes)
    #expect(trips.count == 1)
    #expect(trips.first?.legs.map(\.mode) == [.unknown, .walking])
    #expect(trips.first?.trip.startTime == at(600))
  }

  /// Returns fixes that drift 400 m away and remain there, as if the phone had switched to another network indoors.
  private func wandering(speed: Double?) -> [Location] {
    stride(from: 0.0, through: 600, by: 10).map { fix($0, speed: 0) }
      + stride(from: 10.0, through: 200, by: 10).map { fix(600 + $0, east: 2 * $0, speed: speed) }
      + stride(from: 10.0, through: 900, by: 10).map { fix(800 + $0, east: 400, speed: 0) }
  }

  @Test("a stationary motion sensor suppresses a small drift, but not measured speed")
  func held() {
    let still = stride(from: 0.0, through: 1700, by: 60).map { motion(.stationary, $0) }
    #expect(TripDetector.trips(in: wandering(speed: nil)).count == 1)
    #expect(TripDetector.trips(in: wandering(speed: nil), motion: still).isEmpty)
    #expect(TripDetector.trips(in: wandering(speed: 6), motion: still).count == 1)
    #expect(
      TripDetector.trips(
        in: wandering(speed: nil),
        motion: still.map { activity in
          MotionActivity(state: .stationary, confidence: .low, timestamp: activity.timestamp)
        }
      ).count == 1)
  }

  @Test func `an outdated stationary reading does not suppress a drive`() throws {
    let trips = TripDetector.trips(
      in: stride(from: 0.0, through: 600, by: 10).map { fix($0) }
        + drive(speed: 12, start: 610, end: 1200, interval: 10),
      motion: stride(from: 0.0, through: 1200, by: 60).map { motion(.stationary, $0) })
    #expect(trips.count == 1)
    #expect(abs(try #require(trips.first).trip.startTime.timeIntervalSince(at(605))) <= 10)
  }

  @Test(
    "the speed determines the mode without a sensor",
    arguments: [(1.3, MotionState.walking), (5, .cycling), (15, .automotive)])
  func modes(speed: Double, mode: MotionState) {
    let trips = TripDetector.trips(in: drive(speed: speed, start: 0, end: 1200, interval: 5))
    #expect(trips.map { $0.legs.map(\.mode) } == [[mode]])
  }

  @Test func `a slow bus is recognized by motion readings`() {
    let fixes = drive(speed: 4.5, start: 0, end: 1200, interval: 5)
    let readings = stride(from: 0.0, through: 1200, by: 60).map { motion(.automotive, $0) }
    #expect(TripDetector.trips(in: fixes, motion: readings).map(\.mode) == [.automotive])
  }

  @Test func `a walk to the car and the drive are two legs, divided at the change of speed`() throws {
    var fixes = drive(speed: 1.3, start: 0, end: 400, interval: 10)
    fixes += drive(from: 520, speed: 14, start: 410, end: 1400, interval: 10)
    // The motion sensor reports driving three minutes late.
    let readings = [motion(.walking, 0), motion(.automotive, 590), motion(.automotive, 1000)]
    let record = try #require(TripDetector.trips(in: fixes, motion: readings).first)
    #expect(record.legs.map(\.mode) == [.walking, .automotive])
    #expect(abs(try #require(record.legs.last).startTime.timeIntervalSince(at(405))) <= 40)
  }

  @Test("an inaccurate fix beside the path does not lengthen it")
  func zigzag() {
    var fixes = drive(speed: 1.4, start: 0, end: 1200, interval: 20)
    for index in stride(from: 5, to: fixes.count, by: 2) {
      fixes[index].coordinate.latitude += 60 / 111_260.0
      fixes[index].horizontalAccuracy = 80
    }
    let trips = TripDetector.trips(in: fixes)
    #expect(trips.count == 1)
    #expect(abs((trips.first?.trip.distanceMeters ?? 0) - 1680) < 40)
  }

  @Test func `the size of the state is bounded on a trip of days`() throws {
    var detector = TripDetector()
    var sizes: [Int] = []
    for day in 0..<4 {
      for second in stride(from: 0.0, to: 86_400, by: 20) {
        let time = Double(day) * 86_400 + second
        let around = time / 4000
        _ = detector.onLocation(fix(time, east: 40_000 * cos(around), north: 40_000 * sin(around)))
      }
      sizes.append(try JSONEncoder().encode(detector).count)
    }
    #expect(detector.currentTrip != nil)
    #expect(sizes[3] < 3 * sizes[0] / 2, "\(sizes)")
    #expect((2000...4096).contains(try #require(detector.finish().first?.record).route.count))
  }

  @Test("short distances are geodesic", arguments: [UInt64(1), 2, 3])
  func lengths(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var worst = 0.0
    for _ in 0..<500 {
      let latitude = Double.random(in: -85...85, using: &generator)
      let longitude = Double.random(in: -180...180, using: &generator)
      // Sum the distances between fixes ten seconds apart in any direction, including along a meridian.
      let turn = Double.random(in: 0...6.28, using: &generator)
      let places = (0...60).map { step in
        Coordinate(
          latitude: latitude + Double(step) * 0.001 * sin(turn),
          longitude: (longitude + Double(step) * 0.001 * cos(turn)).remainder(dividingBy: 360))
      }
      let fixes = places.enumerated().map { step, place in
        Location(coordinate: place, horizontalAccuracy: 5, timestamp: at(Double(step) * 10))
      }
      guard let trip = TripDetector.trips(in: fixes).first?.trip, trip.startTime == at(0) else { continue }
      let whole = TripDetectorTests.length(fixes)
      worst = max(worst, abs(trip.distanceMeters - whole) / whole)
    }
    #expect(worst < 1e-6)
  }
}

extension TripDetector.Effect {
  fileprivate var record: TripRecord? { if case .ended(let record) = self { record } else { nil } }
}
