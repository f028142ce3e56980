import Foundation
import Testing
import TrendyModels

@Suite("LocalTime dates")
struct LocalTimeDateTests {
  private let utc = LocalTime(isUTC: true)

  private func wholeDay(_ timestamp: String, _ zone: String?) throws -> Event {
    Event(
      id: "e", eventTypeId: "t", timestamp: try #require(RFC3339.date(from: timestamp)), isAllDay: true, timeZone: zone)
  }

  @Test(
    "an all-day event has the date of the zone in which it was recorded",
    arguments: [
      // Midnight on 20 November 2026 in zones around the world.
      ("2026-11-19T10:00:00Z", "Pacific/Kiritimati"), ("2026-11-19T11:00:00Z", "Pacific/Auckland"),
      ("2026-11-19T23:00:00Z", "Europe/Amsterdam"), ("2026-11-20T00:00:00Z", "UTC"),
      ("2026-11-20T05:00:00Z", "America/New_York"), ("2026-11-20T11:00:00Z", "Pacific/Pago_Pago"),
      // Times other than midnight, which other clients may send.
      ("2026-11-20T22:59:59Z", "Europe/Amsterdam"), ("2026-11-20T12:00:00Z", "America/New_York"),
    ])
  func zones(timestamp: String, zone: String) throws {
    let event = try wholeDay(timestamp, zone)
    let day = try #require(CivilDate("2026-11-20"))
    #expect(utc.date(of: event) == day && utc.day(of: event) == day)
    var late = utc
    late.dayStart = 14_400
    #expect(late.day(of: event) == day)
    #expect(late.timestamps(of: day...day).contains(event.timestamp))
  }

  @Test(
    "in an unknown zone the nearest midnight determines the date",
    arguments: [
      ("2026-11-19T23:00:00Z", nil), ("2026-11-20T00:00:00Z", nil), ("2026-11-20T05:00:00Z", nil),
      ("2026-11-19T12:00:00Z", nil), ("2026-11-20T05:00:00Z", "Atlantis/Capital"),
      ("2026-11-20T05:00:00Z", "../../etc/passwd"),
    ])
  func unknownZone(timestamp: String, zone: String?) throws {
    #expect(utc.date(of: try wholeDay(timestamp, zone)) == CivilDate("2026-11-20"))
  }

  @Test(
    "a date property without a time of day is a date",
    arguments: [
      ("2026-11-20", "2026-11-20"), ("2026-11-20T00:00:00+13:00", "2026-11-20"),
      ("2026-11-20T00:00:00.000-05:00", "2026-11-20"), ("2026-11-20T00:00:00+00:00", "2026-11-20"),
      // Midnight in the zone of the event.
      ("2026-11-20T05:00:00.000Z", "2026-11-20"), ("2026-11-20T05:00:01Z", nil), ("2026-11-20T08:00:00+01:00", nil),
      ("2026-11-20T00:00:00.500-05:00", nil), ("2026-11-20T00:00:00Z", nil), ("tomorrow", nil),
    ])
  func properties(text: String, date: String?) throws {
    let event = try wholeDay("2026-11-20T05:00:00Z", "America/New_York")
    let value = PropertyValue(type: .date, value: .string(text))
    #expect(utc.date(value, of: event) == date.flatMap { CivilDate($0) })
    #expect(utc.date(PropertyValue(type: .text, value: .string(text)), of: event) == nil)
  }

  @Test func `a date written as a property is read as that date in any zone`() throws {
    let day = try #require(CivilDate("2026-11-20"))
    #expect(utc.text(of: day) == "2026-11-20T00:00:00+00:00")
    for zone in ["Pacific/Kiritimati", "America/New_York", nil] {
      let value = PropertyValue(type: .date, value: .string(utc.text(of: day)))
      #expect(utc.date(value, of: try wholeDay("2026-11-01T00:00:00Z", zone)) == day)
    }
  }

  private func day(_ timestamp: String, _ zone: String, dayStart: Int) throws -> String {
    var local = utc
    local.dayStart = dayStart
    let time = try #require(RFC3339.date(from: timestamp))
    return local.day(of: Event(id: "e", eventTypeId: "t", timestamp: time, timeZone: zone)).description
  }

  @Test func `a clock that is set back does not end the current day`() throws {
    // Amsterdam set its clocks back from 3:00 to 2:00 on 2026-10-25 at 1:00 UTC; days begin at 2:30.
    let half = 9000
    #expect(try day("2026-10-25T00:29:59Z", "Europe/Amsterdam", dayStart: half) == "2026-10-24")
    #expect(try day("2026-10-25T00:30:00Z", "Europe/Amsterdam", dayStart: half) == "2026-10-25")
    // 2:10 and 2:30 for the second time.
    #expect(try day("2026-10-25T01:10:00Z", "Europe/Amsterdam", dayStart: half) == "2026-10-25")
    #expect(try day("2026-10-25T01:30:00Z", "Europe/Amsterdam", dayStart: half) == "2026-10-25")
    // If days begin at 3:00, the 25th begins when the clock shows 3:00 after the change.
    #expect(try day("2026-10-25T00:59:59Z", "Europe/Amsterdam", dayStart: 10_800) == "2026-10-24")
    #expect(try day("2026-10-25T01:59:59Z", "Europe/Amsterdam", dayStart: 10_800) == "2026-10-24")
    #expect(try day("2026-10-25T02:00:00Z", "Europe/Amsterdam", dayStart: 10_800) == "2026-10-25")
    #expect(try day("2026-10-25T02:59:59Z", "Europe/Amsterdam", dayStart: 14_400) == "2026-10-24")
  }

  @Test func `a day begins even if the clock skips its start`() throws {
    // Amsterdam set its clocks from 2:00 to 3:00 on 2026-03-29 at 1:00 UTC.
    #expect(try day("2026-03-29T00:59:59Z", "Europe/Amsterdam", dayStart: 9000) == "2026-03-28")
    #expect(try day("2026-03-29T01:00:00Z", "Europe/Amsterdam", dayStart: 9000) == "2026-03-29")
  }

  @Test func `a flight across the date line repeats a day, and Apia skipped one`() throws {
    #expect(try day("2026-11-20T20:00:00Z", "Pacific/Auckland", dayStart: 0) == "2026-11-21")
    #expect(try day("2026-11-21T05:00:00Z", "Pacific/Honolulu", dayStart: 0) == "2026-11-20")
    #expect(try day("2011-12-30T09:59:59Z", "Pacific/Apia", dayStart: 0) == "2011-12-29")
    #expect(try day("2011-12-30T10:00:00Z", "Pacific/Apia", dayStart: 0) == "2011-12-31")
  }
}
