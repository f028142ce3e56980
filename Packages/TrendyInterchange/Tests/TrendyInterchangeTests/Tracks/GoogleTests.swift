import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("Google location history", .timeLimit(.minutes(10)))
struct GoogleTests {
  typealias Read = (records: [InterchangeRecord], places: [String])

  static func read(_ text: String, step: Int = 7) throws -> Read {
    let bytes = Array(text.utf8)
    var position = 0
    // Small chunks, so that values extend across chunk boundaries.
    let input = ByteInput {
      defer { position = min(bytes.count, position + step) }
      return Array(bytes[position..<min(bytes.count, position + step)])
    }
    let format = try #require(try InterchangeFormat.detect(ByteInput(bytes)), "\(text.prefix(60))")
    var result: Read = ([], [])
    try format.read(input, FormatTableTests.options) {
      result.records.append($0)
      result.places.append($1)
    }
    return result
  }

  static func events(_ records: [InterchangeRecord]) -> [ExternalEvent] {
    records.compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  static func path(_ records: [InterchangeRecord]) -> [Location] {
    records.flatMap { record -> [Location] in
      guard case .path(let fixes, _) = record else { return [] }
      return fixes
    }
  }

  static func skipped(_ records: [InterchangeRecord]) -> [String: Int] {
    records.reduce(into: [:]) { if case .skip(let what, let count) = $1 { $0[what, default: 0] += count } }
  }

  static func bad(_ records: [InterchangeRecord]) -> [String] {
    records.compactMap { if case .bad(let reason) = $0 { reason } else { nil } }
  }

  static func date(_ text: String) throws -> Date { try #require(RFC3339.date(from: text)) }

  // MARK: Records.json

  @Test func `a fix has its device and its time to the millisecond, and a lost sign is restored`() throws {
    let (records, _) = try Self.read(JourneySamples.records)
    guard case .fix(let first, let device) = records[0], case .fix(let second, let other) = records[1] else {
      Issue.record("\(records)")
      return
    }
    #expect(device == "Google -71234567" && other == "Google")
    #expect(first.coordinate == Coordinate(latitude: 52.123, longitude: -4.321))
    #expect(first.timestamp == (try Self.date("2022-05-01T06:10:11.500Z")))
    #expect(first.horizontalAccuracy == 22 && first.altitude == nil)
    #expect(second.coordinate == Coordinate(latitude: 40.7, longitude: -74))
    #expect(second.timestamp.timeIntervalSince1970 == 1_555_555_555.555)
    #expect(second.altitude == 12 && second.speed == 7 && second.course == 358)
    #expect(Self.skipped(records) == ["entry without a position": 1])
  }

  @Test(
    "an invalid position is rejected with its path and unusual numbers are read",
    arguments: [
      (#""latitudeE7":"521230000","longitudeE7":51000000.0"#, true),
      (#""latitudeE7":900000001,"longitudeE7":0"#, false), (#""latitudeE7":521230000"#, false),
      (#""latitudeE7":-900000000,"longitudeE7":1800000000"#, true),
      (#""latitudeE7":4294967295,"longitudeE7":4294967295"#, true),
      (#""latitudeE7":99999999999999999999,"longitudeE7":1"#, false), (#""latitudeE7":1e999,"longitudeE7":1"#, false),
    ])
  func edges(members: String, isTaken: Bool) throws {
    let (records, places) = try Self.read(
      "{\"y\":null,\"locations\":[{\"timestamp\":\"2020-02-29T23:59:59Z\",\(members)}],\"x\":[1,{\"a\":\"]}\"}]}")
    #expect(records.count == 1)
    if isTaken {
      guard case .fix = records.first else {
        Issue.record("\(records)")
        return
      }
    } else {
      #expect(Self.bad(records).count == 1, "\(records)")
      #expect(places == ["locations[0]"])
    }
  }

  @Test(
    "times with any number of digits are read",
    arguments: [
      ("2020-02-29T23:59:59.9Z", 1_583_020_799.9), ("2016-12-31T00:00:00.123456Z", 1_483_142_400.123),
      ("1999-03-31T12:00:00Z", 922_881_600), ("2022-05-01T08:10:11.25+02:00", 1_651_385_411.25),
    ])
  func times(text: String, seconds: Double) throws {
    let (records, _) = try Self.read("{\"locations\":[{\"latitudeE7\":1,\"longitudeE7\":1,\"timestamp\":\"\(text)\"}]}")
    guard case .fix(let fix, _) = records.first else {
      Issue.record("\(records)")
      return
    }
    #expect(abs(fix.timestamp.timeIntervalSince1970 - seconds) < 0.0006)
  }

  @Test func `a truncated file gives its complete entries and the position of its end`() throws {
    let text = JourneySamples.records
    let cut = String(text.prefix(upTo: try #require(text.range(of: "\"timestampMs\"")).lowerBound))
    let format = try #require(InterchangeFormat.named("google-records"))
    var records: [InterchangeRecord] = []
    let error = #expect(throws: InterchangeError.self) {
      try format.read(ByteInput(Array(cut.utf8)), FormatTableTests.options) { record, _ in records.append(record) }
    }
    guard case .truncated(4, _, _, 2)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(records.count == 2 && Self.skipped(records).count == 1, "\(records)")
  }

  // MARK: Semantic months

  @Test func `a month has visits with their places and trips with their routes`() throws {
    let (records, _) = try Self.read(JourneySamples.month)
    let events = Self.events(records)
    try #require(events.count == 2)
    #expect(events[0].typeName == "Visit" && events[0].locationName == "Bakery")
    #expect(events[0].coordinate == Coordinate(latitude: 52.0907, longitude: 5.1214))
    #expect(events[0].properties["address"]?.stringValue == "Oudegracht 1, Utrecht")
    #expect(events[0].timestamp == (try Self.date("2022-05-02T07:00:00.123Z")))
    #expect(events[0].endDate == (try Self.date("2022-05-02T07:30:00Z")))
    #expect(events[1].typeName == "Trip" && events[1].source == .trip)
    #expect(events[1].properties["distance"]?.doubleValue == 38_500)
    #expect(events[1].properties["duration"]?.doubleValue == 1800)
    #expect(events[1].properties["mode"]?.stringValue == "passenger vehicle")
    #expect(events[1].route.count == 3)
    #expect(Self.path(records).map(\.horizontalAccuracy) == [10])
    #expect(Self.skipped(records) == ["nested visit": 1])
  }

  @Test(
    "a missing position is replaced by the next best one",
    arguments: [
      (#""location":{},"centerLatE7":520000000,"centerLngE7":50000000"#, 52.0),
      (#""location":{},"otherCandidateLocations":[{"latitudeE7":510000000,"longitudeE7":50000000}]"#, 51.0),
    ])
  func positions(members: String, latitude: Double) throws {
    let text = """
      \u{FEFF}{"timelineObjects": [{"placeVisit": {\(members),"duration":{"startTimestamp":"1651476600","endTimestamp":1651478400}}}]}
      """
    let events = Self.events(try Self.read(text).records)
    #expect(events.first?.coordinate?.latitude == latitude)
    #expect(events.first?.timestamp.timeIntervalSince1970 == 1_651_476_600)
  }

  @Test(
    "movement on foot is an event of its kind and travel by vehicle is a trip",
    arguments: [
      (#""activityType":"WALKING""#, "Walking"), (#""activityType":"IN_TRAIN""#, "Trip"),
      (
        #""activities":[{"activityType":"CYCLING","probability":80},{"activityType":"IN_BUS","probability":12}]"#,
        "Cycling"
      ),
      (#""activities":[{"activityType":"WALKING","probability":0.0}],"waypointPath":{"travelMode":"WALK"}"#, "Walking"),
      (#""activityType":"UNKNOWN_ACTIVITY_TYPE""#, "Movement"), (#""activityType":"FLYING""#, "Trip"),
    ])
  func kinds(members: String, type: String) throws {
    let text = """
      {"timelineObjects":[{"activitySegment":{"startLocation":{},"endLocation":{},\(members),
      "duration":{"startTimestamp":"2013-12-01T07:05:14.222Z","endTimestamp":"2013-12-01T07:11:13.214Z"}}}]}
      """
    let event = try #require(Self.events(try Self.read(text).records).first)
    #expect(event.typeName == type)
    #expect((event.source == .trip) == (type == "Trip"))
  }

  // MARK: Phone exports

  @Test func `a trip of Android has the points of the surrounding block of hours`() throws {
    let (records, _) = try Self.read(JourneySamples.android)
    let events = Self.events(records)
    let visit = try #require(events.first { $0.typeName == "Visit" })
    #expect(visit.locationName == "Home" && visit.timeZone == "Etc/GMT-2")
    let trip = try #require(events.first { $0.typeName == "Trip" })
    #expect(trip.route.map(\.latitude) == [52.0907, 52.1, 52.2, 52.3702])
    #expect(trip.timestamp == (try Self.date("2026-05-02T07:00:00Z")))
    #expect(Self.path(records).map(\.horizontalAccuracy) == [-1, -1, 15])
    #expect(Self.skipped(records) == ["raw signal wifiScan": 1])
  }

  @Test func `the iPhone's format is read and points of the same minute keep their order`() throws {
    let (records, _) = try Self.read(JourneySamples.ios)
    let events = Self.events(records)
    #expect(events.map(\.typeName).sorted() == ["Cycling", "Visit"])
    #expect(events.first { $0.typeName == "Visit" }?.locationName == "Work")
    let way = try #require(events.first { $0.typeName == "Cycling" })
    #expect(way.properties["distance"]?.doubleValue == 38_500 && way.source == nil)
    #expect(way.route.map(\.latitude) == [52.0907, 52.2, 52.3, 52.3702])
    let path = Self.path(records)
    #expect(path.map(\.coordinate.latitude) == [52.1, 52.2, 52.3])
    #expect(
      path.map(\.timestamp) == [
        try Self.date("2026-05-02T08:00:00Z"), try Self.date("2026-05-02T09:01:00Z"),
        try Self.date("2026-05-02T09:01:30Z"),
      ])
    #expect(Self.skipped(records) == ["nested visit": 1, "trip memory": 1])
  }

  @Test(
    "all notations of positions are read",
    arguments: [
      #"{"latLng":"52.5°, -1.25°"}"#, #"{"latLng":"52.5\#u{B0}, -1.25\#u{B0}"}"#, #""geo:52.5,-1.25""#,
      #""52.5, -1.25""#, #"{"latLng":"geo:52.5,-1.25"}"#,
    ])
  func spellings(place: String) throws {
    let text = """
      {"semanticSegments":[{"startTime":"2026-05-02T06:00:00Z","endTime":"2026-05-02T09:00:00Z",
      "visit":{"topCandidate":{"placeLocation":\(place)}}}]}
      """
    #expect(
      Self.events(try Self.read(text).records).first?.coordinate == Coordinate(latitude: 52.5, longitude: -1.25))
  }

  @Test func `a stay with an invalid end is read without it, and a segment has both its visit and its path`() throws {
    let (records, _) = try Self.read(
      """
      {"semanticSegments":[{"startTime":"2026-05-02T06:00:00Z","endTime":"2026-05-02T05:00:00Z",
      "visit":{"topCandidate":{"placeLocation":"geo:1,2"}},
      "timelinePath":[{"point":"geo:1,2","time":"2026-05-02T06:10:00Z"}]}]}
      """)
    #expect(Self.events(records).count == 1 && Self.bad(records).count == 1)
    #expect(records.contains { if case .path(let fixes, _) = $0 { fixes.count == 1 } else { false } })
  }

  @Test(
    "an entry without a position or time is rejected",
    arguments: [
      #"{"startTime":"2026-05-02T06:00:00Z","endTime":"2026-05-02T07:00:00Z","visit":{"topCandidate":{"placeLocation":"geo:"}}}"#,
      #"{"endTime":"2026-05-02T07:00:00Z","visit":{"topCandidate":{"placeLocation":"geo:1,2"}}}"#, #"{"a":1,"a":2}"#,
    ])
  func refused(segment: String) throws {
    let (records, places) = try Self.read("{\"semanticSegments\":[\(segment)]}")
    #expect(Self.bad(records).count == 1 && places == ["semanticSegments[0]"], "\(records)")
  }

  @Test func `a stay has the same key in every file`() throws {
    let keys = try [JourneySamples.month, JourneySamples.android, JourneySamples.ios].map { text in
      Set(Self.events(try Self.read(text).records).map(\.key))
    }
    #expect(Set(keys.joined()).count == keys.map(\.count).reduce(0, +))
    let shifted = JourneySamples.android.replacing("2026-05-02T06:00:00.000+02:00", with: "2026-05-02T04:00:00Z")
    #expect(Set(Self.events(try Self.read(shifted).records).map(\.key)) == keys[1])
  }

  // MARK: Other files

  @Test(
    "other files of an export are reported by name",
    arguments: [
      ("{\"timelineEdits\":[{\"deviceId\":\"1\"}]}", "on the phone"), ("{}", "an empty JSON document"), ("[]", "empty"),
      ("{\"createdTime\":\"2018\",\"deviceSettings\":[{}]}", "the settings of Google's Timeline"),
      ("You have encrypted Timeline backups stored.", "on the phone"), ("%PDF-1.4", "a PDF"),
      ("<!DOCTYPE html><html><title>Google Data Export Archive Contents</title></html>", "index page"),
      ("[{\"header\":\"Maps\",\"title\":\"Searched\",\"titleUrl\":\"x\"}]", "My Activity"), ("", "an empty file"),
    ])
  func notTheData(text: String, words: String) throws {
    #expect(try InterchangeFormat.detect(ByteInput(Array(text.utf8))) == nil)
    let error = #expect(throws: InterchangeError.self) { _ = try TrackFile(reading: Array(text.utf8)) }
    #expect("\(try #require(error))".contains(words), "\(String(describing: error))")
  }

  @Test func `a Takeout is read in any language, and one without the history reports where it is`() throws {
    let files = HealthFolderTests.files([
      "Takeout/Locatiegeschiedenis/Records.json": JourneySamples.records,
      "Takeout/Locatiegeschiedenis/Semantisch/2022/2022_MEI.json": JourneySamples.month,
      "Takeout/Locatiegeschiedenis/Settings.json": "{\"deviceSettings\":[]}",
    ])
    let format = try #require(try InterchangeFormat.detect(in: files))
    var records: [InterchangeRecord] = []
    try format.read(files, FormatTableTests.options) { record, _ in records.append(record) }
    #expect(Self.events(records).count == 2 && Self.bad(records).isEmpty)
    #expect(Self.skipped(records)["the settings of Google's Timeline"] == 1)
    let without = HealthFolderTests.files([
      "Takeout/Tijdlijn/Settings.json": "{\"deviceSettings\":[]}", "Takeout/Drive/a.txt": "a",
    ])
    #expect(try InterchangeFormat.detect(in: without) == nil)
    #expect(without.description.contains("on the phone") && without.description.contains("Drive"))
  }
}
