import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("GPXReader", .timeLimit(.minutes(10)))
struct GPXReaderTests {
  func read(_ body: String) throws -> TrackFile {
    try TrackFile(reading: Array("<gpx version=\"1.1\" creator=\"me\">\(body)</gpx>".utf8))
  }

  func point(_ content: String, lat: String = "1", lon: String = "2") throws -> TrackPoint? {
    try read("<trk><trkseg><trkpt lat=\"\(lat)\" lon=\"\(lon)\">\(content)</trkpt></trkseg></trk>").points.first
  }

  @Test(
    "all notations of times are read",
    arguments: [
      ("2024-01-01T00:00:00Z", 0.0), ("2024-01-01T00:00:00.250Z", 0.25), ("2024-01-01T01:00:00+01:00", 0),
      ("2024-01-01T01:00:00+0100", 0), ("2024-01-01T01:00:00+01", 0), ("2024-01-01T00:00:00", 0),
      ("2024-01-01 00:00:00Z", 0), ("  2024-01-01T00:00:00Z\n", 0), ("2023-12-31T18:30:00-05:30", 0),
    ])
  func times(text: String, seconds: Double) throws {
    #expect(try point("<time>\(text)</time>")?.timestamp == Date(timeIntervalSince1970: 1_704_067_200 + seconds))
  }

  @Test(
    "a point with an unreadable time has none, and it is counted",
    arguments: [
      ("yesterday", 1), ("2024-13-01T00:00:00Z", 1), ("2024-01-01", 1), ("", 0),
    ])
  func badTimes(text: String, unreadable: Int) throws {
    let file = try read("<trk><trkseg><trkpt lat='1' lon='2'><time>\(text)</time></trkpt></trkseg></trk>")
    #expect(file.points.count == 1)
    #expect(file.points.first?.timestamp == nil)
    #expect(file.unreadableTimes == unreadable)
  }

  @Test(
    "a point with an invalid position is skipped and counted",
    arguments: [
      ("90.1", "0"), ("-91", "0"), ("0", "180.5"), ("0", "-181"), ("nan", "0"), ("inf", "0"), ("", "0"), ("0x10", "0"),
      ("1,5", "0"),
    ])
  func badPlaces(lat: String, lon: String) throws {
    let file = try read("<trk><trkseg><trkpt lat='\(lat)' lon='\(lon)'/><trkpt lat='1' lon='2'/></trkseg></trk>")
    #expect(file.skippedPoints == 1)
    #expect(file.points.count == 1)
    #expect(file.pointCount == 2)
  }

  @Test func `coordinates at the limits are valid`() throws {
    #expect(try point("", lat: "-90", lon: "180")?.coordinate == Coordinate(latitude: -90, longitude: 180))
    #expect(try point("", lat: " 90.000 ", lon: "-1.8e2")?.coordinate == Coordinate(latitude: 90, longitude: -180))
  }

  @Test func `a point without a position is skipped`() throws {
    #expect(try read("<trk><trkseg><trkpt/></trkseg></trk>").skippedPoints == 1)
  }

