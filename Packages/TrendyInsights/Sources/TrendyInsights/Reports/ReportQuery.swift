public import TrendyFoundation
public import TrendyModels

/// Events, steps, measure and comparison of a ``Report``.
public struct ReportQuery: Hashable, Sendable {
  /// Number that a report computes for each step.
  public enum Measure: Hashable, Sendable {
    /// Number of events.
    case count
    /// Sum or mean of a number or duration property.
    case property(PropertyDefinition, AmountSummary)
    /// Sum of the time from start to end; see ``TimeLedger``.
    case time

    /// Name and unit of the values, and how they are combined; `nil` for ``count``.
    public var amount: (name: String, summary: AmountSummary, isLength: Bool)? {
      switch self {
      case .count: nil
      case .property(let definition, let summary): (definition.key, summary, definition.propertyType == .duration)
      case .time: ("time", .sum, true)
      }
    }
  }

  /// Results that need more than counts of events.
  public struct Details: OptionSet, Hashable, Sendable {
    public let rawValue: Int
    /// Streaks in weeks, for weekly minimum goals.
    public static let weeklyStreaks = Details(rawValue: 1)
    /// Progress of goals.
    public static let goals = Details(rawValue: 2)

    public init(rawValue: Int) { self.rawValue = rawValue }
  }

  /// Current time.
  public let now: Date
  /// The user's calendar.
  public let local: LocalTime
  /// Time range of the events; `nil` for all.
  public var range: Range<Date>?
  /// Ids of the event types; `nil` for all.
  public var types: Set<String>?
  /// Whether the time of trips and visits recorded by devices counts even if the query names no types.
  public var countsPositions = false
  /// Id of the type whose events are meter readings. They count as ordinary events if the query names types or the type
  /// has a goal.
  public var readings: String?
  /// Length of a step.
  public var step = CalendarPeriod.day
  /// Number of weeks to cover, including the week of the last day; `nil` for all weeks since the first event.
  public var weeks: Int?
  public var measure = Measure.count
  /// Period to compare with the previous one; `nil` for no comparison.
  public var comparison: ReviewedPeriod?
  public var details: Details = []

  public init(now: Date, local: LocalTime, range: Range<Date>? = nil) {
    self.now = now
    self.local = local
    self.range = range
  }

  /// Last day: the current day, or the day the range ends if it is earlier.
  public var today: CivilDate {
    guard let end = range?.upperBound, end < now else { return local.day(of: now) }
    return local.day(of: end.addingTimeInterval(-0.001))
  }

  /// Whether the last day is in the past.
  public var isOver: Bool { today < local.day(of: now) }

  /// First day of the range; `nil` if it has no lower bound.
  public var firstDay: CivilDate? {
    range.flatMap { $0.lowerBound == .distantPast ? nil : local.day(of: $0.lowerBound) }
  }

  /// Days of the last `weeks` weeks up to the last day, counting the week of the last day.
  public func days(ofWeeks weeks: Int) -> ClosedRange<CivilDate> {
    let week = CalendarPeriod.week.days(around: today, firstWeekday: local.firstWeekday)
    return week.lowerBound.advanced(by: -7 * (weeks - 1))...today
  }

  /// Returns the calendar period that contains a day, up to the last day; `nil` if it begins after the last day.
  /// Without a `day`, this is the period of the last day.
  public func period(_ period: CalendarPeriod, around day: CivilDate? = nil) -> ReviewedPeriod? {
    ReviewedPeriod(
      period, around: day ?? today, until: today, today: local.day(of: now), firstWeekday: local.firstWeekday)
  }

  /// Returns the days from `first` to the last day, to be compared with the same number of days before them.
  public func period(from first: CivilDate) -> ReviewedPeriod {
    ReviewedPeriod(min(first, today)...today, today: local.day(of: now), firstWeekday: local.firstWeekday)
  }

  /// Selects the events in the range; `nil` for all events.
  var selected: EventRange? { range.map { EventRange($0, in: local) } }

  /// Selects the events to count; `nil` if these are all events up to the last day.
  var counted: EventRange? {
    guard let range else { return nil }
    let isUpToDay = range.lowerBound == .distantPast && range.upperBound >= local.start(of: today.advanced(by: 1))
    return isUpToDay ? nil : selected
  }
}
