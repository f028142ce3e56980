import Foundation
import Testing
import TrendyInsights
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

private let today = CivilDate(year: 2026, month: 11, day: 20)
private let local = LocalTime(isUTC: true)

private func event(_ day: CivilDate, hour: Double = 8, zone: String? = nil, isAllDay: Bool = false) -> Event {
  Event(
    id: UUID().uuidString, eventTypeId: "t",
    timestamp: Date(timeIntervalSince1970: Double(day.daysSince1970) * 86_400 + hour * 3600), isAllDay: isAllDay,
    timeZone: zone)
}

private func history(_ days: [CivilDate]) -> TypeHistory {
  TypeHistory(days.map { event($0) }, today: today, local: local)
}

/// Returns random days among the last `count`, each chosen with probability `share`.
private func days(_ count: Int, share: Double, using random: inout SeededGenerator) -> [CivilDate] {
  (0..<count).filter { _ in Double.random(in: 0..<1, using: &random) < share }.map { today.advanced(by: -$0) }
}

@Suite("Findings")
struct FindingTests {
  @Test func `an event on another day never shortens the longest streak`() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      let some = days(60, share: 0.5, using: &random)
      let more = some + [today.advanced(by: -Int.random(in: 0..<60, using: &random))]
      let skips = DaySet(days(60, share: 0.1, using: &random).map { $0...$0 })
      #expect(
        Streak(days: more, skips: skips, today: today).longest >= Streak(days: some, skips: skips, today: today).longest
      )
    }
  }

  @Test func `a streak up to yesterday is current, and future days are ignored`() {
    let days = (1...3).map { today.advanced(by: -$0) }
    #expect(Streak(days: days, today: today).current == 3)
    #expect(Streak(days: days, today: today.advanced(by: 1)).current == 0)
    #expect(Streak(days: [today.advanced(by: 1)], today: today) == Streak(days: [], today: today))
  }

  @Test func `independent habits do not correlate`() {
    var random = SeededGenerator(seed: 11)
    var sum = 0.0
    for _ in 0..<2000 {
      let one = history(days(90, share: 0.3, using: &random)).days.over(today.advanced(by: -89)...today)
      let other = history(days(90, share: 0.3, using: &random)).days.over(today.advanced(by: -89)...today)
      sum += Correlation(one.values, other.values)?.r ?? 0
    }
    #expect(abs(sum / 2000) < 0.02)
  }

  @Test func `at most the expected share of independent types is reported as correlated`() {
    var random = SeededGenerator(seed: 13)
    var found = 0
    for _ in 0..<100 {
      var histories: [String: TypeHistory] = [:]
      for type in 0..<8 {
        histories["\(type)"] = history(days(90, share: 0.3, using: &random) + [today.advanced(by: -89)])
      }
      if !CorrelationSearch(among: histories).strongest.isEmpty { found += 1 }
    }
    // Without a real correlation, a search finds a correlation with a probability of 10 %. The limit allows for the
    // spread over 100 runs.
    #expect(found <= 20)
  }

  @Test func `a series and its copy one day later correlate at lag 1`() throws {
    var random = SeededGenerator(seed: 17)
    let one = days(88, share: 0.4, using: &random).map { $0.advanced(by: -1) }
    let relation = try #require(
      CorrelationSearch(among: ["a": history(one), "b": history(one.map { $0.advanced(by: 1) })]).strongest.first)
    #expect(relation.lag == 1)
    #expect([relation.first, relation.second] == ["a", "b"])
    #expect(relation.correlation.r > 0.9)
    #expect(relation.confidence == .high)
  }

  @Test func `coincidence on a few days is not a correlation, and a search reports what it compared`() {
    let start = today.advanced(by: -89)
    // Both types have events on the same days, so r is 1, but there are too few such days.
    let few = [start] + [10, 20, 30].map { today.advanced(by: -$0) }
    let found = CorrelationSearch(among: ["a": history(few), "b": history(few)])
    #expect(found.strongest.isEmpty && found.pairs == 0 && found.missingDays.isEmpty && found.daysUntilFirst == 0)
    let enough = few + [today.advanced(by: -40)]
    let young = history([today.advanced(by: -8), today])
    let all = CorrelationSearch(among: ["a": history(enough), "b": history(enough), "c": young])
    #expect(all.strongest.map { [$0.first, $0.second] } == [["a", "b"]] && all.pairs == 1)
    #expect(all.missingDays == ["c": 5])
    #expect(CorrelationSearch(among: ["a": history(enough), "c": young]).daysUntilFirst == 5)
  }

  @Test func `with too little data a finding gives the missing days or events, never a value`() {
    #expect(history([today.advanced(by: -4), today]).trend == .needsDays(23))
    #expect(history([today]).weekdayHabit == .needsEvents(6))
    #expect(history([today]).gap == .needsDays(1))
    #expect(history([]).basis == nil)
    #expect(Correlation([1, 1, 1], [1, 2, 3]) == nil)
    #expect(Correlation([1e308, -1e308, 1e308], [1, 2, 3]) == nil)
    #expect(Distribution([.nan, .infinity]) == nil)
    #expect(Distribution([1e308, 1e308]) == nil)
  }

  @Test func `a constant series correlates with nothing, although its mean is rounded`() {
    #expect(Correlation([0.1, 0.1, 0.1], [1, 2, 4]) == nil)
    #expect(Correlation([1, 2, 4], [0.1, 0.1, 0.1]) == nil)
    #expect(Correlation([1, 2, 4, 8, 16, 32], [0.7, 0.7, 0.7, 0.7, 0.7, 0.7]) == nil)
  }

  @Test func `a trend compares two weeks with the two before`() {
    func trend(_ recent: Int, _ before: Int) -> Trend? {
      let days = (0..<recent).map { today.advanced(by: -$0) } + (0..<before).map { today.advanced(by: -14 - $0) }
      return history(days + [today.advanced(by: -40)]).trend.value
    }
    #expect(trend(12, 10)?.direction == .up)
    #expect(trend(8, 10)?.direction == .down)
    #expect(trend(11, 10)?.direction == .steady)
    #expect(trend(3, 0)?.direction == .new)
    #expect(trend(12, 10)?.change == 0.2)
  }

  @Test func `the current week is compared with the same part of the previous one`() {
    // A Friday; weeks begin on Monday.
    let monday = today.advanced(by: -4)
    let days = [monday, today, monday.advanced(by: -7), monday.advanced(by: -2), monday.advanced(by: -1)]
    let week = history(days).week(firstWeekday: 1)
    #expect(week.days == monday...today)
    #expect([week.now, week.before] == [2, 1])
  }

  @Test func `days and hours follow the time zone in which an event was recorded`() {
    // 10:30 UTC is 23:30 of the same date in Auckland.
    let auckland = event(today.advanced(by: -1), hour: 10.5, zone: "Pacific/Auckland")
    let history = TypeHistory([auckland], today: today, local: local)
    #expect(history.activeDays == [today.advanced(by: -1)])
    #expect(history.hours.firstIndex(of: 1) == 23)
    let honolulu = event(today, hour: 5, zone: "Pacific/Honolulu")
    #expect(TypeHistory([honolulu], today: today, local: local).activeDays == [today.advanced(by: -1)])
    let wholeDay = event(today, hour: 0, isAllDay: true)
    let whole = TypeHistory([wholeDay], today: today, local: local)
    #expect(whole.activeDays == [today])
    #expect(whole.hours.reduce(0, +) == 0)
  }

  @Test func `a history does not depend on the order or batches in which events are added`() {
    var random = SeededGenerator(seed: 23)
    let events = days(200, share: 0.6, using: &random).map {
      event($0, hour: Double.random(in: 0..<24, using: &random))
    }
    let whole = TypeHistory(events, today: today, local: local)
    let shuffled = TypeHistory(events.shuffled(using: &random), today: today, local: local)
    #expect(whole.days == shuffled.days)
    #expect(whole.hours == shuffled.hours)
    #expect(whole.weekdays.reduce(0, +) == events.count)
    #expect(whole.weeks(4).count == 4)
    // No week before the first event.
    #expect(history([today, today.advanced(by: -8)]).weeks(12) == [1, 1])
    // This event was recorded in a time zone where it is already tomorrow.
    #expect(history([today.advanced(by: 1)]).weeks(12).isEmpty)
  }

  @Test func `a history from counts equals one from single start times`() {
    var random = SeededGenerator(seed: 31)
    let events = days(200, share: 0.6, using: &random).map {
      event($0, hour: Double.random(in: 0..<24, using: &random))
    }
    let whole = TypeHistory(events, today: today, local: local)
    var days = DailySeries(whole.days.first.advanced(by: -3)...whole.activeDays[whole.activeDays.count - 1])
    for day in whole.activeDays { days[day] = whole.days[day] }
    #expect(TypeHistory(days: days, minutes: whole.eventsByMinute, today: today) == whole)
    let minutes = events.compactMap { local.minuteOfDay(of: $0) }
    #expect(whole.minutes == minutes.sorted())
    let none = TypeHistory(
      days: DailySeries(first: today, values: []), minutes: [Int](repeating: 0, count: 1440), today: today)
    #expect(none.events == 0 && none.days.count == 0)
  }

  @Test func `two automatically recorded types are not compared, and a correlation contains its evidence`() throws {
    var random = SeededGenerator(seed: 37)
    let active = days(120, share: 0.5, using: &random)
    func history(of days: [CivilDate], isOfPosition: Bool) -> TypeHistory {
      TypeHistory(
        moments: days.map { TypeHistory.Moment(day: $0, minute: 480, isOfPosition: isOfPosition) }, today: today)
    }
    let (trips, visits) = (history(of: active, isOfPosition: true), history(of: active, isOfPosition: true))
    #expect(trips.isOfPosition && CorrelationSearch(among: ["a": trips, "b": visits]).strongest.isEmpty)
    let coffee = history(of: active + active.prefix(1), isOfPosition: false)
    let found = CorrelationSearch(among: ["a": trips, "b": visits, "c": coffee]).strongest
    let pairs = found.map { [$0.first, $0.second].sorted().joined() }
    #expect(pairs.sorted() == ["ac", "bc"])
    let relation = try #require(found.first)
    let first = today.advanced(by: -89)
    #expect(relation.firstBasis.from == first)
    #expect(relation.firstBasis.through == today)
    #expect(relation.firstBasis.events == active.count { $0 >= first })
    #expect(relation.secondBasis.activeDays == relation.firstBasis.activeDays)
    #expect(relation.secondBasis.days == 90)
    // Meter readings are not compared with other types.
    var readings = coffee
    readings.isOfReadings = true
    #expect(CorrelationSearch(among: ["a": trips, "c": readings]).strongest.isEmpty)
    #expect(coffee.isHabit(hasGoal: false) && !trips.isHabit(hasGoal: false) && !readings.isHabit(hasGoal: false))
    #expect(trips.isHabit(hasGoal: true) && readings.isHabit(hasGoal: true))
    // With even one event recorded by hand, the history no longer counts as recorded automatically.
    #expect(!TypeHistory(together: [trips, coffee], today: today).isOfPosition)
  }

  @Test func `events later in the day a week ago are not compared`() {
    let monday = today.advanced(by: -4)
    let last = today.advanced(by: -7)
    let days = [monday, today, last, last, last, monday.advanced(by: -7)]
    func week(_ later: Int) -> PeriodChange {
      history(days).change(.week, over: monday...today, firstWeekday: 1, later: later)
    }
    #expect(week(0).before == 4 && week(1).before == 3 && week(3).before == 1)
    #expect(week(0).activeDaysBefore == 2 && week(2).activeDaysBefore == 2 && week(3).activeDaysBefore == 1)
    #expect(week(3).now == 2 && week(3).direction == .up)
  }

  @Test func `any ranges of days can be compared, and split into months`() {
    let first = today.advanced(by: -9)
    let days = [first.advanced(by: -1), first.advanced(by: -1), first.advanced(by: -4), first, today]
    let change = history(days).change(over: first...today, against: first.advanced(by: -3)...first.advanced(by: -1))
    #expect(change.now == 2 && change.before == 2 && change.activeDays == 2 && change.activeDaysBefore == 1)
    #expect(change.days == first...today && change.daysBefore.count == 3)
    let later = history(days).change(
      over: first...today, against: first.advanced(by: -3)...first.advanced(by: -1), later: 1)
    #expect(later.before == 1 && later.percent == 100)
    let (start, end) = (CivilDate(year: 2025, month: 12, day: 31), CivilDate(year: 2026, month: 2, day: 1))
    #expect((start...end).split(by: .month, firstWeekday: 1).map(\.count) == [1, 31, 1])
  }

  @Test(
    "counts up to four have a level each, and a type with at most one a day is strong",
    arguments: zip([[1], [1, 1, 2], [1, 2, 3], [1, 2, 3, 4]], [[3], [3, 3, 4], [1, 3, 4], [1, 2, 3, 4]]))
  func heatOfCounts(counts: [Double], expected: [Int]) throws {
    let levels = try #require(HeatLevels(ofCounts: DailySeries(first: today, values: [0] + counts)))
    #expect(counts.map(levels.level) == expected && levels.level(0) == 0)
    #expect(HeatLevels(ofCounts: DailySeries(first: today, values: [0])) == nil)
  }

  @Test func `levels of larger counts are quartiles`() {
    let series = DailySeries(first: today, values: [0, 1, 5, 2, 9, 3, 3])
    #expect(HeatLevels(ofCounts: series) == HeatLevels(series))
  }

  @Test func `heat levels are the quartiles of the days with events`() throws {
    let series = DailySeries(first: today, values: [0, 1, 2, 3, 4, 0])
    let levels = try #require(HeatLevels(series))
    #expect(series.values.map { levels.level($0) } == [0, 1, 2, 3, 4, 0])
    #expect(HeatLevels(DailySeries(first: today, values: [0, 0])) == nil)
  }

  @Test func `quartiles match R and NumPy`() throws {
    // numpy.quantile([1, 2, 3, 4], [.25, .5, .75]) and statistics.stdev.
    let found = try #require(Distribution([4, 1, 3, 2]))
    #expect([found.lowerQuartile, found.median, found.upperQuartile] == [1.75, 2.5, 3.25])
    #expect(abs(found.standardDeviation - 1.2909944487358056) < 1e-12)
  }

  @Test func `sentences describe the findings`() throws {
    let narrator = PlainNarrator()
    #expect(narrator.sentence(Gap(days: 12, usual: 3), of: "run") == "run: last time 12 days ago, usually every 3 days")
    var random = SeededGenerator(seed: 29)
    let one = days(88, share: 0.4, using: &random).map { $0.advanced(by: -1) }
    let relation = try #require(
      CorrelationSearch(among: ["a": history(one), "b": history(one.map { $0.advanced(by: 1) })]).strongest.first)
    #expect(
      narrator.sentence(relation, first: "wine", second: "headache")
        == "More headache on the day after more wine (strong correlation)")
  }
}

#if canImport(Glibc)
  @Suite("Statistics from several threads")
  struct ThreadTests {
    @Test func `a correlation does not change the C library's global sign`() throws {
      let sign = try #require(dlsym(nil, "signgam")).assumingMemoryBound(to: Int32.self)
      sign.pointee = 42
      #expect(Correlation([1, 2, 3, 5], [2, 1, 4, 4]) != nil)
      #expect(sign.pointee == 42)
    }
  }
#endif
