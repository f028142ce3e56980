public import TrendyFoundation
public import TrendyInsights
public import TrendyModels
public import TrendyPersistence

/// Histories of event types in this device's record, based on cached counts of sealed segments rather than single
/// events.
public struct LocalInsightSource {
  private let store: LocalStore
  private let local: LocalTime
  private let cache: URL?

  /// Creates a source. Without a `cache` folder, counts are not cached.
  public init(store: LocalStore, local: LocalTime, cache: URL? = nil) {
    self.store = store
    self.local = local
    self.cache = cache
  }

  /// Counts the events in segments without cached counts, so that the next reader does not have to. After an import,
  /// these segments contain most of the record. Has no effect without a cache.
  public func countAhead() throws {
    guard let cache else { return }
    _ = try store.eventTally(in: local, cache: cache)
  }

  /// Returns the histories of the given event types, or of all types if `nil`, by type id. Types without events are
  /// omitted.
  public func histories(of types: Set<String>? = nil, through today: CivilDate) throws -> [String: TypeHistory] {
    try store.eventTally(in: local, ofTypes: types, cache: cache).types.reduce(into: [:]) { histories, entry in
      let history = try history(ofType: entry.key, entry.value, through: today)
      if history.events > 0 { histories[entry.key] = history }
    }
  }

  /// Returns the history of an event type, which is empty if the type has no events.
  public func history(ofType type: String, through today: CivilDate) throws -> TypeHistory {
    try histories(of: [type], through: today)[type] ?? TypeHistory([], today: today, local: local)
  }

  private func history(
    ofType type: String, _ counts: DailyCounts.Counts, through today: CivilDate
  ) throws -> TypeHistory {
    // Read all events if one of them is centuries away from the rest, because the counts are then unusable.
    guard !counts.isTooFar else { return try rows(of: type, through: today) }
    var (days, minutes) = (counts.days.map { Double($0) }, counts.minutes.map { Int($0) })
    var eventsOfPosition = counts.eventsOfPosition
    let last = counts.firstDay.advanced(by: days.count - 1)
    if last > today {
      // Subtract future events one by one, because there are only a few.
      let later = today.advanced(by: 1)
      days = Array(days.prefix(max(0, counts.firstDay.distance(to: later))))
      try store.eventRows(in: local.timestamps(of: later...last), ofType: type).forEach { row in
        let event = try row.event()
        guard local.day(of: event) > today else { return }
        if let minute = local.minuteOfDay(of: event) { minutes[minute] -= 1 }
        if event.sourceType.isOfPosition { eventsOfPosition -= 1 }
      }
    }
    guard days.contains(where: { $0 > 0 }) else { return TypeHistory([], today: today, local: local) }
    return TypeHistory(
      days: DailySeries(first: counts.firstDay, values: days), minutes: minutes, eventsOfPosition: eventsOfPosition,
      today: today)
  }

  private func rows(of type: String, through today: CivilDate) throws -> TypeHistory {
    var collector = TypeHistory.Collector(today: today, local: local)
    try store.eventRows(ofType: type).forEach { row in collector.add(try row.event()) }
    return collector.history
  }
}

@available(*, unavailable)
extension LocalInsightSource: Sendable {}
