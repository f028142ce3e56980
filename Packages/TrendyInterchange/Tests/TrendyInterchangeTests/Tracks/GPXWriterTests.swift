import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("GPXWriter", .timeLimit(.minutes(10)))
struct GPXWriterTests {
  func fix(_ seconds: Double, _ latitude: Double = 52, _ longitude: Double = 4) -> Location {
    Location(
      coordinate: Coordinate(latitude: latitude, longitude: longitude), horizontalAccuracy: 12.5,
      timestamp: Date(timeIntervalSince1970: 1_704_067_200 + seconds), altitude: -3.25, speed: 13.889, course: 359.5)
  }

  @Test func `written fixes are read identically`() throws {
    let fixes = [
      fix(0, 51.927, 4.362), fix(0.5, -0.000000001, 0.00001), fix(15.125, -89.999999999, -180), fix(30, 90, 180),
      Location(
        coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: -1,
        timestamp: Date(timeIntervalSince1970: 1_704_067_240)),
    ]
    #expect(try TrackFile(reading: GPXWriter.write(fixes)).locations == fixes)
  }

  @Test("a gap of more than five minutes begins a new segment", arguments: [(300.0, [3]), (300.001, [2, 1])])
  func gaps(gap: Double, sizes: [Int]) throws {
    let file = try TrackFile(reading: GPXWriter.write([fix(0), fix(10), fix(10 + gap)]))
    #expect(file.segments.map(\.points.count) == sizes)
  }

  @Test func `names are escaped and characters that XML does not allow are replaced`() throws {
    let name = "Tom & \"Jerry\" <b> 'x' \u{1F697}\ttab"
    let bytes = GPXWriter.write([fix(0)], name: name, creator: "a\"b<c>&d")
    let file = try TrackFile(reading: bytes)
    #expect(file.tracks[0].name == name)
    #expect(file.creator == "a\"b<c>&d")
    #expect(
      try TrackFile(reading: GPXWriter.write([fix(0)], name: "a\u{0}b\u{1B}c")).tracks[0].name == "a\u{FFFD}b\u{FFFD}c")
  }

  @Test func `numbers are plain decimals`() throws {
    let text = String(decoding: GPXWriter.write([fix(0, 0.00001, -0.5)]), as: UTF8.self)
    #expect(text.contains("lat=\"0.00001\" lon=\"-0.5\""))
    #expect(text.contains("<ele>-3.25</ele><time>2024-01-01T00:00:00.000Z</time>"))
  }

  @Test func `without fixes, a track has no segments`() throws {
    let file = try TrackFile(reading: GPXWriter.write([], name: "empty"))
    #expect(file.tracks.map(\.name) == ["empty"])
    #expect(file.segments.isEmpty)
  }

  @Test func `invalid numbers are omitted`() throws {
    var odd = fix(0)
    odd.speed = .nan
    odd.altitude = .infinity
    odd.course = nil
    odd.horizontalAccuracy = .nan
    let point = try #require(try TrackFile(reading: GPXWriter.write([odd])).points.first)
    #expect(point == TrackPoint(coordinate: odd.coordinate, timestamp: odd.timestamp))
  }
}
