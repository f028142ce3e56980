public import TrendyModels

/// Highest counts, longest streak and longest pause of a type.
public struct PersonalRecords: Hashable, Sendable, Codable {
  /// Days with their number of events.
  public struct Peak: Hashable, Sendable, Codable {
    public let days: ClosedRange<CivilDate>
    public let events: Int
  }

  /// Day with the most events, or the first one in a tie.
  public let day: Peak
  /// Week with the most events. A week at the edge of a limited range includes only the days within the range.
  public let week: Peak
  /// Month with the most events. Includes only the days within the range, like `week`.
  public let month: Peak
  /// Longest streak in days.
  public let streak: Int
  /// Last day of the longest streak, or of the most recent one in a tie.
  public let streakEnd: CivilDate
  /// Longest run of days without events between two days with events, or `nil` if there is none.
  public let pause: ClosedRange<CivilDate>?
}

extension TypeHistory {
  /// Computes the personal records over a range, or over all days up to today. A `firstWeekday` of 0 means Sunday.
  public func records(
    firstWeekday: Int, skips: DaySet = [], over looked: ClosedRange<CivilDate>? = nil
  ) -> Finding<PersonalRecords> {
    let active = activeDays.filter { looked?.contains($0) != false }
    guard let first = active.first else { return .needsEvents(1) }
    let end = min(looked?.upperBound ?? today, today)
    func peak(_ unit: CalendarPeriod) -> PersonalRecords.Peak {
      var best = PersonalRecords.Peak(days: first...first, events: 0)
      var start = first
      while start <= end {
        let whole = unit.days(around: start, firstWeekday: firstWeekday)
        let period = looked.map { whole.clamped(to: $0) } ?? whole
        let events = Int(days.over(period).total)
        if events > best.events { best = PersonalRecords.Peak(days: period, events: events) }
        start = period.upperBound.advanced(by: 1)
      }
      return best
    }
    var pause: ClosedRange<CivilDate>?
    for (last, next) in zip(active, active.dropFirst()) where last.distance(to: next) > (pause?.count ?? 0) + 1 {
      pause = last.advanced(by: 1)...next.advanced(by: -1)
    }
    let streak = Streak(days: active, skips: skips, today: end)
    return .found(
      PersonalRecords(
        day: peak(.day), week: peak(.week), month: peak(.month), streak: streak.longest,
        streakEnd: streak.longestEnd ?? first, pause: pause))
  }
}
