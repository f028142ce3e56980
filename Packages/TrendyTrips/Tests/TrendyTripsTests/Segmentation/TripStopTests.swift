import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting
import TrendyTrips

/// Returns two drives of ten minutes with a stop between them, and a stay before and after.
/// - Parameter isSilent: whether the receiver sleeps during the stop.
private func driveWithStop(seconds: Double, interval: Double, isSilent: Bool = false, noise: Double = 0) -> [Location] {
  var generator = SeededGenerator(seed: 7)
  func rest(_ range: Range<Double>, east: Double, noise: Double = 0) -> [Location] {
    stride(from: range.lowerBound, to: range.upperBound, by: interval).map { second in
      let angle = Double.random(in: 0..<(2 * .pi), using: &generator)
      return fix(second, east: east + noise * cos(angle), north: noise * sin(angle), accuracy: max(10, noise))
    }
  }
  let stop = 1200..<(1200 + seconds)
  return rest(0..<600, east: 0) + drive(speed: 12, start: 600, end: 1199, interval: interval)
    + (isSilent ? [] : rest(stop, east: 7200, noise: noise))
    + drive(from: 7200, speed: 12, start: stop.upperBound, end: stop.upperBound + 600, interval: interval)
    + rest((stop.upperBound + 601)..<(stop.upperBound + 3000), east: 14_400)
}

private func configuration(_ stop: TripStop) -> TripDetector.Configuration {
  var configuration = TripDetector.Configuration()
  configuration.stopSeconds = stop.seconds
  return configuration
}

@Suite("Duration of stops that end a trip", .timeLimit(.minutes(10)))
struct TripStopTests {
  @Test(
    "a stop ends a trip after the configured time",
    arguments: [
      (240.0, TripStop.fiveMinutes, 1), (420, .fiveMinutes, 2), (420, .tenMinutes, 1), (720, .tenMinutes, 2),
      (720, .fifteenMinutes, 1), (1020, .fifteenMinutes, 2),
    ], [1.0, 15])
  func stop(stop: (seconds: Double, setting: TripStop, count: Int), interval: Double) {
    let fixes = driveWithStop(seconds: stop.seconds, interval: interval)
    let trips = TripDetector.trips(in: fixes, configuration: configuration(stop.setting))
    #expect(trips.count == stop.count)
    let rules = trips.first?.decisions.map(\.rule) ?? []
    #expect(rules.contains(.shortStop) == (stop.count == 1))
    #expect(trips.last?.decisions.last?.limit == stop.setting.seconds)
  }

  @Test(
    "the walk to a platform does not count as part of the stop there",
    arguments: [(275.0, 1), (320, 2)], [1.0, 2, 5])
  func walkedTo(wait: (seconds: Double, count: Int), interval: Double) {
    // The user is within 50 m of the platform half a minute before reaching it.
    let platform = 1.3 * 240
    let end = 840 + wait.seconds
    let fixes =
      stride(from: 0.0, to: 600, by: interval).map { fix($0) }
      + drive(speed: 1.3, start: 600, end: 840, interval: interval)
      + stride(from: 840 + interval, to: end, by: interval).map { fix($0, east: platform) }
      + drive(from: platform, speed: 15, start: end, end: end + 900, interval: interval)
    #expect(TripDetector.trips(in: fixes).count == wait.count)
  }

  @Test(
    "a stop during a gap ends a trip after the configured time",
    arguments: [
      (420.0, TripStop.fiveMinutes, 2), (420, .tenMinutes, 1), (840, .fifteenMinutes, 1), (1020, .fifteenMinutes, 2),
    ])
  func silence(seconds: Double, stop: TripStop, count: Int) {
    let fixes = driveWithStop(seconds: seconds, interval: 15, isSilent: true)
    #expect(TripDetector.trips(in: fixes, configuration: configuration(stop)).count == count)
  }

