public import TrendyFoundation
public import TrendyInsights
public import TrendyModels
public import TrendyProtocols

extension TodayTally {
  /// Number of days to read first for a streak. Few are enough if daily counts are available.
  private static func firstSpan(isCounted: Bool) -> Int { isCounted ? 8 : 32 }

  /// Creates a tally without events for the day that contains `now`, with the skips and property definitions of the
  /// record.
  public init(
    of types: [EventType], in store: any DataStoreProtocol, now: Date, local: LocalTime
  ) throws {
    self.init(try TypeSettings(StoreUserRecord(store), types: types), now: now, local: local)
  }

  /// Adds the events that a type's count, goal and streak require.
  /// - Parameters:
  ///   - type: One of the tally's types.
  ///   - store: The user's record.
  ///   - hasStreak: Whether to compute the streak, which may require many days. If not, only the days of the goal are
  ///     read.
  ///   - counted: Returns the daily counts of types through a day. Called if a streak is longer than a week. If `nil`,
  ///     events are read instead.
  public mutating func add(
    _ type: EventType, from store: any DataStoreProtocol, hasStreak: Bool,
    counted: ((Set<String>, CivilDate) throws -> [String: TypeHistory])? = nil
  ) throws {
    let today = snapshot.day
    let ofGoal = type.goal?.days(around: today, firstWeekday: local.firstWeekday) ?? today...today
    // Start earlier for durations, because an event that begins before the days of the goal may extend into them.
    let firstOfGoal = ofGoal.lowerBound.advanced(by: type.goal?.measure == .duration ? -LocalTime.longestReach : 0)
    var span = Self.firstSpan(isCounted: counted != nil)
    var first = hasStreak ? min(firstOfGoal, today.advanced(by: 1 - span)) : firstOfGoal
    add(try store.events(of: first...ofGoal.upperBound, ofType: type.id, in: local))
    while hasStreak, isStreakOpen(of: type.id, from: first) {
      if let counted {
        if let history = try counted([type.id], today)[type.id] { add(history.days, of: type.id, before: first) }
        return
      }
      let end = first.advanced(by: -1)
      span *= 2
      first = first.advanced(by: -span)
      add(try store.events(of: first...end, ofType: type.id, in: local))
    }
  }
}
