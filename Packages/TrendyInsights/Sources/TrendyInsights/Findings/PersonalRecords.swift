public import TrendyModels

/// The most and the longest that there ever was of a type.
public struct PersonalRecords: Hashable, Sendable, Codable {
  /// Days, and how many events they have together.
  public struct Peak: Hashable, Sendable, Codable {
    public let days: ClosedRange<CivilDate>
    public let events: Int
  }

  /// Of several, the first.
  public let day: Peak
  public let week: Peak
  public let month: Peak
  /// Of all days in a row that have an event, the most.
  public let streak: Int
  /// The longest stretch of days without an event between two that have one; `nil` where no such day is between any two.
  public let pause: ClosedRange<CivilDate>?
}

extension TypeHistory {
  /// - Parameters:
  ///   - firstWeekday: with which weeks begin; 0 is Sunday.
  ///   - skips: excused days.
  public func records(firstWeekday: Int, skips: Set<CivilDate> = []) -> Finding<PersonalRecords> {
    guard days.count > 0, let first = activeDays.first else { return .needsEvents(1) }
    func peak(_ unit: CalendarPeriod) -> PersonalRecords.Peak {
      var best = PersonalRecords.Peak(days: first...first, events: 0)
      var start = first
      while start <= today {
        let period = unit.days(around: start, firstWeekday: firstWeekday)
        let events = Int(days.over(period).total)
        if events > best.events { best = PersonalRecords.Peak(days: period, events: events) }
        start = period.upperBound.advanced(by: 1)
      }
      return best
    }
    let active = activeDays
    var pause: ClosedRange<CivilDate>?
    for (last, next) in zip(active, active.dropFirst()) where last.distance(to: next) > (pause?.count ?? 0) + 1 {
      pause = last.advanced(by: 1)...next.advanced(by: -1)
    }
    return .found(
      PersonalRecords(
        day: peak(.day), week: peak(.week), month: peak(.month), streak: streak(skips: skips).longest, pause: pause))
  }
}
