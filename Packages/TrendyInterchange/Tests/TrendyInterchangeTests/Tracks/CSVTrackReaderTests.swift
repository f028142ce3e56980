import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("CSVTrackReader", .timeLimit(.minutes(10)))
struct CSVTrackReaderTests {
  private static let header = "t,lat,lon,alt_m,acc_m,speed_kmh,course_deg,activity,confidence,device"

  /// Parses rows. Quoted fields are parsed as strings, unquoted fields directly from their bytes.
  private static func file(_ rows: [[String]], isQuoted: Bool) throws -> TrackFile {
    let lines = rows.map { $0.map { isQuoted ? "\"\($0)\"" : $0 }.joined(separator: ",") }
    return try TrackFile(reading: Array(([header] + lines).joined(separator: "\n").utf8))
  }

  @Test("plain and quoted numbers are read identically", arguments: 1...5)
  func isExact(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    func number(_ range: ClosedRange<Double>, _ digits: Int) -> String {
      let parts = "\(Double.random(in: range, using: &random))".split(separator: ".")
      return "\(parts[0]).\(parts[parts.count - 1].prefix(digits))"
    }
    let rows = (0..<200).map { index in
      [
        "\(1_700_000_000 + index * 10)", number(-90...90, 1 + index % 16), number(-180...180, 1 + index % 16),
        number(0...3000, 2), number(1...200, 3), number(0...130, 4), number(0...360, 1),
        ["walking", "in_vehicle", "", "nonsense"][index % 4], number(0...100, 1), ["", "phone", "car"][index % 3],
      ]
    }
    #expect(try Self.file(rows, isQuoted: false) == Self.file(rows, isQuoted: true))
  }

  @Test(
    "unusual numbers are read like quoted ones",
    arguments: [
      "+5", "5e0", "5.", " 5", "5 ", "0005", "5.0000000000000000000000", "-0", "", "x", "5-", ".5", "1e400", "--5",
    ])
  func unusual(altitude: String) throws {
    let row = ["1700000000", "48.5", "11.25", altitude, "5", "36", "90", "walking", "80", "phone"]
    let plain = try Self.file([row], isQuoted: false)
    #expect(plain == (try Self.file([row], isQuoted: true)))
    #expect(plain.points.first?.speed == 10)
  }

  @Test(
    "positions and times of loggers and spreadsheets are read",
    arguments: [
      // A spreadsheet with decimal commas.
      "time;lat;lon;speed;accuracy\n2026-06-15T10:30:00Z;-52,25;13,5;1,5;8",
      "timestamp,latitudeE7,longitudeE7,velocity,accuracy\n2026-06-15T10:30:00Z,-522500000,135000000,1.5,8",
      // A Columbus logger, which writes the speed in km/h.
      "INDEX,TAG,DATE,TIME,LATITUDE N/S,LONGITUDE E/W,HEIGHT,SPEED,HEADING,ACCURACY\n1,T,260615,103000,52.250000S,013.500000E,38,5.4,333,8",
      "date,time,lat,lon,speed,accuracy\n2026-06-15,10:30:00Z,-52.25,13.5,1.5,8",
    ])
  func forms(text: String) throws {
    let file = try TrackFile(reading: Array(text.utf8))
    let point = try #require(file.points.first)
    #expect(file.problems.isEmpty && file.points.count == 1)
    #expect(abs(point.coordinate.latitude + 52.25) < 1e-9 && abs(point.coordinate.longitude - 13.5) < 1e-9)
    #expect(point.timestamp == RFC3339.date(from: "2026-06-15T10:30:00Z"))
    #expect(abs((point.speed ?? 0) - 1.5) < 1e-9)
  }

  @Test(
    "plain and quoted dates are read identically",
    arguments: [
      ("2026-03-01T07:08:09Z", true), ("2026-03-01T07:08:09.125Z", true), ("2026-03-01 09:08:09+02:00", true),
      ("2026-03-01T07:08:09", true), (" 2026-03-01T07:08:09Z", true), ("2026-03-32T07:08:09Z", false), ("2026", true),
    ])
  func dates(time: String, isRead: Bool) throws {
    let row = [time, "48.5", "11.25", "500", "5", "36", "90", "walking", "80", "phone"]
    let plain = try Self.file([row], isQuoted: false)
    #expect(plain == (try Self.file([row], isQuoted: true)))
    #expect((plain.points.first?.timestamp != nil) == isRead)
    if time.hasSuffix("Z"), isRead {
      let second = try #require(plain.points.first?.timestamp).timeIntervalSince1970.rounded(.down)
      #expect(second == 1_772_348_889)
    }
  }

  @Test(
    "an unreadable row is reported",
    arguments: ["t,48.5,11.25", "1700000000,x,11.25", "1700000000,48.5", "1e300,48.5,11.25"])
  func broken(row: String) throws {
    let good = "1700000010,48.5,11.25"
    let file = try TrackFile(reading: Array("t,lat,lon\n\(row)\n\(good)".utf8))
    #expect(file.problemCount == 1)
    #expect(file.locations.count == 1)
  }
}
