import Foundation
import Testing
import TrendyModels

@Suite("TimeZoneRules", .timeLimit(.minutes(10)))
struct TimeZoneRulesTests {
  @Test("offsets agree with Foundation in every zone of the system, from 1970 to 2100")
  func agreesWithFoundation() throws {
    var compared = 0
    for name in TimeZone.knownTimeZoneIdentifiers {
      guard let foundation = TimeZone(identifier: name), let rules = TimeZoneRules(named: name) else { continue }
      let copied = TimeZoneRules(foundation)
      // The step covers each hour of the day and each part of the year. The first date is in 1970, because editions of
      // the time zone database differ before that year.
      for seconds in stride(from: 0.0, to: 4_102_444_800, by: 4_234_567) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(rules.secondsFromGMT(at: date) == foundation.secondsFromGMT(for: date), "\(name) at \(seconds)")
        #expect(copied.secondsFromGMT(at: date) == foundation.secondsFromGMT(for: date), "\(name) at \(seconds)")
        compared += 1
      }
    }
    try #require(compared > 300_000)
  }

  @Test("the second of a change has the new offset")
  func edges() throws {
    let rules = try #require(TimeZoneRules(named: "Europe/Amsterdam"))
    func offset(_ text: String) throws -> Int {
      rules.secondsFromGMT(at: try #require(RFC3339.date(from: text)))
    }
    #expect(try offset("2026-03-29T00:59:59Z") == 3600)
    #expect(try offset("2026-03-29T01:00:00Z") == 7200)
    #expect(try offset("2026-10-25T00:59:59Z") == 7200)
    #expect(try offset("2026-10-25T01:00:00Z") == 3600)
    // After the last listed change the rule at the end of the file applies.
    #expect(try offset("2099-07-01T12:00:00Z") == 7200)
    #expect(try offset("2099-12-01T12:00:00Z") == 3600)
  }

  @Test(
    "unusual offsets are correct",
    arguments: [
      ("Asia/Kolkata", "2026-06-01T00:00:00Z", 19_800), ("Asia/Kathmandu", "2026-06-01T00:00:00Z", 20_700),
      ("Pacific/Kiritimati", "2026-06-01T00:00:00Z", 50_400), ("Pacific/Auckland", "2060-01-15T00:00:00Z", 46_800),
      ("Pacific/Auckland", "2060-07-15T00:00:00Z", 43_200), ("America/St_Johns", "2026-12-01T00:00:00Z", -12_600),
      ("UTC", "2026-06-01T00:00:00Z", 0),
    ])
  func offsets(name: String, moment: String, expected: Int) throws {
    let date = try #require(RFC3339.date(from: moment))
    #expect(try #require(TimeZoneRules(named: name)).secondsFromGMT(at: date) == expected)
  }

  @Test(
    "unknown names and paths outside the database are rejected",
    arguments: [
      "", "Nowhere/Else", "../../etc/passwd", "/etc/localtime", "Europe/../Europe/Paris", "Europe/", "a\u{0}b",
    ])
  func unknown(name: String) {
    #expect(TimeZoneRules(named: name) == nil)
  }

  @Test("an older zone name uses the rules of its current name")
  func olderNames() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "zones-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder.appending(path: "Asia"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: URL(filePath: "/usr/share/zoneinfo/Asia/Kolkata"), to: folder.appending(path: "Asia/Kolkata"))
    let present = try #require(TimeZoneRules(named: "Asia/Kolkata", folder: folder.path))
    #expect(TimeZoneRules(named: "Asia/Calcutta", folder: folder.path) == present)
    #expect(TimeZoneRules(named: "Asia/Katmandu", folder: folder.path) == nil)
  }

  @Test func `a truncated file is rejected`() throws {
    let file = try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Amsterdam"))
    for count in 0..<file.count {
      // This includes cuts within the footer.
      #expect(TimeZoneRules(file: Array(file.prefix(count))) == nil, "\(count) bytes")
    }
    #expect(TimeZoneRules(file: Array(file)) != nil)
  }

  @Test("a file with a changed byte is rejected or read without a crash", arguments: [1, 2, 3] as [UInt64])
  func changed(seed: UInt64) throws {
    let file = try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/America/New_York"))
    var random = seed
    for _ in 0..<3000 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      var bytes = Array(file)
      bytes[Int(random >> 33) % bytes.count] = UInt8(truncatingIfNeeded: random >> 20)
      guard let rules = TimeZoneRules(file: bytes) else { continue }
      _ = rules.secondsFromGMT(at: Date(timeIntervalSince1970: 4e9))
      _ = rules.secondsFromGMT(at: Date(timeIntervalSince1970: -1e300))
    }
  }

  @Test func `times beyond all years have an offset`() throws {
    let rules = try #require(TimeZoneRules(named: "America/New_York"))
    for seconds in [-Double.infinity, -1e300, 1e300, .infinity] {
      #expect(abs(rules.secondsFromGMT(at: Date(timeIntervalSince1970: seconds))) < 86_400)
    }
  }
}
