import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting
import TrendyTrips

@Suite("Recording", .timeLimit(.minutes(10)))
struct RecordingTests {
  /// Track log and event store into which recordings are imported.
  struct Importer {
    let store = SimulatedTrackStore()
    let journal: TestJournal
    let reader: DetectionRunner

    init(geofences: [Geofence] = [], now: Date) {
      journal = TestJournal(geofences: geofences)
      reader = DetectionRunner(store: store, journal: journal, clock: ManualClock(now: now))
    }

    @discardableResult
    func take(_ recording: Recording) throws -> (kept: TrackAppend, changes: DetectionRunner.Changes) {
      try reader.take(recording.readings, device: recording.device)
    }
  }

  static func parts(_ readings: [TrackReading]) -> (fixes: [Location], motion: [MotionActivity]) {
    (
      readings.compactMap { if case .fix(let fix) = $0 { fix } else { nil } },
      readings.compactMap { if case .motion(let motion) = $0 { motion } else { nil } }
    )
  }

  /// Returns start and end in milliseconds, the resolution of the track log, and the distance in tens of metres.
  private static func outline(_ event: Event) -> [Double] {
    [
      (event.timestamp.timeIntervalSince1970 * 1000).rounded(),
      ((event.endDate?.timeIntervalSince1970 ?? 0) * 1000).rounded(),
      ((event.properties["distance"]?.doubleValue ?? 0) / 10).rounded(),
    ]
  }

