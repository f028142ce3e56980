import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("Dawarich and Polarsteps", .timeLimit(.minutes(10)))
struct DawarichTests {
  static let point = """
    {"battery":80,"timestamp":1772348400,"altitude":4,"velocity":"0","accuracy":10,"tracker_id":"ab","inrids":[],\
    "raw_data":{"lat":1},"course":"90.5","lonlat":"POINT (5.1 52.1)","longitude":"5.1","latitude":52.1}
    """
  static let visit = """
    {"started_at":"2026-03-01T08:00:00.000Z","ended_at":"2026-03-01T09:00:00.000Z","duration":60,"name":"Café","status":"STATUS",\
    "place_reference":{"name":"Café","latitude":"52.1","longitude":"5.1","source":"photon"}}
    """

  static func records(_ files: [String: String]) throws -> [InterchangeRecord] {
    let folder = HealthFolderTests.files(files, step: 11)
    let format = try #require(try InterchangeFormat.detect(in: folder))
    #expect(format.word == "dawarich")
    var records: [InterchangeRecord] = []
    try format.read(folder, FormatTableTests.options) { record, place in
      #expect(!place.isEmpty)
      records.append(record)
    }
    return records
  }

  private static func check(_ records: [InterchangeRecord]) throws {
    let fixes = records.compactMap { record -> (Location, String)? in
      guard case .fix(let fix, let device) = record else { return nil }
      return (fix, device)
    }
    try #require(fixes.count == 1)
    #expect(fixes[0].1 == "Dawarich ab")
    #expect(
      fixes[0].0
        == Location(
          coordinate: Coordinate(latitude: 52.1, longitude: 5.1), horizontalAccuracy: 10,
          timestamp: Date(timeIntervalSince1970: 1_772_348_400), altitude: 4, course: 90.5))
    let event = try #require(GoogleTests.events(records).first)
    #expect(event.typeName == "Visit" && event.locationName == "Café")
    #expect(event.endDate?.timeIntervalSince(event.timestamp) == 3600)
    #expect(event.coordinate == Coordinate(latitude: 52.1, longitude: 5.1))
    #expect(GoogleTests.skipped(records)["declined visit"] == 1)
  }

  @Test func `an account archive has fixes by device and visits`() throws {
    let visits = [
      Self.visit.replacing("STATUS", with: "suggested"), Self.visit.replacing("STATUS", with: "declined"),
    ]
    let records = try Self.records([
      "manifest.json": "{\"format_version\":2,\"dawarich_version\":\"1.0\",\"counts\":{}}",
      "points/2026/2026-03.jsonl": Self.point + "\n\n{\"broken\":", "stats/2026/2026-03.jsonl": "{}",
      "visits/2026/2026-03.jsonl": visits.joined(separator: "\n"),
    ])
    try Self.check(records)
    #expect(GoogleTests.bad(records) == ["incomplete or invalid JSON"])
  }

  @Test func `the older archive has all data in one file`() throws {
    let visits = [
      Self.visit.replacing("STATUS", with: "confirmed"), Self.visit.replacing("STATUS", with: "declined"),
    ]
    let old = Self.point.replacing(",\"longitude\":\"5.1\",\"latitude\":52.1", with: "")
    let text =
      "{\"counts\":{},\"settings\":{},\"visits\":[\(visits.joined(separator: ","))],\"points\":[\(old)],\"stats\":[{}]}"
    try Self.check(try Self.records(["export/data.json": text]))
  }

  @Test func `the positions of a Polarsteps trip are fixes, with times in any format`() throws {
    let text = """
      {"locations":[{"lat":52.1,"lon":5.1,"time":1772348400.5},{"lat":52.2,"lon":5.1,"time":"2026-03-01T08:00:00Z"},
      {"lat":152.2,"lon":5.1,"time":1}]}
      """
    let bytes = Array(text.utf8)
    let format = try #require(try InterchangeFormat.detect(ByteInput(bytes)))
    #expect(format.word == "polarsteps")
    let records = try FormatTableTests.records(bytes, as: format)
    #expect(records.count == 3 && GoogleTests.bad(records).count == 1)
    guard case .fix(let fix, "Polarsteps") = records[0] else {
      Issue.record("\(records)")
      return
    }
    #expect(fix.timestamp.timeIntervalSince1970 == 1_772_348_400.5)
  }

  @Test func `a damaged archive is an error or gives fewer records`() throws {
    let text = Array((Self.point + "\n" + Self.visit).utf8)
    let format = try #require(InterchangeFormat.named("dawarich"))
    for index in text.indices {
      for mask: UInt8 in [1, 0x80] {
        var damaged = text
        damaged[index] ^= mask
        for part in [damaged, Array(damaged[...index])] {
          let line = String(decoding: part, as: UTF8.self)
          for files in [
            ["manifest.json": "{\"format_version\":2,\"dawarich_version\":\"1\"}", "points/a.jsonl": line],
            ["data.json": "{\"points\":[\(line)]}"],
          ] {
            // A damaged file may be rejected with an error.
            try? format.read(HealthFolderTests.files(files), FormatTableTests.options) { _, place in
              #expect(!place.isEmpty)
            }
          }
        }
      }
    }
  }
}
