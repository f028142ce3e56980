import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting
import TrendyTrips

/// Returns the fixes of a commute: five minutes at home, a drive of ten minutes, an hour at the destination, and the
/// drive home.
private func commute() -> [Location] {
  stride(from: 0.0, through: 300, by: 20).map { fix($0) }
    + drive(speed: 14, start: 320, end: 920)
    + stride(from: 940.0, through: 4540, by: 60).map { fix($0, east: 8400) }
    + drive(from: 8400, speed: -14, start: 4560, end: 5160)
    + stride(from: 5180.0, through: 6380, by: 60).map { fix($0) }
}

/// Returns more accurate fixes with the same timestamps, all at one position.
private func surer(_ fixes: [Location], east: Double = 0) -> [TrackReading] {
  fixes.map { known in
    var right = fix(0, east: east, accuracy: 3)
    right.timestamp = known.timestamp
    return .fix(right)
  }
}

/// A quarter of an hour at another position with few fixes, which looks like a trip until more accurate fixes show that
/// the user was at home.
private enum Errand {
  static let rest = stride(from: 0.0, through: 900, by: 30).map { fix($0) }
  static let away =
    [900, 1800, 2600, 3300].enumerated().map { fix(1000 + Double($0.offset) * 30, east: $0.element) }
    + stride(from: 1120.0, through: 1900, by: 30).map { fix($0, east: 3310) }
  static let told = (rest + away).map { TrackReading.fix($0) }
}

@Suite("TrackReader and edits of the user", .timeLimit(.minutes(10)))
struct TrackReaderPersonTests {
  private static let home = Geofence(
    id: "home", name: "Home", latitude: DriveScenarios.homeLat, longitude: DriveScenarios.homeLng, radius: 100,
    eventTypeEntryId: "visit-type")

  private func device(_ geofences: [Geofence] = []) -> LiveDevice {
    LiveDevice(geofences: geofences, now: at(6400))
  }

  @Test func `a commute makes two trips and two visits, the last one open until the user leaves`() throws {
    let device = device([Self.home])
    try device.tell(commute().map { .fix($0) })
    let trips = device.journal.trips
    #expect(trips.count == 2)
    #expect(trips.allSatisfy { abs(($0.properties["distance"]?.doubleValue ?? 0) - 8400) < 300 })
    let visits = device.journal.visits
    #expect(visits.map(\.locationName) == ["Home", "Home"])
    #expect(visits.first?.endDate != nil)
    let open = try #require(visits.last)
    #expect(open.endDate == nil && open.properties["Entered At"] != nil)
    #expect(abs(open.timestamp.timeIntervalSince(at(5150))) < 30)
    try device.tell(drive(speed: 14, start: 6400, end: 7000).map { .fix($0) })
    let closed = try #require(device.journal.visits.last)
    #expect(closed.id == open.id)
    let seconds = try #require(closed.properties["Duration"]?.doubleValue)
    #expect(abs(seconds - (try #require(closed.endDate)).timeIntervalSince(open.timestamp)) < 0.01 && seconds > 1200)
  }

  @Test func `two devices that arrive at a place together each end their own visit`() throws {
    let device = LiveDevice(geofences: [Self.home], now: at(9000))
    let arrival = stride(from: 0.0, through: 300, by: 20).map { TrackReading.fix(fix($0)) }
    func tell(_ name: String, _ readings: [TrackReading]) throws {
      _ = try device.store.append(readings, device: name)
      try device.reader.read(device: name)
    }
    let stay = stride(from: 360.0, through: 900, by: 60).map { TrackReading.fix(fix($0)) }
    for name in ["phone", "watch"] { try tell(name, arrival) }
    try tell("watch", stay)
    try tell("phone", drive(speed: 14, start: 320, end: 920).map { .fix($0) })
    try tell("watch", drive(speed: 14, start: 920, end: 1520).map { .fix($0) })
    let ends = device.journal.visits.compactMap(\.endDate).sorted()
    #expect(device.journal.visits.count == 2 && ends.count == 2, "\(device.journal.visits)")
    #expect(ends.first.map { abs($0.timeIntervalSince(at(320))) < 60 } == true)
    #expect(ends.last.map { abs($0.timeIntervalSince(at(920))) < 60 } == true)
  }

