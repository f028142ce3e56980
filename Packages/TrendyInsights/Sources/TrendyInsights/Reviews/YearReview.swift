public import TrendyModels

/// Best days, months and streaks of a year, in addition to its ``PeriodReview``.
public struct YearReview: Sendable {
  public let period: PeriodReview
  /// Events of all types, compared with the previous year.
  public let total: PeriodChange
  /// Personal records of all types together; `nil` for a year without events.
  public let best: PersonalRecords?
  /// Personal records of each type within the year; types with most events first.
  public let bests: [(type: EventType, records: PersonalRecords)]

  public init(_ period: PeriodReview) {
    self.period = period
    total = period.total
    let span = period.span
    best = period.together.records(firstWeekday: span.firstWeekday, over: span.days).value
    let histories = Dictionary(uniqueKeysWithValues: period.types.map { ($0.type.id, $0.history) })
    bests = period.rows.compactMap { row in
      histories[row.type.id]?.records(
        firstWeekday: span.firstWeekday, skips: period.skips[row.type.id] ?? [], over: span.days
      ).value.map { (row.type, $0) }
    }
  }
}
