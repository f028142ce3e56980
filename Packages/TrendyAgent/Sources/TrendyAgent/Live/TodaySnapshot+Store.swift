#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
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

  /// Days that are read at once while a streak goes on.
  private static let firstSpan = 32

  /// Of the day that `now` is in.
  /// - Parameters:
  ///   - store: the record.
  ///   - now: the present moment.
  ///   - local: says when days and weeks begin.
  ///   - streaks: for which types they are looked for; of others it is 0.
  ///   - counted: how many events each type had on which days, through the day that it is given. Asked for once, if at all, where a
  ///     streak goes on for longer than a month; `nil` reads the events.
  public init(
    store: any DataStoreProtocol, now: Date, in local: LocalTime = LocalTime(), streaks: Streaks = .ofAllTypes,
    counted: ((CivilDate) throws -> [String: TypeHistory])? = nil
  ) throws {
    let types = try store.fetchAllEventTypes()
    let running = try RunningEvent.all(in: store).map(\.event)
    let skips = try store.fetchRecords(kind: .skip).compactMap(Skip.init)
    let isOfTime = types.contains { $0.goal?.measure == .duration }
    var tally = TodayTally(
      types: types, durationKeys: isOfTime ? try TypeGoal.durationKeys(in: store) : [:],
      skips: Dictionary(grouping: skips, by: \.eventTypeId).mapValues { $0.map { $0.dates(in: local) } },
      running: Set(running.map(\.id)), now: now, local: local)
    let today = tally.snapshot.day
    // What is of an earlier day and not of today is there for the visits that began on it.
    let recent = try Self.events(in: today.advanced(by: -1)...today, ofType: nil, store, local)
    // Those that are read by themselves, and those of them whose streak is looked for.
    var (alone, inARow): (Set<String>, Set<String>) = ([], [])
    var histories: [String: TypeHistory]?
    for type in types {
      let isDaily = type.goal.map { $0.bound == .atLeast && $0.period == .day } ?? false
      let hasStreak = streaks == .ofAllTypes || isDaily
      guard hasStreak || type.goal?.period == .week else { continue }
      alone.insert(type.id)
      if hasStreak { inARow.insert(type.id) }
      let week = type.goal?.days(around: today, firstWeekday: local.firstWeekday).lowerBound ?? today
      var (first, span) = (hasStreak ? today.advanced(by: 1 - Self.firstSpan) : week, Self.firstSpan)
      tally.add(try Self.events(in: first...today, ofType: type.id, store, local))
      while hasStreak, tally.isStreakOpen(of: type.id, from: first) {
        if let counted {
          let known = try histories ?? counted(today)
          histories = known
          if let history = known[type.id] { tally.add(history.days, of: type.id, before: first) }
          break
        }
        let end = first.advanced(by: -1)
        span *= 2
        first = first.advanced(by: -span)
        tally.add(try Self.events(in: first...end, ofType: type.id, store, local))
      }
    }
    tally.add(recent.filter { !alone.contains($0.eventTypeId) && local.day(of: $0) == today })
    tally.show(
      running: running.map { RunningTimer(eventId: $0.id, eventTypeId: $0.eventTypeId, since: $0.timestamp) },
      visits: recent.filter { $0.sourceType == .geofence && $0.endDate == nil && !$0.isAllDay }.map {
        OpenVisit(eventId: $0.id, geofenceId: $0.geofenceId, place: $0.locationName, since: $0.timestamp)
      }, trip: nil)
    self = tally.snapshot
    for place in counts.indices where !inARow.contains(counts[place].eventTypeId) { counts[place].streak = 0 }
  }

  /// The newest first.
  private static func events(
    in days: ClosedRange<CivilDate>, ofType type: String?, _ store: any DataStoreProtocol, _ local: LocalTime
  ) throws -> [Event] {
    try store.events(in: local.timestamps(of: days), ofType: type, limit: nil)
      .filter { days.contains(local.day(of: $0)) }
  }
}
