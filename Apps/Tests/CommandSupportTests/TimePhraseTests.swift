import Foundation
import Testing
import TrendyModels

@testable import CommandSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("TimePhrase")
struct TimePhraseTests {
  /// Friday 20 November 2026, 10:15:30.
  private let now = Date(timeIntervalSince1970: 1_795_169_730)
  private let local = LocalTime(isUTC: true)

  private func date(_ phrase: String, _ meaning: TimePhrase.Meaning = .past) throws -> String {
    local.rfc3339(try TimePhrase(phrase, now: now, in: local).resolved(meaning).date)
  }

  @Test func `every example in the help on times is valid and fits 80 columns`() throws {
    for phrase in HelpTopic.moments.flatMap(\.phrases) { _ = try date(phrase) }
    for phrase in HelpTopic.ranges { #expect(try TimePhrase.range(phrase, now: now, in: local) != nil) }
    for phrase in HelpTopic.limits { _ = try date(phrase, .since) }
    for phrase in HelpTopic.lengths { #expect(DurationPhrase.seconds(phrase) != nil) }
    #expect(HelpTopic.times.lines.allSatisfy { $0.count <= 80 })
  }

  @Test(
    "common phrases are parsed",
    arguments: [
      ("now", "2026-11-20T10:15:30Z"), ("8:30", "2026-11-20T08:30:00Z"), ("08:30:15", "2026-11-20T08:30:15Z"),
      ("0830", "2026-11-20T08:30:00Z"), ("9am", "2026-11-20T09:00:00Z"), ("9 am", "2026-11-20T09:00:00Z"),
      ("8:30pm", "2026-11-19T20:30:00Z"), ("9:30 pm", "2026-11-19T21:30:00Z"), ("12am", "2026-11-20T00:00:00Z"),
      ("12pm yesterday", "2026-11-19T12:00:00Z"), ("noon", "2026-11-19T12:00:00Z"),
      ("midnight", "2026-11-20T00:00:00Z"), ("yesterday noon", "2026-11-19T12:00:00Z"),
      ("yesterday 21:00", "2026-11-19T21:00:00Z"), ("yesterday at 9pm", "2026-11-19T21:00:00Z"),
      ("9pm yesterday", "2026-11-19T21:00:00Z"), ("yesterday", "2026-11-19T00:00:00Z"),
      ("-20m", "2026-11-20T09:55:30Z"), ("20m ago", "2026-11-20T09:55:30Z"), ("20 min ago", "2026-11-20T09:55:30Z"),
      ("2 hours ago", "2026-11-20T08:15:30Z"), ("an hour ago", "2026-11-20T09:15:30Z"),
      ("half an hour ago", "2026-11-20T09:45:30Z"), ("1h30m ago", "2026-11-20T08:45:30Z"),
      ("1h30 ago", "2026-11-20T08:45:30Z"), ("1 week ago", "2026-11-13T10:15:30Z"),
      ("2 days ago", "2026-11-18T10:15:30Z"), ("1 month ago", "2026-10-20T10:15:30Z"),
      ("9 months ago", "2026-02-20T10:15:30Z"), ("a year ago", "2025-11-20T10:15:30Z"),
      ("in 20 min", "2026-11-20T10:35:30Z"), ("+1h", "2026-11-20T11:15:30Z"),
      ("mon", "2026-11-16T00:00:00Z"), ("fri", "2026-11-20T00:00:00Z"), ("last friday", "2026-11-13T00:00:00Z"),
      ("last monday", "2026-11-16T00:00:00Z"), ("last mon 9:00", "2026-11-16T09:00:00Z"),
      ("Saturday 9:00", "2026-11-14T09:00:00Z"), ("2026-03-01", "2026-03-01T00:00:00Z"),
      ("Nov 20", "2026-11-20T00:00:00Z"), ("20 nov", "2026-11-20T00:00:00Z"), ("Nov 21", "2025-11-21T00:00:00Z"),
      ("20th November 2024", "2024-11-20T00:00:00Z"), ("Nov 3, 2025", "2025-11-03T00:00:00Z"),
      ("20.11.2026", "2026-11-20T00:00:00Z"), ("3.1.2026 8:30", "2026-01-03T08:30:00Z"),
      ("20.11.", "2026-11-20T00:00:00Z"), ("21.11. 9am", "2025-11-21T09:00:00Z"), ("29.2.", "2024-02-29T00:00:00Z"),
      ("2026/11/20", "2026-11-20T00:00:00Z"), ("20/11/2026", "2026-11-20T00:00:00Z"),
      ("11/20/2026", "2026-11-20T00:00:00Z"), ("5/5/2026", "2026-05-05T00:00:00Z"),
      ("feb 29", "2024-02-29T00:00:00Z"), ("Nov 19 8:30pm", "2026-11-19T20:30:00Z"),
      ("2024-02-29 23:59", "2024-02-29T23:59:00Z"), ("2024-02-29T23:59", "2024-02-29T23:59:00Z"),
      ("2026-11-20T08:30:00+01:00", "2026-11-20T07:30:00Z"), ("tomorrow 7:00", "2026-11-21T07:00:00Z"),
      ("today 18:00", "2026-11-20T18:00:00Z"),
      ("20.11.26", "2026-11-20T00:00:00Z"), ("3.1.26 8:30", "2026-01-03T08:30:00Z"),
      ("11/20/26", "2026-11-20T00:00:00Z"),
      ("20-11-2026", "2026-11-20T00:00:00Z"), ("Fri 20 Nov 08:30", "2026-11-20T08:30:00Z"),
      ("Fri 20 Nov", "2026-11-20T00:00:00Z"), ("Thu 21 Nov 2024 9pm", "2024-11-21T21:00:00Z"),
      ("Friday, 20.11.2026", "2026-11-20T00:00:00Z"), ("3 days ago 9:00", "2026-11-17T09:00:00Z"),
      ("a week ago at 21:00", "2026-11-13T21:00:00Z"), ("9am 2 days ago", "2026-11-18T09:00:00Z"),
      // A time without a date is in the past, unless it is within the next hour.
      ("23:30", "2026-11-19T23:30:00Z"), ("11:00", "2026-11-20T11:00:00Z"), ("11:30", "2026-11-19T11:30:00Z"),
    ])
  func reads(phrase: String, moment: String) throws {
    #expect(try date(phrase) == moment)
  }

  /// An exit test, because the time zone applies to the whole process.
  @Test func `a time that occurs twice in a clock change resolves to its last occurrence in the past`() async {
    await #expect(processExitsWith: .success) {
      setenv("TZ", "Europe/Amsterdam", 1)
      let local = LocalTime()
      for (now, phrase, taken, other) in [
        // During the first occurrence, during the second one, and later.
        ("2027-10-31T02:10:00+02:00", "2:05", "2027-10-31T02:05:00+02:00", "2027-10-31T02:05:00+01:00"),
        ("2027-10-31T02:10:00+02:00", "2:30", "2027-10-31T02:30:00+02:00", "2027-10-31T02:30:00+01:00"),
        ("2027-10-31T02:10:00+01:00", "2:05", "2027-10-31T02:05:00+01:00", "2027-10-31T02:05:00+02:00"),
        ("2027-10-31T02:10:00+01:00", "2:10", "2027-10-31T02:10:00+01:00", "2027-10-31T02:10:00+02:00"),
        ("2027-10-31T02:10:00+01:00", "2:30", "2027-10-31T02:30:00+02:00", "2027-10-31T02:30:00+01:00"),
        ("2027-10-31T09:00:00+01:00", "2:30", "2027-10-31T02:30:00+01:00", "2027-10-31T02:30:00+02:00"),
        ("2027-11-01T01:00:00+01:00", "2:30", "2027-10-31T02:30:00+01:00", "2027-10-31T02:30:00+02:00"),
        // With a named day, the first occurrence counts.
        ("2027-10-31T09:00:00+01:00", "today 2:30", "2027-10-31T02:30:00+02:00", "2027-10-31T02:30:00+01:00"),
      ] {
        let now = try #require(RFC3339.date(from: now))
        let resolved = try TimePhrase(phrase, now: now, in: local).resolved(.past)
        #expect(local.rfc3339(resolved.date) == taken, "\(now) \(phrase)")
        #expect(resolved.note?.contains("the other is \(other)") == true, "\(now) \(phrase)")
      }
    }
  }

  /// At 02:00 on Friday with days that start at 04:00, today is still Thursday.
  @Test(
    "days begin at the configured time",
    arguments: [
      ("today", "2026-11-19T04:00:00Z"), ("yesterday", "2026-11-18T04:00:00Z"), ("thu", "2026-11-19T04:00:00Z"),
      ("fri", "2026-11-13T04:00:00Z"), ("2026-11-20", "2026-11-20T04:00:00Z"), ("1:30", "2026-11-20T01:30:00Z"),
      ("today 1:30", "2026-11-20T01:30:00Z"), ("today 21:00", "2026-11-19T21:00:00Z"),
      ("yesterday 21:00", "2026-11-18T21:00:00Z"), ("yesterday 1:00", "2026-11-19T01:00:00Z"),
      ("2026-11-20 1:30", "2026-11-20T01:30:00Z"), ("Nov 20 1:30", "2026-11-20T01:30:00Z"),
    ])
  func nights(phrase: String, moment: String) throws {
    var local = local
    local.dayStart = 14_400
    let night = try #require(RFC3339.date(from: "2026-11-20T02:00:00Z"))
    #expect(local.rfc3339(try TimePhrase(phrase, now: night, in: local).resolved(.past).date) == moment)
  }

  @Test(
    "weeks start on the configured weekday",
    arguments: [
      ("this week", 1, "2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z"),
      ("last week", 1, "2026-11-09T00:00:00Z", "2026-11-16T00:00:00Z"),
      ("this week", 0, "2026-11-15T00:00:00Z", "2026-11-22T00:00:00Z"),
      ("next week", 0, "2026-11-22T00:00:00Z", "2026-11-29T00:00:00Z"),
    ])
  func weeks(phrase: String, firstWeekday: Int, start: String, end: String) throws {
    var local = local
    local.firstWeekday = firstWeekday
    let week = try TimePhrase(phrase, now: now, in: local)
    #expect(local.rfc3339(try week.resolved(.since).date) == start)
    #expect(local.rfc3339(try week.resolved(.until).date) == end)
    #expect(throws: CommandError.self) { try week.resolved(.past) }
  }

  /// Four digits are a year in a limit: `--since 2020` must not mean 20:20.
  @Test(
    "months and years have a first day and an end",
    arguments: [
      ("2026", "2026-01-01", "2027-01-01"), ("2020", "2020-01-01", "2021-01-01"), ("1999", "1999-01-01", "2000-01-01"),
      ("1970", "1970-01-01", "1971-01-01"), ("2099", "2099-01-01", "2100-01-01"),
      ("this year", "2026-01-01", "2027-01-01"), ("last year", "2025-01-01", "2026-01-01"),
      ("2026-11", "2026-11-01", "2026-12-01"), ("2025-12", "2025-12-01", "2026-01-01"),
      ("this month", "2026-11-01", "2026-12-01"), ("last month", "2026-10-01", "2026-11-01"),
      ("next month", "2026-12-01", "2027-01-01"), ("november", "2026-11-01", "2026-12-01"),
      ("Dec", "2025-12-01", "2026-01-01"), ("may", "2026-05-01", "2026-06-01"),
      ("Feb 2024", "2024-02-01", "2024-03-01"), ("december 2026", "2026-12-01", "2027-01-01"),
    ])
  func periods(phrase: String, start: String, end: String) throws {
    #expect(try date(phrase, .since) == start + "T00:00:00Z")
    #expect(try date(phrase, .until) == end + "T00:00:00Z")
  }

  @Test(
    "four digits that could be a year or a time are a time when one is expected",
    arguments: [
      ("2020", "2026-11-19T20:20:00Z"), ("0830", "2026-11-20T08:30:00Z"), ("1945", "2026-11-19T19:45:00Z"),
      ("1970", nil),
      ("2099", nil), ("2026-11", nil), ("november", nil), ("last month", nil), ("2026-13", nil),
      ("2100", "2026-11-19T21:00:00Z"),
    ])
  func clocks(phrase: String, moment: String?) {
    #expect((try? date(phrase)) == moment)
    if moment != nil { #expect((try? TimePhrase(phrase, now: now, in: local))?.namesDay == false) }
  }

  @Test(
    "a limit that is not a year is a time of day",
    arguments: [("0830", "2026-11-20T08:30:00Z"), ("1945", "2026-11-19T19:45:00Z")])
  func clockAsLimit(phrase: String, moment: String) throws {
    #expect(try date(phrase, .since) == moment)
  }

  @Test func `a range of years covers both years in full`() throws {
    let range = try #require(try TimePhrase.range("2024..2025", now: now, in: local))
    #expect(local.rfc3339(try range.from.resolved(.since).date) == "2024-01-01T00:00:00Z")
    #expect(local.rfc3339(try range.to.resolved(.until).date) == "2026-01-01T00:00:00Z")
  }

  @Test(
    "invalid times are rejected with a hint",
    arguments: [
      "", "soon", "25:00", "8:60", "2026-02-30", "2026-13-01", "mon tue", "yesterday 9", "-20", "--", "8:30 8:31",
      "13pm", "0am", "9", "nov", "nov 31", "last yesterday", "ago", "m ago", "1.5 months ago", "2460", "feb 30 2024",
      "mo 9:00", "31.2.2026", "20.13.2026", "13/13/2026", "8.10", "2026.11.20", "1.2.3.", "40.11.26", "Sat 20 Nov",
      "Nov 20 Fri 9",
      "99999999999999999999 weeks ago",
    ])
  func refuses(phrase: String) {
    #expect { _ = try date(phrase) } throws: { error in
      (error as? CommandError)?.exit == .usage && (error as? CommandError)?.hint == TimePhrase.help
    }
  }

  @Test(
    "an ambiguous date is rejected, and the hint lists both readings",
    arguments: ["4/3/2026", "4/3/2026 8:30", "9am 4/3/2026", "4-3-2026"])
  func doubtfulDates(phrase: String) {
    #expect { _ = try date(phrase) } throws: { error in
      let error = error as? CommandError
      return error?.message == "The date '\(phrase)' is ambiguous"
        && error?.hint == "Use 2026-03-04 or 2026-04-03."
        && error?.exit == .usage
    }
  }

