import TrendyInsights
import TrendyModels

/// Insights about the selected event types: correlations, trends, overdue types and usual times.
struct FoundInsights {
  /// Usual hour of an event type, with its usual weekday if there is one.
  struct UsualHours {
    let type: EventType
    let hour: Habit
    let weekday: Habit?
  }

  let report: Report
  let search: CorrelationSearch
  /// Rising and falling trends.
  let trends: [(type: EventType, trend: Trend)]
  /// Event types whose last event is unusually long ago.
  let gaps: [(type: EventType, gap: Gap)]
  /// Usual times of medium or high confidence, most consistent first.
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

  /// First day of the search for correlations: that of the oldest event, but at most `CorrelationSearch.span` days ago.
  var firstDay: CivilDate? {
    report.rows.map(\.history.days.first).min().map { max($0, today.advanced(by: 1 - CorrelationSearch.span)) }
  }

  func name(_ id: String) -> String { type(id)?.name ?? id }

  private func type(_ id: String) -> EventType? { report.rows.first { $0.type.id == id }?.type }

  /// Names of event types whose history is too short for correlations, with the number of days to wait; shortest wait
  /// first.
  var young: [(name: String, days: Int)] {
    search.missingDays.map { (name($0.key), $0.value) }.sorted { ($0.days, $0.name) < ($1.days, $1.name) }
  }

  /// Returns the daily values of the two event types in a correlation.
  /// - Parameter place: index of the correlation in the list, starting at 0.
  /// - Returns: `nil` if the index is out of range.
  func days(ofRelation place: Int) -> RelationDays? {
    guard search.strongest.indices.contains(place) else { return nil }
    let relation = search.strongest[place]
    let days = relation.firstBasis.from...relation.firstBasis.through
    func side(_ id: String) -> RelationDays.Side {
      let series = report.histories[id]?.days ?? DailySeries(days)
      return RelationDays.Side(id: id, name: name(id), color: type(id)?.colorHex, series: series.over(days))
    }
    return RelationDays(
      relation: relation, pairs: search.pairs, first: side(relation.first), second: side(relation.second), today: today)
  }
}

/// A correlation with the daily values of its two event types.
struct RelationDays {
  struct Side {
    let id: String
    let name: String
    let color: String?
    let series: DailySeries
  }

  let relation: CorrelationFinding
  /// Number of pairs of event types that were tested for correlation.
  let pairs: Int
  /// Event type that precedes the other by one day if the correlation has a lag.
  let first: Side
  let second: Side
  let today: CivilDate
}
