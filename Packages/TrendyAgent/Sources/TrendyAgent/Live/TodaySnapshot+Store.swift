public import TrendyFoundation
public import TrendyInsights
public import TrendyModels
public import TrendyProtocols

extension TodaySnapshot {
  /// Types whose streaks are computed. A streak may require the events of many days.
  public enum Streaks: Hashable, Sendable {
    case ofAllTypes
    /// Types with a minimum goal per day.
    case ofDailyGoals
  }

  /// Computes the snapshot of the day that contains `now`. Includes an open visit if it began on this day or the day
  /// before.
  /// - Parameters:
  ///   - store: The user's record.
  ///   - now: Current time.
  ///   - local: The user's calendar.
  ///   - streaks: Types whose streaks are computed. The streak of any other type is 0.
  ///   - events: All events of the day, or `nil` to read them. Types with a streak, a weekly goal or a duration goal
  ///     are always read separately, because they need events from other days.
  ///   - counted: Returns the daily counts of types through a day. Called at most once, for all types with a streak, if
  ///     a streak is longer than a week. If `nil`, events are read instead.
  /// - Throws: Errors from the store.
  public init(
    store: any DataStoreProtocol, now: Date, in local: LocalTime = LocalTime(), streaks: Streaks = .ofAllTypes,
    events: [Event]? = nil, counted: ((Set<String>, CivilDate) throws -> [String: TypeHistory])? = nil
  ) throws {
    let types = try store.fetchAllEventTypes()
    let running = try RunningEvent.all(in: store).map(\.event)
    var tally = try TodayTally(of: types, in: store, now: now, local: local)
    let today = tally.snapshot.day
    let events = try events ?? store.events(of: today...today, ofType: nil, in: local)
    let recent = local.startOfDay(now, addingDays: -1)..<local.startOfDay(now, addingDays: 1)
    let visits = try store.events(in: recent, from: [.geofence]).filter { $0.endDate == nil && !$0.isAllDay }
    // `inARow` contains the types with a streak, and `alone` contains all types that are read separately, including
    // these.
    let inARow = Set(types.filter { streaks == .ofAllTypes || $0.goal?.asksForEveryDay == true }.map(\.id))
    let alone = inARow.union(
      types.filter { $0.goal?.period == .week || $0.goal?.measure == .duration }.map(\.id))
    let counted = counted.map { CountsOnce(of: inARow, $0) }
    for type in types where alone.contains(type.id) {
      try tally.add(type, from: store, hasStreak: inARow.contains(type.id), counted: counted?.histories)
    }
    tally.add(events.filter { !alone.contains($0.eventTypeId) }, of: today)
    tally.show(
      running: running.map { RunningTimer(eventId: $0.id, eventTypeId: $0.eventTypeId, since: $0.timestamp) },
      visits: visits.map {
        OpenVisit(eventId: $0.id, geofenceId: $0.geofenceId, place: $0.locationName, since: $0.timestamp)
      }, trip: nil)
    self = tally.snapshot
    for place in counts.indices where !inARow.contains(counts[place].eventTypeId) { counts[place].streak = 0 }
  }
}

private final class CountsOnce {
  private let types: Set<String>
  private let ask: (Set<String>, CivilDate) throws -> [String: TypeHistory]
  private var known: [String: TypeHistory]?

  init(of types: Set<String>, _ ask: @escaping (Set<String>, CivilDate) throws -> [String: TypeHistory]) {
    self.types = types
    self.ask = ask
  }

  /// Returns the daily counts by type id, for all types passed to the initializer. `day` must be the same in each call.
  func histories(of types: Set<String>, through day: CivilDate) throws -> [String: TypeHistory] {
    let histories = try known ?? ask(self.types, day)
    known = histories
    return histories
  }
}
