import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting
import TrendyTrips

/// Track log of one device, the runner that reads it, and the store to which detected events are written.
struct LiveDevice {
  let store = SimulatedTrackStore()
  let journal: TestJournal
  let clock: ManualClock
  private(set) var reader: DetectionRunner

  init(geofences: [Geofence] = [], now: Date) {
    journal = TestJournal(geofences: geofences)
    clock = ManualClock(now: now)
    reader = DetectionRunner(store: store, journal: journal, clock: clock)
  }

  @discardableResult
  func tell(_ readings: [TrackReading]) throws -> DetectionRunner.Changes {
    try _ = store.append(readings, device: "phone")
    return try reader.read(device: "phone")
  }

  mutating func restart() {
    store.restart()
    reader = DetectionRunner(store: store, journal: journal, clock: clock)
  }
}

@Suite("TrackReader", .timeLimit(.minutes(10)))
struct DetectionRunnerTests {
  static let days = ["emission-iphone-2016-02-22", "emission-shankari-2016-07-22", "gotrack-00033"]

  /// Reads a CSV file with lines of `t,lat,lon`, or with the longer lines of a phone day.
  static func readings(_ name: String) throws -> [TrackReading] {
    if name.hasPrefix("emission") {
      let day = try PhoneDayTests.Day(name)
      return day.motion.map { .motion($0) } + day.fixes.map { .fix($0) }
    }
    let url = try #require(Bundle.module.url(forResource: "Resources/\(name)", withExtension: "csv"))
    return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").dropFirst().map { line in
      let numbers = line.split(separator: ",").compactMap { Double($0) }
      return .fix(
        Location(
          coordinate: Coordinate(latitude: numbers[1], longitude: numbers[2]), horizontalAccuracy: -1,
          timestamp: Date(timeIntervalSince1970: numbers[0])))
    }
  }

  /// Returns places around the first fix, the fix a third of the way through the list, and the last fix.
  static func places(_ readings: [TrackReading]) -> [Geofence] {
    let fixes = readings.compactMap { if case .fix(let fix) = $0 { fix } else { nil } }
    return [0, fixes.count / 3, fixes.count - 1].enumerated().map { number, index in
      Geofence(
        id: "place-\(number)", name: "Place \(number)", latitude: fixes[index].coordinate.latitude,
        longitude: fixes[index].coordinate.longitude, radius: 150, eventTypeEntryId: "visit-type",
        eventTypeExitId: number == 1 ? "exit-type" : nil)
    }
  }

  static func end(_ readings: [TrackReading]) -> Date { readings.map(\.timestamp).max() ?? .distantPast }

  /// Returns the events of a day whose readings arrive all at once.
  static func wanted(_ readings: [TrackReading]) throws -> [Event] {
    let device = LiveDevice(geofences: places(readings), now: end(readings) + 86_400)
    try device.tell(readings)
    return device.journal.events
  }

  /// Removes the ids, because an event keeps the id of its first detected start. Everything else must be independent of
  /// the order of arrival.
  static func content(_ events: [Event]) -> [Event] {
    events.map { event in
      Event(
        id: "", eventTypeId: event.eventTypeId, timestamp: event.timestamp, endDate: event.endDate,
        sourceType: event.sourceType, geofenceId: event.geofenceId, locationLatitude: event.locationLatitude,
        locationLongitude: event.locationLongitude, locationName: event.locationName, properties: event.properties)
    }
  }

  @Test("the reader finds the trips of a recording", arguments: days)
  func recording(name: String) throws {
    let readings = try Self.readings(name)
    let events = try Self.wanted(readings)
    let trips = events.filter { $0.sourceType == .trip }
    let expected = TripDetector.trips(
      in: readings.compactMap { if case .fix(let fix) = $0 { fix } else { nil } },
      motion: readings.compactMap { if case .motion(let motion) = $0 { motion } else { nil } })
    #expect(trips.count == expected.count)
    for (trip, record) in zip(trips, expected) {
      #expect(abs(trip.timestamp.timeIntervalSince(record.trip.startTime)) < 0.01)
      #expect(
        abs((trip.properties["distance"]?.doubleValue ?? 0) - record.trip.distanceMeters) < 2, "\(record.trip.id)")
    }
  }

  @Test("readings one at a time with restarts give the same events", arguments: [days[0], days[2]])
  func oneByOne(name: String) throws {
    let readings = try Self.readings(name).sorted { $0.timestamp < $1.timestamp }
    var device = LiveDevice(geofences: Self.places(readings), now: Self.end(readings) + 86_400)
    for (number, reading) in readings.enumerated() {
      try device.tell([reading])
      if number % 31 == 0 { device.restart() }
    }
    try device.reader.readAll()
    let wanted = try Self.wanted(readings)
    #expect(Self.content(device.journal.events) == Self.content(wanted))
    // Repeated detection changes nothing, whether it starts at the beginning or later.
    #expect(try device.reader.readAgain().isEmpty)
    #expect(try device.reader.readAgain(since: readings[readings.count / 2].timestamp).isEmpty)
    #expect(try device.tell(readings).isEmpty)
  }

  @Test(
    "an interrupted repeated detection keeps the events and later readings continue", arguments: ["bus-304"])
  func endedAnywhere(name: String) throws {
    struct Ended: Error {}
    let readings = try Self.readings(name)
    let device = LiveDevice(geofences: Self.places(readings), now: Self.end(readings) + 86_400)
    try device.tell(readings)
    let events = device.journal.events
    var seen: [DetectionRunner.Progress] = []
    #expect(try device.reader.readAgain { seen.append($0) }.isEmpty)
    #expect(seen.count > 3 && seen.first?.done == 0)
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.done <= $1.done && $0.total == $1.total })
    let last = try #require(seen.last)
    #expect(last.done == last.total && last.total > 3600)
    for count in 0..<seen.count {
      var calls = 0
      #expect(throws: Ended.self) {
        try device.reader.readAgain { _ in
          if calls == count { throw Ended() }
          calls += 1
        }
      }
      #expect(device.journal.events == events)
      #expect(try device.reader.readAll().isEmpty)
      #expect(try device.store.unread(device: "phone") == nil)
    }
  }

  @Test("ticks between readings give the same events", arguments: [days[2]])
  func live(name: String) async throws {
    let readings = try Self.readings(name).sorted { $0.timestamp < $1.timestamp }
    let device = LiveDevice(geofences: Self.places(readings), now: readings[0].timestamp)
    for (reading, next) in zip(readings, readings.dropFirst()) {
      try device.tell([reading])
      var passed = 0.0
      let gap = next.timestamp.timeIntervalSince(reading.timestamp)
      while passed < gap {
        // A tick may end a trip during a gap, and the next reading may reopen it.
        let step = min(gap - passed, 3600)
        await device.clock.advance(by: .seconds(step))
        passed += step
        try device.reader.readAll()
      }
    }
    try device.tell([readings[readings.count - 1]])
    await device.clock.advance(by: .seconds(86_400))
    try device.reader.readAll()
    #expect(Self.content(device.journal.events) == Self.content(try Self.wanted(readings)))
  }

  @Test(
    "late readings in any order give the same events", arguments: zip(days, [1, 2, 3] as [UInt64]))
  func shuffled(name: String, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let readings = try Self.readings(name)
    let wanted = try Self.wanted(readings)
    var device = LiveDevice(geofences: Self.places(readings), now: Self.end(readings) + 86_400)
    var rest = readings.shuffled(using: &random)[...]
    if seed % 2 == 0 {
      // Almost in order: every fifth block of ten minutes arrives an hour late.
      rest =
        readings.sorted { left, right in
          func arrival(_ reading: TrackReading) -> Date {
            reading.timestamp + (Int(reading.timestamp.timeIntervalSince1970 / 600) % 5 == Int(seed) ? 3600 : 0)
          }
          return (arrival(left), left.timestamp) < (arrival(right), right.timestamp)
        }[...]
    }
    while !rest.isEmpty {
      let batch = rest.prefix(Int.random(in: 1...30, using: &random))
      rest = rest.dropFirst(batch.count)
      try device.tell(Array(batch))
      if Int.random(in: 0..<5, using: &random) == 0 { device.restart() }
    }
    #expect(Self.content(device.journal.events) == Self.content(wanted))
    #expect(try device.reader.readAgain().isEmpty)
  }

  @Test func `a late reading in a log of years is read from a nearby checkpoint`() throws {
    let readings = try Self.readings(Self.days[0])
    let device = LiveDevice(now: Self.end(readings) + 400 * 86_400)
    func day(_ number: Int) -> [TrackReading] {
      readings.map { reading in
        switch reading {
        case .fix(var fix):
          fix.timestamp += Double(number) * 86_400
          return .fix(fix)
        case .motion(var motion):
          motion.timestamp += Double(number) * 86_400
          return .motion(motion)
        case .call: return reading
        }
      }
    }
    for number in 0..<10 { try device.tell(day(number)) }
    let trips = device.journal.trips.count
    #expect(trips > 50)
    let writes = device.journal.writes
    // A week-old fix of a stationary phone changes nothing, and detection reads few readings to find that out.
    guard case .fix(var fix) = day(4)[readings.count - 1] else { return }
    fix.timestamp += 60
    #expect(try device.tell([.fix(fix)]).isEmpty)
    #expect(device.journal.writes == writes)
    let kept = try device.store.notes(.checkpoint, device: "phone", after: nil, isDescending: false, limit: 1000)
    #expect((2...10).contains(kept.count), "\(kept.count)")
    #expect(kept.contains { $0.time > fix.timestamp - 3 * 86_400 && $0.time < fix.timestamp })
  }

  @Test("a crash at any point leaves each trip exactly once", arguments: [0, 1])
  func crash(kind: Int) throws {
    let readings = try Self.readings("gotrack-00033")
    let half = readings.count / 2
    let wanted = try Self.wanted(readings)
    var count = 0
    while true {
      var device = LiveDevice(geofences: Self.places(readings), now: Self.end(readings) + 86_400)
      if kind == 0 { device.store.end(afterCalls: count) } else { device.journal.end(afterWrites: count) }
      var hasEnded = false
      do {
        try device.tell(Array(readings[half...]))
        try device.tell(Array(readings[..<(half / 2)]))
        try device.tell(Array(readings[(half / 2)..<half]))
      } catch {
        hasEnded = true
      }
      device.journal.end(afterWrites: nil)
      device.restart()
      // Readings that were not acknowledged are sent again.
      try device.tell(readings)
      #expect(Self.content(device.journal.events) == Self.content(wanted), "ended after \(count)")
      // Events that detection wrote are not mistaken for the user's edits.
      for event in device.journal.events {
        #expect(try device.reader.explanation(eventId: event.id)?.isPersonal == false, "ended after \(count)")
      }
      #expect(try device.reader.readAgain().isEmpty, "ended after \(count)")
      for event in device.journal.events {
        #expect(try device.reader.explanation(eventId: event.id)?.isPersonal == false, "ended after \(count)")
      }
      if !hasEnded { break }
      count += kind == 0 && count > 12 ? 3 : 1
    }
    #expect(count > (kind == 0 ? 20 : 2))
  }
}
