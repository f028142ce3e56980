import Foundation
import Testing
import TrendyModels

@Suite("GoalProgress")
struct GoalProgressTests {
  private func date(_ text: String) throws -> CivilDate { try #require(CivilDate(text)) }

  private func progress(
    _ goal: Goal, on day: String = "2026-11-18", amounts: [String: Double] = [:], skips: [(String, String)] = [],
    firstWeekday: Int = 1
  ) throws -> GoalProgress {
    let amounts = try Dictionary(uniqueKeysWithValues: amounts.map { (try date($0.key), $0.value) })
    return goal.progress(
      on: try date(day), firstWeekday: firstWeekday, amounts: amounts,
      skips: DaySet(try skips.map { try date($0.0)...date($0.1) }))
  }

  @Test(
    "a week begins on the configured weekday",
    arguments: [
      // 2026-11-18 is a Wednesday.
      (1, "2026-11-18", "2026-11-16", "2026-11-22"), (0, "2026-11-18", "2026-11-15", "2026-11-21"),
      (6, "2026-11-18", "2026-11-14", "2026-11-20"), (1, "2026-11-16", "2026-11-16", "2026-11-22"),
      (1, "2026-11-22", "2026-11-16", "2026-11-22"), (0, "2026-11-22", "2026-11-22", "2026-11-28"),
      (1, "1969-12-31", "1969-12-29", "1970-01-04"),
    ])
  func weeks(firstWeekday: Int, day: String, first: String, last: String) throws {
    let week = try Goal(3, per: .week).days(around: date(day), firstWeekday: firstWeekday)
    #expect(week == (try date(first))...(try date(last)))
  }

  @Test func `amounts outside the period do not count`() throws {
    let amounts = ["2026-11-15": 1.0, "2026-11-16": 1, "2026-11-18": 1, "2026-11-22": 1, "2026-11-23": 1]
    let week = try progress(Goal(4, per: .week), amounts: amounts)
    #expect(week.amount == 3)
    #expect(week.left == 1)
    #expect(!week.isMet)
    #expect(week.share == 0.75)
    let day = try progress(Goal(1, per: .day), amounts: amounts)
    #expect(day.amount == 1)
    #expect(day.left == 0)
    #expect(day.isMet)
    #expect(day.days == (try date("2026-11-18"))...(try date("2026-11-18")))
  }

  @Test func `exceeding a goal meets it`() throws {
    let day = try progress(Goal(2, per: .day), amounts: ["2026-11-18": 3])
    #expect(day.amount == 3)
    #expect(day.left == 0)
    #expect(day.share == 1)
  }

  @Test(
    "a limit is met up to its amount and its share falls to 0 at twice the amount",
    arguments: [
      (0.0, true, 1.0, 2.0), (2, true, 1, 0), (2.5, false, 0.75, 0), (3, false, 0.5, 0), (4, false, 0, 0),
      (9, false, 0, 0),
    ])
  func limit(amount: Double, isMet: Bool, share: Double, left: Double) throws {
    let day = try progress(Goal(.atMost, 2, per: .day), amounts: ["2026-11-18": amount])
    #expect(day.isMet == isMet)
    #expect(day.share == share)
    #expect(day.left == left)
  }

  @Test func `a limit of 0 is broken by any amount`() throws {
    #expect(try progress(Goal(.atMost, 0, per: .day)).share == 1)
    #expect(try progress(Goal(.atMost, 0, per: .day), amounts: ["2026-11-18": 1]).share == 0)
  }

  @Test(
    "skipped days reduce the weekly target",
    arguments: [
      // Goal, number of skipped days, remaining target.
      (Goal(3, per: .week), 0, 3), (Goal(3, per: .week), 1, 3), (Goal(3, per: .week), 2, 2),
      (Goal(3, per: .week), 5, 1), (Goal(3, per: .week), 6, 1), (Goal(3, per: .week), 7, 0),
      (Goal(7, per: .week), 3, 4), (Goal(1, per: .week), 6, 1), (Goal(14, per: .week), 1, 12),
      (Goal(7200, .duration, per: .week), 3, 4140), (Goal(90, .duration, per: .week), 1, 77),
      (Goal(.atMost, 3, per: .week), 6, 3), (Goal(2, per: .day), 7, 0),
    ])
  func excused(goal: Goal, days: Int, target: Int) throws {
    let first = try date("2026-11-18")
    let skips = days == 0 ? [] : [("2026-11-16", first.advanced(by: days - 3).description)]
    let week = try progress(goal, skips: skips)
    #expect(week.target == target)
    #expect(week.isExcused == (days == 7))
    #expect(week.isMet == (days == 7 || goal.bound == .atMost))
  }

  @Test func `skips may overlap and extend beyond the week`() throws {
    let week = try progress(Goal(7, per: .week), skips: [("2026-11-01", "2026-11-17"), ("2026-11-17", "2026-11-18")])
    #expect(week.excusedDays == 3)
    #expect(week.target == 4)
  }

  @Test func `amounts on a skipped day count`() throws {
    let week = try progress(
      Goal(3, per: .week), amounts: ["2026-11-16": 1], skips: [("2026-11-16", "2026-11-17")])
    #expect(week.amount == 1)
    #expect(week.left == 1)
  }

  // MARK: Amount of an event

  private func event(
    _ properties: [String: PropertyValue] = [:], seconds: Double? = nil, isAllDay: Bool = false
  ) -> Event {
    let start = Date(timeIntervalSince1970: 1_800_000_000)
    return Event(
      id: "e", eventTypeId: "t", timestamp: start, endDate: seconds.map { start.addingTimeInterval($0) },
      isAllDay: isAllDay, properties: properties)
  }

  private func amount(_ goal: Goal, _ event: Event, key: String? = "duration", isRunning: Bool = false) -> Double {
    goal.amount(of: event, durationKey: key, isRunning: isRunning, now: Date(timeIntervalSince1970: 1_800_000_060))
  }

  @Test func `an event counts once or as often as its count property states`() {
    let goal = Goal(3, per: .day)
    #expect(amount(goal, event()) == 1)
    #expect(amount(goal, event(["score": PropertyValue(type: .number, value: 4)])) == 1)
    #expect(amount(goal, event(["count": PropertyValue(type: .number, value: 2)])) == 2)
    #expect(amount(goal, event(["count": PropertyValue(type: .number, value: 0.5)])) == 0.5)
    #expect(amount(goal, event(["count": PropertyValue(type: .number, value: 0)])) == 0)
    #expect(amount(goal, event(["count": PropertyValue(type: .number, value: -2)])) == 0)
    #expect(amount(goal, event(["count": PropertyValue(type: .text, value: "2")])) == 1)
  }

  @Test func `an event lasts as long as its duration property, its time span, or the time until now while it runs`() {
    let goal = Goal(1200, .duration, per: .day)
    let said = ["duration": PropertyValue(type: .duration, value: 900)]
    #expect(amount(goal, event(said, seconds: 1000)) == 900)
    #expect(amount(goal, event(said, seconds: 1000), key: nil) == 1000)
    #expect(amount(goal, event(seconds: 1000)) == 1000)
    #expect(amount(goal, event(seconds: -5)) == 0)
    #expect(amount(goal, event()) == 0)
    #expect(amount(goal, event(), isRunning: true) == 60)
    #expect(amount(goal, event(seconds: 86_400, isAllDay: true)) == 0)
    #expect(amount(goal, event(said, isAllDay: true)) == 900)
  }

  // MARK: Day of an event

  @Test(
    "the day of an event depends on the time zone in which it was recorded",
    arguments: [
      ("2026-11-20T04:00:00Z", "America/New_York", 0, "2026-11-19"),
      ("2026-11-20T05:00:00Z", "America/New_York", 0, "2026-11-20"),
      ("2026-11-20T10:00:00Z", "Pacific/Auckland", 0, "2026-11-20"),
      ("2026-11-20T11:00:00Z", "Pacific/Auckland", 0, "2026-11-21"),
      ("2026-11-20T02:59:59Z", "Europe/Amsterdam", 14_400, "2026-11-19"),
      ("2026-11-20T03:00:00Z", "Europe/Amsterdam", 14_400, "2026-11-20"),
      // The night of the clock change: 02:30 occurs twice, 04:00 once.
      ("2026-10-25T02:59:59Z", "Europe/Amsterdam", 14_400, "2026-10-24"),
      ("2026-10-25T03:00:00Z", "Europe/Amsterdam", 14_400, "2026-10-25"),
      ("2026-03-29T01:59:59Z", "Europe/Amsterdam", 14_400, "2026-03-28"),
      ("2026-03-29T02:00:00Z", "Europe/Amsterdam", 14_400, "2026-03-29"),
      ("2026-11-20T23:59:59Z", nil, 0, "2026-11-20"),
      ("2026-11-20T03:59:59Z", "Atlantis/Capital", 14_400, "2026-11-19"),
    ])
  func days(timestamp: String, zone: String?, dayStart: Int, day: String) throws {
    var local = LocalTime(isUTC: true)
    local.dayStart = dayStart
    let event = Event(
      id: "e", eventTypeId: "t", timestamp: try #require(RFC3339.date(from: timestamp)), timeZone: zone)
    #expect(local.day(of: event) == CivilDate(day))
  }

  @Test func `an all-day event belongs to its date, whenever days begin`() throws {
    var local = LocalTime(isUTC: true)
    local.dayStart = 14_400
    let event = Event(
      id: "e", eventTypeId: "t", timestamp: try #require(RFC3339.date(from: "2026-11-19T11:00:00Z")), isAllDay: true,
      timeZone: "Pacific/Auckland")
    #expect(local.day(of: event) == CivilDate("2026-11-20"))
  }
}
