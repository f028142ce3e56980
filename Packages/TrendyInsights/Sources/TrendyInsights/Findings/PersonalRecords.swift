public import TrendyModels

/// The most and the longest that there ever was of a type.
public struct PersonalRecords: Hashable, Sendable, Codable {
  /// Days, and how many events they have together.
  public struct Peak: Hashable, Sendable, Codable {
    public let days: ClosedRange<CivilDate>
    public let events: Int
  }

  /// Of several, the first. Where only some days are looked at, a week or month at either end is the part of it that lies in them.
  public let day: Peak
  public let week: Peak
  public let month: Peak
  /// Of all days in a row that have an event, the most.
  public let streak: Int
  /// The last of them; of several such streaks, of the last.
  public let streakEnd: CivilDate
  /// The longest stretch of days without an event between two that have one; `nil` where no such day is between any two.
  public let pause: ClosedRange<CivilDate>?
}

extension TypeHistory {
  /// - Parameters:
  ///   - firstWeekday: with which weeks begin; 0 is Sunday.
  ///   - skips: excused days.
  ///   - looked: the days that are looked at; `nil` for all up to today.
  public func records(
    firstWeekday: Int, skips: Set<CivilDate> = [], over looked: ClosedRange<CivilDate>? = nil
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
