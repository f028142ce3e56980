import Foundation
import Testing
import TrendyModels

@Suite("LocalTime: dates are the same date everywhere")
struct LocalTimeDateTests {
  private let utc = LocalTime(isUTC: true)

  private func wholeDay(_ timestamp: String, _ zone: String?) throws -> Event {
    Event(
      id: "e", eventTypeId: "t", timestamp: try #require(RFC3339.date(from: timestamp)), isAllDay: true, timeZone: zone)
  }

  @Test(
    "a whole day is of the date of the zone in which it was recorded",
    arguments: [
      // Midnights of 20 November 2026 around the world.
      ("2026-11-19T10:00:00Z", "Pacific/Kiritimati"), ("2026-11-19T11:00:00Z", "Pacific/Auckland"),
      ("2026-11-19T23:00:00Z", "Europe/Amsterdam"), ("2026-11-20T00:00:00Z", "UTC"),
      ("2026-11-20T05:00:00Z", "America/New_York"), ("2026-11-20T11:00:00Z", "Pacific/Pago_Pago"),
      // Not kept at midnight, as other clients may.
      ("2026-11-20T22:59:59Z", "Europe/Amsterdam"), ("2026-11-20T12:00:00Z", "America/New_York"),
    ])
  func zones(timestamp: String, zone: String) throws {
    let event = try wholeDay(timestamp, zone)
    #expect(utc.date(of: event) == CivilDate("2026-11-20"))
    #expect(utc.rfc3339(utc.moment(of: event)) == "2026-11-20T00:00:00Z")
    var late = utc
    late.dayStart = 14_400
    #expect(late.rfc3339(late.moment(of: event)) == "2026-11-20T04:00:00Z")
    #expect(abs(late.moment(of: event).timeIntervalSince(event.timestamp)) < LocalTime.longestDateShift)
  }

  @Test(
    "of an unknown zone the nearest midnight decides",
    arguments: [
      ("2026-11-19T23:00:00Z", nil), ("2026-11-20T00:00:00Z", nil), ("2026-11-20T05:00:00Z", nil),
      ("2026-11-19T12:00:00Z", nil), ("2026-11-20T05:00:00Z", "Atlantis/Capital"),
      ("2026-11-20T05:00:00Z", "../../etc/passwd"),
    ])
  func unknownZone(timestamp: String, zone: String?) throws {
    #expect(utc.date(of: try wholeDay(timestamp, zone)) == CivilDate("2026-11-20"))
  }

  @Test(
    "a property is a date where it says no time of day",
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

  @Test func `a date as a property keeps it is read again as that date by an event of any zone`() throws {
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

  @Test func `a day that has begun is not ended by a clock that is set back`() throws {
    // Amsterdam set its clocks back from 3:00 to 2:00 on 2026-10-25 at 1:00 UTC; days begin at 2:30.
    let half = 9000
    #expect(try day("2026-10-25T00:29:59Z", "Europe/Amsterdam", dayStart: half) == "2026-10-24")
    #expect(try day("2026-10-25T00:30:00Z", "Europe/Amsterdam", dayStart: half) == "2026-10-25")
    // 2:10 and 2:30, for the second time.
    #expect(try day("2026-10-25T01:10:00Z", "Europe/Amsterdam", dayStart: half) == "2026-10-25")
    #expect(try day("2026-10-25T01:30:00Z", "Europe/Amsterdam", dayStart: half) == "2026-10-25")
    // Where days begin at 3:00, that of the 25th begins when the clock shows it after the change, and not at the change.
    #expect(try day("2026-10-25T00:59:59Z", "Europe/Amsterdam", dayStart: 10_800) == "2026-10-24")
    #expect(try day("2026-10-25T01:59:59Z", "Europe/Amsterdam", dayStart: 10_800) == "2026-10-24")
    #expect(try day("2026-10-25T02:00:00Z", "Europe/Amsterdam", dayStart: 10_800) == "2026-10-25")
    #expect(try day("2026-10-25T02:59:59Z", "Europe/Amsterdam", dayStart: 14_400) == "2026-10-24")
  }

  @Test func `a day begins though the clock leaves out when it does`() throws {
    // From 2:00 to 3:00 on 2026-03-29 at 1:00 UTC.
    #expect(try day("2026-03-29T00:59:59Z", "Europe/Amsterdam", dayStart: 9000) == "2026-03-28")
    #expect(try day("2026-03-29T01:00:00Z", "Europe/Amsterdam", dayStart: 9000) == "2026-03-29")
  }

  @Test func `a flight over the date line has a day twice, and Apia had none`() throws {
    #expect(try day("2026-11-20T20:00:00Z", "Pacific/Auckland", dayStart: 0) == "2026-11-21")
    #expect(try day("2026-11-21T05:00:00Z", "Pacific/Honolulu", dayStart: 0) == "2026-11-20")
    #expect(try day("2011-12-30T09:59:59Z", "Pacific/Apia", dayStart: 0) == "2011-12-29")
    #expect(try day("2011-12-30T10:00:00Z", "Pacific/Apia", dayStart: 0) == "2011-12-31")
  }
}
