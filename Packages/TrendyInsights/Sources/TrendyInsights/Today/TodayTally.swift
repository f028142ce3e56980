public import TrendyFoundation
public import TrendyModels

/// Incremental computation of a ``TodaySnapshot`` from events: adding or removing an event changes only the entry of
/// its type.
public struct TodayTally: Hashable, Sendable {
  /// Current state.
  public private(set) var snapshot: TodaySnapshot
  /// Number of events on each day, by type.
  private var days: [String: DayCounts] = [:]
  private var amounts: GoalAmounts
  /// Index of each type in the counts of the snapshot, by type id.
  private var indexes: [String: Int] = [:]
  private var settings: TypeSettings { amounts.settings }
  /// User's calendar and time zone.
  public let local: LocalTime

  /// Creates a tally without events. `now` determines the day to report.
  public init(_ settings: TypeSettings, now: Date, local: LocalTime) {
    amounts = GoalAmounts(settings, now: now, local: local)
    self.local = local
    let sorted = settings.sortedTypes
    snapshot = TodaySnapshot(
      day: amounts.today,
      counts: sorted.map {
        TodaySnapshot.Count(
          eventTypeId: $0.id, name: $0.name, iconName: $0.iconName, colorHex: $0.colorHex, count: 0, streak: 0)
      })
    for (index, type) in sorted.enumerated() {
      indexes[type.id] = index
      days[type.id] = DayCounts()
      update(type.id)
    }
  }

  /// Adds events. Events of unknown types do not change the snapshot, and events on future days count only towards a
  /// goal for the current week. If `day` is given, all events must be on that day.
  public mutating func add(_ events: some Sequence<Event>, of day: CivilDate? = nil) {
    var changed: Set<String> = []
    for event in events {
      count(event, on: day ?? local.day(of: event), by: 1)
      changed.insert(event.eventTypeId)
    }
    for type in changed { update(type) }
  }

  /// Returns the state of a type, or `nil` if the type is unknown.
  public func count(of type: String) -> TodaySnapshot.Count? { indexes[type].map { snapshot.counts[$0] } }

  /// Adds precomputed counts for the days before `end`. Events on these days must not have been added before.
  public mutating func add(_ counts: DailySeries, of type: String, before end: CivilDate) {
    for (place, count) in counts.values.enumerated() where count > 0 {
      let day = counts.first.advanced(by: place)
      guard day < end else { break }
      days[type]?.add(Int(count), on: day)
    }
    update(type)
  }

  /// Replaces an event after a change. `before` is `nil` for a new event, and `after` for a deleted one.
  public mutating func replace(_ before: Event?, with after: Event?) {
    if let before { count(before, on: local.day(of: before), by: -1) }
    if let after { count(after, on: local.day(of: after), by: 1) }
    for type in Set([before?.eventTypeId, after?.eventTypeId].compactMap(\.self)) { update(type) }
  }

  /// Whether a type's streak reaches back to `first`, so that it may have begun earlier. `false` for an unknown type.
  public func isStreakOpen(of type: String, from first: CivilDate) -> Bool {
    days[type].map {
      Streak.isUnbroken($0.days, skips: settings.skips(of: type), from: first, today: snapshot.day)
    } ?? false
  }

  private mutating func count(_ event: Event, on day: CivilDate, by step: Int) {
    days[event.eventTypeId]?.add(step, on: day)
    guard
      let days = settings.goal(of: event.eventTypeId)?
        .days(around: snapshot.day, firstWeekday: local.firstWeekday),
      // Skip events outside the current period of the goal, because computing an amount decodes the event's properties.
      (days.lowerBound.advanced(by: -LocalTime.longestReach)...days.upperBound).contains(day)
    else { return }
    amounts.add(event, on: days, by: step)
  }

  private mutating func update(_ type: String) {
    guard let counts = days[type], let index = indexes[type] else { return }
    snapshot.counts[index].count = counts[snapshot.day]
    snapshot.counts[index].streak =
      Streak(days: counts.days, skips: settings.skips(of: type), today: snapshot.day).current
    snapshot.counts[index].progress = amounts.progress(of: type)
  }
}

extension TodayTally {
  /// Sets the snapshot's timers, visits and trip.
  public mutating func show(
    running: [TodaySnapshot.RunningTimer], visits: [TodaySnapshot.OpenVisit], trip: TodaySnapshot.Trip?
  ) {
    snapshot.running = running
    snapshot.visits = visits
    snapshot.trip = trip
  }
}