  @Test func `a gap ends a trip and opens the visit of a stationary phone`() async throws {
    let device = LiveDevice(geofences: [Self.home], now: at(5171))
    try device.tell(commute().filter { $0.timestamp <= at(5170) }.map { .fix($0) })
    #expect(device.journal.trips.count == 1)
    #expect(device.journal.visits.count == 1)
    await device.clock.advance(by: .seconds(7300))
    let changes = try device.reader.readAll()
    #expect(changes.created.count == 2, "the trip that silence closed, and the visit that began unseen")
    #expect(device.journal.trips.last?.endDate.map { $0 <= at(5170) } == true)
    #expect(try device.reader.readAll().isEmpty)
    try device.tell(commute().map { .fix($0) })
    #expect(device.journal.trips.count == 2 && device.journal.visits.count == 2)
  }

  @Test func `a late fix moves the end of a trip and updates its event`() throws {
    let device = device()
    let fixes = commute()
    try device.tell(fixes.filter { !(at(700)..<at(950)).contains($0.timestamp) }.map { .fix($0) })
    let before = try #require(device.journal.trips.first)
    let changes = try device.tell(fixes.map { .fix($0) })
    #expect(changes.created.isEmpty && changes.deleted.isEmpty)
    let after = try #require(device.journal.trips.first)
    #expect(after.id == before.id)
    #expect(after.properties["distance"] != before.properties["distance"] || after.endDate != before.endDate)
  }

  @Test("a trip whose start moves and moves back keeps its event", arguments: ["with Anna", nil])
  func movingBack(notes: String?) throws {
    let device = device()
    let drive = drive(speed: 14, start: 320, end: 920)
    let rest = stride(from: 940.0, through: 4540, by: 60).map { fix($0, east: 8400) }
    let (early, late) = (drive.filter { $0.timestamp < at(600) }, drive.filter { $0.timestamp >= at(600) })
    try device.tell((late + rest).map { .fix($0) })
    let first = try #require(device.journal.trips.first)
    try device.tell(early.map { .fix($0) })
    let longer = try #require(device.journal.trips.first)
    #expect(longer.id == first.id && longer.timestamp < first.timestamp)
    device.journal.edit(first.id) { $0.notes = notes }
    // More accurate fixes from this period show that the trip had not started yet.
    let truth = early.map { wrong in
      var right = late[0]
      right.horizontalAccuracy = 3
      right.timestamp = wrong.timestamp
      return TrackReading.fix(right)
    }
    #expect(try device.tell(truth).deleted.isEmpty)
    let trips = device.journal.trips
    #expect(trips.map(\.id) == [first.id] && trips.map(\.timestamp) == [first.timestamp])
    #expect(trips.map(\.notes) == [notes])
    #expect(try device.reader.explanation(eventId: first.id)?.isPersonal == false)
  }

  @Test func `the user's additions to a trip are kept and its times still follow late fixes`() throws {
    let device = device()
    let fixes = commute()
    try device.tell(fixes.filter { !(at(700)..<at(950)).contains($0.timestamp) }.map { .fix($0) })
    let before = try #require(device.journal.trips.first)
    device.journal.edit(before.id) {
      $0.notes = "with Anna"
      $0.properties["classification"] = PropertyValue(type: .text, value: "business")
    }
    try device.tell(fixes.map { .fix($0) })
    let after = try #require(device.journal.trips.first)
    #expect(after.notes == "with Anna" && after.properties["classification"]?.stringValue == "business")
    #expect(after.properties["route"] != before.properties["route"])
  }

  /// After the deletion, more readings arrive, and detection first finds a single trip that includes the deleted one.
  @Test(
    "deleting a trip removes no other trip, whatever arrives late", arguments: [11, 3, 27] as [UInt64])
  func deletedAmongPieces(seed: UInt64) throws {
    let fixes = SimulatedDay(seed: seed, world: .railway, recorder: .tracker).fixes
    let pieces = (0..<8).map { piece in
      fixes[(fixes.count * piece / 8)..<(fixes.count * (piece + 1) / 8)].map { TrackReading.fix($0) }
    }
    let now = try #require(fixes.last).timestamp + 86_400
    let quiet = LiveDevice(now: now)
    try quiet.tell(fixes.map { .fix($0) })

    let device = LiveDevice(now: now)
    try device.tell(pieces[6])
    let deleted = try #require(device.journal.trips.first)
    device.journal.remove(deleted.id)
    for piece in [0, 1, 2, 3, 4, 5, 7] { try device.tell(pieces[piece]) }
    func span(_ trip: Event) -> ClosedRange<Date> { trip.timestamp...(trip.endDate ?? .distantFuture) }
    let others = quiet.journal.trips.filter { !span($0).overlaps(span(deleted)) }
    #expect(device.journal.trips.map(span) == others.map(span))
  }

