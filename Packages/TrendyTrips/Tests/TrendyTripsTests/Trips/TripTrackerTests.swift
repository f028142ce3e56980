import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

@Suite("TripTracker", .timeLimit(.minutes(10)))
struct TripTrackerTests {
  /// Returns a tracker that has been driving since second 0. Driving is confirmed at second 2.
  func driving(_ configuration: TripConfiguration = .init()) throws -> TripTracker {
    var tracker = TripTracker(configuration: configuration)
    tracker.onLocation(fix(0))
    tracker.onMotion(motion(.automotive, 0))
    #expect(tracker.phase == .starting)
    let effects = tracker.onTick(at: at(2))
    try #require(effects.count == 1)
    #expect(tracker.phase == .driving)
    return tracker
  }

  /// Returns a tracker after a drive of 2400 m in two minutes. The stop is confirmed at second 123.
  func paused(_ configuration: TripConfiguration = .init()) throws -> TripTracker {
    var tracker = try driving(configuration)
    for fix in drive(from: 300, speed: 20, start: 15, end: 120) { tracker.onLocation(fix) }
    tracker.onMotion(motion(.stationary, 120))
    let effects = tracker.onTick(at: at(123))
    guard case .paused(let trip)? = effects.first else {
      Issue.record("\(effects)")
      return tracker
    }
    #expect(abs(trip.distanceMeters - 2400) < 5)
    #expect(tracker.phase == .paused)
    return tracker
  }

  @Test("driving is confirmed after two seconds", arguments: [(1.999, 0), (2.0, 1), (2.001, 1)])
  func confirms(seconds: Double, starts: Int) {
    var tracker = TripTracker(configuration: .init())
    tracker.onLocation(fix(0))
    tracker.onMotion(motion(.automotive, 0))
    #expect(tracker.onTick(at: at(seconds)).count == starts)
  }

  @Test(
    "the end of driving is confirmed after three seconds",
    arguments: [(122.999, TripTracker.Phase.driving), (123.0, .paused)])
  func confirmsEnd(seconds: Double, phase: TripTracker.Phase) throws {
    var tracker = try driving()
    for fix in drive(from: 300, speed: 20, start: 15, end: 120) { tracker.onLocation(fix) }
    tracker.onMotion(motion(.walking, 120))
    tracker.onTick(at: at(seconds))
    #expect(tracker.phase == phase)
  }

  @Test func `a short driving reading starts no trip`() {
    var tracker = TripTracker(configuration: .init())
    tracker.onLocation(fix(0))
    tracker.onMotion(motion(.automotive, 0))
    tracker.onMotion(motion(.stationary, 1))
    #expect(tracker.onTick(at: at(100)).isEmpty)
    #expect(tracker.phase == .idle)
  }

  @Test func `a short stationary reading does not pause`() throws {
    var tracker = try driving()
    tracker.onMotion(motion(.stationary, 10))
    tracker.onMotion(motion(.automotive, 12))
    #expect(tracker.onTick(at: at(100)).isEmpty)
    #expect(tracker.phase == .driving)
  }

  @Test("low confidence and unknown motion are ignored", arguments: [true, false])
  func noEvidence(isUnknown: Bool) {
    var tracker = TripTracker(configuration: .init())
    tracker.onLocation(fix(0))
    tracker.onMotion(isUnknown ? motion(.unknown, 0) : motion(.automotive, 0, .low))
    #expect(tracker.onTick(at: at(60)).isEmpty)
    #expect(tracker.phase == .idle)
  }

  @Test("only driving starts a trip", arguments: [MotionState.walking, .running, .cycling, .stationary])
  func onlyDriving(state: MotionState) {
    var tracker = TripTracker(configuration: .init())
    tracker.onMotion(motion(state, 0))
    for fix in drive(speed: 3, start: 1, end: 600) { tracker.onLocation(fix) }
    #expect(tracker.phase == .idle)
  }

