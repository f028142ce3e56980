import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("Messages and tables", .timeLimit(.minutes(10)))
struct MessageReaderTests {
  func read(_ text: String) throws -> TrackFile { try TrackFile(reading: Array(text.utf8)) }

  static let start = Date(timeIntervalSince1970: 1_709_283_789)

  @Test func `a message of OwnTracks is converted to metres per second`() throws {
    let file = try read(
      #"{"_type":"location","tid":"RO","tst":"1709283789","lat":52.225,"lon":13.332,"acc":10,"alt":36,"vel":18,"cog":98,"topic":"owntracks/u/d","motionactivities":["automotive","stationary"]}"#
    )
    #expect(file.format == .ownTracks)
    #expect(file.tracks.map(\.name) == ["owntracks/u/d"])
    #expect(
      file.locations == [
        Location(
          coordinate: Coordinate(latitude: 52.225, longitude: 13.332), horizontalAccuracy: 10, timestamp: Self.start,
          altitude: 36, speed: 5, course: 98)
      ])
    #expect(file.activities == [MotionActivity(state: .automotive, confidence: .medium, timestamp: Self.start)])
  }

  @Test func `OwnTracks messages that are not positions are skipped`() throws {
    let file = try read(
      """
      {"_type":"location","tst":1709283790,"lat":1,"lon":2,"vel":-1,"cog":-1,"acc":0,"t":"p"}
      {"_type":"transition","event":"leave","lat":9,"lon":9,"tst":1709283789}
      {"_type":"lwt","tst":"1709283789"}
      {"_type":"location","tst":1709283789,"lat":91,"lon":2}
      {"_type":"location","lat":1,"lon":2}
      {"lat":1}
      {"_type":"location","tst":17
      {"_type":"transition"}
      {"_type":"location","tst":1709283789,"lat":1,"lon":2}
      """)
    #expect(file.skippedMessages == ["transition": 2, "lwt": 1])
    #expect(file.skippedPoints == 1)
    #expect(file.skippedPointsWithTime == 1)
    #expect(file.unreadableTimes == 1)
    #expect(file.problems.map(\.place).sorted() == ["line 4", "line 5", "line 6", "line 7"])
    #expect(file.problemCount == 4)
    // The message that arrived late is sorted by time.
    #expect(file.locations.map(\.timestamp) == [Self.start, Self.start + 1])
    #expect(file.locations[1].speed == nil)
    #expect(file.locations[1].course == nil)
    #expect(file.locations[1].horizontalAccuracy == -1)
  }

  @Test func `the complete lines of an OwnTracks recording are read and the others reported`() throws {
    let file = try read(
      "2024-03-01T09:03:09Z\t*                 \t{\"_type\":\"location\",\"tst\":1709283789,\"lat\":1,\"lon\":2}\r\n"
        + "2024-03-01T09:03:10Z\tlwt               \t{\"_type\":\"lwt\",\"tst\":\"17\"}\n"
        + "2024-03-01T09:03:10Z\tcmd               \tdump\n\n"
        + "2024-03-01T09:03:11Z\t*                 \t{\"_type\":\"loca\nnonsense\n")
    #expect(file.format == .ownTracksRecording)
    #expect(file.pointCount == 1)
    #expect(file.skippedMessages == ["lwt": 1, "cmd": 1])
    #expect(file.problems.map(\.place) == ["line 5", "line 6"])
  }

  @Test func `the valid locations of an Overland batch are read`() throws {
    let file = try read(
      #"""
      {"locations":[
       {"type":"Feature","geometry":{"type":"Point","coordinates":[-122.030581,37.3318]},"properties":
        {"timestamp":"2024-03-01T01:03:09-0800","altitude":0,"speed":4,"course":90,"horizontal_accuracy":30,
         "vertical_accuracy":-1,"motion":["driving","stationary"],"device_id":"phone"}},
       {"type":"Feature","geometry":null,"properties":{"action":"will_terminate","timestamp":"2024-03-01T01:03:09Z"}},
       {"type":"Feature","geometry":{"type":"Point","coordinates":[200,37]},"properties":{"timestamp":"2024-03-01T01:03:09Z"}},
       {"type":"Feature","geometry":{"type":"Point","coordinates":["x"]},"properties":{"timestamp":"2024-03-01T01:03:09Z"}},
       7, {"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"timestamp":"soon"}},
       {"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":
        {"timestamp":"2024-03-01T09:03:09Z","speed":-1,"course":-1,"horizontal_accuracy":-1,"altitude":12,
         "vertical_accuracy":-1,"motion":["walking","cycling"],"device_id":"phone"}}
      ],"current":{},"trip":null}
      """#)
    #expect(file.format == .overland)
    #expect(file.locations.map(\.timestamp) == [Self.start, Self.start])
    #expect(file.locations[0].speed == 4)
    #expect(file.locations[0].altitude == nil)
    #expect(file.locations[1].altitude == 12)
    #expect(file.locations[1].speed == nil)
    #expect(file.locations[1].course == nil)
    #expect(file.locations[1].horizontalAccuracy == -1)
    #expect(file.activities.map(\.state) == [.automotive, .cycling])
    #expect(file.activities.map(\.confidence) == [.medium, .low])
    #expect(file.skippedMessages == ["will_terminate": 1])
    #expect(
      file.problems.map(\.place) == ["locations[2]", "locations[3]", "locations[4]", "locations[5]"])
    #expect(file.problems.first?.reason == "invalid coordinates (latitude 37.0, longitude 200.0)")
  }

  @Test func `a GeoJSON line has its times in coordTimes`() throws {
    let file = try read(
      #"""
      {"type":"Feature","geometry":{"type":"LineString","coordinates":[[2,1,7],[3,1],[4,95],[5,1]]},
       "properties":{"name":"Way","coordTimes":["2024-03-01T09:03:09Z",1709283790,"1709283791000",null]}}
      """#)
    #expect(file.format == .geoJSON)
    #expect(file.tracks.map(\.name) == ["Way"])
    #expect(file.locations.map(\.timestamp) == [Self.start, Self.start + 1])
    #expect(file.points.count == 3)
    #expect(file.points[0].altitude == 7)
    #expect(file.skippedPoints == 1)
    #expect(file.problems.map(\.place) == ["the feature, coordinates[2]"])
  }

  @Test(
    "several lines are segments, with times in one list or in lists",
    arguments: ["[[1709283789,1709283790],[1709283791]]", "[1709283789,1709283790,1709283791]"])
  func multiLine(times: String) throws {
    let file = try read(
      "{\"features\":[{\"properties\":{\"coordTimes\":\(times)},\"geometry\":{\"type\":\"MultiLineString\","
        + "\"coordinates\":[[[1,1],[2,2]],[[3,3]]]},\"type\":\"Feature\"}],\"type\":\"FeatureCollection\"}")
    #expect(file.segments.map { $0.points.map(\.timestamp) } == [[Self.start, Self.start + 1], [Self.start + 2]])
    #expect(file.problems.isEmpty)
  }

  @Test func `incomplete times are ignored with a report`() throws {
    let file = try read(
      #"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[2,1],[3,1]]},"properties":{"coordTimes":[1]}}"#
    )
    #expect(file.points.count == 2)
    #expect(file.locations.isEmpty)
    #expect(file.problems.map(\.reason) == ["1 times for 2 positions: the times were ignored"])
  }

  @Test func `a GeoJSON position may be text and its time may have another name`() throws {
    let feature = #"{"type":"Feature","geometry":{"type":"Point","coordinates":["5.5","52.25"]},"properties":"#
    let text = #"{"type":"FeatureCollection","features":["# + feature + #"{"recorded_at":"2026-06-15T10:30:00Z"}}]}"#
    let file = try TrackFile(reading: Array(text.utf8))
    #expect(file.points.map(\.coordinate) == [Coordinate(latitude: 52.25, longitude: 5.5)])
    #expect(file.points.first?.timestamp == RFC3339.date(from: "2026-06-15T10:30:00Z"))
  }

  @Test func `GeoJSON points with a time are fixes, without one they are waypoints`() throws {
    func point(_ longitude: Int, _ properties: String) -> String {
      "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(longitude),1]},\"properties\":{\(properties)}}"
    }
    let fixes = [
      point(2, "\"timestamp\":1709283790,\"accuracy\":\"5\",\"velocity\":\"3\""), point(1, "\"timestamp\":1709283789"),
    ].joined(separator: ",")
    let file = try read("{\"type\":\"FeatureCollection\",\"features\":[\(fixes)]}")
    #expect(file.points.map(\.coordinate.longitude) == [1, 2])
    #expect(file.points.map(\.horizontalAccuracy) == [nil, 5])
    // The unit of `velocity` is not defined.
    #expect(file.points[1].speed == nil)
    let marks = try read("{\"type\":\"FeatureCollection\",\"features\":[\(point(1, "\"name\":\"Home\""))]}")
    #expect(marks.waypoints.map(\.name) == ["Home"])
    #expect(marks.points.isEmpty)
  }

  @Test func `KML placemarks with a time span are stays and paths`() throws {
    let file = try read(
      """
      <kml><Document>
      <Placemark><name>Home</name><TimeSpan><begin>2024-03-01T09:03:09Z</begin><end>2024-03-01T10:03:09Z</end></TimeSpan>
      <Point><coordinates>13.3,52.2,0</coordinates></Point></Placemark>
      <Placemark><name>Driving</name><TimeSpan><begin>2024-03-01T10:03:09Z</begin><end>2024-03-01T11:03:09Z</end></TimeSpan>
      <LineString><coordinates> 13.3,52.2,0
        13.4,52.3 13.5,99 13.5,52.4 </coordinates></LineString></Placemark>
      </Document></kml>
      """)
    #expect(file.tracks.map(\.name) == ["Home", "Driving"])
    #expect(file.points.map(\.timestamp) == [0, 3600, 3600, nil, 7200].map { $0.map { Self.start + $0 } })
    #expect(file.skippedPoints == 1)
  }

  @Test func `KML points with a timestamp are the track if there is no other`() throws {
    func mark(_ time: String, _ longitude: Int) -> String {
      "<Placemark><TimeStamp><when>\(time)</when></TimeStamp><Point><coordinates>\(longitude),1</coordinates></Point></Placemark>"
    }
    let file = try read(
      "<kml>\(mark("2024-03-01T09:03:10Z", 2))\(mark("2024-03-01T09:03:09Z", 1))\(mark("2024-03", 3))</kml>")
    #expect(file.locations.map(\.coordinate.longitude) == [1, 2])
    #expect(file.waypoints.count == 1)
    #expect(file.unreadableTimes == 1)
  }

  @Test func `a gx track whose times and positions do not match has no times`() throws {
    let file = try read(
      "<kml><Placemark><Track><when>2024-03-01T09:03:09Z</when><coord>1 2 3</coord><coord>2 2 3</coord></Track></Placemark></kml>"
    )
    #expect(file.points.count == 2)
    #expect(file.locations.isEmpty)
    #expect(file.problems.map(\.reason) == ["1 times for 2 positions: the times were ignored"])
  }

  static func sentence(_ body: String) -> String {
    let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return "$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n"
  }

  @Test func `NMEA times continue across midnight`() throws {
    let file = try read(
      [
        "GPRMC,235959.00,A,0100.0000,N,00200.0000,W,10.0,90.0,311223,,,A",
        "GPGGA,235959.00,0100.0000,N,00200.0000,W,1,08,2.0,5.0,M,1.5,M,,",
        "GPGGA,000001.00,0100.0000,N,00200.0000,W,1,08,1.0,5.0,M,0.0,M,,",
        "GPRMC,000002.00,V,,,,,,,010124,,,N", "GPGGA,000003.00,0100.0000,N,00200.0000,W,0,08,1.0,5.0,M,0.0,M,,",
        "GPGLL,0100.0000,N,00200.0000,W,000004.00,A,A", "GPRMC,000005,A,0100.0000,S,00200.0000,E,,,010199,,",
      ].map(Self.sentence).joined() + "$GPRMC,000006.00,A,0100.0000,N\r\n")
    let midnight = try #require(RFC3339.date(from: "2024-01-01T00:00:00Z"))
    #expect(
      file.locations.map { $0.timestamp.timeIntervalSince(midnight) }.suffix(3) == [-1, 1, 4])
    #expect(file.firstTime == RFC3339.date(from: "1999-01-01T00:00:05Z"))
    #expect(file.locations[0].coordinate == Coordinate(latitude: -1, longitude: 2))
    #expect(file.locations[1].altitude == 6.5)
    #expect(file.locations[1].horizontalAccuracy == 10)
    #expect(abs(try #require(file.locations[1].speed) - 5.144444) < 1e-5)
    #expect(file.skippedMessages == ["RMC without a fix": 1, "GGA without a fix": 1])
    #expect(file.problems == [ImportProblem(place: "line 8", reason: "the sentence has no checksum")])
  }

  @Test(
    "a position without a date has the last known date or the next one",
    arguments: [
      (["GPRMC,235958.00,A,0100.0000,N,00200.0000,W,,,311223,,,A"], [-2.0, -1, 1, 2]),
      (["GPZDA,235958.00,31,12,2023,00,00"], [-1, 1, 2]),
      (["GPRMC,235958.00,V,,,,,,,311223,,,N"], [-1, 1, 2]),
    ])
  func midnight(first: [String], seconds: [Double]) throws {
    func gga(_ time: String) -> String { "GPGGA,\(time),0100.0000,N,00200.0000,W,1,08,2.0,5.0,M,1.5,M,," }
    let midnight = try #require(RFC3339.date(from: "2024-01-01T00:00:00Z"))
    let rolled = try read((first + [gga("235959.00"), gga("000001.00"), gga("000002.00")]).map(Self.sentence).joined())
    #expect(rolled.locations.map { $0.timestamp.timeIntervalSince(midnight) } == seconds)
    // A new date arrives before the last position of the previous date is complete.
    for told in ["GPZDA,000003.00,01,01,2024,00,00", "GPRMC,000003.00,V,,,,,,,010124,,,N"] {
      let file = try read((first + [gga("235959.00"), told, gga("000004.00")]).map(Self.sentence).joined())
      #expect(file.locations.map { $0.timestamp.timeIntervalSince(midnight) }.suffix(2) == [-1, 4])
    }
  }

  @Test func `tables of GPSLogger and tables with knots are read by their column names`() throws {
    let file = try read(
      "time,lat,lon,elevation,accuracy,bearing,speed,satellites\n2024-03-01T09:03:09.000Z,1,2,3,4,5,6,7\n"
        + "2024-03-01T09:03:10.000Z,\"1\",2,3\n2024-03-01T09:03:10.000Z,1\n2024-03-01T09:03:10.000Z,,2,,,,,\nx,1,2,,,,,\n"
    )
    #expect(file.locations.map(\.speed) == [6, nil])
    #expect(file.locations[0].course == 5)
    #expect(file.locations[0].horizontalAccuracy == 4)
    #expect(file.problems.map(\.place) == ["line 4", "line 5", "line 6"])
    let other = try read(
      "timestamp_ms;speed_knots;latitude;longitude;activity;confidence\n1709283789000;10;1;2;running;50\n")
    #expect(abs(try #require(other.locations.first?.speed) - 5.144444) < 1e-5)
    #expect(other.locations.first?.timestamp == Self.start)
    #expect(other.activities == [MotionActivity(state: .running, confidence: .medium, timestamp: Self.start)])
  }

  @Test(
    "an incomplete document is an error with its position",
    arguments: [
      ("{\"type\":\"FeatureCollection\",\"features\":[\n{\"type\":\"Feature\"", true), ("{\"locations\":[{]}", false),
      ("{\"_type\":\"location\",\"tst\":}", false),
    ])
  func broken(text: String, isTruncated: Bool) throws {
    let error = try #require(throws: InterchangeError.self) { try read(text) }
    switch error {
    case .truncated(let line, let column, _, _): #expect(isTruncated && line == 2 && column == 18)
    case .malformed: #expect(!isTruncated)
    case .unknownColumns, .unknownFormat: #expect(text.hasPrefix("{\"locations"))
    case .ambiguousDates, .noSuchColumn, .undecided, .notTheData, .unreadable: Issue.record("\(error)")
    }
  }

  @Test func `all problems are counted and the first hundred listed`() throws {
    let file = try read("t,lat,lon\n" + String(repeating: "1709283789,100,0\n", count: 250))
    #expect(file.problemCount == 250)
    #expect(file.problems.count == 100)
    #expect(file.skippedPoints == 250)
  }
}
