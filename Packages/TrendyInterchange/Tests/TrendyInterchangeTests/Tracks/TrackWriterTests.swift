import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("Writing tracks", .timeLimit(.minutes(10)))
struct TrackWriterTests {
  static func track() throws -> TrackFile { try TrackFormsTests.read("emission-iphone-2016-02-22", "track.csv") }

  /// Checks that two lists of fixes are equal except for the rounding of the format.
  func expectSame(
    _ mine: [Location], _ theirs: [Location], seconds: Double, speed: Double, altitude: Double, accuracy: Double
  ) throws {
    try #require(mine.count == theirs.count)
    for (mine, theirs) in zip(mine, theirs) {
      #expect(abs(mine.timestamp.timeIntervalSince(theirs.timestamp)) <= seconds)
      #expect(abs(mine.coordinate.latitude - theirs.coordinate.latitude) < 1e-9)
      #expect(abs(mine.coordinate.longitude - theirs.coordinate.longitude) < 1e-9)
      #expect((mine.speed == nil) == (theirs.speed == nil))
      #expect(abs((mine.speed ?? 0) - (theirs.speed ?? 0)) <= speed)
      #expect((mine.altitude == nil) == (theirs.altitude == nil))
      #expect(abs((mine.altitude ?? 0) - (theirs.altitude ?? 0)) <= altitude)
      #expect(abs(mine.horizontalAccuracy - theirs.horizontalAccuracy) <= accuracy)
    }
  }

  @Test func `written GeoJSON points are read identically`() throws {
    let track = try Self.track()
    let file = try TrackFile(reading: GeoJSONWriter.writePoints(track.locations, activities: track.activities))
    #expect(file.format == .geoJSON)
    #expect(file.problems.isEmpty)
    try expectSame(file.locations, track.locations, seconds: 0.001, speed: 0.001, altitude: 0.001, accuracy: 0.01)
    #expect(file.activities.map(\.state) == track.activities.map(\.state))
    #expect(file.activities.map(\.confidence) == track.activities.map(\.confidence))
  }

  @Test func `a track is divided at gaps of five minutes and at a maximum length`() throws {
    func fixes(_ seconds: some Sequence<Int>) -> [Location] {
      seconds.map { second in
        Location(
          coordinate: Coordinate(latitude: 52, longitude: 4.9), horizontalAccuracy: 5,
          timestamp: Date(timeIntervalSince1970: 1_790_000_000 + Double(second)))
      }
    }
    func parts(_ fixes: [Location]) -> [Int] {
      var segmenter = TrackSegmenter()
      return (fixes.map { segmenter.take($0) } + [segmenter.finish()]).compactMap { $0?.count }
    }
    #expect(parts([]) == [])
    #expect(parts(fixes([0, 300, 601, 602])) == [2, 2])
    #expect(parts(fixes(0..<20_001)) == [20_000, 1])
  }

  @Test func `written GeoJSON lines keep positions, altitudes and times, and break at gaps`() throws {
    let fixes = try Self.track().locations
    let late = fixes.suffix(5).map { fix in
      var fix = fix
      fix.timestamp += 3600
      return fix
    }
    let name = "Home \"&\" away\u{1}\\ 🚗"
    let file = try TrackFile(reading: GeoJSONWriter.writeLines(fixes + late, name: name))
    #expect(file.tracks.map(\.name) == [name])
    let gaps = zip(fixes + late, (fixes + late).dropFirst()).count {
      $1.timestamp.timeIntervalSince($0.timestamp) > 300
    }
    #expect(file.segments.count == gaps + 1 && gaps >= 1)
    let bare = (fixes + late).map {
      Location(coordinate: $0.coordinate, horizontalAccuracy: -1, timestamp: $0.timestamp, altitude: $0.altitude)
    }
    try expectSame(file.locations, bare, seconds: 0.001, speed: 0, altitude: 0.001, accuracy: 0)
  }

  @Test func `a written recording is read identically except for rounding`() throws {
    let track = try Self.track()
    let file = try TrackFile(reading: OwnTracksWriter.writeRecording(track.locations, activities: track.activities))
    #expect(file.format == .ownTracksRecording)
    #expect(file.problems.isEmpty)
    try expectSame(file.locations, track.locations, seconds: 0.501, speed: 0.14, altitude: 0.501, accuracy: 0.501)
    #expect(file.activities.map(\.state) == track.activities.map(\.state))
  }