  @Test func `confirmed driving without a fix waits for one`() {
    var tracker = TripTracker(configuration: .init())
    #expect(tracker.onConfirmedMotion(isAutomotive: true, at: at(0)).isEmpty)
    #expect(tracker.phase == .starting)
    #expect(tracker.currentTrip == nil)
    guard case .started(let trip)? = tracker.onLocation(fix(7, east: 30)).first else {
      Issue.record("not started")
      return
    }
    #expect(trip.startTime == at(7))
    #expect(trip.startCoordinate == fix(7, east: 30).coordinate)
  }

  @Test func `a trip starts at the time and position of the first movement, not of the detection`() {
    var tracker = TripTracker(configuration: .init())
    for second in stride(from: 0.0, through: 240, by: 30) { tracker.onLocation(fix(second)) }
    // The car departs at second 250. The sensor reports driving three minutes later, after a stop at a red light.
    for fix in drive(speed: 12, start: 250, end: 310, interval: 10) { tracker.onLocation(fix) }
    for second in stride(from: 320.0, through: 370, by: 10) { tracker.onLocation(fix(second, east: 720)) }
    for fix in drive(from: 720, speed: 12, start: 380, end: 420, interval: 10) { tracker.onLocation(fix) }
    tracker.onMotion(motion(.automotive, 421))
    guard case .started(let trip)? = tracker.onTick(at: at(423)).first else {
      Issue.record("not started")
      return
    }
    #expect(trip.startTime == at(250))
    #expect(trip.startCoordinate == fix(0).coordinate)
    #expect(abs(trip.distanceMeters - 1200) < 3)
  }

  @Test func `the walk to the car is not part of the drive`() {
    var tracker = TripTracker(configuration: .init())
    for fix in drive(from: -300, speed: 1.4, start: 0, end: 210, interval: 10) { tracker.onLocation(fix) }
    for fix in drive(from: 0, speed: 12, start: 220, end: 280, interval: 10) { tracker.onLocation(fix) }
    guard case .started(let trip)? = tracker.onConfirmedMotion(isAutomotive: true, at: at(281)).first else {
      Issue.record("not started")
      return
    }
    #expect(trip.startTime == at(220))
  }

  @Test func `a drive that ended minutes ago is not part of the next one`() {
    var tracker = TripTracker(configuration: .init())
    for fix in drive(speed: 12, start: 0, end: 60, interval: 10) { tracker.onLocation(fix) }
    for second in stride(from: 70.0, through: 300, by: 10) { tracker.onLocation(fix(second, east: 720)) }
    guard case .started(let trip)? = tracker.onConfirmedMotion(isAutomotive: true, at: at(301)).first else {
      Issue.record("not started")
      return
    }
    #expect(trip.startTime == at(300))
    #expect(trip.distanceMeters == 0)
  }

  @Test func `the distance before a short pause is not counted twice`() throws {
    var tracker = try paused()
    for second in stride(from: 135.0, through: 180, by: 15) { tracker.onLocation(fix(second, east: 2400)) }
    tracker.onConfirmedMotion(isAutomotive: true, at: at(181))
    #expect(abs((tracker.currentTrip?.distanceMeters ?? 0) - 2400) < 5)
  }

  @Test func `sitting in a stationary car is not part of the drive`() throws {
    var tracker = try driving()
    for second in stride(from: 15.0, through: 300, by: 15) {
      tracker.onLocation(fix(second, east: second == 150 ? 8 : 0))
    }
    for fix in drive(from: 300, speed: 20, start: 315, end: 400) { tracker.onLocation(fix) }
    #expect(tracker.currentTrip?.startTime == at(300))
  }