  @Test func `a duration is a time only as a limit`() throws {
    #expect(try date("7d", .since) == "2026-11-13T10:15:30Z")
    #expect(try date("2 weeks", .until) == "2026-11-06T10:15:30Z")
    #expect { _ = try date("45m") } throws: { ($0 as? CommandError)?.hint?.contains("'45m ago'") == true }
  }

  @Test(
    "an end without a date is on the day of the start or on the next day",
    arguments: [
      ("2026-11-19T09:00:00Z", "10:00", "2026-11-19T10:00:00Z"),
      ("2026-11-19T23:30:00Z", "0:30", "2026-11-20T00:30:00Z"),
      ("2026-11-19T09:00:00Z", "9am", "2026-11-19T09:00:00Z"),
      ("2026-11-19T09:00:00Z", "mon 10:00", "2026-11-16T10:00:00Z"),
      ("2026-11-19T09:00:00Z", "now", "2026-11-20T10:15:30Z"),
    ])
  func ends(start: String, phrase: String, end: String) throws {
    #expect(try date(phrase, .end(of: #require(RFC3339.date(from: start)))) == end)
  }

  @Test func `a date as a limit starts at its first instant and ends with its last`() throws {
    #expect(try date("yesterday", .since) == "2026-11-19T00:00:00Z")
    #expect(try date("yesterday", .until) == "2026-11-20T00:00:00Z")
    #expect(try date("yesterday 9:00", .until) == "2026-11-19T09:00:00Z")
  }

