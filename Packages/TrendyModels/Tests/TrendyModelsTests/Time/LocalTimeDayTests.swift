import Foundation
import Testing
import TrendyModels

@Suite("LocalTime days and weeks")
struct LocalTimeDayTests {
  private func local(dayStart: Int = 0, firstWeekday: Int = 1) -> LocalTime {
    var local = LocalTime(isUTC: true)
    local.dayStart = dayStart
    local.firstWeekday = firstWeekday
    return local
  }

  private func date(_ text: String) throws -> Date { try #require(RFC3339.date(from: text)) }

  @Test(
    "a day lasts from its start to the start of the next day",
    arguments: [
      (0, "2026-11-20T00:00:00Z", "2026-11-20T00:00:00Z"), (0, "2026-11-20T23:59:59Z", "2026-11-20T00:00:00Z"),
      (14_400, "2026-11-20T03:59:59Z", "2026-11-19T04:00:00Z"),
      (14_400, "2026-11-20T04:00:00Z", "2026-11-20T04:00:00Z"),
      (14_400, "2026-11-21T03:59:59Z", "2026-11-20T04:00:00Z"),
      (82_800, "2026-11-20T22:59:59Z", "2026-11-19T23:00:00Z"),
      (14_400, "2027-01-01T01:00:00Z", "2026-12-31T04:00:00Z"),
    ])
  func days(dayStart: Int, moment: String, start: String) throws {
    let local = local(dayStart: dayStart)
    #expect(local.rfc3339(local.startOfDay(try date(moment))) == start)
    #expect(try local.startOfDay(date(moment), addingDays: 1) == date(start).addingTimeInterval(86_400))
  }

  @Test(
    "a week begins on the configured weekday",
    arguments: [
      // Friday 20 November 2026.
      (1, "2026-11-20T12:00:00Z", "2026-11-16"), (0, "2026-11-20T12:00:00Z", "2026-11-15"),
      (5, "2026-11-20T12:00:00Z", "2026-11-20"), (6, "2026-11-20T12:00:00Z", "2026-11-14"),
      // The night before Monday belongs to Sunday.
      (1, "2026-11-16T03:00:00Z", "2026-11-09"), (1, "2026-11-16T04:00:00Z", "2026-11-16"),
    ])
  func weeks(firstWeekday: Int, moment: String, day: String) throws {
    let local = local(dayStart: 14_400, firstWeekday: firstWeekday)
    #expect(local.rfc3339(local.startOfWeek(try date(moment))) == "\(day)T04:00:00Z")
  }

  @Test(arguments: [0, 9000, 14_400, 82_800])
  func `a cached day walk gives the same days and minutes as separate lookups`(dayStart: Int) {
    for isUTC in [true, false] {
      var local = LocalTime(isUTC: isUTC)
      local.dayStart = dayStart
      var walk = CachedDayCalendar(local)
      var random = SeededGenerator(seed: UInt64(dayStart))
      // Ten years in steps of a day, then every minute across the clock changes of 2026.
      var moments = (0..<4000).map { Date(timeIntervalSince1970: 1_500_000_000 + Double($0) * 79_000) }
      moments += (0..<4000).map { Date(timeIntervalSince1970: 1_774_600_000 + Double($0) * 60) }
      moments += (0..<4000).map { Date(timeIntervalSince1970: 1_793_000_000 - Double($0) * 60.5) }
      moments += (0..<200).map { _ in Date(timeIntervalSince1970: Double.random(in: -6e10...2e11, using: &random)) }
      for moment in moments {
        let event = Event(id: "e", eventTypeId: "t", timestamp: moment)
        #expect(walk.day(of: moment) == local.day(of: event))
        #expect(walk.minuteOfDay(of: moment) == local.minuteOfDay(of: event))
      }
    }
  }

  @Test func `an all-day event belongs to its date, whenever days begin`() throws {
    let local = local(dayStart: 14_400)
    var event = Event(id: "e", eventTypeId: "t", timestamp: try date("2026-11-20T00:00:00Z"), isAllDay: true)
    #expect(local.day(of: event) == CivilDate("2026-11-20"))
    event.isAllDay = false
    #expect(local.day(of: event) == CivilDate("2026-11-19"))
  }

  @Test(
    "the 12-hour clock has no hour 0",
    arguments: [
      ("00:05", "12:05 am"), ("01:00", "1:00 am"), ("11:59", "11:59 am"), ("12:00", "12:00 pm"), ("13:30", "1:30 pm"),
    ])
  func hours(clock: String, shown: String) throws {
    var local = local()
    let moment = try date("2026-11-20T\(clock):00Z")
    #expect(local.time(moment) == clock)
    local.showsTwelveHours = true
    #expect(local.time(moment) == shown)
  }
}