  @Test(
    "pings are at least 15 seconds of fix time apart", arguments: [(1.0, 8), (14.9, 4), (15.0, 8), (16.0, 7)])
  func pings(interval: Double, expected: Int) throws {
    var tracker = try driving()
    var pings = 0
    for fix in drive(speed: 10, start: interval, end: 120, interval: interval) {
      pings += tracker.onLocation(fix).count { if case .ping = $0 { true } else { false } }
    }
    #expect(pings == expected)
  }

  @Test func `the distance never decreases, and inaccurate, distant or late fixes add none`() throws {
    var tracker = try driving()
    tracker.onLocation(fix(15, east: 200))
    let before = try #require(tracker.currentTrip?.distanceMeters)
    #expect(abs(before - 200) < 1)
    tracker.onLocation(fix(16, east: 260, accuracy: 100))
    tracker.onLocation(fix(17, east: 260, accuracy: 50))
    tracker.onLocation(fix(10, east: 900))
    tracker.onLocation(fix(15, east: 900))
    #expect(tracker.currentTrip?.distanceMeters == before)
    tracker.onLocation(fix(18, east: 1300))
    #expect(tracker.currentTrip?.distanceMeters == before)
    tracker.onLocation(fix(20, east: 1400, accuracy: -1))
    #expect(abs((tracker.currentTrip?.distanceMeters ?? 0) - 300) < 1)
  }

  // Use a loop rather than test arguments, because Foundation traps when it describes a date that is not a number.
  @Test func `invalid sensor values are ignored`() throws {
    var tracker = try driving()
    let before = tracker
    for (latitude, accuracy, time) in [
      (Double.nan, 5.0, 20.0), (200, 5, 20), (50, .infinity, 20), (50, 5, .nan), (50, 5, .infinity),
    ] {
      let location = Location(
        coordinate: Coordinate(latitude: latitude, longitude: 4), horizontalAccuracy: accuracy, timestamp: at(time))
      #expect(tracker.onLocation(location).isEmpty)
    }
    #expect(tracker == before)
  }

  @Test func `confirmed motion and car connection with an invalid date are ignored`() throws {
    var idle = TripTracker(configuration: .init())
    idle.onLocation(fix(0))
    for var tracker in [idle, try driving(), try paused()] {
      let before = tracker
      for time in [Double.nan, .infinity, -.infinity] {
        for answer in [true, false] {
          #expect(tracker.onConfirmedMotion(isAutomotive: answer, at: at(time)).isEmpty)
          #expect(tracker.onCarLink(isConnected: answer, at: at(time)).isEmpty)
          #expect(tracker.onMotion(motion(answer ? .automotive : .stationary, time)).isEmpty)
        }
        #expect(tracker.onTick(at: at(time)).isEmpty)
      }
      #expect(tracker == before)
    }
  }

  @Test func `a repeated start and a stop without a start have no effect`() throws {
    var tracker = try driving()
    #expect(tracker.onConfirmedMotion(isAutomotive: true, at: at(4)).isEmpty)
    #expect(tracker.phase == .driving)
    var idle = TripTracker(configuration: .init())
    idle.onLocation(fix(0))
    #expect(idle.onConfirmedMotion(isAutomotive: false, at: at(4)).isEmpty)
    #expect(idle.phase == .idle)
  }

  @Test("driving again within half an hour resumes", arguments: [(1799.0, true), (1800.0, true), (1801.0, false)])
  func resumes(seconds: Double, isResumed: Bool) throws {
    var tracker = try paused()
    let id = tracker.currentTrip?.id
    let effects = tracker.onMotion(motion(.automotive, 123 + seconds)) + tracker.onTick(at: at(123 + seconds + 2))
    if isResumed {
      guard case .resumed(let trip)? = effects.first, effects.count == 1 else {
        Issue.record("\(effects)")
        return
      }
      #expect(trip.id == id)
    } else {
      guard effects.count == 2, case .ended(let trip) = effects[0], case .started(let next) = effects[1] else {
        Issue.record("\(effects)")
        return
      }
      #expect(trip.id == id)
      #expect(next.id != id)
    }
  }

