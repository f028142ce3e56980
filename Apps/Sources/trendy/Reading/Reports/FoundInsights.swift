import TrendyInsights
import TrendyModels

/// Findings about all event types: correlations, trends, overdue types and usual times.
struct FoundInsights {
  /// Usual hour of an event type, and its usual weekday if it has one.
  struct UsualHours {
    let type: EventType
    let hour: Habit
    let weekday: Habit?
  }

  let report: Report
  let search: CorrelationSearch
  /// Rising and falling trends, without steady ones.
  let trends: [(type: EventType, trend: Trend)]
  /// Types whose last event is unusually old.
  let gaps: [(type: EventType, gap: Gap)]
  /// Usual times, most consistent first, excluding those with low confidence.
  let habits: [UsualHours]

  init(_ report: Report) {
    self.report = report
    search = CorrelationSearch(among: report.histories)
    trends = report.rows.filter { !$0.history.isOfReadings }.compactMap { row in
      row.history.trend.value.flatMap { $0.direction == .steady ? nil : (row.type, $0) }
    }
    let habits = report.rows.filter(\.isHabit)
    gaps = habits.compactMap { row in row.history.gap.value.flatMap { $0.isLong ? (row.type, $0) : nil } }
    self.habits = habits.compactMap { row in
      guard let hour = row.history.hourHabit.value, hour.confidence != .low else { return nil }
      return UsualHours(type: row.type, hour: hour, weekday: row.history.weekdayHabit.value)
    }
    .sorted { $0.hour.pattern.consistency > $1.hour.pattern.consistency }
  }

  var today: CivilDate { report.query.today }

  /// First day of the correlation search: the day of the oldest event, but at most `CorrelationSearch.span` days ago.
  var firstDay: CivilDate? {
    report.rows.map(\.history.days.first).min().map { max($0, today.advanced(by: 1 - CorrelationSearch.span)) }
  }

  func name(_ id: String) -> String { type(id)?.name ?? id }

  func type(_ id: String) -> EventType? { report.rows.first { $0.type.id == id }?.type }

  /// Types with too short a history for correlations, and the number of missing days, fewest first.
  var young: [(name: String, days: Int)] {
    search.missingDays.map { (name($0.key), $0.value) }.sorted { ($0.days, $0.name) < ($1.days, $1.name) }
  }
}
