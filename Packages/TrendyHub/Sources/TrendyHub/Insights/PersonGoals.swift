import Foundation
import TrendyInsights
import TrendyModels

/// Progress of a user's goals in the current day or week, computed from the events of one week.
struct PersonGoals {
  let facts: PersonFacts
  let today: CivilDate
  private let firstWeekday: Int
  private var amounts: [String: [CivilDate: Double]] = [:]

  /// Reads the events; `firstWeekday` is the first day of a week, where 0 is Sunday.
  init(_ reading: any HubReading, days: PersonDays, firstWeekday: Int, now: Date) throws {
    let today = days.day(of: now)
    let week = CalendarPeriod.week.days(around: today, firstWeekday: firstWeekday)
    // Skips later in the week lower its goals too.
    let facts = try PersonFacts(reading, days: days, today: week.upperBound)
    (self.facts, self.today, self.firstWeekday) = (facts, today, firstWeekday)
    let goals = facts.goals.compactMapValues { $0 }
    guard !goals.isEmpty else { return }
    let first = goals.values.contains { $0.period == .week } ? week.lowerBound : today
    let moments =
      days.start(of: first) - days.longestShift..<days.start(of: week.upperBound.advanced(by: 1)) + days.longestShift
    var amounts: [String: [CivilDate: Double]] = [:]
    try reading.eachEvent(during: moments) { event, entry in
      let type = event.eventTypeId
      guard goals[type] != nil, let amount = facts.amount(of: try entry(), type: type, now: now) else { return }
      amounts[type, default: [:]][days.moment(of: event).day, default: 0] += amount
    }
    self.amounts = amounts
  }

  /// Progress by type, of types with a goal.
  var progress: [String: GoalProgress] {
    facts.goals.keys.reduce(into: [:]) { progress, type in
      progress[type] = facts.progress(
        ofType: type, on: today, firstWeekday: firstWeekday, amounts: amounts[type] ?? [:])
    }
  }
}