  @Test("half an hour after a stop, a tick ends the trip at its last movement", arguments: [(1799.0, 0), (1800.0, 1)])
  func closes(seconds: Double, ends: Int) throws {
    var tracker = try paused()
    // Fixes recorded while the user walks away are not part of the trip.
    for fix in drive(from: 2400, speed: 1.4, start: 200, end: 500) { tracker.onLocation(fix) }
    let effects = tracker.onTick(at: at(123 + seconds))
    #expect(effects.count == ends)
    guard case .ended(let trip)? = effects.first else { return }
    #expect(trip.startTime == at(0))
    #expect(trip.endTime == at(120))
    #expect(trip.endCoordinate == fix(120, east: 300 + 105 * 20).coordinate)
    #expect(abs(trip.distanceMeters - 2400) < 5)
    #expect(tracker.phase == .ended)
    #expect(tracker.currentTrip == nil)
    #expect(tracker.closedRecord?.trip == trip)
  }

  @Test func `walking during a pause is not part of the drive`() throws {
    var tracker = try paused()
    for fix in drive(from: 2400, speed: 1.4, start: 200, end: 500, interval: 10) { tracker.onLocation(fix) }
    for fix in drive(from: 2820, speed: 15, start: 510, end: 600, interval: 10) { tracker.onLocation(fix) }
    // Driving is detected 90 s late. The path since the departure counts, but the walk before the departure does not.
    tracker.onConfirmedMotion(isAutomotive: true, at: at(601))
    #expect(abs((tracker.currentTrip?.distanceMeters ?? 0) - 2400 - 1350) < 15)
  }

  @Test("a gap of two hours ends the trip at its last movement", arguments: [(7199.0, 0), (7200.0, 1)])
  func silence(seconds: Double, ends: Int) throws {
    var tracker = try driving()
    for fix in drive(from: 300, speed: 20, start: 15, end: 120) { tracker.onLocation(fix) }
    let effects = tracker.onTick(at: at(120 + seconds))
    #expect(effects.count == ends)
    guard case .ended(let trip)? = effects.first else { return }
    #expect(trip.endTime == at(120))
  }

  @Test func `noise does not keep a trip open`() throws {
    var tracker = try driving()
    for fix in drive(from: 300, speed: 20, start: 15, end: 120) { tracker.onLocation(fix) }
    var ended: Trip?
    for (index, second) in stride(from: 180.0, through: 8000, by: 60).enumerated() {
      for case .ended(let trip) in tracker.onLocation(fix(second, east: 2400 + Double(index % 3) * 9)) { ended = trip }
    }
    #expect(ended?.endTime == at(120))
  }

  @Test func `driving after a long gap is a new trip without a new confirmation`() throws {
    var tracker = try driving()
    for fix in drive(from: 300, speed: 20, start: 15, end: 120) { tracker.onLocation(fix) }
    var effects: [TripTracker.Effect] = []
    for fix in drive(from: 9000, speed: 20, start: 9000, end: 9060) { effects += tracker.onLocation(fix) }
    guard effects.count >= 2, case .ended = effects[0], case .started(let next) = effects[1] else {
      Issue.record("\(effects)")
      return
    }
    #expect(next.startTime == at(9000))
  }

  @Test("less than 100 m is not a trip", arguments: [(97.0, false), (103.0, true)])
  func short(metres: Double, isTrip: Bool) throws {
    var tracker = try driving()
    tracker.onLocation(fix(15, east: metres / 2))
    tracker.onLocation(fix(30, east: metres))
    tracker.onConfirmedMotion(isAutomotive: false, at: at(40))
    let effects = tracker.onTick(at: at(4000))
    switch effects.first {
    case .ended: #expect(isTrip)
    case .cancelled: #expect(!isTrip)
    default: Issue.record("\(effects)")
    }
    #expect(tracker.phase == (isTrip ? .ended : .cancelled))
  }

