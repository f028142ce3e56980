import Testing
import TrendyInsights
import TrendyModels

@Suite("PeriodReview")
struct PeriodReviewTests {
  private func day(_ text: String) throws -> CivilDate { try #require(CivilDate(text)) }

  private func span(
    _ period: CalendarPeriod, around day: String, until last: String, today: String? = nil
  ) throws -> ReviewedPeriod? {
    ReviewedPeriod(
      period, around: try self.day(day), until: try self.day(last), today: try self.day(today ?? last), firstWeekday: 1)
  }

  private func history(_ days: [String], today: String) throws -> TypeHistory {
    TypeHistory(moments: try days.map { .init(day: try day($0), minute: 480) }, today: try day(today))
  }

  private func review(_ span: ReviewedPeriod, _ days: [String: [String]], later: [String: Int] = [:]) throws
    -> PeriodReview
  {
    PeriodReview(
      span,
      types: try days.sorted { $0.key < $1.key }.map { name, days in
        (
          EventType(id: name, name: name, colorHex: "#000000", iconName: "star"),
          try history(days, today: span.last.description)
        )
      }, skips: [:], later: later)
  }

  @Test func `the current week is compared with the same days of the previous week, up to the current time`() throws {
    let span = try #require(try span(.week, around: "2024-05-15", until: "2024-05-15"))
    #expect(span.days == (try day("2024-05-13"))...(try day("2024-05-15")))
    #expect(span.daysBefore == (try day("2024-05-06"))...(try day("2024-05-08")))
    #expect(span.isPresent && span.endsAtPresentTime && span.isPart)
  }

  @Test func `the last day of a month is compared as a whole if the previous month is shorter`() throws {
    let span = try #require(try span(.month, around: "2024-03-30", until: "2024-03-30"))
    #expect(span.daysBefore.upperBound == (try day("2024-02-29")))
    #expect(span.isPresent && !span.endsAtPresentTime && span.isPart)
  }

  @Test func `a past period is complete and a future one does not exist`() throws {
    let april = try #require(try span(.month, around: "2024-04-10", until: "2024-05-15"))
    #expect(april.days.count == 30 && !april.isPresent && !april.isPart)
    #expect(try span(.month, around: "2024-06-01", until: "2024-05-31", today: "2024-05-31") == nil)
  }

  @Test func `events later in the day than now do not count for the previous period`() throws {
    let span = try #require(try span(.week, around: "2024-05-15", until: "2024-05-15"))
    let days = ["run": ["2024-05-08", "2024-05-08", "2024-05-14"], "tea": ["2024-05-06"], "old": ["2024-04-01"]]
    let all = try review(span, days)
    #expect(all.rows.map(\.type.name) == ["run", "tea"])
    #expect(all.rows[0].change.before == 2 && all.rows[0].values == [0, 1, 0] && all.total.before == 3)
    let early = try review(span, days, later: ["run": 1])
    #expect(early.rows[0].change.before == 1 && early.total.before == 2)
  }

  @Test func `a year has a value for each month and the records of each type`() throws {
    let span = try #require(try span(.year, around: "2024-01-01", until: "2024-03-05"))
    let year = YearReview(
      try review(
        span, ["run": ["2023-12-31", "2024-01-01", "2024-01-02", "2024-03-05"], "tea": ["2024-02-01", "2024-02-01"]]))
    #expect(year.period.rows.map(\.values) == [[2, 0, 1], [0, 2, 0]])
    #expect(year.bests.map(\.type.name) == ["run", "tea"])
    #expect(year.bests.map(\.records.streak) == [2, 1] && year.bests[1].records.day.events == 2)
    #expect(year.total.now == 5 && year.best?.month.events == 2)
  }
}
