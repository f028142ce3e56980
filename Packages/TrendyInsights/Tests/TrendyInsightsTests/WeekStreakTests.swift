import Testing
import TrendyInsights
import TrendyModels

@Suite("Streaks of weeks")
struct WeekStreakTests {
  /// A Friday.
  private let today = CivilDate(year: 2026, month: 11, day: 20)
  private let goal = Goal(2, per: .week)

  private func streak(_ amounts: [Int: Double], skips: DaySet = []) -> Streak {
    Streak(
      weeksOf: goal,
      amounts: Dictionary(uniqueKeysWithValues: amounts.map { (today.advanced(by: -$0.key), $0.value) }), skips: skips,
      today: today, firstWeekday: 1)
  }

  /// Returns amounts with two events in each of the given weeks, where 0 is the current week.
  private func weeks(_ ago: Int...) -> [Int: Double] {
    Dictionary(uniqueKeysWithValues: ago.flatMap { [(7 * $0 + 1, 1), (7 * $0 + 2, 1)] })
  }

  @Test func `a goal of two a week that was met in four weeks has a streak of four weeks`() {
    let found = streak(weeks(0, 1, 2, 3))
    #expect(found.period == .week && found.current == 4 && found.longest == 4 && found.longestEnd == today)
  }

  @Test func `the current week can still be met, and an earlier one that was missed ends the streak`() {
    var amounts = weeks(1, 2, 5, 6, 7)
    amounts[0] = 1
    let found = streak(amounts)
    #expect(found.current == 2 && found.longest == 3)
    // The last Sunday of the longest streak.
    #expect(found.longestEnd == today.advanced(by: -5 - 7 * 4))
    #expect(streak(weeks(2, 3)).current == 0)
  }

  @Test func `a skipped week neither breaks nor extends the streak, and a skipped day lowers the goal`() {
    let monday = today.advanced(by: -4)
    #expect(streak(weeks(1, 3), skips: DaySet([monday.advanced(by: -14)...monday.advanced(by: -8)])).current == 2)
    var amounts = weeks(1)
    amounts[15] = 1
    #expect(streak(amounts, skips: DaySet([monday.advanced(by: -14)...monday.advanced(by: -10)])).current == 2)
    #expect(streak(amounts).current == 1)
  }

  @Test func `amounts of an event count, not its day alone`() {
    #expect(streak([1: 2, 8: 1.5, 9: 0.5, 15: 1]).current == 2)
    #expect(streak([:]).current == 0 && streak([:]).longestEnd == nil)
  }
}
