import Foundation
import Testing
import TrendyInterchange
import TrendyModels

/// Compares the fixes of one track in all formats (`Resources/SOURCES.md`), as far as each format can represent them.
@Suite("All formats of a track", .timeLimit(.minutes(10)))
struct TrackFormsTests {
  struct Form: Sendable, CustomTestStringConvertible {
    var file: String
    var format: ImportFormat
    /// Maximum rounding error of the timestamps in seconds, followed by the maximum errors of the other fields.
    var seconds: Double
    var degrees = 1.01e-7
    var speed = 0.01
    var altitude: Double? = 0.01
    var carriesSpeed = true
    var carriesAccuracy = true
    var carriesMotion = true
    var testDescription: String { file }
  }

  static let tracks = ["gotrack-00033", "emission-iphone-2016-02-22"]
  static let forms = [
    Form(
      file: "owntracks.jsonl", format: .ownTracks, seconds: 0.501, speed: 0.15, altitude: 0.51, carriesMotion: false),
    Form(
      file: "owntracks.rec", format: .ownTracksRecording, seconds: 0.501, speed: 0.15, altitude: 0.51,
      carriesMotion: false),
    Form(file: "overland.json", format: .overland, seconds: 0.001, altitude: 1),
    Form(file: "track.geojson", format: .geoJSON, seconds: 0.001),
    Form(
      file: "track.gpx", format: .gpx, seconds: 0.001, carriesSpeed: false, carriesAccuracy: false, carriesMotion: false
    ),
    // Coordinates are rounded to a hundred-thousandth of a minute.
    Form(
      file: "track.nmea", format: .nmea, seconds: 0.0051, degrees: 2.6e-7, speed: 0.01, altitude: nil,
      carriesAccuracy: false, carriesMotion: false),
  ]

  static func read(_ track: String, _ file: String) throws -> TrackFile {
    try TrackFile(reading: GPXSampleTests.resource("tracks/\(track)/\(file)"))
  }

  @Test("the fixes equal those of the table", arguments: tracks, forms)
  func sameFixes(track: String, form: Form) throws {
    let table = try Self.read(track, "track.csv")
    let file = try Self.read(track, form.file)
    #expect(table.format == .csv)
    #expect(file.format == form.format)
    #expect(file.problems.isEmpty)
    #expect(file.skippedPoints == 0)
    #expect(file.rejectedLines == 0)
    #expect(file.timeRemark == nil)
    let wanted = table.locations
    let found = file.locations
    try #require(wanted.count >= 30)
    try #require(found.count == wanted.count)
    for (fix, other) in zip(found, wanted) {
      #expect(abs(fix.timestamp.timeIntervalSince(other.timestamp)) <= form.seconds)
      #expect(abs(fix.coordinate.latitude - other.coordinate.latitude) <= form.degrees)
      #expect(abs(fix.coordinate.longitude - other.coordinate.longitude) <= form.degrees)
      if let speed = fix.speed, let wanted = other.speed {
        #expect(abs(speed - wanted) <= form.speed)
      } else if form.carriesSpeed, let wanted = other.speed {
        // OwnTracks omits a speed of 0.
        #expect(wanted < 0.15, "a speed is lost")
      } else {
        #expect(fix.speed == nil)
      }
      if form.carriesAccuracy { #expect(abs(fix.horizontalAccuracy - other.horizontalAccuracy) <= 0.51) }
      if let altitude = form.altitude, let wanted = other.altitude, let found = fix.altitude {
        #expect(abs(found - wanted) <= altitude)
      }
    }
    if track.hasPrefix("emission"), form.carriesSpeed { #expect(found.contains { $0.speed ?? 0 > 5 }) }
  }

  @Test("the motion equals that of the table", arguments: forms.filter(\.carriesMotion))
  func sameMotion(form: Form) throws {
    let track = "emission-iphone-2016-02-22"
    let wanted = try Self.read(track, "track.csv").activities
    #expect(Set(wanted.map(\.state)) == [.automotive, .walking])
    #expect(wanted.allSatisfy { $0.confidence == .high || $0.confidence == .medium || $0.confidence == .low })
    let found = try Self.read(track, form.file).activities
    try #require(found.count == wanted.count)
    for (mine, theirs) in zip(found, wanted) {
      #expect(mine.state == theirs.state)
      #expect(abs(mine.timestamp.timeIntervalSince(theirs.timestamp)) <= form.seconds)
    }
  }
}