  @Test func `a trip whose times the user has edited is never updated again`() throws {
    let device = device()
    let fixes = commute()
    try device.tell(fixes.filter { !(at(700)..<at(950)).contains($0.timestamp) }.map { .fix($0) })
    let id = try #require(device.journal.trips.first).id
    device.journal.edit(id) { $0.endDate = at(777) }
    let edited = try #require(device.journal.trips.first)
    try device.tell(fixes.map { .fix($0) })
    try device.reader.readAgain()
    #expect(device.journal.trips.first == edited)
    #expect(device.journal.trips.count == 2)
    #expect(try device.reader.explanation(eventId: id)?.isPersonal == true)
  }

  @Test func `a trip that the user deleted stays deleted, even with another start`() throws {
    let device = device()
    let fixes = commute()
    try device.tell(fixes.filter { $0.timestamp >= at(400) || $0.timestamp < at(250) }.map { .fix($0) })
    let id = try #require(device.journal.trips.first).id
    device.journal.remove(id)
    try device.tell(fixes.map { .fix($0) })
    #expect(device.journal.trips.count == 1)
    try device.reader.readAgain()
    try device.reader.readAgain(since: at(300))
    #expect(device.journal.trips.count == 1)
  }

  @Test func `a trip that late fixes disprove is deleted unless the user has edited it`() throws {
    for isHeld in [false, true] {
      let device = device()
      try device.tell(Errand.told)
      let trip = try #require(device.journal.trips.first)
      if isHeld { device.journal.edit(trip.id) { $0.notes = "I was there" } }
      let changes = try device.tell(surer(Errand.away))
      #expect(device.journal.trips.map(\.id) == (isHeld ? [trip.id] : []))
      #expect(changes.deleted == (isHeld ? [] : [trip.id]))
      #expect(try device.reader.readAgain().isEmpty)
    }
  }

  @Test func `an edit made while a trip is updated is kept`() throws {
    let fixes = commute()
    func written(again act: @escaping @Sendable (TestJournal, String) -> Void) throws -> (before: Event, after: Event?)
    {
      let device = device()
      try device.tell(fixes.filter { !(at(700)..<at(950)).contains($0.timestamp) }.map { .fix($0) })
      let before = try #require(device.journal.trips.first)
      device.journal.beforeNextWrite { act($0, before.id) }
      try device.tell(fixes.map { .fix($0) })
      #expect(try device.reader.readAgain().isEmpty)
      #expect(device.journal.trips.count == (device.journal.trips.contains { $0.id == before.id } ? 2 : 1))
      return (before, device.journal.trips.first { $0.id == before.id })
    }
    let set = try written { journal, id in journal.edit(id) { $0.endDate = at(777) } }
    #expect(set.after?.endDate == at(777) && set.after?.properties == set.before.properties)
    let noted = try written { journal, id in journal.edit(id) { $0.notes = "with Anna" } }
    #expect(noted.after?.notes == "with Anna")
    #expect(noted.after?.properties["route"] != noted.before.properties["route"])
    #expect(try written { $0.remove($1) }.after == nil)
  }

  @Test("a crash at any point neither leaves a withdrawn trip nor prevents a later one", arguments: [0, 1])
  func crashWhileTakenBack(kind: Int) throws {
    let surely = Errand.away.map { known in
      var fix = known
      fix.horizontalAccuracy = 2
      return TrackReading.fix(fix)
    }
    var count = 0
    while true {
      var device = device()
      try device.tell(Errand.told)
      #expect(device.journal.trips.count == 1)
      if kind == 0 { device.store.end(afterCalls: count) } else { device.journal.end(afterWrites: count) }
      let hasEnded = (try? device.tell(surer(Errand.away))) == nil
      device.journal.end(afterWrites: nil)
      device.restart()
      try device.tell(surer(Errand.away))
      #expect(device.journal.trips.isEmpty, "ended after \(count)")
      try device.tell(surely)
      #expect(device.journal.trips.count == 1, "ended after \(count)")
      if !hasEnded { break }
      count += 1
    }
    #expect(count > (kind == 0 ? 5 : 0))
  }

