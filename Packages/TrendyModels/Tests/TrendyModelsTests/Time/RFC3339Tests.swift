import Foundation
import Testing
import TrendyModels

@Suite("RFC3339", .timeLimit(.minutes(10)))
struct RFC3339Tests {
  private static let jan1 = Date(timeIntervalSince1970: 1_704_067_200)

  @Test(
    "valid text is parsed to its timestamp",
    arguments: [
      ("2024-01-01T00:00:00Z", 1_704_067_200.0),
      ("2024-01-01t00:00:00z", 1_704_067_200),
      ("2024-01-01 00:00:00Z", 1_704_067_200),
      ("2024-01-01T00:00:00,5Z", 1_704_067_200.5),
      ("2024-01-01T00:00:00-00:00", 1_704_067_200),
      ("2024-01-01T02:00:00+02:00", 1_704_067_200),
      ("2024-01-01T02:00:00+0200", 1_704_067_200),
      ("2023-12-31T18:30:00-05:30", 1_704_067_200),
      ("2024-01-01T05:45:00+05:45", 1_704_067_200),
      ("2024-01-01T23:59:00+23:59", 1_704_067_200),
      ("2023-12-31T00:01:00-23:59", 1_704_067_200),
      // Examples in RFC 3339, section 5.8.
      ("1985-04-12T23:20:50.52Z", 482_196_050.52),
      ("1996-12-19T16:39:57-08:00", 851_042_397),
      ("1990-12-31T23:59:60Z", 662_688_000),
      ("1990-12-31T15:59:60-08:00", 662_688_000),
      ("1937-01-01T12:00:27.87+00:20", -1_041_337_172.13),
      ("1970-01-01T00:00:00Z", 0),
      ("1969-12-31T23:59:59.999Z", -0.001),
      ("0000-01-01T00:00:00Z", -62_167_219_200),
      ("0001-01-01T00:00:00Z", -62_135_596_800),
      ("9999-12-31T23:59:59Z", 253_402_300_799),
    ])
  func reads(text: String, seconds: Double) throws {
    let date = try #require(RFC3339.date(from: text))
    #expect(abs(date.timeIntervalSince1970 - seconds) < 0.000_1)
  }

  @Test(
    "invalid text is not parsed",
    arguments: [
      "", "2024", "2024-01-01", "2024-01-01T00:00Z", "2024-01-01T00:00:00", "2024-1-1T00:00:00Z",
      "24-01-01T00:00:00Z", "2024-00-01T00:00:00Z", "2024-13-01T00:00:00Z", "2024-01-00T00:00:00Z",
      "2024-01-32T00:00:00Z", "2024-04-31T00:00:00Z", "2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z",
      "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z",
      "2024-01-01T00:00:61Z", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00.1234567890Z",
      "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+00:60", "2024-01-01T00:00:00+1:00",
      "2024-01-01T00:00:00+01", "2024-01-01T00:00:00+", "2024-01-01T00:00:00ZZ", "2024-01-01T00:00:00Z ",
      " 2024-01-01T00:00:00Z", "2024-01-01_00:00:00Z", "2024/01/01T00:00:00Z", "+2024-01-01T00:00:00Z",
      "-024-01-01T00:00:00Z", "2024-01-01T00:00:0\u{0660}Z", "12024-01-01T00:00:00Z", "tomorrow",
      // Dates that could not be formatted again: in UTC their years are -1 and 10000.
      "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
    ])
  func refuses(text: String) {
    #expect(RFC3339.date(from: text) == nil)
  }

  @Test("February 29 exists in leap years", arguments: [2024, 2000, 1600, 2400, 1996, 4])
  func leapDay(year: Int) throws {
    let padded = String(repeating: "0", count: 4 - "\(year)".count) + "\(year)"
    let text = "\(padded)-02-29T12:00:00.000Z"
    #expect(RFC3339.string(from: try #require(RFC3339.date(from: text))) == text)
    let next = try #require(RFC3339.date(from: "\(padded)-03-01T12:00:00.000Z"))
    #expect(next.timeIntervalSince(try #require(RFC3339.date(from: text))) == 86_400)
  }

  @Test("0 to 9 fraction digits are read", arguments: 0...9)
  func fractionDigits(count: Int) throws {
    let digits = "123456789".prefix(count)
    let text = "2024-01-01T00:00:00" + (count == 0 ? "" : ".\(digits)") + "Z"
    let expected = Double("0." + (count == 0 ? "0" : digits))!
    let date = try #require(RFC3339.date(from: text))
    #expect(abs(date.timeIntervalSince(Self.jan1) - expected) < 0.000_000_2)
  }

