public import TrendyFoundation
public import TrendyInsights
public import TrendyModels
public import TrendyProtocols

extension TodaySnapshot {
  /// For which types streaks are looked for, which may mean to read far back.
  public enum Streaks: Hashable, Sendable {
    case ofAllTypes
    /// Of those whose goal is at least something every day: nobody else set out for one.
    case ofDailyGoals
  }

  /// Of the day that `now` is in. A visit that goes on is told of where it began on that day or the one before.
  /// - Parameters:
  ///   - store: the record.
  ///   - now: the present moment.
  ///   - local: says when days and weeks begin.
  ///   - streaks: for which types they are looked for; of others it is 0.
  ///   - events: all of the day, where they were read before; `nil` reads them. Types with a streak or a goal of the week are read by
  ///     themselves in any case, as more than one day counts.
  ///   - counted: how many events the types that it is given had on which days, through the day that it is given. Asked for once, if
  ///     at all, where a streak goes on for longer than a week, for all types that have one; `nil` reads the events.
  public init(
    store: any DataStoreProtocol, now: Date, in local: LocalTime = LocalTime(), streaks: Streaks = .ofAllTypes,
    events: [Event]? = nil, counted: ((Set<String>, CivilDate) throws -> [String: TypeHistory])? = nil
  ) throws {
    let types = try store.fetchAllEventTypes()
    let running = try RunningEvent.all(in: store).map(\.event)
    var tally = try TodayTally(of: types, in: store, running: running, now: now, local: local)
    let today = tally.snapshot.day
    let events = try events ?? store.events(of: today...today, ofType: nil, in: local)
    let recent = local.startOfDay(now, addingDays: -1)..<local.startOfDay(now, addingDays: 1)
    let visits = try store.events(in: recent, from: [.geofence]).filter { $0.endDate == nil && !$0.isAllDay }
    // Those whose streak is looked for, and all that are read by themselves.
    let inARow = Set(types.filter { streaks == .ofAllTypes || $0.goal?.asksForEveryDay == true }.map(\.id))
    let alone = inARow.union(types.filter { $0.goal?.period == .week }.map(\.id))
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

/// Counts that are asked for once, if at all.
private final class CountsOnce {
  private let types: Set<String>
  private let ask: (Set<String>, CivilDate) throws -> [String: TypeHistory]
  private var known: [String: TypeHistory]?

  init(of types: Set<String>, _ ask: @escaping (Set<String>, CivilDate) throws -> [String: TypeHistory]) {
    self.types = types
    self.ask = ask
  }

  /// - Parameter types: lie among those that are asked for at once.
  func histories(of types: Set<String>, through day: CivilDate) throws -> [String: TypeHistory] {
    let histories = try known ?? ask(self.types, day)
    known = histories
    return histories
  }
}