  @Test("a trip whose deletion a crash interrupted is deleted by the next pass", arguments: [true, false])
  func crashAfterDateWasSetBack(isSetBack: Bool) async throws {
    var device = device()
    let rest = commute().filter { $0.timestamp <= at(4540) }
    try device.tell(rest.map { .fix($0) })
    #expect(device.journal.trips.count == 1)
    // No fixes arrive after the drive home, so a tick ends the trip two hours later.
    let back = drive(from: 8400, speed: -14, start: 4560, end: 5160)
    try device.tell(back.map { .fix($0) })
    await device.clock.advance(by: .seconds(7300))
    try device.reader.readAll()
    #expect(device.journal.trips.count == 2)
    let now = device.clock.now
    // According to the clock, the drive home has not ended yet, so its trip is deleted. The process is killed after it
    // has saved the intent to delete the trip and before it deletes the trip.
    device.clock.setDate(isSetBack ? now - 365 * 86_400 : at(5200))
    device.journal.end(afterWrites: 0)
    #expect(throws: TestJournal.Ended.self) { try device.reader.readAll() }
    device.journal.end(afterWrites: nil)
    device.restart()
    try device.reader.readAll()
    #expect(device.journal.trips.count == 1)
    device.clock.setDate(now)
    try device.reader.readAll()
    #expect(device.journal.trips.count == 2)
  }

  @Test func `a trip that the user edits while it is being deleted is kept`() throws {
    let device = device()
    try device.tell(Errand.told)
    let trip = try #require(device.journal.trips.first)
    device.journal.beforeNextWrite { journal in journal.edit(trip.id) { $0.notes = "I was there" } }
    #expect(try device.tell(surer(Errand.away)).deleted.isEmpty)
    #expect(device.journal.trips.map(\.notes) == ["I was there"])
  }

  @Test func `a visit that the user ended does not prevent later visits, even if it is disproved`() throws {
    for isThere in [true, false] {
      let device = device([Self.home])
      let stay = stride(from: 0.0, through: 300, by: 20).map { fix($0) }
      try device.tell(stay.map { .fix($0) })
      let id = try #require(device.journal.visits.first).id
      device.journal.edit(id) { $0.endDate = at(200) }
      if !isThere {
        try device.tell(surer(stay, east: 3000))
      }
      try device.tell(commute().filter { $0.timestamp > at(300) }.map { .fix($0) })
      #expect(device.journal.visits.map(\.endDate) == [at(200), nil], "\(isThere)")
      #expect(try device.reader.readAgain().isEmpty)
    }
  }

  @Test func `moving or removing a place does not change its earlier visits`() throws {
    let device = device([Self.home])
    try device.tell(commute().map { .fix($0) })
    let before = device.journal.visits
    device.journal.set(geofences: [])
    try device.reader.readAgain()
    #expect(device.journal.visits == before)
    var moved = Self.home
    moved.longitude += 1
    device.journal.set(geofences: [moved])
    try device.reader.readAgain()
    #expect(device.journal.visits == before)
  }

  @Test func `a stop at a skip place does not end the trip`() throws {
    let office = Geofence(
      id: "gate", name: "School gate", latitude: DriveScenarios.homeLat,
      longitude: DriveScenarios.homeLng + 8400 / 68_770, radius: 100, role: "skip")
    let device = device([office])
    try device.tell(commute().map { .fix($0) })
    #expect(device.journal.trips.count == 1)
    #expect(device.journal.visits.isEmpty, "a skip place that records no visits has none")
  }

  @Test func `an explanation lists the decisions`() throws {
    let device = device()
    try device.tell(commute().map { .fix($0) })
    let trip = try #require(device.journal.trips.first)
    let explanation = try #require(try device.reader.explanation(eventId: trip.id))
    #expect(explanation.device == "phone" && explanation.isSettled && !explanation.isPersonal)
    #expect(explanation.start == trip.timestamp && explanation.end == trip.endDate)
    #expect(explanation.decisions.map(\.rule).first == .departed)
    #expect(explanation.decisions.map(\.rule).last == .stopped)
    #expect(explanation.readings > 30)
    #expect(try device.reader.explanation(eventId: "nothing") == nil)
  }
}

