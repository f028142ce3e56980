import Foundation
import Testing
import TrendyInterchange
import TrendyModels

/// Damaged files must cause errors or reports. A crash would end this test run.
@Suite("Damaged files", .timeLimit(.minutes(10)))
struct DamageTests {
  static let files = [
    "tracks/gotrack-00033/overland.json", "tracks/gotrack-00033/owntracks.jsonl", "tracks/gotrack-00033/owntracks.rec",
    "tracks/gotrack-00033/track.geojson", "tracks/gotrack-00033/track.nmea", "tracks/gotrack-00033/track.csv",
    "tracks/gotrack-00033/track.gpx", "opentracks-kml22.kml", "pynmeagps-mixed.log", "pynmeagps-nmea4.log",
  ]

  static func check(_ file: TrackFile, _ comment: Comment) {
    for point in file.points {
      #expect(point.coordinate.isValid, comment)
      if let speed = point.speed { #expect(speed >= 0 && speed.isFinite, comment) }
      if let accuracy = point.horizontalAccuracy { #expect(accuracy >= 0 && accuracy.isFinite, comment) }
      if let time = point.timestamp { #expect(abs(time.timeIntervalSince1970) < 2.6e11, comment) }
    }
    #expect(file.problemCount >= file.problems.count, comment)
  }

  static func readAny(_ bytes: [UInt8], _ comment: Comment) {
    do {
      check(try TrackFile(reading: bytes), comment)
    } catch {
      #expect(!error.description.isEmpty, comment)
    }
    // Readers of other formats must handle each file as well.
    let readers: [([UInt8]) throws -> TrackFile] = [
      { try CSVTrackReader.read($0) }, { try GeoJSONReader.read($0) }, { try KMLReader.read($0) },
      { try NMEAReader.read($0) }, { try OverlandReader.read($0) }, { try OwnTracksReader.read($0) },
      { try OwnTracksReader.readRecording($0) },
    ]
    for reader in readers {
      // A damaged file may be rejected with an error.
      if let file = try? reader(bytes) { check(file, comment) }
    }
  }

  @Test("a truncated file is handled", arguments: files)
  func cut(name: String) throws {
    let bytes = Array(try GPXSampleTests.resource(name).prefix(4000))
    var random = SeededGenerator(seed: 7)
    for _ in 0..<12 {
      let length = random.below(bytes.count)
      Self.readAny(Array(bytes[..<length]), "\(name) cut at \(length)")
    }
  }

  @Test("a file with changed, inserted and deleted bytes is handled", arguments: files, [1, 2, 3] as [UInt64])
  func flipped(name: String, seed: UInt64) throws {
    let bytes = Array(try GPXSampleTests.resource(name).prefix(3000))
    var random = SeededGenerator(seed: seed)
    // Digits, signs and brackets are more likely than other bytes to cause errors.
    let sharp = Array("0123456789-+.eE,:;[]{}\"\\<>&*$\t\n/ ".utf8)
    for round in 0..<10 {
      var damaged = bytes
      for _ in 0...random.below(8) {
        let index = random.below(damaged.count)
        switch random.below(4) {
        case 0: damaged[index] ^= UInt8(1 << random.below(8))
        case 1: damaged[index] = sharp[random.below(sharp.count)]
        case 2: damaged.insert(sharp[random.below(sharp.count)], at: index)
        default: damaged.removeSubrange(index..<min(damaged.count, index + 1 + random.below(20)))
        }
      }
      Self.readAny(damaged, "\(name), seed \(seed), round \(round)")
    }
  }

  @Test(
    "an invalid line affects no other line",
    arguments: ["owntracks.jsonl", "owntracks.rec", "track.csv", "track.nmea"])
  func oneLine(name: String) throws {
    let bytes = try GPXSampleTests.resource("tracks/gotrack-00033/\(name)")
    let whole = try TrackFile(reading: bytes)
    var lines = bytes.split(separator: 0xA).map(Array.init)
    lines[11] = Array(lines[11].prefix(lines[11].count / 2))
    let file = try TrackFile(reading: Array(lines.joined(separator: [0xA])))
    #expect(file.problemCount == 1)
    #expect(file.problems.map(\.place) == ["line 12"])
    // RMC and GGA contain the same position, so either of them suffices.
    #expect(file.locations.count == whole.locations.count - (name == "track.nmea" ? 0 : 1))
  }

  @Test(
    "extreme numbers and deep nesting are not read as fixes",
    arguments: [
      "{\"_type\":\"location\",\"tst\":1e300,\"lat\":1e308,\"lon\":-1e308}",
      "{\"_type\":\"location\",\"tst\":99999999999999999999999,\"lat\":1,\"lon\":1,\"acc\":1e300,\"vel\":1e300}",
      "{\"type\":\"Point\",\"coordinates\":[1e400,0]}",
      "t,lat,lon\n1e308,1e308,1e308\n-9e18,0,0\n",
    ])
  func extremes(text: String) {
    Self.readAny(Array(text.utf8), "\(text)")
    let deep = String(repeating: "[", count: 20_000)
    Self.readAny(Array(("{\"_type\":" + deep).utf8), "deep")
    Self.readAny(
      Array(("{\"type\":\"Feature\",\"x\":" + deep + String(repeating: "]", count: 20_000) + "}").utf8), "deep")
  }

  @Test("random queries are handled", arguments: [11, 12] as [UInt64])
  func queries(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let words = [
      "lat=", "lon=", "time=", "timestamp=", "&", "%", "%4", "%zz", "60", "-1e999", "2024-01-01T00:00:00", "+", "=",
      "{", "é",
    ]
    for _ in 0..<300 {
      let query = (0..<random.below(14)).map { _ in words[random.below(words.count)] }.joined()
      for batch in [
        try? DeviceRequest.gpsLogger(query: query, body: Array(query.utf8)),
        try? DeviceRequest.osmAnd(query: query, body: Array(query.utf8), receivedAt: Date(timeIntervalSince1970: 0)),
      ] {
        // Only a body that starts like JSON may cause an error.
        #expect(batch != nil || query.hasPrefix("{"))
        #expect(batch?.fixes.allSatisfy(\.coordinate.isValid) != false)
      }
    }
  }
}