  @Test func `drift while stationary is not a trip`() throws {
    var tracker = try driving()
    for index in 1...200 {
      tracker.onLocation(fix(Double(index) * 10, east: index % 2 == 0 ? 20 : -20))
    }
    tracker.onConfirmedMotion(isAutomotive: false, at: at(2001))
    guard case .cancelled? = tracker.onTick(at: at(9000)).first else {
      Issue.record("\(tracker.phase)")
      return
    }
  }

  @Test func `a stop at a skip place may exceed half an hour and a gap ends it`() throws {
    let nursery = fix(0, east: 2450).coordinate
    var tracker = try paused(TripConfiguration(skipPlaces: [nursery]))
    #expect(tracker.isPausedAtSkipPlace)
    #expect(tracker.onTick(at: at(123 + 5000)).isEmpty)
    var later = tracker
    guard case .resumed? = later.onConfirmedMotion(isAutomotive: true, at: at(123 + 5000)).first else {
      Issue.record("\(later.phase)")
      return
    }
    guard case .ended? = tracker.onTick(at: at(120 + 7200)).first else {
      Issue.record("\(tracker.phase)")
      return
    }
  }

  @Test("a skip place has a radius of 200 m", arguments: [(199.0, true), (202.0, false)])
  func skipRadius(metres: Double, isSkip: Bool) throws {
    let tracker = try paused(TripConfiguration(skipPlaces: [fix(0, east: 2400 + metres).coordinate]))
    #expect(tracker.isPausedAtSkipPlace == isSkip)
  }

  @Test func `a stationary car that is connected is still driving`() {
    var tracker = TripTracker(configuration: .init())
    tracker.onLocation(fix(0))
    guard case .started? = tracker.onCarLink(isConnected: true, at: at(1)).first else {
      Issue.record("not started")
      return
    }
    for fix in drive(from: 300, speed: 20, start: 15, end: 120) { tracker.onLocation(fix) }
    #expect(tracker.onConfirmedMotion(isAutomotive: false, at: at(130)).isEmpty)
    #expect(tracker.phase == .driving)
    guard case .paused? = tracker.onCarLink(isConnected: false, at: at(900)).first else {
      Issue.record("not paused")
      return
    }
  }

  @Test func `a lost connection does not end driving`() throws {
    var tracker = try driving()
    #expect(tracker.onCarLink(isConnected: true, at: at(5)).isEmpty)
    #expect(tracker.onCarLink(isConnected: false, at: at(6)).isEmpty)
    #expect(tracker.phase == .driving)
  }

  @Test func `an old fix determines the start position but not the start time`() {
    var tracker = TripTracker(configuration: .init())
    tracker.onLocation(fix(0))
    guard case .started(let trip)? = tracker.onConfirmedMotion(isAutomotive: true, at: at(30_000)).first else {
      Issue.record("not started")
      return
    }
    #expect(trip.startTime == at(30_000))
    #expect(trip.startCoordinate == fix(0).coordinate)
    // The device has moved in the meantime, so the trip starts at the first fix.
    tracker.onLocation(fix(30_020, east: 80_000))
    #expect(tracker.currentTrip?.startCoordinate == fix(0, east: 80_000).coordinate)
  }

  @Test func `two devices in one car make two trips, and one device always makes the same`() throws {
    func id(_ device: String) throws -> String {
      try #require(try driving(TripConfiguration(deviceId: device)).currentTrip?.id)
    }
    #expect(try id("a") == id("a"))
    #expect(try id("a") != id("b"))
  }

  enum Input: Sendable {
    case location(Location)
    case motion(MotionActivity)
    case verdict(Bool, Date)
    case link(Bool, Date)
    case tick(Date)
  }