  @Test(
    "a range consists of two times",
    arguments: [
      ("9:00-10:30", "2026-11-20T09:00:00Z", "2026-11-20T10:30:00Z"),
      ("9am to 11am", "2026-11-20T09:00:00Z", "2026-11-20T11:00:00Z"),
      ("yesterday 9:00-10:30", "2026-11-19T09:00:00Z", "2026-11-19T10:30:00Z"),
      ("yesterday 23:00 - 1:00", "2026-11-19T23:00:00Z", "2026-11-20T01:00:00Z"),
      ("2026-11-01..2026-11-07", "2026-11-01T00:00:00Z", "2026-11-07T00:00:00Z"),
    ])
  func ranges(phrase: String, from: String, to: String) throws {
    let range = try #require(try TimePhrase.range(phrase, now: now, in: local))
    let start = try range.from.resolved(.past).date
    #expect(local.rfc3339(start) == from)
    #expect(local.rfc3339(try range.to.resolved(.end(of: start)).date) == to)
  }

  @Test("a single time is not a range", arguments: ["8:30", "2026-11-01", "-20m", "yesterday", "soon"])
  func noRanges(phrase: String) throws {
    #expect(try TimePhrase.range(phrase, now: now, in: local) == nil)
  }

  @Test(
    "durations are parsed",
    arguments: [
      ("1h30m", 5400.0), ("45m", 2700), ("90s", 90), ("45", 2700), ("1.5h", 5400), ("1d", 86_400), ("1h30", 5400),
      ("5m30", 330), ("7:30", 27_000), ("0:45:10", 2710), ("45 min", 2700), ("1 hour 20 minutes", 4800),
      ("1 h and 5 min", 3900), ("half an hour", 1800), ("an hour", 3600), ("1,5 h", 5400), ("0", 0),
    ])
  func durations(text: String, seconds: Double) {
    #expect(DurationPhrase.seconds(text) == seconds)
  }