  @Test("every millisecond is kept", arguments: [1_704_067_200, -1, 0, 951_782_400, 4_102_444_799])
  func keepsMilliseconds(second: Int) throws {
    for millisecond in 0..<1000 {
      let date = Date(timeIntervalSince1970: Double(second) + Double(millisecond) / 1000)
      let text = RFC3339.string(from: date)
      let digits = String(repeating: "0", count: 3 - "\(millisecond)".count) + "\(millisecond)"
      #expect(text.hasSuffix(".\(digits)Z"))
      let read = try #require(RFC3339.date(from: text))
      #expect(abs(read.timeIntervalSince(date)) < 0.000_001)
      #expect(RFC3339.string(from: read) == text)
    }
  }

  @Test("any timestamp survives writing and reading at any offset", arguments: UInt64(1)...10)
  func randomDates(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let milliseconds = Int64.random(in: -62_160_000_000_000...253_402_000_000_000, using: &random)
      let offset = Int.random(in: -1439...1439, using: &random) * 60
      // `Date` counts from the reference date 2001, so it is exact to the microsecond in these years.
      let date = Date(timeIntervalSinceReferenceDate: Double(milliseconds) / 1000 - 978_307_200)
      let utc = RFC3339.string(from: date)
      let local = RFC3339.string(from: date, secondsFromGMT: offset)
      #expect(utc.count == 24 && utc.hasSuffix("Z"))
      #expect(local.count == (offset == 0 ? 24 : 29))
      let fromUTC = try #require(RFC3339.date(from: utc))
      let fromLocal = try #require(RFC3339.date(from: local))
      #expect(fromUTC == fromLocal, "two spellings of one moment: \(utc), \(local)")
      #expect(Int64((fromUTC.timeIntervalSince1970 * 1000).rounded()) == milliseconds)
      let between = date.addingTimeInterval(Double.random(in: -0.0004...0.0004, using: &random))
      #expect(RFC3339.rounded(between) == RFC3339.date(from: RFC3339.string(from: between)))
    }
  }

  @Test("dates agree with the calendar", arguments: UInt64(1)...5)
  func agreesWithCalendar(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    for _ in 0..<300 {
      // Foundation's calendar is Gregorian only after the change of 1582.
      let seconds = Int64.random(in: -12_000_000_000...253_402_300_799, using: &random)
      let date = Date(timeIntervalSince1970: Double(seconds))
      let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
      let text = RFC3339.string(from: date, secondsFromGMT: 0, fractionDigits: 0)
      let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
      #expect(
        numbers == [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second].compactMap { $0 })
    }
  }

  @Test func `dates are written in UTC with three digits, rounded to the millisecond`() {
    #expect(RFC3339.string(from: Self.jan1) == "2024-01-01T00:00:00.000Z")
    #expect(RFC3339.string(from: Self.jan1 + 0.0004) == "2024-01-01T00:00:00.000Z")
    #expect(RFC3339.string(from: Self.jan1 + 0.0006) == "2024-01-01T00:00:00.001Z")
    #expect(RFC3339.string(from: Self.jan1 - 0.0004) == "2024-01-01T00:00:00.000Z")
    #expect(RFC3339.string(from: Self.jan1 - 0.001) == "2023-12-31T23:59:59.999Z")
  }

  @Test func `with an offset the local time is written`() {
    #expect(RFC3339.string(from: Self.jan1, secondsFromGMT: 3600) == "2024-01-01T01:00:00.000+01:00")
    #expect(RFC3339.string(from: Self.jan1, secondsFromGMT: -16_200) == "2023-12-31T19:30:00.000-04:30")
    #expect(
      RFC3339.string(from: Self.jan1, secondsFromGMT: 20_700, fractionDigits: 0) == "2024-01-01T05:45:00+05:45")
    #expect(RFC3339.string(from: Self.jan1, secondsFromGMT: 0, fractionDigits: 0) == "2024-01-01T00:00:00Z")
  }

  @Test(
    "years outside four digits are clamped",
    arguments: [
      (-Double.infinity, 0, "0000-01-01T00:00:00.000Z"), (-1e15, 0, "0000-01-01T00:00:00.000Z"),
      (.nan, 0, "0000-01-01T00:00:00.000Z"), (1e15, 0, "9999-12-31T23:59:59.999Z"),
      (.infinity, 0, "9999-12-31T23:59:59.999Z"), (-62_167_219_200, -3600, "0000-01-01T00:00:00.000-01:00"),
      (253_402_300_799, 3600, "9999-12-31T23:59:59.999+01:00"),
    ])
  func heldAtTheEdge(seconds: Double, offset: Int, text: String) {
    #expect(RFC3339.string(from: Date(timeIntervalSince1970: seconds), secondsFromGMT: offset) == text)
  }

  @Test func `part of a longer text can be read`() {
    let line = "at 2024-01-01T00:00:00Z, home"
    #expect(RFC3339.date(from: line.dropFirst(3).prefix(20)) == Self.jan1)
  }
}
