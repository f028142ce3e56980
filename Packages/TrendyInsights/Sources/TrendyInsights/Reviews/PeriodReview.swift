public import TrendyModels

/// Events of each type in a week, month or year, compared with the previous period.
public struct PeriodReview: Sendable {
  /// Event type with its counts in the period.
  public struct Row: Sendable {
    public let type: EventType
    public let change: PeriodChange
    /// Number of events of each day, or of each month in a year.
    public let values: [Double]
  }

  public let span: ReviewedPeriod
  /// Types with events in at least one of the two periods, most events first.
  public let rows: [Row]
  /// All types with their complete histories.
  public let types: [(type: EventType, history: TypeHistory)]
  /// Skipped days by type id.
  public let skips: [String: DaySet]
  private let later: [String: Int]

  /// Compares the types in a period with the previous period.
  /// - Parameters:
  ///   - span: days of the period and of the previous one.
  ///   - types: all types with their histories up to the last day.
  ///   - skips: skipped days by type id.
  ///   - later: events by type id that happened on the last day of the previous period, later in the day than now. They
  ///     are excluded from the comparison.
  public init(
    _ span: ReviewedPeriod, types: [(type: EventType, history: TypeHistory)], skips: [String: DaySet],
    later: [String: Int]
  ) {
    self.span = span
    self.types = types
    self.skips = skips
    self.later = later
    rows = types.filter { !$0.history.isOfReadings }.map { type, history in
      Row(
        type: type, change: Self.change(of: history, in: span, later: later[type.id] ?? 0),
        values: Self.values(of: history.days, in: span))
    }
    .filter { !$0.change.isEmpty }
    .sorted { left, right in
      (right.change.now, right.change.before, left.type.name) < (left.change.now, left.change.before, right.type.name)
    }
  }

  /// Events of all types, compared with the previous period.
  public var total: PeriodChange { Self.change(of: together, in: span, later: later.values.reduce(0, +)) }

  var together: TypeHistory { TypeHistory(together: types.map(\.history), today: span.last) }

  private static func change(of history: TypeHistory, in span: ReviewedPeriod, later: Int) -> PeriodChange {
    history.change(span.period, over: span.days, firstWeekday: span.firstWeekday, later: later)
  }

  private static func values(of series: DailySeries, in span: ReviewedPeriod) -> [Double] {
    guard span.period == .year else { return series.over(span.days).values }
    return (1...span.days.upperBound.month).map { month in
      let first = CivilDate(year: span.days.lowerBound.year, month: month, day: 1)
      return series.over(CalendarPeriod.month.days(around: first, firstWeekday: 0)).total
    }
  }
}
