public import TrendyFoundation
public import TrendyModels

/// Computes a ``TodaySnapshot`` from events and updates it incrementally: adding or removing an event changes only the
/// entry of its type.
public struct TodayTally: Hashable, Sendable {
  /// Daily values of one type.
  private struct Days: Hashable, Sendable {
    var counts = DayCounts()
    /// Counts of past days that were computed earlier; ``counts`` are added to them.
    var earlier: DailySeries?
    /// Amount per day toward the goal's current period.
    var amounts: [CivilDate: Double] = [:]
  }

  /// Current state.
  public private(set) var snapshot: TodaySnapshot
  private var days: [String: Days] = [:]
  /// Index of each type in the counts of the snapshot, by type id.
  private var indexes: [String: Int] = [:]
  private let settings: TypeSettings
  private let now: Date
  /// User's calendar and time zone.
  public let local: LocalTime

  /// Creates a tally without events.
  /// - Parameters:
  ///   - settings: event types to count, with what their goals depend on.
  ///   - now: a time in the day to report.
  ///   - local: user's calendar and time zone.
  public init(_ settings: TypeSettings, now: Date, local: LocalTime) {
    self.settings = settings
    self.now = now
    self.local = local
    let sorted = settings.types.values.sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    snapshot = TodaySnapshot(
      day: local.day(of: now),
      counts: sorted.map {
        TodaySnapshot.Count(
          eventTypeId: $0.id, name: $0.name, iconName: $0.iconName, colorHex: $0.colorHex, count: 0, streak: 0)
      })
    for (index, type) in sorted.enumerated() {
      indexes[type.id] = index
      days[type.id] = Days()
      update(type.id)
    }
  }

  /// Adds events. Events of unknown types do not change the snapshot; events of future days count only towards a goal
  /// for the current week.
  /// - Parameters:
  ///   - events: events in any order.
  ///   - day: day of all events, if known; `nil` derives it from each event.
  public mutating func add(_ events: some Sequence<Event>, of day: CivilDate? = nil) {
    var changed: Set<String> = []
    for event in events {
      count(event, on: day ?? local.day(of: event), by: 1)
      changed.insert(event.eventTypeId)
    }
    for type in changed { update(type) }
  }

  /// State of a type; `nil` if the type is unknown.
  public func count(of type: String) -> TodaySnapshot.Count? { indexes[type].map { snapshot.counts[$0] } }

  /// Sets precomputed counts for the days before `end`, replacing earlier ones.
  public mutating func add(_ counts: DailySeries, of type: String, before end: CivilDate) {
    guard counts.first < end else { return }
    days[type]?.earlier = counts.over(counts.first...end.advanced(by: -1))
    update(type)
  }

  /// Replaces an event after a change.
  /// - Parameters:
  ///   - before: previous state of the event; `nil` if it is new.
  ///   - after: current state of the event; `nil` if it was deleted.
  public mutating func replace(_ before: Event?, with after: Event?) {
    if let before { count(before, on: local.day(of: before), by: -1) }
    if let after { count(after, on: local.day(of: after), by: 1) }
    for type in Set([before?.eventTypeId, after?.eventTypeId].compactMap(\.self)) { update(type) }
  }

  /// Whether the streak of a type reaches back to `first`, so that it may continue on earlier days. False for an
  /// unknown type.
  public func isStreakOpen(of type: String, from first: CivilDate) -> Bool {
    days[type].map { streak(of: type, $0).brokenOn < first } ?? false
  }

  private mutating func count(_ event: Event, on day: CivilDate, by step: Int) {
    guard var entry = days[event.eventTypeId] else { return }
    // Removed while it is modified, so that its dictionaries are not copied.
    days[event.eventTypeId] = nil
    defer { days[event.eventTypeId] = entry }
    entry.counts.add(step, on: day)
    guard let goal = settings.goal(of: event.eventTypeId),
      goal.days(around: snapshot.day, firstWeekday: local.firstWeekday).contains(day),
      let amount = settings.amount(of: event, now: now)
    else { return }
    entry.amounts[day, default: 0] += Double(step) * amount
  }

  private mutating func update(_ type: String) {
    guard let entry = days[type], let index = indexes[type] else { return }
    let today = snapshot.day
    snapshot.counts[index].count = entry.counts[today]
    snapshot.counts[index].streak = streak(of: type, entry).days
    snapshot.counts[index].progress = settings.progress(
      of: type, on: today, firstWeekday: local.firstWeekday, amounts: entry.amounts)
  }

  /// Returns the streak up to today or yesterday, and the day without events that precedes it.
  private func streak(of type: String, _ entry: Days) -> (days: Int, brokenOn: CivilDate) {
    let (today, skips) = (snapshot.day, settings.skips(of: type))
    var count = 0
    var day = today
    while true {
      if Double(entry.counts[day]) + (entry.earlier?[day] ?? 0) > 0 {
        count += 1
      } else if day != today, !skips.contains(day) {
        // Today can still get an event.
        return (count, day)
      }
      day = day.advanced(by: -1)
    }
  }
}

extension TodayTally {
  /// Sets timers, visits and trip of the snapshot.
  public mutating func show(
    running: [TodaySnapshot.RunningTimer], visits: [TodaySnapshot.OpenVisit], trip: TodaySnapshot.Trip?
  ) {
    snapshot.running = running
    snapshot.visits = visits
    snapshot.trip = trip
  }
}
