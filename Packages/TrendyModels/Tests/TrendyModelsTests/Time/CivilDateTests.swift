import Foundation
import Testing
import TrendyModels

@Suite("CivilDate", .timeLimit(.minutes(10)))
struct CivilDateTests {
  @Test func `days are consecutive across leap years and centuries`() {
    var (year, month, day, weekday) = (1899, 12, 31, 0)
    var wrong: [Int] = []
    for number in -25_568...84_005 {
      let date = CivilDate(daysSince1970: number)
      if date.fields != (year, month, day) || date.weekday != weekday
        || CivilDate(year: year, month: month, day: day) != date || CivilDate(date.description) != date
      {
        wrong.append(number)
      }
      day += 1
      weekday = (weekday + 1) % 7
      if day > CivilDate.days(inMonth: month, ofYear: year) { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
    #expect(wrong.isEmpty)
    #expect((year, month, day) == (2200, 1, 1))
  }

  @Test(
    "invalid dates are rejected",
    arguments: ["2026-02-29", "2026-13-01", "2026-00-01", "2026-1-01", "2026-01-00", "+026-01-01", ""])
  func refused(text: String) {
    #expect(CivilDate(text) == nil)
  }

  @Test func `a day beyond the month carries over, even before the year 1`() {
    #expect(CivilDate(year: 2026, month: 2, day: 30).description == "2026-03-02")
    #expect(CivilDate(year: 0, month: 3, day: 0).description == "0000-02-29")
    #expect(CivilDate(year: -1, month: 1, day: 1).description == "-0001-01-01")
  }

  @Test func `a date is encoded as its text`() throws {
    let date = CivilDate(year: 2026, month: 11, day: 22)
    #expect(String(decoding: try JSONEncoder().encode([date]), as: UTF8.self) == #"["2026-11-22"]"#)
    #expect(try JSONDecoder().decode([CivilDate].self, from: Data(#"["2026-11-22"]"#.utf8)) == [date])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([CivilDate].self, from: Data(#"["22.11.2026"]"#.utf8))
    }
  }
}