  @Test(
    "a recording has the same trips with the same ids as its track, also when detected again",
    arguments: DetectionRunnerTests.days)
  func isTheTrack(day: String) throws {
    let readings = try DetectionRunnerTests.readings(day)
    let (fixes, motion) = Self.parts(readings)
    let places = DetectionRunnerTests.places(readings)
    let recording = try #require(Recording(fixes: fixes.reversed(), motion: motion))
    // The clock is set to the last reading, so that no trip ends because of a gap after it.
    let importer = Importer(geofences: places, now: DetectionRunnerTests.end(readings))
    let (kept, changes) = try importer.take(recording)
    #expect(kept.added == readings.count && kept.known == 0)
    #expect(Set(changes.created) == Set(importer.journal.events.map(\.id)))
    let alone = TripDetector.trips(in: fixes, motion: motion)
    #expect(!alone.isEmpty)
    #expect(importer.journal.trips.map(\.id) == alone.map(\.trip.id))
    #expect(
      importer.journal.trips.map(Self.outline) == alone.compactMap { $0.event(eventTypeId: "") }.map(Self.outline))
    // The preview of an import lists the same events.
    let announced = recording.events(geofences: places, tripTypeId: "trip-type", stop: .standard)
    #expect(announced.map(\.id) == importer.journal.events.map(\.id))
    #expect(announced.map(Self.outline) == importer.journal.events.map(Self.outline))
    #expect(try importer.reader.events(device: recording.device).map(\.id) == announced.map(\.id))
    // Importing the recording again and repeating detection change nothing.
    let events = importer.journal.events
    let again = try importer.take(recording)
    #expect(again.kept.added == 0 && again.kept.known == readings.count && again.changes.isEmpty)
    #expect(try importer.reader.readAgain().isEmpty)
    #expect(try importer.reader.readAll().isEmpty)
    #expect(importer.journal.events == events)
    #expect(try importer.reader.presences().isEmpty, "nothing goes on in it")
  }

  @Test(
    "trips imported by a version without a track log are not duplicated, and deleted ones stay deleted",
    arguments: [false, true])
  func wasImportedBefore(isDeleted: Bool) throws {
    let readings = try DetectionRunnerTests.readings("emission-iphone-2016-02-22")
    let (fixes, motion) = Self.parts(readings)
    let importer = Importer(now: DetectionRunnerTests.end(readings) + 86_400)
    // Older versions had no track log and stored only the events.
    let before = TripDetector.trips(in: fixes, motion: motion).compactMap { $0.event(eventTypeId: "trip-type") }
    #expect(before.count > 1)
    for event in before {
      #expect(try importer.journal.create(event))
      if isDeleted { importer.journal.remove(event.id) }
    }
    let recording = try #require(Recording(fixes: fixes, motion: motion))
    let changes = try importer.take(recording).changes
    #expect(changes.created.isEmpty && changes.deleted.isEmpty)
    #expect(importer.journal.trips.map(\.id) == (isDeleted ? [] : before.map(\.id)))
    #expect(try importer.reader.events(device: recording.device).count == before.count)
    #expect(try importer.reader.readAgain().created.isEmpty)
    #expect(importer.journal.trips.map(\.id) == (isDeleted ? [] : before.map(\.id)))
  }

  @Test func `a trip that the user has deleted or edited is not changed by importing again`() throws {
    let fixes = stride(from: 0.0, through: 600, by: 20).map { fix($0) } + drive(speed: 14, start: 620, end: 1220)
    let recording = try #require(Recording(fixes: fixes))
    for isDeleted in [true, false] {
      let importer = Importer(now: at(1220))
      try importer.take(recording)
      let id = try #require(importer.journal.trips.first).id
      if isDeleted { importer.journal.remove(id) } else { importer.journal.edit(id) { $0.endDate = at(1000) } }
      let events = importer.journal.events
      try importer.take(recording)
      try importer.reader.readAgain()
      #expect(importer.journal.events == events)
    }
  }

  @Test func `a longer copy of a recording extends the trip at the end of the first`() throws {
    let whole = stride(from: 0.0, through: 600, by: 20).map { fix($0) } + drive(speed: 14, start: 620, end: 1820)
    let importer = Importer(now: at(4000))
    try importer.take(try #require(Recording(fixes: whole.filter { $0.timestamp <= at(1200) })))
    let before = try #require(importer.journal.trips.first)
    #expect(before.endDate == whole.last { $0.timestamp <= at(1200) }?.timestamp)
    let longer = try #require(Recording(fixes: whole))
    let changes = try importer.take(longer).changes
    #expect(changes.updated == [before.id] && changes.created.isEmpty)
    #expect(importer.journal.trips.map(\.endDate) == [whole.last?.timestamp])
    #expect(
      try importer.journal.events == Event.wire(longer.events(geofences: [], tripTypeId: "trip-type", stop: .standard)))
    // Importing the shorter copy afterwards changes nothing.
    let changesOfShorter = try importer.take(try #require(Recording(fixes: whole.prefix(40)))).changes
    #expect(changesOfShorter.isEmpty)
  }

  @Test func `recordings of two receivers at the same time are stored separately`() throws {
    let phone = drive(speed: 14, start: 0, end: 900)
    let watch = drive(speed: 14, start: 0, end: 900).map { seen in
      var other = seen
      other.coordinate.latitude += 25 / 111_260
      other.horizontalAccuracy = 5
      return other
    }
    let importer = Importer(now: at(900))
    let recordings = [try #require(Recording(fixes: phone)), try #require(Recording(fixes: watch))]
    #expect(recordings[0].device != recordings[1].device)
    for recording in recordings {
      #expect(try importer.take(recording).kept.added == phone.count)
    }
    for (recording, fixes) in zip(recordings, [phone, watch]) {
      var held = 0
      try importer.store.forEach(device: recording.device, after: nil, through: nil) { _ in held += 1 }
      #expect(held == fixes.count)
    }
  }

  @Test(
    "a second copy of a drive with rounded times adds no trip, even if the first was deleted",
    arguments: [false, true])
  func twins(isDeleted: Bool) throws {
    let phone = drive(speed: 14, start: 0, end: 900).map { seen in
      var exact = seen
      exact.timestamp += 0.449
      return exact
    }
    // The second format rounds timestamps to seconds.
    let rounded = phone.map { seen in
      var other = seen
      other.timestamp = Date(timeIntervalSince1970: seen.timestamp.timeIntervalSince1970.rounded())
      return other
    }
    let importer = Importer(now: at(900))
    let first = try importer.take(try #require(Recording(fixes: phone))).changes
    let id = try #require(first.created.first)
    #expect(first.created.count == 1)
    if isDeleted { importer.journal.remove(id) }
    let recording = try #require(Recording(fixes: rounded))
    #expect(try importer.take(recording).changes.isEmpty)
    #expect(try importer.reader.events(device: recording.device).map(\.id) == [id])
    #expect(importer.journal.trips.count == (isDeleted ? 0 : 1))
    #expect(try importer.reader.readAgain().isEmpty)
    #expect(try importer.reader.events(device: recording.device).map(\.id) == [id])
    let later = drive(speed: 14, start: 3, end: 903)
    let created = try importer.take(try #require(Recording(fixes: later))).changes.created
    #expect(created.count == 1, "seconds apart are two")
  }

  @Test func `recordings with differently rounded coordinates have the same name, which no device has`() throws {
    var first = fix(0)
    first.coordinate = Coordinate(latitude: 52.1234512, longitude: -4.7654287)
    var rounded = first
    rounded.coordinate = Coordinate(latitude: 52.12345, longitude: -4.76543)
    let name = try #require(Recording(fixes: [first])).device
    #expect(name == Recording(fixes: [rounded])?.device)
    #expect(name == "recording 2024-01-01T00:00:00.000Z 52.12345 -4.76543")
    #expect(Recording.isRecording(device: name) && !Recording.isRecording(device: "phone"))
    #expect(Recording(fixes: []) == nil)
  }
}

extension Event {
  /// Rounds events to the precision of the wire format, as a store returns them.
  fileprivate static func wire(_ events: [Event]) throws -> [Event] {
    try events.map {
      Event(try WireJSON.decode(CreateEventRequest.self, from: WireJSON.encode($0.createRequest)))
    }
  }
}
