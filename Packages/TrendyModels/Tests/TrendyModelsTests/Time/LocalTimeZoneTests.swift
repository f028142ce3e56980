import Foundation
import Testing
import TrendyModels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The time zone applies to the whole process, so each test runs in its own process.
@Suite("LocalTime wall-clock times in zones")
struct LocalTimeZoneTests {
  @Test func `the same time on another day is the wall-clock time, even across clock changes`() async {
    await #expect(processExitsWith: .success) {
      setenv("TZ", "Europe/Amsterdam", 1)
      func check(_ moment: String, _ day: String, dayStart: Int = 0, _ expected: String) {
        var local = LocalTime()
        local.dayStart = dayStart
        guard let moment = RFC3339.date(from: moment), let day = CivilDate(day) else { preconditionFailure(expected) }
        #expect(local.rfc3339(local.sameTime(as: moment, on: day)) == expected)
      }
      // The days of the changes have 23 and 25 hours.
      check("2026-03-29T12:00:00+02:00", "2026-03-22", "2026-03-22T12:00:00+01:00")
      check("2026-04-05T12:00:00+02:00", "2026-03-29", "2026-03-29T12:00:00+02:00")
      check("2026-10-25T09:30:15+01:00", "2026-10-18", "2026-10-18T09:30:15+02:00")
      check("2026-11-01T09:00:00+01:00", "2026-10-25", "2026-10-25T09:00:00+01:00")
      check("2026-04-05T02:30:00+02:00", "2026-03-29", "2026-03-29T03:30:00+02:00")
      // If days begin at 04:00, the night belongs to the previous day.
      check("2026-03-30T02:00:00+02:00", "2026-03-22", dayStart: 14_400, "2026-03-23T02:00:00+01:00")
      check("2026-03-30T05:00:00+02:00", "2026-03-22", dayStart: 14_400, "2026-03-22T05:00:00+01:00")
    }
  }

  @Test func `a repeated wall-clock time is the first one, and a skipped one moves forward`() async {
    await #expect(processExitsWith: .success) {
      func check(_ zone: String, _ moments: [(Int, Int, Int, Int, Int, String)]) {
        setenv("TZ", zone, 1)
        let local = LocalTime()
        for (year, month, day, hour, minute, moment) in moments {
          #expect(
            local.rfc3339(local.date(year: year, month: month, day: day, hour: hour, minute: minute)) == moment)
        }
      }
      check(
        "Europe/Amsterdam",
        [
          (2026, 3, 29, 1, 59, "2026-03-29T01:59:00+01:00"), (2026, 3, 29, 2, 30, "2026-03-29T03:30:00+02:00"),
          (2026, 3, 29, 3, 0, "2026-03-29T03:00:00+02:00"), (2026, 10, 25, 1, 59, "2026-10-25T01:59:00+02:00"),
          (2026, 10, 25, 2, 30, "2026-10-25T02:30:00+02:00"), (2026, 10, 25, 3, 0, "2026-10-25T03:00:00+01:00"),
          (2026, 14, -1, 25, -30, "2027-01-31T00:30:00+01:00"),
        ])
      // Samoa skipped 30 December 2011.
      check(
        "Pacific/Apia",
        [
          (2011, 12, 29, 23, 0, "2011-12-29T23:00:00-10:00"), (2011, 12, 30, 12, 0, "2011-12-31T12:00:00+14:00"),
          (2011, 12, 31, 1, 0, "2011-12-31T01:00:00+14:00"),
        ])
      // On this day the clocks in Brazil skipped midnight.
      check("America/Sao_Paulo", [(2018, 11, 4, 0, 0, "2018-11-04T01:00:00-02:00")])
    }
  }

  @Test(
    "a time outside the calendar's range is clamped",
    arguments: [
      (Double.nan, 0), (-.infinity, 0), (-1e300, 0), (1e300, 9999), (.infinity, 9999), (253_402_300_800, 9999),
    ])
  func beyondCalendars(seconds: Double, year: Int) {
    let local = LocalTime(isUTC: true)
    let moment = Date(timeIntervalSince1970: seconds)
    #expect(local.components(of: moment).year == year)
    var walk = CachedDayCalendar(local)
    #expect(walk.day(of: moment).year == year)
    #expect((0..<1440).contains(walk.minuteOfDay(of: moment)))
    #expect(local.rfc3339(moment).hasPrefix(year == 0 ? "0000-01-01" : "9999-12-31"))
  }

  @Test func `a named zone does not depend on the zone of the process`() async {
    await #expect(processExitsWith: .success) {
      setenv("TZ", "America/New_York", 1)
      guard var tokyo = LocalTime(zoneName: "Asia/Tokyo"), let moment = RFC3339.date(from: "2026-11-20T18:30:00Z")
      else { preconditionFailure("Asia/Tokyo") }
      #expect(tokyo.rfc3339(moment) == "2026-11-21T03:30:00+09:00")
      #expect(tokyo.date(of: moment) == CivilDate("2026-11-21") && tokyo.minuteOfDay(of: moment) == 210)
      tokyo.dayStart = 14_400
      #expect(tokyo.day(of: moment) == CivilDate("2026-11-20"))
      #expect(tokyo.rfc3339(tokyo.startOfDay(moment)) == "2026-11-20T04:00:00+09:00")
      #expect(LocalTime(zoneName: "Nowhere/Town") == nil)
      #expect(LocalTime().rfc3339(moment) == "2026-11-20T13:30:00-05:00")
    }
  }

  @Test func `an event is on the day that its own clock shows, and a range of days selects it there`() throws {
    let reader = try #require(LocalTime(zoneName: "America/New_York"))
    let tokyo = Event(
      id: "e", eventTypeId: "t", timestamp: try #require(RFC3339.date(from: "2026-11-20T23:30:00Z")),
      timeZone: "Asia/Tokyo")
    let day = try #require(CivilDate("2026-11-21"))
    #expect(reader.day(of: tokyo) == day && reader.inZone(of: tokyo).time(tokyo.timestamp) == "08:30")
    for (date, isIn) in [(day.advanced(by: -1), false), (day, true), (day.advanced(by: 1), false)] {
      let range = EventRange(reader.moments(of: date...date), in: reader)
      #expect(range.contains(tokyo) == isIn && range.timestamps.contains(tokyo.timestamp))
    }
    // A bound within a day is a point in time.
    let noon = try #require(RFC3339.date(from: "2026-11-20T23:30:00Z"))
    #expect(EventRange(noon..<noon.addingTimeInterval(1), in: reader).contains(tokyo))
    #expect(!EventRange(noon.addingTimeInterval(-60)..<noon, in: reader).contains(tokyo))
    var wholeDay = tokyo
    wholeDay.isAllDay = true
    #expect(EventRange(reader.moments(of: day...day), in: reader).contains(wholeDay))
  }

  @Test func `timestamps and wall-clock times agree with the C library in zones of every kind`() async {
    await #expect(processExitsWith: .success) {
      let zones = [
        "UTC", "Europe/Amsterdam", "America/New_York", "America/St_Johns", "Asia/Kathmandu", "Pacific/Apia",
        "Pacific/Chatham", "Australia/Lord_Howe", "Africa/Casablanca", "Antarctica/Troll", "<-03>3",
        "CET-1CEST,M3.5.0,M10.5.0/3", ":Europe/Dublin", "/usr/share/zoneinfo/Asia/Kolkata", "Nowhere/Town", "",
      ]
      var random = SeededGenerator(seed: 41)
      for zone in zones {
        setenv("TZ", zone, 1)
        let local = LocalTime()
        for _ in 0..<2000 {
          var seconds = time_t(Int.random(in: 0..<4_102_444_800, using: &random))
          let date = Date(timeIntervalSince1970: Double(seconds))
          let fields = local.components(of: date)
          let made = local.date(
            year: fields.year, month: fields.month, day: fields.day, hour: fields.hour, minute: fields.minute,
            second: fields.second)
          // The first of two timestamps with the same wall-clock time is also correct.
          let isFirst = made == date || local.components(of: made).secondsFromGMT > fields.secondsFromGMT
          #expect(isFirst, "\(zone) \(date)")
          guard var copy = localtime(&seconds)?.pointee else { preconditionFailure("\(zone) \(date)") }
          let shown = [
            fields.year - 1900, fields.month - 1, fields.day, fields.hour, fields.minute, fields.second, fields.weekday,
            fields.secondsFromGMT,
          ]
          let library = [
            copy.tm_year, copy.tm_mon, copy.tm_mday, copy.tm_hour, copy.tm_min, copy.tm_sec, copy.tm_wday,
          ]
          #expect(shown == library.map(Int.init) + [copy.tm_gmtoff], "\(zone) \(date)")
          copy.tm_hour = 12
          copy.tm_min = 0
          copy.tm_sec = 0
          copy.tm_isdst = -1
          let noon = local.date(year: fields.year, month: fields.month, day: fields.day, hour: 12)
          #expect(noon.timeIntervalSince1970 == Double(mktime(&copy)), "\(zone) \(date)")
        }
      }
    }
  }
}
