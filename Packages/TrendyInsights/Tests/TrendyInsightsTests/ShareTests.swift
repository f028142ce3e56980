import Foundation
import Testing
import TrendyInsights
import TrendyModels

@Suite("Moving ranges and shares of values", .timeLimit(.minutes(10)))
struct ShareTests {
  private let first = CivilDate(year: 2026, month: 3, day: 2)

  /// Returns a history with the given number of events on each day, starting at ``first``.
  private func history(_ counts: [Double]) -> TypeHistory {
    TypeHistory(
      days: DailySeries(first: first, values: counts), minutes: [Int](repeating: 0, count: 1440),
      today: first.advanced(by: counts.count - 1))
  }

  @Test func `the line is the mean of 14 days and the band the quartiles of 28`() throws {
    let history = history([Double](repeating: 9, count: 5) + (0..<28).map { Double($0 % 4) })
    let found = try #require(history.movingRange(.days, endingOn: history.today))
    #expect(abs(found.mean - 23.0 / 14) < 1e-12)
    #expect(found.lower == 0.75 && found.upper == 2.25)
    #expect(history.movingRange(.days, endingOn: history.today.advanced(by: 1)) == nil)
  }

  @Test func `a moving range requires seven days`() {
    let history = history([1, 2, 3, 4, 5, 6, 7, 8])
    #expect(history.movingRange(.days, endingOn: first.advanced(by: 5)) == nil)
    #expect(history.movingRange(.days, endingOn: first.advanced(by: 6))?.mean == 4)
  }

  @Test func `a skipped day has no value and does not count as a day without events`() throws {
    let history = history([2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 2, 2])
    let skips = DaySet([first.advanced(by: 7)...first.advanced(by: 9)])
    #expect(history.movingRange(.days, endingOn: first.advanced(by: 8), skips: skips) == nil)
    let after = try #require(history.movingRange(.days, endingOn: history.today, skips: skips))
    #expect(after.mean == 2 && after.lower == 2 && after.upper == 2)
    #expect(history.movingRange(.days, endingOn: history.today)?.mean == 1.5)
  }

  @Test func `weeks are sums of seven days, and a week with a skipped day is ignored`() {
    let history = history((0..<70).map { $0 < 42 ? 1 : 3 })
    #expect(history.movingRange(.weeks, endingOn: history.today)?.mean == 21)
    #expect(history.movingRange(.weeks, endingOn: history.today.advanced(by: -14))?.mean == 14)
    let skips: DaySet = [history.today.advanced(by: -1)]
    #expect(history.movingRange(.weeks, endingOn: history.today, skips: skips)?.mean == 17.5)
  }

  private func values(_ type: PropertyType, _ values: [JSONValue]) -> [PropertyValue] {
    values.map { PropertyValue(type: type, value: $0) }
  }

  @Test func `texts are sorted by frequency, and rare ones are combined`() throws {
    let words = (0..<12).flatMap { place in [JSONValue](repeating: .string("w\(place)"), count: 12 - place) }
    let shares = try #require(
      PropertyShares(values(.text, words + [""]) + values(.select, ["w0"]), key: "k", type: .text))
    #expect(shares.parts.map(\.value) == (0..<8).map { .string("w\($0)") })
    #expect(shares.events == words.count && shares.others == 4 + 3 + 2 + 1)
    #expect(PropertyShares(values(.text, [""]), key: "k", type: .text) == nil)
    let yes = try #require(PropertyShares(values(.boolean, [true, false, true]), key: "k", type: .boolean))
    #expect(yes.parts.map(\.events) == [2, 1] && yes.parts[0].value == true)
  }

  @Test func `a few numbers are listed individually in ascending order`() throws {
    let shares = try #require(PropertyShares(values(.number, [3, 1, 3, 2.5]), key: "k", type: .number))
    #expect(shares.parts.map(\.value.doubleValue) == [1, 2.5, 3] && shares.parts.map(\.events) == [1, 1, 2])
    #expect(shares.distribution?.median == 2.75)
  }

  @Test(arguments: 1...200)
  func `intervals are rounded, few, and cover every number`(seed: Int) throws {
    let scale = pow(10, Double(seed % 16) - 6)
    // Quasi-random numbers.
    let numbers = (0..<60).map {
      (Double($0 + seed) * 0.732_050_807_568_877_3).truncatingRemainder(dividingBy: 1) - 0.4
    }
    .map { $0 * scale }
    for type in [PropertyType.number, .duration] {
      let shares = try #require(PropertyShares(values(type, numbers.map { .double($0) }), key: "k", type: type))
      #expect(shares.parts.reduce(0) { $0 + $1.events } == 60)
      // Durations have no interval below one second.
      #expect((type == .number ? 3...8 : 1...8).contains(shares.parts.count), "\(shares.parts.count)")
      for part in shares.parts {
        let (start, end) = (try #require(part.value.doubleValue), try #require(part.end))
        let slack = (end - start) * 1e-12
        #expect(numbers.count { $0 >= start - slack && $0 < end + slack } == part.events)
      }
    }
  }
}
