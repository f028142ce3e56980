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
  /// Friday 20 November 2026, 10:15:30 UTC.
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
      ("9pm yesterday", "2026-11-19T21:00:00Z"), ("yesterday", "2026-11-19T10:15:30Z"),
      ("-20m", "2026-11-20T09:55:30Z"), ("20m ago", "2026-11-20T09:55:30Z"), ("20 min ago", "2026-11-20T09:55:30Z"),
      ("2 hours ago", "2026-11-20T08:15:30Z"), ("an hour ago", "2026-11-20T09:15:30Z"),
      ("half an hour ago", "2026-11-20T09:45:30Z"), ("1h30m ago", "2026-11-20T08:45:30Z"),
      ("1h30 ago", "2026-11-20T08:45:30Z"), ("1 week ago", "2026-11-13T10:15:30Z"),
      ("2 days ago", "2026-11-18T10:15:30Z"), ("1 month ago", "2026-10-20T10:15:30Z"),
      ("9 months ago", "2026-02-20T10:15:30Z"), ("a year ago", "2025-11-20T10:15:30Z"),
      ("in 20 min", "2026-11-20T10:35:30Z"), ("+1h", "2026-11-20T11:15:30Z"),
      ("mon", "2026-11-16T10:15:30Z"), ("fri", "2026-11-20T10:15:30Z"), ("last friday", "2026-11-13T10:15:30Z"),
      ("last monday", "2026-11-16T10:15:30Z"), ("last mon 9:00", "2026-11-16T09:00:00Z"),
      ("Saturday 9:00", "2026-11-14T09:00:00Z"), ("2026-03-01", "2026-03-01T10:15:30Z"),
      ("Nov 20", "2026-11-20T10:15:30Z"), ("20 nov", "2026-11-20T10:15:30Z"), ("Nov 21", "2025-11-21T10:15:30Z"),
      ("20th November 2024", "2024-11-20T10:15:30Z"), ("Nov 3, 2025", "2025-11-03T10:15:30Z"),
      ("20.11.2026", "2026-11-20T10:15:30Z"), ("3.1.2026 8:30", "2026-01-03T08:30:00Z"),
      ("20.11.", "2026-11-20T10:15:30Z"), ("21.11. 9am", "2025-11-21T09:00:00Z"), ("29.2.", "2024-02-29T10:15:30Z"),
      ("2026/11/20", "2026-11-20T10:15:30Z"), ("20/11/2026", "2026-11-20T10:15:30Z"),
      ("11/20/2026", "2026-11-20T10:15:30Z"), ("5/5/2026", "2026-05-05T10:15:30Z"),
      ("feb 29", "2024-02-29T10:15:30Z"), ("Nov 19 8:30pm", "2026-11-19T20:30:00Z"),
      ("2024-02-29 23:59", "2024-02-29T23:59:00Z"), ("2024-02-29T23:59", "2024-02-29T23:59:00Z"),
      ("2026-11-20T08:30:00+01:00", "2026-11-20T07:30:00Z"), ("tomorrow 7:00", "2026-11-21T07:00:00Z"),
      ("today 18:00", "2026-11-20T18:00:00Z"),
      ("20.11.26", "2026-11-20T10:15:30Z"), ("3.1.26 8:30", "2026-01-03T08:30:00Z"),
      ("11/20/26", "2026-11-20T10:15:30Z"),
      ("20-11-2026", "2026-11-20T10:15:30Z"), ("Fri 20 Nov 08:30", "2026-11-20T08:30:00Z"),
      ("Fri 20 Nov", "2026-11-20T10:15:30Z"), ("Thu 21 Nov 2024 9pm", "2024-11-21T21:00:00Z"),
      ("Friday, 20.11.2026", "2026-11-20T10:15:30Z"), ("3 days ago 9:00", "2026-11-17T09:00:00Z"),
      ("a week ago at 21:00", "2026-11-13T21:00:00Z"), ("9am 2 days ago", "2026-11-18T09:00:00Z"),
      // A time without a date is the most recent one, or within the next hour.
      ("23:30", "2026-11-19T23:30:00Z"), ("11:00", "2026-11-20T11:00:00Z"), ("11:30", "2026-11-19T11:30:00Z"),
    ])
  func reads(phrase: String, moment: String) throws {
    #expect(try date(phrase) == moment)
  }

  /// Runs in a separate process, because `TZ` applies to a whole process.
  @Test func `a time that occurs twice in a clock change resolves to its last occurrence in the past`() async {
    await #expect(processExitsWith: .success) {
      setenv("TZ", "Europe/Amsterdam", 1)
      let local = LocalTime()
      for (now, phrase, taken, other) in [
        // Now is during the first occurrence, during the second occurrence, or later.
        ("2027-10-31T02:10:00+02:00", "2:05", "2027-10-31T02:05:00+02:00", "2027-10-31T02:05:00+01:00"),
        ("2027-10-31T02:10:00+02:00", "2:30", "2027-10-31T02:30:00+02:00", "2027-10-31T02:30:00+01:00"),
        ("2027-10-31T02:10:00+01:00", "2:05", "2027-10-31T02:05:00+01:00", "2027-10-31T02:05:00+02:00"),
        ("2027-10-31T02:10:00+01:00", "2:10", "2027-10-31T02:10:00+01:00", "2027-10-31T02:10:00+02:00"),
        ("2027-10-31T02:10:00+01:00", "2:30", "2027-10-31T02:30:00+02:00", "2027-10-31T02:30:00+01:00"),
        ("2027-10-31T09:00:00+01:00", "2:30", "2027-10-31T02:30:00+01:00", "2027-10-31T02:30:00+02:00"),
        ("2027-11-01T01:00:00+01:00", "2:30", "2027-10-31T02:30:00+01:00", "2027-10-31T02:30:00+02:00"),
        // If the day is given, the first occurrence is used.
        ("2027-10-31T09:00:00+01:00", "today 2:30", "2027-10-31T02:30:00+02:00", "2027-10-31T02:30:00+01:00"),
      ] {
        let now = try #require(RFC3339.date(from: now))
        let resolved = try TimePhrase(phrase, now: now, in: local).resolved(.past)
        #expect(local.rfc3339(resolved.date) == taken, "\(now) \(phrase)")
        #expect(resolved.note?.contains("the other is \(other)") == true, "\(now) \(phrase)")
      }
    }
  }

  /// At 02:00 on Friday, today is still Thursday if days start at 04:00.
  @Test(
    "days begin at the configured time",
    arguments: [
      ("today", "2026-11-20T02:00:00Z"), ("yesterday", "2026-11-19T02:00:00Z"), ("thu", "2026-11-20T02:00:00Z"),
      ("fri", "2026-11-14T02:00:00Z"), ("2026-11-19", "2026-11-20T02:00:00Z"), ("1:30", "2026-11-20T01:30:00Z"),
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

  /// For options such as `--since`, four digits are a year: `--since 2020` must not mean 20:20.
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
      "99999999999999999999 weeks ago", "24:30", "24:00:01", "24pm", "20261340", "@1", "@", "@12345678x", "2026-W54",
      "2025-W53",
      "2026-W48-8", "2026-W48 9", "mon UTC", "-20m UTC", "yesterday UTC", "9:00 +30", "9:00 -10:30", "9:00-11",
      "9:00+10",

      "morning", "nov morning", "monday last month", "sun 10 days ago", "2026-11-26T",
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

  @Test("an abbreviation that is not in the user's zone is named", arguments: ["9am CST", "Fri Nov 20 9:00 CST 2026"])
  func unknownAbbreviations(phrase: String) {
    #expect { _ = try date(phrase) } throws: {
      ($0 as? CommandError)?.message == "Unknown or ambiguous time zone 'CST' in '\(phrase)'"
    }
  }

  @Test(
    "a day without a time keeps the time of day of an event that is moved",
    arguments: [
      ("yesterday", "2026-11-19T21:40:00Z"), ("mon", "2026-11-16T21:40:00Z"), ("8:30", "2026-11-18T08:30:00Z"),
      ("24:00", "2026-11-19T00:00:00Z"), ("yesterday 9:00", "2026-11-19T09:00:00Z"),
      ("9:00 UTC", "2026-11-18T09:00:00Z"),
    ])
  func moves(phrase: String, moment: String) throws {
    #expect(try date(phrase, .moved(from: #require(RFC3339.date(from: "2026-11-18T21:40:00Z")))) == moment)
  }

  @Test(
    "a duration has words",
    arguments: [
      ("1m", "1 minute"), ("7d", "7 days"), ("1mo", "1 month"), ("1h30", "1 hour 30 minutes"), ("2 weeks", "14 days"),
      ("18 months", "1 year 6 months"), ("1.5d", "1.5 days"), ("0s", "0 seconds"),
    ])
  func durationWords(phrase: String, words: String) throws {
    #expect(try TimePhrase(phrase, now: now, in: local).durationWords == words)
  }

  @Test func `a duration is a time only for past times`() throws {
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
      ("2026-11-01..2026-11-07", "2026-11-01T10:15:30Z", "2026-11-07T10:15:30Z"),
      ("8h30-10h00", "2026-11-20T08:30:00Z", "2026-11-20T10:00:00Z"),
      ("22:00-24:00", "2026-11-19T22:00:00Z", "2026-11-20T00:00:00Z"),
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

/// Tests phrases as users type them and other programs print them, in three time zones.
@Suite("Time phrases in three zones")
struct TimePhraseZoneTests {
  /// Expected results on Friday 20 November 2026 at 10:15:30 in UTC, 11:15:30 in Amsterdam and 05:15:30 in New York.
  ///
  /// `nil` means that the phrase is rejected.
  private static let table:
    [(phrase: String, meaning: TimePhrase.Meaning, utc: String?, amsterdam: String?, newYork: String?)] = [
      ("24:00", .past, "2026-11-20T00:00:00Z", "2026-11-20T00:00:00+01:00", "2026-11-20T00:00:00-05:00"),
      ("2026-11-26 24:00", .past, "2026-11-27T00:00:00Z", "2026-11-27T00:00:00+01:00", "2026-11-27T00:00:00-05:00"),
      ("2026-11-26T09:00Z", .past, "2026-11-26T09:00:00Z", "2026-11-26T10:00:00+01:00", "2026-11-26T04:00:00-05:00"),
      (
        "2026-11-26T09:00+01:00", .past, "2026-11-26T08:00:00Z", "2026-11-26T09:00:00+01:00",
        "2026-11-26T03:00:00-05:00"
      ),
      (
        "2026-11-26T09:00-05:00", .past, "2026-11-26T14:00:00Z", "2026-11-26T15:00:00+01:00",
        "2026-11-26T09:00:00-05:00"
      ),
      (
        "2026-11-26 09:00:00.123456", .past, "2026-11-26T09:00:00Z", "2026-11-26T09:00:00+01:00",
        "2026-11-26T09:00:00-05:00"
      ),
      (
        "2026-11-26 09:00:00 +0100", .past, "2026-11-26T08:00:00Z", "2026-11-26T09:00:00+01:00",
        "2026-11-26T03:00:00-05:00"
      ),
      (
        "2026-11-26 09:00:00+01", .past, "2026-11-26T08:00:00Z", "2026-11-26T09:00:00+01:00",
        "2026-11-26T03:00:00-05:00"
      ),
      ("20261126", .past, "2026-11-26T10:15:30Z", "2026-11-26T11:15:30+01:00", "2026-11-26T05:15:30-05:00"),
      ("20261126", .since, "2026-11-26T00:00:00Z", "2026-11-26T00:00:00+01:00", "2026-11-26T00:00:00-05:00"),
      ("20261126T090000Z", .past, "2026-11-26T09:00:00Z", "2026-11-26T10:00:00+01:00", "2026-11-26T04:00:00-05:00"),
      ("@1764144000", .past, "2025-11-26T08:00:00Z", "2025-11-26T09:00:00+01:00", "2025-11-26T03:00:00-05:00"),
      (
        "Thu, 26 Nov 2026 09:00:00 +0100", .past, "2026-11-26T08:00:00Z", "2026-11-26T09:00:00+01:00",
        "2026-11-26T03:00:00-05:00"
      ),
      (
        "Thu, 26 Nov 2026 09:00:00 +0000 (UTC)", .past, "2026-11-26T09:00:00Z", "2026-11-26T10:00:00+01:00",
        "2026-11-26T04:00:00-05:00"
      ),
      (
        "Thu Nov 26 09:00:00 UTC 2026", .past, "2026-11-26T09:00:00Z", "2026-11-26T10:00:00+01:00",
        "2026-11-26T04:00:00-05:00"
      ),
      ("Thu Nov 26 09:00:00 CET 2026", .past, nil, "2026-11-26T09:00:00+01:00", nil),
      ("Thu Nov 26 09:00:00 AM EST 2026", .past, nil, nil, "2026-11-26T09:00:00-05:00"),
      (
        "Thu Nov 26 09:00:00 2026 +0100", .past, "2026-11-26T08:00:00Z", "2026-11-26T09:00:00+01:00",
        "2026-11-26T03:00:00-05:00"
      ),
      ("2026-W48", .past, nil, nil, nil),
      ("2026-W48", .since, "2026-11-23T00:00:00Z", "2026-11-23T00:00:00+01:00", "2026-11-23T00:00:00-05:00"),
      ("2026-W48", .until, "2026-11-30T00:00:00Z", "2026-11-30T00:00:00+01:00", "2026-11-30T00:00:00-05:00"),
      ("2026-W48-3", .past, "2026-11-25T10:15:30Z", "2026-11-25T11:15:30+01:00", "2026-11-25T05:15:30-05:00"),
      ("2026-W48-3", .since, "2026-11-25T00:00:00Z", "2026-11-25T00:00:00+01:00", "2026-11-25T00:00:00-05:00"),
      ("2026-W48-3", .until, "2026-11-26T00:00:00Z", "2026-11-26T00:00:00+01:00", "2026-11-26T00:00:00-05:00"),
      ("2026-W53-5 9:00", .past, "2027-01-01T09:00:00Z", "2027-01-01T09:00:00+01:00", "2027-01-01T09:00:00-05:00"),
      ("9:00 UTC", .past, "2026-11-20T09:00:00Z", "2026-11-20T10:00:00+01:00", "2026-11-20T04:00:00-05:00"),
      ("9am CET", .past, nil, "2026-11-20T09:00:00+01:00", nil),
      ("9am CEST", .past, nil, "2026-11-20T08:00:00+01:00", nil),
      ("9:00 Europe/Paris", .past, "2026-11-20T08:00:00Z", "2026-11-20T09:00:00+01:00", "2026-11-20T03:00:00-05:00"),
      (
        "9:00 america/new_york", .past, "2026-11-19T14:00:00Z", "2026-11-19T15:00:00+01:00", "2026-11-19T09:00:00-05:00"
      ),
      (
        "2026-07-01 9:00 Europe/Paris", .past, "2026-07-01T07:00:00Z", "2026-07-01T09:00:00+02:00",
        "2026-07-01T03:00:00-04:00"
      ),
      (
        "yesterday 23:30 Asia/Tokyo", .past, "2026-11-19T14:30:00Z", "2026-11-19T15:30:00+01:00",
        "2026-11-19T09:30:00-05:00"
      ),
      ("9:00+05:30", .past, "2026-11-20T03:30:00Z", "2026-11-20T04:30:00+01:00", "2026-11-19T22:30:00-05:00"),
      ("9:00 UTC+2", .past, "2026-11-20T07:00:00Z", "2026-11-20T08:00:00+01:00", "2026-11-20T02:00:00-05:00"),
      ("monday last week", .past, "2026-11-09T10:15:30Z", "2026-11-09T11:15:30+01:00", "2026-11-09T05:15:30-05:00"),
      (
        "last week monday 8:30", .past, "2026-11-09T08:30:00Z", "2026-11-09T08:30:00+01:00", "2026-11-09T08:30:00-05:00"
      ),
      ("sun 2 weeks ago", .since, "2026-11-08T00:00:00Z", "2026-11-08T00:00:00+01:00", "2026-11-08T00:00:00-05:00"),
      ("last night", .past, "2026-11-19T23:00:00Z", "2026-11-19T23:00:00+01:00", "2026-11-19T23:00:00-05:00"),
      ("last night", .since, "2026-11-19T21:00:00Z", "2026-11-19T21:00:00+01:00", "2026-11-19T21:00:00-05:00"),
      ("last night", .until, "2026-11-20T05:00:00Z", "2026-11-20T05:00:00+01:00", "2026-11-20T05:00:00-05:00"),
      // In New York, the morning has begun, but 9:00 is still in the future. The result is the current time.
      ("this morning", .past, "2026-11-20T09:00:00Z", "2026-11-20T09:00:00+01:00", "2026-11-20T05:15:30-05:00"),
      ("yesterday evening", .past, "2026-11-19T19:00:00Z", "2026-11-19T19:00:00+01:00", "2026-11-19T19:00:00-05:00"),
      ("8h30", .past, "2026-11-20T08:30:00Z", "2026-11-20T08:30:00+01:00", "2026-11-19T08:30:00-05:00"),
      ("8h30", .since, "2026-11-20T01:45:30Z", "2026-11-20T02:45:30+01:00", "2026-11-19T20:45:30-05:00"),
      ("yesterday 8h30", .past, "2026-11-19T08:30:00Z", "2026-11-19T08:30:00+01:00", "2026-11-19T08:30:00-05:00"),
      ("yesterday", .past, "2026-11-19T10:15:30Z", "2026-11-19T11:15:30+01:00", "2026-11-19T05:15:30-05:00"),
      ("yesterday", .since, "2026-11-19T00:00:00Z", "2026-11-19T00:00:00+01:00", "2026-11-19T00:00:00-05:00"),
    ]

  /// Checks all phrases in one time zone. Runs in a separate process, because `TZ` applies to a whole process.
  private static func check(_ zone: String) {
    setenv("TZ", zone, 1)
    let local = LocalTime()
    for row in table {
      let expected = ["UTC": row.utc, "Europe/Amsterdam": row.amsterdam, "America/New_York": row.newYork][zone] ?? nil
      let phrase = try? TimePhrase(row.phrase, now: Date(timeIntervalSince1970: 1_795_169_730), in: local)
      let date = try? phrase?.resolved(row.meaning).date
      #expect(date.map { local.rfc3339($0) } == expected, "\(row.phrase) \(row.meaning) in \(zone)")
    }
  }

  @Test func `in UTC`() async { await #expect(processExitsWith: .success) { TimePhraseZoneTests.check("UTC") } }
  @Test func `in Amsterdam`() async {
    await #expect(processExitsWith: .success) { TimePhraseZoneTests.check("Europe/Amsterdam") }
  }
  @Test func `in New York`() async {
    await #expect(processExitsWith: .success) { TimePhraseZoneTests.check("America/New_York") }
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
      // During the hour that a clock change repeats, a local time denotes two points in time.
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