  /// Returns the inputs of a day with driving, waiting, walking and gaps, including late and repeated readings.
  static func day(seed: UInt64) -> [Input] {
    var generator = SeededGenerator(seed: seed)
    var inputs: [Input] = []
    var second = 0.0
    var east = 0.0
    for _ in 0..<60 {
      let speed = [0, 0, 1.4, 9, 20][Int.random(in: 0..<5, using: &generator)]
      let state: MotionState = speed > 5 ? .automotive : speed > 1 ? .walking : .stationary
      let steps = Int.random(in: 1...25, using: &generator)
      for step in 0..<steps {
        let interval = Double.random(in: 0.5...40, using: &generator)
        second += interval
        east += speed * interval
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: inputs.append(.motion(motion(.unknown, second)))
        case 1: inputs.append(.tick(at(second)))
        case 2: inputs.append(.link(Bool.random(using: &generator), at(second)))
        case 3: inputs.append(.location(fix(second - 100, east: east)))
        case 4: inputs.append(.verdict(state == .automotive, at(second)))
        case 5: inputs.append(.motion(motion(state, second)))
        default:
          let noise = Double.random(in: -15...15, using: &generator)
          inputs.append(
            .location(
              fix(second, east: east, north: noise, accuracy: [5, 12, 80][Int.random(in: 0..<3, using: &generator)])))
        }
        if step == 1 { inputs.append(.motion(motion(state, second))) }
      }
      if Int.random(in: 0..<8, using: &generator) == 0 { second += Double.random(in: 600...9000, using: &generator) }
    }
    return inputs
  }

  static func feed(_ input: Input, to tracker: inout TripTracker) -> [TripTracker.Effect] {
    switch input {
    case .location(let location): tracker.onLocation(location)
    case .motion(let activity): tracker.onMotion(activity)
    case .verdict(let isAutomotive, let date): tracker.onConfirmedMotion(isAutomotive: isAutomotive, at: date)
    case .link(let isConnected, let date): tracker.onCarLink(isConnected: isConnected, at: date)
    case .tick(let date): tracker.onTick(at: date)
    }
  }

  @Test("a restart after any reading does not change the effects", arguments: Array(UInt64(1)...4))
  func restarts(seed: UInt64) throws {
    var steady = TripTracker(configuration: .init())
    var restarted = steady
    var effects = 0
    for input in Self.day(seed: seed) {
      let expected = Self.feed(input, to: &steady)
      let met = Self.feed(input, to: &restarted)
      #expect(met == expected)
      effects += met.count
      restarted = try JSONDecoder().decode(TripTracker.self, from: JSONEncoder().encode(restarted))
      #expect(restarted == steady)
    }
    #expect(effects > 5)
  }

  @Test(
    "with any readings a trip starts and ends once and its distance never decreases",
    arguments: Array(UInt64(1)...15))
  func lawful(seed: UInt64) {
    var tracker = TripTracker(configuration: .init())
    var open: Trip?
    var distance = 0.0
    var lastPing: Date?
    for input in Self.day(seed: seed) {
      for effect in Self.feed(input, to: &tracker) {
        switch effect {
        case .started(let trip):
          #expect(open == nil)
          open = trip
          distance = 0
          lastPing = nil
        case .ping(let fix):
          #expect(tracker.phase == .driving)
          if let lastPing { #expect(fix.timestamp.timeIntervalSince(lastPing) >= 15) }
          lastPing = fix.timestamp
        case .paused(let trip), .resumed(let trip): #expect(trip.id == open?.id)
        case .ended(let trip), .cancelled(let trip):
          #expect(trip.id == open?.id)
          #expect(trip.endTime.map { $0 >= trip.startTime } == true)
          open = nil
        }
      }
      if let trip = tracker.currentTrip {
        #expect(trip.distanceMeters >= distance)
        distance = trip.distanceMeters
      }
      #expect((tracker.currentTrip != nil) == (open != nil))
      #expect((tracker.phase == .driving || tracker.phase == .paused) == (open != nil))
    }
  }
}