  @Test func `speed, course and accuracy are read from any extension`() throws {
    let point = try #require(
      try point(
        """
        <ele>12.5</ele><time>2024-01-01T00:00:00Z</time><hdop>1.6</hdop>
        <extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>13.9</gpxtpx:speed><gpxtpx:course>271</gpxtpx:course>
        </gpxtpx:TrackPointExtension></extensions>
        """))
    #expect(point.altitude == 12.5)
    #expect(point.speed == 13.9)
    #expect(point.course == 271)
    #expect(point.horizontalAccuracy == 8)
    #expect(try self.point("<extensions><acc>4</acc></extensions><hdop>9</hdop>")?.horizontalAccuracy == 4)
    #expect(try self.point("<speed>-1</speed><course>400</course>") == TrackPoint(coordinate: point.coordinate))
    #expect(point.location?.horizontalAccuracy == 8)
    #expect(try self.point("<time>2024-01-01T00:00:00Z</time>")?.location?.horizontalAccuracy == -1)
  }

  @Test func `a route is not a track`() throws {
    let file = try read(
      "<rte><name>R</name><rtept lat='1' lon='2'/><rtept lat='1' lon='3'><name>turn</name></rtept></rte><trk><trkseg/></trk>"
    )
    #expect(file.routes.map(\.name) == ["R"])
    #expect(file.routes[0].segments[0].points.count == 2)
    #expect(file.points.isEmpty)
    #expect(file.segments.count == 1)
    #expect(file.timeRemark == "the file contains no track points, so no trip can be detected")
  }

  @Test func `a file without times reports that it has no trips`() throws {
    let file = try read("<trk><trkseg><trkpt lat='1' lon='2'/><trkpt lat='1' lon='3'/></trkseg></trk>")
    #expect(file.timeRemark == "none of the 2 points has a time, so no trip can be detected")
    #expect(file.locations.isEmpty)
    #expect(file.firstTime == nil)
  }

  @Test func `names keep their characters and are trimmed`() throws {
    let file = try read("<trk><name> <![CDATA[Home & <b>away</b>]]> &#x1F697; </name><trkseg/></trk>")
    #expect(file.tracks[0].name == "Home & <b>away</b> 🚗")
  }

  @Test func `a truncated file is an error with its line and the number of points`() throws {
    let text =
      "<gpx>\n<trk><trkseg>\n" + (1...12).map { "<trkpt lat=\"1\" lon=\"\($0)\"/>\n" }.joined() + "<trkpt lat=\"1\" lo"
    let error = #expect(throws: InterchangeError.self) { try TrackFile(reading: Array(text.utf8)) }
    #expect(
      error
        == .truncated(line: 15, column: 18, reason: "the file ends inside the name of an attribute", pointsRead: 12))
    #expect(
      error?.description
        == "truncated at line 15 after 12 complete points: the file ends inside the name of an attribute")
    let (part, problem) = GPXReader.readPart(Array(text.utf8))
    #expect(part.points.count == 12)
    #expect(problem == error)
  }

  @Test func `a real file truncated at any byte is an error with its complete points counted`() throws {
    let bytes = try GPXSampleTests.resource("opentracks-pause-resume.gpx")
    var most = 0
    for length in 0..<(bytes.count - 1) {
      let error = try #require(throws: InterchangeError.self) { try TrackFile(reading: Array(bytes[..<length])) }
      #expect(error.pointsRead >= most, "cut at \(length)")
      most = error.pointsRead
      if case .malformed = error { Issue.record("cut at \(length): \(error)") }
    }
    #expect(most == 6)
  }

  @Test func `a malformed file is an error with its position and the number of points`() throws {
    let text = "<gpx><trk><trkseg>\n<trkpt lat='1' lon='2'></trkpt>\n<trkpt lat='1' lon='2'></trk>"
    #expect(
      throws: InterchangeError.malformed(
        line: 3, column: 24, reason: "</trk> instead of </trkpt>", pointsRead: 1)
    ) {
      try TrackFile(reading: Array(text.utf8))
    }
  }

  @Test(
    "files of other formats are reported by kind",
    arguments: [
      ("<!DOCTYPE html><html><body/></html>", "a web page"), ("<osm/>", "an XML file of <osm>"),
      ("{\"a\":1}", "an unsupported JSON file"),
      ("", "an empty file"), (" \n", "an empty file"), ("$GPRMC,1", "NMEA sentences without a valid checksum"),
      ("PK\u{3}\u{4}", "a ZIP archive"),
      ("plain words\n", "plain text"), ("<<", "a broken XML file"), ("a\u{0}b", "a binary file"),
    ])
  func otherFormats(text: String, seen: String) {
    #expect(ImportFormat.detect(Array(text.utf8)) == nil)
    #expect(throws: InterchangeError.unknownFormat(seen: seen)) { try TrackFile(reading: Array(text.utf8)) }
  }

  @Test func `a table without a track is an error that lists its columns`() {
    #expect(throws: InterchangeError.unknownColumns(["t", "lat"])) { try TrackFile(reading: Array("t,lat\n".utf8)) }
  }

  @Test(
    "the format is detected despite leading text",
    arguments: [
      "<gpx/>", "\u{FEFF}<?xml version='1.0'?><gpx/>", "<!-- hello -->\n<x:gpx xmlns:x='u'></x:gpx>",
      "<?xml version='1.0'?><!DOCTYPE gpx><gpx",
    ])
  func detects(text: String) { #expect(ImportFormat.detect(Array(text.utf8)) == (text.hasSuffix(">") ? .gpx : nil)) }
}