  @Test func `invalid values are omitted and no fixes give an empty file`() throws {
    let start = Date(timeIntervalSince1970: 1_709_283_789)
    let strange = [
      Location(coordinate: Coordinate(latitude: .nan, longitude: 0), horizontalAccuracy: 5, timestamp: start),
      Location(
        coordinate: Coordinate(latitude: 1, longitude: -0.000_000_1), horizontalAccuracy: .infinity, timestamp: start,
        altitude: .nan, speed: .infinity, course: -.infinity),
    ]
    for bytes in [GeoJSONWriter.writePoints(strange), OwnTracksWriter.writeRecording(strange)] {
      let file = try TrackFile(reading: bytes)
      #expect(
        file.locations == [
          Location(
            coordinate: Coordinate(latitude: 1, longitude: -0.000_000_1), horizontalAccuracy: -1, timestamp: start)
        ])
    }
    #expect(try TrackFile(reading: GeoJSONWriter.writeLines([])).points.isEmpty)
    #expect(OwnTracksWriter.writeRecording([]).isEmpty)
  }

  @Test func `each GPX point with an invalid position or time is reported`() throws {
    let file = try TrackFile(
      reading: Array(
        "<gpx><trk><trkseg><trkpt lat='1' lon='2'/><trkpt lat='100' lon='2'/><trkpt lat='1' lon='2'><time>x</time></trkpt></trkseg></trk></gpx>"
          .utf8))
    #expect(
      file.problems.map(\.description) == [
        "track point 2: invalid coordinates (latitude 100, longitude 2)",
        "track point 3: invalid time \"x\"",
      ])
  }

  @Test(
    "a number is a plain decimal without unnecessary digits, and an invalid one is omitted",
    arguments: [
      (0, "<ele>0</ele>"), (-0.000_1, "<ele>0</ele>"), (-0.5, "<ele>-0.5</ele>"), (10, "<ele>10</ele>"),
      (0.05, "<ele>0.05</ele>"), (1200, "<ele>1200</ele>"), (-12.999_9, "<ele>-13</ele>"),
      (999_999_999.999, "<ele>999999999.999</ele>"), (.nan, "\"><time>"), (1e12, "\"><time>"),
    ])
  func decimals(altitude: Double, element: String) {
    let fix = Location(
      coordinate: Coordinate(latitude: 52, longitude: 5), horizontalAccuracy: 5,
      timestamp: Date(timeIntervalSince1970: 0),
      altitude: altitude)
    #expect(String(decoding: GPXWriter.write([fix]), as: UTF8.self).contains(element))
  }

  @Test("a track written in pieces is read identically", arguments: ["gpx", "kml", "geojson", "rec"])
  func pieces(word: String) throws {
    let fixes = try Self.track().locations
    var writer = try #require(InterchangeFormat.named(word)?.trackWriter())
    let half = fixes.count / 2
    let text =
      writer.beginning() + writer.segment(Array(fixes[..<half]), name: "a & b")
      + writer.segment(Array(fixes[half...]), name: "a & b") + writer.ending()
    let file = try TrackFile(reading: Array(text.utf8))
    #expect(file.problems.isEmpty)
    try #require(file.locations.count == fixes.count)
    for (mine, theirs) in zip(file.locations, fixes) {
      #expect(abs(mine.timestamp.timeIntervalSince(theirs.timestamp)) <= (word == "rec" ? 0.5 : 0.001))
      #expect(abs(mine.coordinate.latitude - theirs.coordinate.latitude) < 1e-9)
      #expect(abs(mine.coordinate.longitude - theirs.coordinate.longitude) < 1e-9)
      guard word == "gpx" || word == "kml" else { continue }
      #expect(abs((mine.speed ?? -1) - (theirs.speed ?? -1)) <= 0.001)
      #expect(abs(mine.horizontalAccuracy - theirs.horizontalAccuracy) <= 0.01)
    }
  }
}
