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

  let today: CivilDate
  let search: CorrelationSearch
  /// Rising and falling trends.
  let trends: [(type: EventType, trend: Trend)]
  /// Event types whose last event is unusually long ago.
  let gaps: [(type: EventType, gap: Gap)]
  /// Usual times of medium or high confidence, most consistent first.
  let habits: [UsualHours]
  private let types: [String: EventType]
  private let histories: [String: TypeHistory]

  init(_ reader: TypeHistories) throws {
    let all = try reader.all()
    today = reader.today
    types = Dictionary(uniqueKeysWithValues: all.map { ($0.type.id, $0.type) })
    histories = Dictionary(uniqueKeysWithValues: all.map { ($0.type.id, $0.history) })
    search = CorrelationSearch(among: histories)
    trends = all.filter { !$0.history.isOfReadings }.compactMap { type, history in
      history.trend.value.flatMap { $0.direction == .steady ? nil : (type, $0) }
    }
    let deeds = all.filter { $0.history.isHabit(hasGoal: $0.type.goal != nil) }
    gaps = deeds.compactMap { type, history in history.gap.value.flatMap { $0.isLong ? (type, $0) : nil } }
    habits = deeds.compactMap { type, history in
      guard let hour = history.hourHabit.value, hour.confidence != .low else { return nil }
      return UsualHours(type: type, hour: hour, weekday: history.weekdayHabit.value)
    }
    .sorted { $0.hour.pattern.consistency > $1.hour.pattern.consistency }
  }

  /// First day used for correlations: the day of the oldest event, but at most `CorrelationSearch.span` days ago.
  var firstDay: CivilDate? {
    histories.values.map(\.days.first).min().map { max($0, today.advanced(by: 1 - CorrelationSearch.span)) }
  }

  /// Number of event types with at least one selected event.
  var typeCount: Int { histories.count }

  func name(_ id: String) -> String { types[id]?.name ?? id }

  func color(_ id: String) -> String? { types[id]?.colorHex }

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
    func series(_ id: String) -> DailySeries { (histories[id]?.days ?? DailySeries(days)).over(days) }
    return RelationDays(
      relation: relation, pairs: search.pairs,
      first: RelationDays.Side(
        id: relation.first, name: name(relation.first), color: color(relation.first), series: series(relation.first)),
      second: RelationDays.Side(
        id: relation.second, name: name(relation.second), color: color(relation.second),
        series: series(relation.second)),
      today: today)
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
