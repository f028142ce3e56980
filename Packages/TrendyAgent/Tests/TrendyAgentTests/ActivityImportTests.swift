import Foundation
import Testing
import TrendyInterchange
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting

@testable import TrendyAgent

/// Each activity is imported as one event, however many files contain it. A second import adds nothing.
@Suite("Imports of one activity from several sources", .timeLimit(.minutes(10)))
struct ActivityImportTests {
  private func withRecord(_ body: (DeviceRecord) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-activity-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(DeviceRecord(directory: folder, clock: ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000))))
  }

  private struct Counts: Equatable {
    var events = 0
    var fixes = 0
    var known = 0
  }

  /// Imports a file like the import command.
  @discardableResult
  private func take(_ text: String, into record: DeviceRecord, isDryRun: Bool = false) throws -> Counts {
    let bytes = Array(text.utf8)
    let options = ImportOptions(zone: .utc, now: record.clock.now)
    var request = ImportRequest(source: "a file", options: options, fingerprint: text)
    request.isDryRun = isDryRun
    let format = try #require(try InterchangeFormat.detect(ByteInput(bytes)))
    guard format.isReadAsRecords else {
      let track = try record.importTrack(bytes, request)
      return Counts(
        events: track.tripCount.new + track.visitCount.new + (track.workouts?.new[.event] ?? 0),
        fixes: track.fixCount.new,
        known: track.tripCount.known + track.visitCount.known + (track.workouts?.known ?? 0) + track.fixCount.known)
    }
    let report = try record.importRecords(ByteInput(bytes), as: format, request)
    return Counts(
      events: (report.new[.event] ?? 0) + report.found, fixes: report.newReadings,
      known: report.known + report.knownReadings)
  }

  /// Returns a GPX file with one track to the north. `speed` is in m/s, and `kind` is the content of the track's
  /// `<type>`.
  private static func gpx(speed: Double, kind: String? = nil, seconds: Int = 1800, step: Int = 10) -> String {
    let points = stride(from: 0, through: seconds, by: step).map { second in
      let time = RFC3339.string(from: Date(timeIntervalSince1970: 1_772_352_000 + Double(second)))
      return #"<trkpt lat="\#(52 + Double(second) * speed / 111_195)" lon="5"><time>\#(time)</time></trkpt>"#
    }
    let type = kind.map { "<type>\($0)</type>" } ?? ""
    return
      "<?xml version=\"1.0\"?><gpx version=\"1.1\" creator=\"x\"><trk>\(type)<trkseg>\(points.joined())</trkseg></trk></gpx>"
  }

  private static func tcx(speed: Double, sport: String, seconds: Int = 1800) -> String {
    let points = stride(from: 0, through: seconds, by: 10).map { second in
      let time = RFC3339.string(from: Date(timeIntervalSince1970: 1_772_352_000 + Double(second)))
      return "<Trackpoint><Time>\(time)</Time><Position><LatitudeDegrees>\(52 + Double(second) * speed / 111_195)"
        + "</LatitudeDegrees><LongitudeDegrees>5</LongitudeDegrees></Position></Trackpoint>"
    }
    return """
      <?xml version="1.0"?><TrainingCenterDatabase><Activities><Activity Sport="\(sport)"><Id>2026-03-01T08:00:00Z</Id>
      <Lap StartTime="2026-03-01T08:00:00Z"><TotalTimeSeconds>\(seconds)</TotalTimeSeconds><DistanceMeters>5010</DistanceMeters>
      <Calories>400</Calories><Track>\(points.joined())</Track></Lap></Activity></Activities></TrainingCenterDatabase>
      """
  }

  private func events(_ record: DeviceRecord) throws -> [Event] { try record.makeStore().fetchAllEvents() }

  @Test(
    "an activity in two files is one event in any order",
    arguments: [(2.8, "running", "Running"), (2.8, nil, "Running"), (7, "cycling", "Biking"), (7, nil, "Biking")]
      as [(Double, String?, String)],
    [false, true])
  func once(_ activity: (Double, String?, String), isGPXFirst: Bool) throws {
    let files = [Self.gpx(speed: activity.0, kind: activity.1), Self.tcx(speed: activity.0, sport: activity.2)]
    try withRecord { record in
      for file in isGPXFirst ? files : files.reversed() { try take(file, into: record) }
      let found = try events(record)
      #expect(found.count == 1)
      let event = try #require(found.first)
      // The event has the fields of the file with more data, and is not part of the mileage log.
      #expect(event.sourceType == .imported)
      #expect(event.properties["energy"]?.doubleValue == 400 && event.properties["distance"]?.doubleValue == 5010)
      for file in files { #expect(try take(file, into: record).events == 0) }
    }
  }

  @Test func `a drive is imported as a trip, whatever type its file has`() throws {
    for kind in [nil, "driving", "running"] as [String?] {
      try withRecord { record in
        try take(Self.gpx(speed: 20, kind: kind), into: record)
        #expect(try events(record).map(\.sourceType) == [.trip])
      }
    }
  }

  @Test func `fixes of one second are all stored, and duplicates the second time`() throws {
    let points = (0..<200).map { index in
      let time = RFC3339.string(from: Date(timeIntervalSince1970: 1_772_352_000 + Double(index / 10)))
      return #"<trkpt lat="\#(52 + Double(index) * 0.00003)" lon="5"><time>\#(time)</time></trkpt>"#
    }
    let file = "<gpx version=\"1.1\"><trk><trkseg>\(points.joined())</trkseg></trk></gpx>"
    try withRecord { record in
      let first = try take(file, into: record)
      let second = try take(file, into: record)
      #expect(first.fixes == 200 && second == Counts(known: 200))
    }
  }

  @Test func `an undone track import is listed, and restored by another import`() throws {
    try withRecord { record in
      let file = Self.gpx(speed: 20)
      try take(file, into: record)
      let entry = try #require(record.imports().last)
      #expect(entry.format == "gpx" && entry.madeCount == 1 && entry.finished != nil)
      let before = try events(record).map(\.id)
      #expect(try record.undoImport(entry).removed == 1)
      #expect(try events(record).isEmpty)
      #expect(try take(file, into: record, isDryRun: true).events == 1)
      #expect(try take(file, into: record).events == 1)
      #expect(try events(record).map(\.id) == before)
    }
  }

  @Test func `a trip that the user deleted stays deleted`() throws {
    try withRecord { record in
      let file = Self.gpx(speed: 20)
      try take(file, into: record)
      let id = try #require(try events(record).first?.id)
      try record.recorder.inOneSave { save in _ = try save.delete(.event, id: id) }
      #expect(try take(file, into: record, isDryRun: true).events == 0)
      #expect(try take(file, into: record).events == 0)
      #expect(try events(record).isEmpty)
    }
  }

  static let files = [
    gpx(speed: 20), gpx(speed: 2.8), tcx(speed: 2.8, sport: "Running"),
    "type,start,note\nA,2026-03-01T08:00:00Z,x\nA,2026-03-01T08:00:00Z,x\nB,2026-03-01,\n",
    """
    {"locations":[
    \((0..<180).map { second in
      #"{"latitudeE7":\#(521_000_000 + second * 18_000),"longitudeE7":51000000,"accuracy":5,"deviceTag":7,"timestamp":"\#(RFC3339.string(from: Date(timeIntervalSince1970: 1_772_352_000 + Double(second * 10))))"}"#
    }.joined(separator: ",\n"))]}
    """,
    """
    BEGIN:VCALENDAR
    BEGIN:VEVENT
    UID:a
    DTSTART:20260301T080000Z
    SUMMARY:One
    END:VEVENT
    BEGIN:VEVENT
    UID:a
    DTSTART:20260302T080000Z
    SUMMARY:Two
    END:VEVENT
    END:VCALENDAR
    """,
  ]

  @Test("a dry run counts like the real run, the first and the second time", arguments: files)
  func dryRun(file: String) throws {
    try withRecord { record in
      for _ in 0..<2 {
        let forecast = try take(file, into: record, isDryRun: true)
        #expect(try take(file, into: record) == forecast)
      }
      #expect(try take(file, into: record).events == 0)
    }
  }

  @Test(
    "an export adds nothing to its own store and creates equal events in another",
    arguments: ["ics", "csv", "json"])
  func own(word: String) throws {
    var exported = ""
    var before: [Event] = []
    try withRecord { record in
      try take(
        "type,start,end,note,amount\nCoffee,2026-03-01T08:00:00Z,,\"a, b\",2\nRun,2026-03-02,2026-03-03,,5.5\n"
          + "Nap,2026-03-03T12:00:00Z,2026-03-03T12:30:00Z,,\n", into: record)
      before = try events(record).sorted { $0.id < $1.id }
      let types = Dictionary(try record.makeStore().fetchAllEventTypes().map { ($0.id, $0) }) { first, _ in first }
      let context = ExportContext(types: types, propertyKeys: ["amount"], zone: .utc, now: record.clock.now) {
        time, _ in
        ZoneClock.utc.wall(at: time).day
      }
      let format = try #require(InterchangeFormat.named(word))
      var writer = try #require(format.eventWriter(context))
      exported = writer.beginning()
      for event in before { exported += try writer.text(of: event) }
      exported += writer.ending()
      #expect(try take(exported, into: record).events == 0)
      #expect(try events(record).count == 3)
    }
    try withRecord { record in
      try take(exported, into: record)
      let after = try events(record).sorted { $0.id < $1.id }
      #expect(after.map(\.id) == before.map(\.id))
      #expect(after.map(\.timestamp) == before.map(\.timestamp) && after.map(\.endDate) == before.map(\.endDate))
      #expect(after.map(\.notes) == before.map(\.notes) && after.map(\.properties) == before.map(\.properties))
      #expect(
        after.map(\.isAllDay) == before.map(\.isAllDay) && after.map(\.originalTitle) == before.map(\.originalTitle))
    }
  }
}