  @Test(
    "a stop lasts until the departure, even if the receiver slept and woke later",
    arguments: [(270.0, 15.0, 1), (290, 15, 1), (310, 15, 2), (330, 15, 2), (330, 2, 1)])
  func leftUnheard(stop: Double, interval: Double, count: Int) throws {
    // A bicycle ride with fixes during the first 150 s of the stop, and then only from 200 m beyond it. With fixes
    // every 2 s, the gap means that there was no reception.
    let left = 1200 + stop
    let fixes =
      stride(from: 0.0, to: 600, by: interval).map { fix($0) }
      + drive(speed: 4, start: 600, end: 1200, interval: interval)
      + stride(from: 1200 + interval, through: 1350, by: interval).map { fix($0, east: 2400) }
      + drive(from: 2600, speed: 4, start: left + 50, end: left + 900, interval: interval)
    let trips = TripDetector.trips(in: fixes)
    #expect(trips.count == count)
    let first = try #require(trips.first)
    guard count == 2 else { return #expect(abs(first.trip.distanceMeters / 6000 - 1) < 0.01) }
    #expect(abs(try #require(first.trip.endTime).timeIntervalSince(at(1200))) <= 5)
    let end = try #require(first.decisions.last { $0.rule == .stopped })
    #expect(abs(try #require(end.seconds) - stop) <= 5)
    #expect(abs(trips[1].trip.startTime.timeIntervalSince(at(left))) <= 5)
    #expect(abs(trips.reduce(0) { $0 + $1.trip.distanceMeters } / 6000 - 1) < 0.01)
  }

  @Test(
    "a logger that sleeps while stationary and wakes at the same position has stopped",
    arguments: [(200.0, 360.0, 28.0, 2), (100, 230, 28, 2), (100, 150, 28, 1), (200, 360, 700, 1), (20, 360, 28, 1)])
  func sleepingLogger(stand: Double, silence: Double, metres: Double, count: Int) {
    let end = 1200 + stand + silence
    let fixes =
      stride(from: 0.0, to: 600, by: 2).map { fix($0) } + drive(speed: 12, start: 600, end: 1200, interval: 2)
      + stride(from: 1202.0, through: 1200 + stand, by: 2).map { fix($0, east: 7200) }
      + drive(from: 7200 + metres, speed: 12, start: end, end: end + 600, interval: 2)
    #expect(TripDetector.trips(in: fixes).count == count)
  }

  @Test(
    "a stop with noisy fixes ends a trip after the configured time",
    arguments: [(780.0, TripStop.fiveMinutes, 2), (780, .fifteenMinutes, 1), (2400, .fifteenMinutes, 2)])
  func noise(seconds: Double, stop: TripStop, count: Int) {
    let fixes = driveWithStop(seconds: seconds, interval: 5, noise: 70)
    #expect(TripDetector.trips(in: fixes, configuration: configuration(stop)).count == count)
  }

  @Test("a short round trip by car is a trip with any setting", arguments: TripStop.allCases)
  func round(stop: TripStop) {
    let out = drive(speed: 10, start: 600, end: 800, interval: 5)
    let back = drive(from: 2000, speed: -10, start: 805, end: 1005, interval: 5)
    let rests =
      stride(from: 0.0, to: 600, by: 5).map { fix($0) } + stride(from: 1010.0, to: 3600, by: 5).map { fix($0) }
    #expect(TripDetector.trips(in: rests + out + back, configuration: configuration(stop)).count == 1)
  }

  @Test(
    "two round rides with an unseen stop between them are not rejected as one aimless round",
    arguments: [1.0, 5], [420.0, 560])
  func rounds(interval: Double, silence: Double) throws {
    let seconds = 337.0
    /// Returns one lap of an ellipse of 470 m by 120 m.
    func ride(from start: Double) -> [Location] {
      stride(from: 0.0, through: seconds, by: interval).map { second in
        let angle = 2 * Double.pi * second / seconds
        return fix(start + second, east: 235 - 235 * cos(angle), north: 60 * sin(angle))
      }
    }
    func rest(_ range: Range<Double>) -> [Location] {
      stride(from: range.lowerBound, to: range.upperBound, by: interval).map { fix($0) }
    }
    let again = 600 + seconds + silence
    let fixes = rest(0..<600) + ride(from: 600) + ride(from: again) + rest((again + seconds + 1)..<(again + 2000))
    let trips = TripDetector.trips(in: fixes)
    #expect(trips.count == 1)
    #expect(abs(try #require(trips.first).trip.distanceMeters - 2020) < 60)
  }

  // MARK: Live

  @Test func `new trips use the current setting and earlier ones use it after detecting again`() throws {
    let device = LiveDevice(now: at(20_000))
    let readings = driveWithStop(seconds: 420, interval: 15).map { TrackReading.fix($0) }
    try device.tell(readings)
    #expect(device.journal.trips.count == 2)
    device.journal.set(stop: .tenMinutes)
    try device.reader.readAll()
    #expect(device.journal.trips.count == 2, "a setting alone changes nothing that was found")
    let later = driveWithStop(seconds: 420, interval: 15).map { fix in
      var fix = fix
      fix.timestamp += 9000
      fix.coordinate.longitude += 0.2
      return TrackReading.fix(fix)
    }
    try device.tell(later)
    #expect(device.journal.trips.count == 3, "from now on it counts")
    let changes = try device.reader.readAgain()
    #expect(device.journal.trips.count == 2 && changes.deleted.count == 1 && changes.updated.count == 1)
    #expect(try device.reader.readAgain().isEmpty)
    device.journal.set(stop: .fiveMinutes)
    try device.reader.readAgain()
    #expect(device.journal.trips.count == 4)
  }

  @Test("the setting applies whether fixes arrive one at a time, late or together", arguments: TripStop.allCases)
  func live(stop: TripStop) throws {
    let readings = driveWithStop(seconds: 420, interval: 15).map { TrackReading.fix($0) }
    let inOneGo = LiveDevice(now: at(20_000))
    inOneGo.journal.set(stop: stop)
    try inOneGo.tell(readings)
    let oneByOne = LiveDevice(now: at(20_000))
    oneByOne.journal.set(stop: stop)
    // Some of the fixes arrive late.
    for reading in readings where !(80..<90).contains(readings.firstIndex(of: reading)!) {
      try oneByOne.tell([reading])
    }
    try oneByOne.tell(readings)
    #expect(inOneGo.journal.trips.count == (stop == .fiveMinutes ? 2 : 1))
    #expect(inOneGo.journal.trips == oneByOne.journal.trips)
    let fixes = readings.compactMap { if case .fix(let fix) = $0 { fix } else { nil } }
    let recording = try #require(Recording(fixes: fixes))
    #expect(recording.events(geofences: [], tripTypeId: "trip-type", stop: stop).count == inOneGo.journal.trips.count)
  }
}
