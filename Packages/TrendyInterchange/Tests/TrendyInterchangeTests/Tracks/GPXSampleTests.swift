import Foundation
import Testing
import TrendyInterchange
import TrendyModels

/// Compares files written by real programs (`Resources/SOURCES.md`) with the counts of an independent reader.
@Suite("GPX files of real programs", .timeLimit(.minutes(10)))
struct GPXSampleTests {
  struct Expected: Decodable {
    var tracks: Int
    var segments: Int
    var points: Int
    var points_with_time: Int
    var waypoints: Int
    var first: String
    var last: String
    var length_m: Double?
  }

  static func resource(_ name: String) throws -> [UInt8] {
    let url = try #require(Bundle.module.url(forResource: "Resources/\(name)", withExtension: nil))
    return Array(try Data(contentsOf: url))
  }

  static func expected() throws -> [String: Expected] {
    try JSONDecoder().decode([String: Expected].self, from: Data(try resource("expect.json")))
  }

  static let names = [
    "gpxpy-around-visnjan-with-car", "gpxpy-cerknicko-jezero", "gpxpy-cerknicko-without-times",
    "gpxpy-korita-zbevnica", "gpxpy-mojstrovka", "movingpandas-bus-304", "opentracks-pause-resume",
    "opentracks-timezone",
  ]

  /// Returns the distance in metres on the ellipsoid, computed from the curvatures at the mean latitude. Accurate to
  /// 0.01 % for a few kilometres.
  static func hop(_ from: Coordinate, _ to: Coordinate) -> Double {
    let a = 6_378_137.0
    let e2 = 0.006_694_379_990_14
    let middle = (from.latitude + to.latitude) / 2 * .pi / 180
    let w = 1 - e2 * sin(middle) * sin(middle)
    let north = (to.latitude - from.latitude) * .pi / 180 * a * (1 - e2) / (w * w.squareRoot())
    let east = (to.longitude - from.longitude) * .pi / 180 * a * cos(middle) / w.squareRoot()
    return (north * north + east * east).squareRoot()
  }

  @Test("counts, times and length match those of an independent reader", arguments: names)
  func counts(name: String) throws {
    let expected = try #require(Self.expected()["\(name).gpx"])
    let file = try TrackFile(reading: try Self.resource("\(name).gpx"))
    #expect(file.format == .gpx)
    #expect(file.tracks.count == expected.tracks)
    #expect(file.segments.count == expected.segments)
    #expect(file.pointCount == expected.points)
    #expect(file.pointsWithTime == expected.points_with_time)
    #expect(file.waypoints.count == expected.waypoints)
    #expect(file.unreadableTimes == 0)
    let first = try #require(file.firstTime)
    let last = try #require(file.lastTime)
    #expect(abs(first.timeIntervalSince(try #require(RFC3339.date(from: expected.first)))) < 0.001)
    #expect(abs(last.timeIntervalSince(try #require(RFC3339.date(from: expected.last)))) < 0.001)
    if let length = expected.length_m {
      #expect(abs(file.lengthMeters(using: Self.hop) - length) <= length * 0.001)
    }
  }

  @Test func `points with invalid positions are skipped and counted`() throws {
    let file = try TrackFile(reading: try Self.resource("opentracks-pause-resume.gpx"))
    #expect(file.skippedPoints == 2)
    #expect(file.points.count == 4)
    #expect(file.points.map(\.coordinate.longitude) == [14, 14.001, 14.002, 14.003])
  }

  @Test func `names, elevations and creators are read`() throws {
    let file = try TrackFile(reading: try Self.resource("gpxpy-around-visnjan-with-car.gpx"))
    #expect(file.creator == "eTrex 20x")
    #expect(file.tracks.first?.name == "2020-12-18 07:24:29")
    #expect(file.points.allSatisfy { $0.altitude != nil })
    let marks = try TrackFile(reading: try Self.resource("gpxpy-cerknicko-jezero.gpx")).waypoints
    #expect(marks.map(\.name).prefix(3) == ["001", "BACK T TH", "BIRDS NEST"])
    #expect(marks[0].point.timestamp == RFC3339.date(from: "2010-08-05T14:23:59Z"))
  }

  @Test(
    "missing times are reported",
    arguments: zip(
      ["gpxpy-cerknicko-jezero", "gpxpy-cerknicko-without-times", "gpxpy-korita-zbevnica"],
      [
        nil, "291 of 296 points have no time and were not used for trips",
        "358 of 871 points have no time and were not used for trips",
      ]))
  func missingTimes(name: String, remark: String?) throws {
    let file = try TrackFile(reading: try Self.resource("\(name).gpx"))
    #expect(file.timeRemark == remark)
    #expect(file.locations.count == file.pointsWithTime)
  }

  @Test("a written file is read identically", arguments: names)
  func roundTrip(name: String) throws {
    let file = try TrackFile(reading: try Self.resource("\(name).gpx"))
    let again = try TrackFile(
      reading: GPXWriter.write(file.tracks, waypoints: file.waypoints, routes: file.routes))
    #expect(again.tracks.map(\.name) == file.tracks.map(\.name))
    #expect(again.segments.map(\.points.count) == file.segments.map(\.points.count))
    #expect(again.waypoints.map(\.name) == file.waypoints.map(\.name))
    for (mine, theirs) in zip(again.points, file.points) {
      #expect(abs(mine.coordinate.latitude - theirs.coordinate.latitude) < 1e-9)
      #expect(abs(mine.coordinate.longitude - theirs.coordinate.longitude) < 1e-9)
      #expect((mine.timestamp == nil) == (theirs.timestamp == nil))
      if let one = mine.timestamp, let other = theirs.timestamp { #expect(abs(one.timeIntervalSince(other)) <= 0.0005) }
      #expect(mine.altitude.map { ($0 * 1000).rounded() } == theirs.altitude.map { ($0 * 1000).rounded() })
    }
  }
}
