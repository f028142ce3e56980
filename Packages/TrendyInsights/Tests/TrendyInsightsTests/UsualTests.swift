import Foundation
import Testing
import TrendyInsights
import TrendyModels

@Suite("Typical values, months and records", .timeLimit(.minutes(10)))
struct UsualTests {
  private let local = LocalTime(isUTC: true)

  /// Returns a history with the given number of events on each day, starting at `first`, all at 08:00.
  private func history(_ counts: [Int], from first: CivilDate, today: CivilDate? = nil) -> TypeHistory {
    let events = counts.enumerated().flatMap { place, count in
      let day = Double(first.advanced(by: place).daysSince1970)
      return (0..<count).map {
        Event(
          id: "\(place)-\($0)", eventTypeId: "t", timestamp: Date(timeIntervalSince1970: day * 86_400 + 28_800))
      }
    }
    return TypeHistory(events, today: today ?? first.advanced(by: counts.count - 1), local: local)
  }

  private func date(_ text: String) throws -> CivilDate { try #require(CivilDate(text)) }

  @Test func `the usual time is the shortest interval with half of the events and can span midnight`() throws {
    let night = try #require(UsualTime(minutes: [1430, 1435, 5, 10, 600, 700, 800, 2000, -1]))
    #expect(night.from == 1430 && night.through == 10)
    #expect(abs(night.share - 4.0 / 7) < 1e-12)
    let morning = try #require(UsualTime(minutes: [600, 480, 490, 1200, 485]))
    #expect(morning.from == 480 && morning.through == 490 && morning.share == 0.6)
    #expect(try #require(UsualTime(minutes: [5, 5, 5])).share == 1)
    #expect(UsualTime(minutes: [1440, -1]) == nil)
  }

  @Test func `a usual time needs seven events`() throws {
    let first = try date("2026-11-01")
    #expect(history([3, 3], from: first).usualTime == .needsEvents(1))
    #expect(history([3, 4], from: first).usualTime.value?.from == 480)
    #expect(TypeHistory([], today: first, local: local).usualTime == .needsEvents(7))
  }

  @Test func `a usual day covers the last 28 days, including those without events`() throws {
    let first = try date("2026-11-01")
    let counts = [9, 9, 9] + [Int](repeating: 2, count: 14) + [Int](repeating: 0, count: 14)
    let found = try #require(history(counts, from: first).usualDay.value)
    #expect(found.median == 1 && found.lower == 0 && found.upper == 2 && found.days == 28)
    #expect(history([1, 0, 0, 0, 0, 1], from: first).usualDay == .needsDays(1))
    #expect(history([1, 0, 0, 0, 0, 0, 1], from: first).usualDay.value?.days == 7)
  }

  @Test func `the current month is compared with as many days of the previous one, and a past one with all of it`()
    throws
  {
    // One event on each day of 2026 up to 31 March.
    func month(_ today: String) throws -> PeriodChange {
      let day = try date(today)
      let first = try date("2026-01-01")
      return history([Int](repeating: 1, count: first.distance(to: day) + 1), from: first)
        .change(.month, over: CalendarPeriod.month.days(around: day, firstWeekday: 0).lowerBound...day, firstWeekday: 0)
    }
    let part = try month("2026-02-10")
    #expect(part.now == 10 && part.before == 10 && part.direction == .steady)
    let february = try month("2026-02-28")
    #expect(february.now == 28 && february.before == 31)
    // February has no 30th.
    let march = try month("2026-03-30")
    #expect(march.now == 30 && march.before == 28)
    let january = try month("2026-01-31")
    #expect(january.before == 0 && january.direction == .new)
  }

  @Test func `a record is the first of several equal maxima`() throws {
    // From a Friday to the Friday two weeks later; weeks begin on Monday.
    let first = try date("2026-10-30")
    let counts = [1, 3, 0, 0, 0, 3, 1, 1, 1, 0, 1, 0, 0, 1, 1]
    let found = try #require(history(counts, from: first).records(firstWeekday: 1).value)
    #expect(found.day.days == first.advanced(by: 1)...first.advanced(by: 1) && found.day.events == 3)
    #expect(found.week.days == (try date("2026-11-02"))...(try date("2026-11-08")) && found.week.events == 6)
    #expect(found.month.days == (try date("2026-11-01"))...(try date("2026-11-30")) && found.month.events == 9)
    #expect(found.streak == 4)
    #expect(found.pause == first.advanced(by: 2)...first.advanced(by: 4))
    let excused = history(counts, from: first).records(firstWeekday: 1, skips: [first.advanced(by: 9)])
    #expect(excused.value?.streak == 5)
    #expect(TypeHistory([], today: first, local: local).records(firstWeekday: 1) == .needsEvents(1))
    #expect(history([1, 1], from: first).records(firstWeekday: 1).value?.pause == nil)
  }

  @Test func `records of a range ignore all other days`() throws {
    let first = try date("2026-10-30")
    let counts = [9, 9, 1, 2, 0, 1, 1, 0, 9]
    let looked = try date("2026-11-01")...(try date("2026-11-06"))
    let found = try #require(history(counts, from: first).records(firstWeekday: 1, over: looked).value)
    #expect(found.day.days.lowerBound.description == "2026-11-02" && found.day.events == 2)
    // The week of Monday 2 November ends with the Friday of the range.
    #expect(found.week.days == (try date("2026-11-02"))...looked.upperBound && found.week.events == 4)
    #expect(found.month.days == looked && found.month.events == 5)
    #expect(found.streak == 2)
    #expect(found.streakEnd == looked.upperBound.advanced(by: -1))
    let none = try date("2025-01-01")...(try date("2025-12-31"))
    #expect(history(counts, from: first).records(firstWeekday: 1, over: none) == .needsEvents(1))
  }

  @Test func `combined histories equal one history of all events`() throws {
    let first = try date("2026-11-01")
    let today = first.advanced(by: 9)
    let (one, other) = (
      history([1, 0, 2], from: first, today: today), history([1], from: first.advanced(by: 1), today: today)
    )
    let together = TypeHistory(together: [one, other, TypeHistory([], today: today, local: local)], today: today)
    #expect(together.days == history([1, 1, 2], from: first, today: today).days)
    #expect((together.events, together.hours[8], together.minutes) == (4, 4, [480, 480, 480, 480]))
    #expect(TypeHistory(together: [TypeHistory](), today: today).events == 0)
  }
}

@Suite("Periods of the calendar", .timeLimit(.minutes(10)))
struct PeriodTests {
  private func date(_ text: String) throws -> CivilDate { try #require(CivilDate(text)) }

  @Test(
    "a period or part of it is compared with the same part of the previous one",
    arguments: [
      // Weeks begin on Mondays.
      (CalendarPeriod.week, "2026-11-16", "2026-11-20", "2026-11-09", "2026-11-13"),
      (.week, "2026-11-16", "2026-11-22", "2026-11-09", "2026-11-15"),
      (.week, "2026-01-05", "2026-01-05", "2025-12-29", "2025-12-29"),
      (.day, "2026-03-01", "2026-03-01", "2026-02-28", "2026-02-28"),
      (.month, "2026-01-01", "2026-01-10", "2025-12-01", "2025-12-10"),
      (.month, "2026-02-01", "2026-02-28", "2026-01-01", "2026-01-31"),
      (.month, "2026-03-01", "2026-03-30", "2026-02-01", "2026-02-28"),
      (.month, "2024-03-01", "2024-03-29", "2024-02-01", "2024-02-29"),
      (.year, "2026-01-01", "2026-11-20", "2025-01-01", "2025-11-20"),
      // Up to the same date, although a leap year has an additional day before it.
      (.year, "2024-01-01", "2024-11-20", "2023-01-01", "2023-11-20"),
      (.year, "2024-01-01", "2024-02-29", "2023-01-01", "2023-02-28"),
      (.year, "2025-01-01", "2025-12-31", "2024-01-01", "2024-12-31"),
    ])
  func before(period: CalendarPeriod, first: String, last: String, from: String, through: String) throws {
    let days = try date(first)...(try date(last))
    #expect(period.before(days, firstWeekday: 1) == (try date(from))...(try date(through)))
    #expect(period.days(around: try date(last), firstWeekday: 1).lowerBound == (try date(first)))
  }

  @Test func `a change contains its days and events`() throws {
    let (first, today) = (try date("2026-11-09"), try date("2026-11-19"))
    // One event on each day from Monday to Wednesday, and two on the Thursday of the following week.
    let events = [0, 1, 2, 10, 10].enumerated().map { place, day in
      Event(
        id: "\(place)", eventTypeId: "t",
        timestamp: Date(timeIntervalSince1970: Double(first.advanced(by: day).daysSince1970) * 86_400))
    }
    let history = TypeHistory(events, today: today, local: LocalTime(isUTC: true))
    let week = history.week(firstWeekday: 1)
    #expect(week.days == (try date("2026-11-16"))...today)
    #expect(week.daysBefore == first...(try date("2026-11-12")))
    #expect((week.now, week.before, week.activeDays, week.activeDaysBefore) == (2, 3, 1, 3))
    let percent = try #require(week.percent)
    #expect(abs(percent + 100.0 / 3) < 1e-12 && week.direction == .down && !week.isEmpty)
    let year = history.change(.year, over: (try date("2026-01-01"))...today, firstWeekday: 1)
    #expect(year.direction == .new)
  }

  @Test func `the largest changes come first, at most three per direction`() throws {
    func change(_ now: Int, _ before: Int) throws -> PeriodChange {
      let today = try date("2026-11-15")
      let events = [(now, 0), (before, 7)].flatMap { count, ago in
        (0..<count).map {
          Event(
            id: "\(ago)-\($0)", eventTypeId: "t",
            timestamp: Date(timeIntervalSince1970: Double(today.advanced(by: -ago).daysSince1970) * 86_400))
        }
      }
      return TypeHistory(events, today: today, local: LocalTime(isUTC: true)).week(firstWeekday: 1)
    }
    let found = InsightStatement.changes([
      (name: "tea", change: try change(3, 2)), (name: "coffee", change: try change(9, 2)),
      (name: "run", change: try change(2, 1)), (name: "walk", change: try change(2, 1)),
      (name: "headache", change: try change(1, 3)), (name: "gym", change: try change(1, 0)),
      (name: "mood", change: try change(7, 7)), (name: "sleep", change: try change(0, 0)),
    ])
    #expect(found == .changes(more: ["coffee", "run", "tea"], less: ["headache"], new: ["gym"]))
    #expect(PlainNarrator().sentence(found) == "More coffee, run and tea; less headache; new: gym.")
    #expect(PlainNarrator().sentence(.changes([])) == "About the same as before.")
    #expect(
      PlainNarrator().sentence(.changes(more: [], less: [], new: ["gym", "tea"])) == "New: gym and tea.")
  }
}
