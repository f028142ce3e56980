import CommandSupport
import Foundation
import Testing
import TrendyModels

@Suite("TimePhrase")
struct TimePhraseTests {
  /// Friday.
  private let now = Date(timeIntervalSince1970: 1_795_169_730)
  private let local = LocalTime(isUTC: true)

  @Test(
    "reads what people type",
    arguments: [
      ("now", "2026-11-20T10:15:30Z"), ("8:30", "2026-11-20T08:30:00Z"), ("08:30:15", "2026-11-20T08:30:15Z"),
      ("yesterday 21:00", "2026-11-19T21:00:00Z"), ("yesterday", "2026-11-19T00:00:00Z"),
      ("-20m", "2026-11-20T09:55:30Z"), ("20m ago", "2026-11-20T09:55:30Z"), ("1h30m ago", "2026-11-20T08:45:30Z"),
      ("mon", "2026-11-16T00:00:00Z"), ("fri", "2026-11-20T00:00:00Z"), ("Saturday 9:00", "2026-11-14T09:00:00Z"),
      ("2026-03-01", "2026-03-01T00:00:00Z"), ("2024-02-29 23:59", "2024-02-29T23:59:00Z"),
      ("2024-02-29T23:59", "2024-02-29T23:59:00Z"), ("2026-11-20T08:30:00+01:00", "2026-11-20T07:30:00Z"),
      ("tomorrow 7:00", "2026-11-21T07:00:00Z"),
    ])
  func reads(phrase: String, moment: String) throws {
    #expect(try TimePhrase.date(phrase, now: now, in: local) == RFC3339.date(from: moment))
  }

  @Test(
    "refuses what is no time, with a hint",
    arguments: [
      "", "soon", "25:00", "8:60", "2026-02-30", "2026-13-01", "mon tue", "yesterday 9", "-20", "--", "8:30 8:31",
    ])
  func refuses(phrase: String) {
    #expect { _ = try TimePhrase.date(phrase, now: now, in: local) } throws: { error in
      (error as? CommandError)?.exit == .usage && (error as? CommandError)?.hint == TimePhrase.help
    }
  }

  @Test(
    "reads durations",
    arguments: [("1h30m", 5400.0), ("45m", 2700), ("90s", 90), ("45", 2700), ("1.5h", 5400), ("1d", 86_400)])
  func durations(text: String, seconds: Double) {
    #expect(TimePhrase.seconds(text) == seconds)
  }

  @Test("knows what is no duration", arguments: ["", "h", "1x", "1h30", "-5m"])
  func noDurations(text: String) {
    #expect(TimePhrase.seconds(text) == nil)
  }
}

@Suite("LocalTime")
struct LocalTimeTests {
  @Test func `a day begins at its first moment, also when it has 23 hours`() {
    let local = LocalTime(isUTC: true)
    let noon = local.date(year: 2026, month: 3, day: 29, hour: 12)
    #expect(local.startOfDay(noon) == local.date(year: 2026, month: 3, day: 29))
    #expect(local.startOfDay(noon, addingDays: 3) == local.date(year: 2026, month: 4, day: 1))
  }

  @Test func `components of a date make the date again`() {
    let local = LocalTime()
    for day in stride(from: 0.0, through: 400, by: 1) {
      let date = Date(timeIntervalSince1970: 1_700_000_000 + day * 86_399)
      let fields = local.components(of: date)
      let again = local.date(
        year: fields.year, month: fields.month, day: fields.day, hour: fields.hour, minute: fields.minute,
        second: fields.second)
      // In the hour that a clock change repeats, a wall-clock time is two moments.
      #expect(abs(again.timeIntervalSince(date)) <= 3600)
      #expect(local.components(of: again).hour == fields.hour)
    }
  }

  @Test func `writes RFC 3339, with milliseconds where there are some`() {
    let local = LocalTime(isUTC: true)
    #expect(local.rfc3339(Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00Z")
    #expect(local.rfc3339(Date(timeIntervalSince1970: 0.25)) == "1970-01-01T00:00:00.250Z")
  }
}
