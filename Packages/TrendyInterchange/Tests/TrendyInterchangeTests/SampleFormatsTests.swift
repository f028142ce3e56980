import Foundation
import Testing
import TrendyInterchange
import TrendyModels

/// Compares files written by real programs with the results of other readers (`Resources/SOURCES.md`).
@Suite("Samples of other formats", .timeLimit(.minutes(10)))
struct SampleFormatsTests {
  static func read(_ name: String) throws -> TrackFile { try TrackFile(reading: GPXSampleTests.resource(name)) }

  @Test func `a location history with the newest fix first is sorted by time`() throws {
    let file = try Self.read("trackintel-google.csv")
    #expect(file.format == .csv)
    #expect(file.pointCount == 416)
    #expect(file.firstTime == RFC3339.date(from: "2012-12-18T11:53:30Z"))
    #expect(file.lastTime == RFC3339.date(from: "2012-12-18T21:30:35Z"))
    #expect(file.locations.map(\.timestamp) == file.locations.map(\.timestamp).sorted())
    #expect(abs(file.lengthMeters(using: GPXSampleTests.hop) - 48_024.93) < 48)
    #expect(file.remarks.isEmpty)
    #expect(file.tracks.map(\.name) == ["1"])
  }

  @Test func `times without a zone are read as UTC with a remark`() throws {
    let file = try Self.read("trackintel-posmo.csv")
    #expect(file.pointCount == 100)
    #expect(file.firstTime == RFC3339.date(from: "2019-01-25T20:00:16.178999901Z"))
    #expect(file.remarks == ["times without a zone are read as UTC"])
    // The logger writes 0 for a missing measurement.
    #expect(file.locations[0].horizontalAccuracy == -1)
    #expect(file.locations[4].horizontalAccuracy == 48)
  }

  @Test func `a line with a wrong checksum is rejected and counted`() throws {
    let file = try Self.read("pynmeagps-badchecksum.log")
    #expect(file.format == .nmea)
    #expect(file.rejectedLines == 1)
    #expect(file.problems == [ImportProblem(place: "line 2", reason: "wrong checksum")])
    #expect(file.skippedMessages == ["GSA": 4, "GSV": 1])
    let fix = try #require(file.locations.first)
    #expect(file.pointCount == 1)
    #expect(fix.timestamp == RFC3339.date(from: "2022-01-20T11:59:34Z"))
    #expect(abs(fix.coordinate.latitude - (53 + 27.03889 / 60)) < 1e-12)
    #expect(abs(fix.coordinate.longitude + (2 + 14.41531 / 60)) < 1e-12)
    #expect(abs(try #require(fix.speed) - 0.145 * 1852 / 3600) < 1e-9)
    #expect(fix.altitude == 37.0 + 48.5)
    #expect(abs(fix.horizontalAccuracy - 0.67 * 5) < 1e-9)
  }

  @Test func `binary messages between sentences are ignored`() throws {
    let file = try Self.read("pynmeagps-mixed.log")
    #expect(file.rejectedLines == 2)
    #expect(file.skippedMessages == ["GSA": 8, "GSV": 5])
    // Neither GGA nor any other sentence in this file contains a date.
    #expect(file.pointCount == 2)
    #expect(file.pointsWithTime == 0)
    #expect(file.timeRemark == "none of the 2 points has a time, so no trip can be detected")
  }

  @Test func `every kind of sentence is read or counted`() throws {
    let file = try Self.read("pynmeagps-nmea4.log")
    #expect(file.rejectedLines == 0)
    // The file has 57 sentences of 36 kinds. RMC, two GGA, GNS and GLL contain positions.
    #expect(file.skippedMessages["GSV"] == 9)
    #expect(file.skippedMessages["PUBX"] == 3)
    #expect(file.skippedMessages["ZDA"] == 1)
    #expect(file.skippedMessages["RMA"] == 1)
    #expect(file.firstTime == RFC3339.date(from: "2021-03-06T10:36:07Z"))
    // Positions in sentences with the same time differ by 100 degrees, which must be reported.
    #expect(file.problems.allSatisfy { $0.reason.hasPrefix("position differs") })
    #expect(file.problemCount == 4)
  }

  @Test func `a KML track of an app has its segments, speeds and waypoints`() throws {
    let file = try Self.read("opentracks-kml22.kml")
    #expect(file.format == .kml)
    #expect(file.creator == "OpenTracks (Debug)")
    #expect(file.tracks.map(\.name) == ["2020-11-28 18:06"])
    #expect(file.segments.map(\.points.count) == [3, 3])
    #expect(file.pointsWithTime == 6)
    #expect(file.firstTime == RFC3339.date(from: "2020-11-28T17:06:22.401Z"))
    #expect(file.lastTime == RFC3339.date(from: "2020-11-28T17:07:20.870Z"))
    #expect(file.points.map(\.speed).prefix(3) == [0.5391469, 0.15777911, 0.0])
    #expect(file.points[0].altitude == 469.286376953125)
    #expect(file.points[0].coordinate == Coordinate(latitude: 12.340097, longitude: 1.234156))
    #expect(file.waypoints.map(\.name) == ["2020-11-28 18:06 (Start)", "2020-11-28 18:06 (End)"])
    // The file contains a waypoint at latitude 100.
    #expect(file.problems == [ImportProblem(place: "placemark 1", reason: "the waypoint has invalid coordinates")])
  }

  @Test func `times before 1970 are kept and reported`() throws {
    let file = try Self.read("gpxpy-mojstrovka.gpx")
    #expect(file.locations.count == 184)
    #expect(file.timeRemark == "184 of 184 points have an invalid time before 1970")
    let now = try #require(RFC3339.date(from: "2024-01-01T00:00:00Z"))
    #expect(file.locationsOutOfTime(now: now).count == 184)
    let good = try Self.read("trackintel-google.csv")
    #expect(good.locationsOutOfTime(now: now).isEmpty)
    #expect(good.locationsOutOfTime(now: try #require(RFC3339.date(from: "2012-01-01T00:00:00Z"))).count == 416)
  }
}
