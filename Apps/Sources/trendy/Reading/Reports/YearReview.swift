import TrendyInsights
import TrendyModels

/// A year against the one before, and the best of it.
struct YearReview {
  let period: PeriodReview
  /// Everything together against the year before.
  let total: PeriodChange
  /// The best of everything together; `nil` of a year without an event.
  let best: PersonalRecords?
  /// The best of each type within the year, those with most events first.
  let bests: [(type: EventType, records: PersonalRecords)]

  /// - Parameter day: any day of the year; `nil` for the last that is looked at.
  /// - Throws: ``CommandError`` with exit 64 for a year that is still to come, and where `--since` leaves nothing to compare with.
  init(around day: CivilDate?, _ session: Session) throws {
    let period = try PeriodReview(.year, around: day, session)
    let firstWeekday = session.local.firstWeekday
    let histories = Dictionary(uniqueKeysWithValues: period.all.map { ($0.type.id, $0.history) })
    let together = TypeHistory(together: histories.values, today: period.today)
    self.period = period
    total = together.change(
      .year, over: period.days, firstWeekday: firstWeekday, later: period.later.values.reduce(0, +))
    best = together.records(firstWeekday: firstWeekday, over: period.days).value
    bests = period.rows.compactMap { row in
      histories[row.type.id]?.records(
        firstWeekday: firstWeekday, skips: period.skips[row.type.id] ?? [], over: period.days
      ).value.map { (row.type, $0) }
    }
  }
}
