import Foundation
import Testing
import TrendyInsights
import TrendyModels

@Suite("Report")
struct ReportTests {
  private func day(_ text: String) throws -> CivilDate { try #require(CivilDate(text)) }

  private func span(
    _ period: CalendarPeriod, around day: String, until last: String, today: String? = nil
  ) throws -> ReviewedPeriod? {
    ReviewedPeriod(
      period, around: try self.day(day), until: try self.day(last), today: try self.day(today ?? last), firstWeekday: 1)
  }

  private let km = PropertyDefinition(id: "km", eventTypeId: "run", key: "km", label: "", propertyType: .number)

  /// Returns a record with one event at 8:00 per string. Each string contains the day of the event and, optionally, a
  /// distance in kilometres.
  private func record(_ days: [String: [String]], goals: [String: Goal] = [:]) throws -> RecordFixture {
    let local = LocalTime(isUTC: true)
    var record = RecordFixture(definitions: [km])
    record.types = days.keys.sorted().map { name in
      var type = EventType(id: name, name: name, colorHex: "#000000", iconName: "star")
      type.goal = goals[name]
      return type
    }
    for (type, days) in days {
      record.events += try days.enumerated().map { place, text in
        let parts = text.split(separator: " ")
        return Event(
          id: "\(type) \(place)", eventTypeId: type,
          timestamp: local.start(of: try day(String(parts[0]))).addingTimeInterval(8 * 3600),
          properties: parts.count == 1
            ? [:] : ["km": PropertyValue(type: .number, value: .double(Double(parts[1]) ?? 0))])
      }
    }
    return record
  }

  /// Report at 9:00 on the last day, an hour after its event.
  private func report(
    _ days: [String: [String]], until last: String, goals: [String: Goal] = [:],
    _ change: (inout ReportQuery) -> Void = { _ in }
  ) throws -> Report {
    let local = LocalTime(isUTC: true)
    var query = ReportQuery(now: local.start(of: try day(last)).addingTimeInterval(9 * 3600), local: local)
    change(&query)
    return try Report(query, from: record(days, goals: goals))
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
    let days = ["run": ["2024-05-08", "2024-05-08", "2024-05-14"], "tea": ["2024-05-06"], "old": ["2024-04-01"]]
    let report = try report(days, until: "2024-05-15") { $0.comparison = $0.period(.week) }
    let all = PeriodReview(report, over: try #require(report.query.comparison))
    #expect(all.rows.map(\.type.name) == ["run", "tea"])
    #expect(all.rows[0].change.before == 2 && all.rows[0].values == [0, 1, 0] && all.total.before == 3)
    let early = try self.report(days, until: "2024-05-15") {
      $0 = ReportQuery(now: $0.now.addingTimeInterval(-7200), local: $0.local)
      $0.comparison = $0.period(.week)
    }
    #expect(early.later == ["run": 2])
    let review = PeriodReview(early, over: try #require(early.query.comparison))
    #expect(review.rows.map(\.change.before) == [0, 1] && review.total.before == 1)
  }

  @Test func `a year has a value for each month and the records of each type`() throws {
    let days = ["run": ["2023-12-31", "2024-01-01", "2024-01-02", "2024-03-05"], "tea": ["2024-02-01", "2024-02-01"]]
    let report = try report(days, until: "2024-03-05")
    let year = PeriodReview(report, over: try #require(report.query.period(.year)))
    #expect(year.rows.map(\.values) == [[2, 0, 1], [0, 2, 0]])
    #expect(year.rows.map(\.type.name) == ["run", "tea"])
    #expect(year.rows.map(\.records?.streak) == [2, 1] && year.rows[1].records?.day.events == 2)
    #expect(year.total.now == 5 && year.best?.month.events == 2)
  }

  @Test func `a range selects events by time, and its end is the last day`() throws {
    let days = ["run": ["2024-05-01", "2024-05-08", "2024-05-14"]]
    func events(_ from: String?, _ through: String?, hours: Double = 0) throws -> [Int] {
      let report = try report(days, until: "2024-05-15") { query in
        let start = from.flatMap { CivilDate($0) }.map { query.local.start(of: $0).addingTimeInterval(hours * 3600) }
        let end = through.flatMap { CivilDate($0) }.map { query.local.start(of: $0.advanced(by: 1)) }
        query.range = (start ?? .distantPast)..<(end ?? .distantFuture)
      }
      #expect(report.allRows.count == 1 && "\(report.query.today)" == through ?? "2024-05-15")
      return report.rows.map(\.history.events)
    }
    #expect(try events(nil, nil) == [3] && events(nil, "2024-05-13") == [2] && events(nil, "2024-04-30") == [])
    #expect(try events("2024-05-08", nil) == [2] && events("2024-05-08", nil, hours: 9) == [1])
    #expect(try events("2024-05-08", "2024-05-08") == [1])
  }

  @Test(arguments: [CalendarPeriod.day, .week, .month])
  func `weeks end with the week of the last day, and steps begin at the first event`(step: CalendarPeriod) throws {
    let days = ["run": ["2024-03-30", "2024-05-05", "2024-05-06", "2024-05-15"]]
    func first(_ weeks: Int?) throws -> (CivilDate, Int) {
      let report = try report(days, until: "2024-05-15") { ($0.step, $0.weeks) = (step, weeks) }
      let points = report.series(of: report.rows[0]).steps.points
      #expect(points.last?.days.upperBound == (try day("2024-05-15")))
      return (try #require(points.first?.days.lowerBound), points.reduce(0) { $0 + $1.events })
    }
    #expect(try first(2) == (day(step == .month ? "2024-05-01" : "2024-05-06"), step == .month ? 3 : 2))
    #expect(try first(1) == (day(step == .month ? "2024-05-01" : "2024-05-13"), step == .month ? 3 : 1))
    #expect(try first(nil) == (day("2024-03-30"), 4) && first(100) == first(nil))
  }

  @Test func `a property is measured as a sum or a mean within the range`() throws {
    let days = ["run": ["2024-05-01 3", "2024-05-01 5", "2024-05-02", "2024-05-08 7"]]
    for (summary, values) in [(AmountSummary.sum, [8.0, 7]), (.mean, [4, 7])] {
      let report = try report(days, until: "2024-05-15") {
        ($0.step, $0.measure, $0.types) = (.week, .property(km, summary), ["run"])
        $0.range = .distantPast..<$0.local.start(of: CivilDate(year: 2024, month: 5, day: 13))
      }
      #expect(report.series(of: report.rows[0]).steps.values == values)
    }
  }

  @Test func `the events of some days have a history, a grid and values`() throws {
    let days = ["run": ["2024-05-01 3", "2024-05-02 5", "2024-05-08 7"], "tea": ["2024-05-02"]]
    var seen = 0
    let events = try PeriodEvents(
      of: report(days, until: "2024-05-15"), on: day("2024-05-02")...day("2024-05-08"), from: record(days)
    ) { _ in seen += 1 }
    #expect(seen == 3 && events.history().events == 3 && events.history(ofType: "run").events == 2)
    #expect(events.grid.counts[4][8] == 2 && events.grid.counts[3][8] == 1)
    #expect(
      events.values(ofType: "run").map(\.values.distribution?.sum) == [12] && events.values(ofType: "tea").isEmpty)
  }

  @Test func `a streak in weeks counts the events of the range`() throws {
    let days = ["run": ["2024-05-01", "2024-05-08", "2024-05-15", "2024-05-16"]]
    for (end, weeks) in [("2024-05-15", 2), ("2024-05-16", 3), ("2024-05-18", 3)] {
      let report = try report(days, until: "2024-05-18", goals: ["run": try Goal("1/week")]) {
        $0.details = .weeklyStreaks
        $0.range = .distantPast..<$0.local.start(of: CivilDate(end) ?? $0.today)
      }
      #expect(report.rows[0].streak.period == .week && report.rows[0].streak.current == weeks, "\(end)")
    }
    #expect(try report(days, until: "2024-05-18").rows[0].streak.period == .day)
  }
}

/// A record in memory.
struct RecordFixture: UserRecord {
  var types: [EventType] = []
  var events: [Event] = []
  var definitions: [PropertyDefinition] = []
  var settings: [SyncedRecord] = []

  func eventTypes() -> [EventType] { types }
  func propertyDefinitions() -> [PropertyDefinition] { definitions }
  func records(of kind: MutationEntityType) -> [SyncedRecord] { kind == .setting ? settings : [] }
  func event(id: String) -> Event? { events.first { $0.id == id } }

  func forEachEvent(ofTypes types: Set<String>, in range: Range<Date>, _ body: (Event) throws -> Void) rethrows {
    for event in events where types.contains(event.eventTypeId) && range.contains(event.timestamp) { try body(event) }
  }
}
