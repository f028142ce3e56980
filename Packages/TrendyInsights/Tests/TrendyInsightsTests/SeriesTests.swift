import Foundation
import Testing
import TrendyInsights
import TrendyModels

@Suite("Series of a property", .timeLimit(.minutes(10)))
struct SeriesTests {
  private let local = LocalTime(isUTC: true)
  private let today = CivilDate(year: 2026, month: 11, day: 20)

  private func event(_ ago: Int, _ value: PropertyValue?) -> Event {
    Event(
      id: UUID().uuidString, eventTypeId: "t",
      timestamp: Date(timeIntervalSince1970: Double(today.advanced(by: -ago).daysSince1970) * 86_400 + 3600),
      properties: value.map { ["x": $0] } ?? [:])
  }

  private func history(_ values: [(ago: Int, value: Double)], also: [Event] = []) -> PropertyHistory {
    PropertyHistory(
      values.map { event($0.ago, PropertyValue(type: .number, value: .double($0.value))) } + also, key: "x",
      type: .number, today: today, local: local)
  }

  private func days(_ from: Int, _ through: Int = 0) -> ClosedRange<CivilDate> {
    today.advanced(by: -from)...today.advanced(by: -through)
  }

  @Test func `a day without events has the sum 0 and no mean`() {
    let numbers = history([(2, 3), (2, 5), (0, 1.5)])
    let sums = numbers.series(.sum, by: .day, over: days(2), firstWeekday: 1)
    #expect(sums.points.map(\.value) == [8, 0, 1.5])
    #expect(sums.points.map(\.events) == [2, 0, 1])
    #expect(numbers.series(.mean, by: .day, over: days(2), firstWeekday: 1).points.map(\.value) == [4, nil, 1.5])
  }

  @Test func `weeks and months are clipped to the range`() {
    // 20 November 2026 is a Friday; 50 days earlier, 1 October is a Thursday.
    let numbers = history((0...50).map { ($0, 1) })
    let months = numbers.series(.sum, by: .month, over: days(50), firstWeekday: 1)
    #expect(months.points.map(\.value) == [31, 20])
    let weeks = numbers.series(.sum, by: .week, over: days(50), firstWeekday: 1)
    #expect(weeks.points.map(\.value) == [4, 7, 7, 7, 7, 7, 7, 5])
    #expect(weeks.points.last?.days == days(4))
    #expect(numbers.series(.mean, by: .week, over: days(50), firstWeekday: 0).points.first?.days.count == 3)
  }

  @Test func `values of another type are skipped and counted`() {
    let others = [
      event(1, PropertyValue(type: .text, value: "7")), event(1, PropertyValue(type: .duration, value: 60)),
      event(1, nil), event(-1, PropertyValue(type: .text, value: "later")),
    ]
    let numbers = history([(1, 2)], also: others)
    #expect(numbers.leftOut == 2)
    #expect(numbers.entries.map(\.day) == [today.advanced(by: -1)])
    #expect(numbers.most?.value == 2 && numbers.distribution?.count == 1)
  }

  @Test func `numbers with an overflowing sum have a mean but no sum`() throws {
    let numbers = history([(0, 1e308), (0, 1e308), (1, -1e308), (1, -1e308), (1, 1e308), (20, .infinity)])
    #expect(numbers.leftOut == 1)
    let means = numbers.series(.mean, by: .day, over: days(1), firstWeekday: 1).points.map(\.value)
    #expect(means[1] == 1e308)
    #expect(abs(try #require(means[0]) + 1e308 / 3) < 1e294)
    #expect(numbers.series(.sum, by: .day, over: days(1), firstWeekday: 1).points.map(\.value) == [-1e308, nil])
    #expect(numbers.distribution == nil)
    let most = Double.greatestFiniteMagnitude
    let ends = history([(0, most), (0, most), (0, most)]).series(.mean, by: .day, over: days(0), firstWeekday: 1)
    #expect(ends.values == [most])
  }

  @Test func `a moving average begins with the first full window`() {
    let numbers = history([(4, 2), (4, 4), (3, 6), (0, 9)])
    // Windows of three days. The window that ends on the fourth day sums to 12 from three events, the next window to 6,
    // and the last to 9.
    #expect(numbers.movingMean(.sum, ofDays: 3, over: days(5)) == [nil, nil, nil, 4, 2, 3])
    #expect(numbers.movingMean(.mean, ofDays: 3, over: days(5)) == [nil, nil, nil, 4, 6, 9])
    #expect(numbers.movingMean(.mean, ofDays: 1, over: days(2)) == [nil, nil, 9])
    let counts = TypeHistory([4, 4, 3, 0].map { event($0, nil) }, today: today, local: local)
    #expect(counts.movingMean(ofDays: 2, over: days(5)) == [nil, nil, 1.5, 0.5, 0, 0.5])
    #expect(counts.series(by: .day, over: days(4), firstWeekday: 1).points.map(\.value) == [2, 1, 0, 0, 1])
    #expect(TypeHistory([], today: today, local: local).movingMean(ofDays: 2, over: days(1)) == [nil, nil])
  }

  @Test func `a trend compares 14 days with the previous 14, from 28 days on`() throws {
    #expect(history([]).trend(.sum) == .needsEvents(1))
    #expect(history([(20, 1)]).trend(.sum) == .needsDays(7))
    let trend = try #require(history([(27, 4), (14, 6), (13, 6), (0, 9), (0, 9)]).trend(.mean).value)
    #expect(trend.recent == 8 && trend.before == 5 && trend.events == 3 && trend.eventsBefore == 2)
    let change = try #require(trend.change)
    #expect(abs(change - 0.6) < 1e-12)
    let words = PlainNarrator().sentence(.amount(trend, .mean, what: "x of t"))
    #expect(words == "x of t: 60 % more on average than in the previous 14 days")
    let far = try #require(history([(27, -1e308), (0, 1e308)]).trend(.sum).value)
    #expect(far.change == 2)
    #expect(try #require(history([(27, .leastNonzeroMagnitude), (0, 1e308)]).trend(.sum).value).change == nil)
    #expect(try #require(history([(40, 1)]).trend(.sum).value).events == 0)
  }
}