  @Test(
    "invalid durations are rejected",
    arguments: [
      "", "h", "1x", "-5m", "1 month", "7:60", "7:3", ":30", "1:2:3", "1h 30 5", "1e3", "inf", "nan", "20000y",
    ])
  func noDurations(text: String) {
    #expect(DurationPhrase.seconds(text) == nil)
  }
}

@Suite("LocalTime")
struct LocalTimeTests {
  @Test func `a day begins at its first instant even if it has 23 hours`() {
    let local = LocalTime(isUTC: true)
    let noon = local.date(year: 2026, month: 3, day: 29, hour: 12)
    #expect(local.startOfDay(noon) == local.date(year: 2026, month: 3, day: 29))
    #expect(local.startOfDay(noon, addingDays: 3) == local.date(year: 2026, month: 4, day: 1))
  }

  @Test func `the components of a date produce the date again`() {
    let local = LocalTime()
    for day in stride(from: 0.0, through: 400, by: 1) {
      let date = Date(timeIntervalSince1970: 1_700_000_000 + day * 86_399)
      let fields = local.components(of: date)
      let again = local.date(
        year: fields.year, month: fields.month, day: fields.day, hour: fields.hour, minute: fields.minute,
        second: fields.second)
      // In the hour that a clock change repeats, a wall-clock time denotes two instants.
      #expect(abs(again.timeIntervalSince(date)) <= 3600)
      #expect(local.components(of: again).hour == fields.hour)
    }
  }

  @Test func `RFC 3339 text has milliseconds only if they are not zero`() {
    let local = LocalTime(isUTC: true)
    #expect(local.rfc3339(Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00Z")
    #expect(local.rfc3339(Date(timeIntervalSince1970: 0.25)) == "1970-01-01T00:00:00.250Z")
  }
}
