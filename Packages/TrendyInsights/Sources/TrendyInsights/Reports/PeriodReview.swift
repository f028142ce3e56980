public import TrendyModels

/// Types of a ``Report`` in a period, compared with the previous period.
public struct PeriodReview: Sendable {
  /// One type in the period.
  public struct Row: Sendable {
    public let row: Report.Row
    public let change: PeriodChange
    /// Number of events of each day, or of each month in a year.
    public let values: [Double]
    /// Personal records within the period; `nil` if it has no events.
    public let records: PersonalRecords?

    public var type: EventType { row.type }
  }

  public let span: ReviewedPeriod
  /// Types with events in either period, most events first.
  public let rows: [Row]
  /// History of all types together.
  public let together: TypeHistory
  /// Events of all types, compared with the previous period.
  public let total: PeriodChange

  /// Compares the types of a report. Events of its ``Report/later`` are excluded from the comparison.
  public init(_ report: Report, over span: ReviewedPeriod) {
    func change(_ history: TypeHistory, _ later: Int) -> PeriodChange {
      history.change(over: span.days, against: span.daysBefore, later: later)
    }
    self.span = span
    together = report.together
    total = change(together, report.later.values.reduce(0, +))
    rows = report.rows.filter { !$0.history.isOfReadings }.compactMap { row in
      let change = change(row.history, report.later[row.type.id] ?? 0)
      guard !change.isEmpty else { return nil }
      let series = row.history.series(
        by: span.period == .year ? .month : .day, over: span.days, firstWeekday: span.firstWeekday)
      let records = row.history.records(firstWeekday: span.firstWeekday, skips: row.skips, over: span.days)
      return Row(row: row, change: change, values: series.values, records: records.value)
    }
    .sorted { left, right in
      (right.change.now, right.change.before, left.type.name, left.type.id)
        < (left.change.now, left.change.before, right.type.name, right.type.id)
    }
  }

  /// Personal records of all types together; `nil` for a period without events.
  public var best: PersonalRecords? { together.records(firstWeekday: span.firstWeekday, over: span.days).value }
}
