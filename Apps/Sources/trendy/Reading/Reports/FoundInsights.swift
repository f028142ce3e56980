import TrendyInsights
import TrendyModels

/// What stands out in the records of all types.
struct FoundInsights {
  /// When a type happens, where that is the same time and again.
  struct UsualHours {
    let type: EventType
    let hour: Habit
    let weekday: Habit?
  }

  let today: CivilDate
  let search: CorrelationSearch
  /// Of those that changed.
  let trends: [(type: EventType, trend: Trend)]
  /// Of those that are overdue.
  let gaps: [(type: EventType, gap: Gap)]
  /// The most consistent first.
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

  /// The first day that relations were looked for in: that of the oldest record, or 90 days ago.
  var firstDay: CivilDate? {
    histories.values.map(\.days.first).min().map { max($0, today.advanced(by: 1 - CorrelationSearch.span)) }
  }

  /// Of those with an event that the options leave.
  var typeCount: Int { histories.count }

  func name(_ id: String) -> String { types[id]?.name ?? id }

  func color(_ id: String) -> String? { types[id]?.colorHex }

  /// Those that are too young to be held against others, by name.
  var young: [(name: String, days: Int)] {
    search.missingDays.map { (name($0.key), $0.value) }.sorted { ($0.days, $0.name) < ($1.days, $1.name) }
  }

  /// - Parameter place: of the relation, from 0; `nil` where there are fewer.
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

/// The days that a relation rests on.
struct RelationDays {
  struct Side {
    let id: String
    let name: String
    let color: String?
    let series: DailySeries
  }

  let relation: CorrelationFinding
  /// Pairs of types that were held against each other.
  let pairs: Int
  /// With a lag, this one is a day ahead.
  let first: Side
  let second: Side
  let today: CivilDate
}
