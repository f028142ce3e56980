import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("MileageCSVWriter")
struct MileageCSVWriterTests {
  private static let day = Date(timeIntervalSince1970: 1_700_000_000)  // 2023-11-14T22:13:20Z

  private static func lines(_ rows: [MileageRow], zone: Int = 3600) -> [String] {
    let writer = MileageCSVWriter { _ in zone }
    return writer.string(rows).components(separatedBy: "\r\n")
  }

  @Test func `an empty table has the header with 19 columns`() {
    #expect(MileageCSVWriter.columns.count == 19)
    let lines = Self.lines([])
    #expect(lines.count == 2)
    #expect(lines[0].split(separator: ",").count == 19)
    #expect(lines[1] == "")
  }

  @Test func `a trip is a row with times in its zone`() {
    let row = MileageRow(
      id: "t1", start: Self.day, end: Self.day.addingTimeInterval(3000), from: "Home", to: "Office",
      startPlace: Coordinate(latitude: 51.927, longitude: 4.362),
      endPlace: Coordinate(latitude: -0.5, longitude: -180), distance: 12_345.6, category: "mixed", business: 10_000,
      startOdometer: 1_000_000, endOdometer: 1_012_345.6, vehicle: "Van", notes: "ok",
      recordedAt: Self.day.addingTimeInterval(86_400))
    #expect(
      Self.lines([row])[1]
        == "t1,2023-11-14,23:13,00:03,Home,Office,51.927,4.362,-0.5,-180,12.3456,mixed,10,2.3456,1000,1012.3456,Van,ok,2023-11-15 23:13"
    )
  }

  @Test func `missing values are empty cells`() {
    let row = MileageRow(id: "t", start: Self.day, end: Self.day, distance: 0)
    #expect(Self.lines([row], zone: 0)[1] == "t,2023-11-14,22:13,22:13,,,,,,,0,,,,,,,,")
  }

  @Test(
    "quotes, commas and line breaks are escaped, and formulas are prevented",
    arguments: [
      ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""), ("two\nlines", "\"two\nlines\""), ("=1+1", "'=1+1"),
      ("@x", "'@x"), ("-2+3", "'-2+3"), ("-5", "-5"), ("plain", "plain"),
    ])
  func quoting(note: String, cell: String) {
    let row = MileageRow(id: "t", start: Self.day, end: Self.day, distance: 0, notes: note)
    #expect(Self.lines([row], zone: 0)[1].hasSuffix(",\(cell),"))
  }
}