@Suite("TrackReader with trip commands", .timeLimit(.minutes(10)))
struct TrackReaderCallTests {
  private func call(_ kind: TripCommand.Kind, _ seconds: Double) -> TrackReading {
    .call(TripCommand(kind: kind, timestamp: at(seconds)))
  }

  private func told(_ calls: [TrackReading], _ fixes: [Location], now: Double) throws -> [Event] {
    let device = LiveDevice(now: at(now))
    try device.tell(fixes.map { .fix($0) } + calls)
    let events = device.journal.events
    // Readings that arrive one at a time lead to the same events.
    let other = LiveDevice(now: at(now))
    for reading in (fixes.map { .fix($0) } + calls).sorted(by: { $0.timestamp < $1.timestamp }) {
      try other.tell([reading])
    }
    #expect(DetectionRunnerTests.content(other.journal.events) == DetectionRunnerTests.content(events))
    return events
  }

  @Test func `start and end commands make a trip with few fixes between them`() throws {
    let fixes = [fix(0), fix(300, east: 4000), fix(600, east: 8000)]
    let events = try told([call(.start, 0), call(.end, 600)], fixes, now: 20_000)
    let trip = try #require(events.first)
    #expect(events.count == 1)
    #expect(trip.timestamp == at(0) && trip.endDate == at(600))
    #expect(abs((trip.properties["distance"]?.doubleValue ?? 0) - 8000) < 50)
  }

  @Test func `a start within half an hour resumes the trip, finalize ends it and cancel discards it`() throws {
    let fixes = (0...20).map { fix(Double($0) * 60, east: Double($0) * 600) }
    #expect(
      try told([call(.start, 0), call(.end, 600), call(.start, 660), call(.end, 1200)], fixes, now: 20_000).count == 1)
    #expect(
      try told(
        [call(.start, 0), call(.end, 600), call(.finalize, 610), call(.start, 660), call(.end, 1200)], fixes,
        now: 20_000
      ).count == 2)
    #expect(try told([call(.start, 0), call(.end, 600)], fixes, now: 1300).isEmpty, "it may still go on")
    #expect(try told([call(.start, 0), call(.end, 600), call(.finalize, 610)], fixes, now: 1300).count == 1)
    #expect(try told([call(.start, 0), call(.cancel, 600)], fixes, now: 20_000).isEmpty)
  }

  @Test func `a commanded drive is not detected a second time and a later walk is still detected`() throws {
    let drive = stride(from: 0.0, through: 600, by: 15).map { fix($0, east: $0 * 12) }
    let there = stride(from: 660.0, through: 1800, by: 60).map { fix($0, east: 7200) }
    let walk = stride(from: 1815.0, through: 2700, by: 15).map { fix($0, east: 7200, north: ($0 - 1800) * 1.4) }
    let rest = stride(from: 2760.0, through: 3600, by: 60).map { fix($0, east: 7200, north: 1260) }
    let fixes = drive + there + walk + rest
    let alone = try told([], fixes, now: 20_000)
    #expect(alone.count == 2)
    let events = try told([call(.start, 0), call(.end, 600)], fixes, now: 20_000)
    #expect(events.count == 2)
    #expect(events.first?.timestamp == at(0) && events.first?.endDate == at(600))
    #expect(events.last == alone.last)
    // Commands that arrive late replace the detected trip.
    let device = LiveDevice(now: at(20_000))
    try device.tell(fixes.map { .fix($0) })
    try device.tell([call(.start, 0), call(.end, 600), call(.finalize, 620)])
    #expect(DetectionRunnerTests.content(device.journal.events) == DetectionRunnerTests.content(events))
  }

  @Test func `a trip without an end command ends at the last movement before a gap`() throws {
    let fixes = (0...20).map { fix(Double($0) * 60, east: Double($0) * 600) }
    #expect(try told([call(.start, 0)], fixes, now: 8000).isEmpty)
    let events = try told([call(.start, 0)], fixes, now: 8500)
    #expect(events.map(\.endDate) == [at(1200)])
  }
}
