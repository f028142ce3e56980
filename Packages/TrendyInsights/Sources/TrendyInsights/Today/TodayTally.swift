public import TrendyFoundation
public import TrendyModels

/// Makes a ``TodaySnapshot`` of events, and keeps it right as they come and go: one event more or less changes the row of its type
/// and reads nothing again.
public struct TodayTally: Hashable, Sendable {
  /// What the days of a type had.
  private struct Days: Hashable, Sendable {
    var goal: Goal?
    var durationKey: String?
    var skips: [ClosedRange<CivilDate>]
    var counts = DayCounts()
    /// What was counted before, of days that ended; ``counts`` come on top.
    var earlier: DailySeries?
    /// What each day of the goal's period added to it.
    var amounts: [CivilDate: Double] = [:]
  }

  public private(set) var snapshot: TodaySnapshot
  private var days: [String: Days] = [:]
  /// The places of the types among the counts of the snapshot.
  private var places: [String: Int] = [:]
  private let running: Set<String>
  private let now: Date
  /// The person's clock, which says when days and weeks begin.
  public let local: LocalTime

  /// Without an event yet.
  /// - Parameters:
  ///   - types: all that there are, in any order.
  ///   - durationKeys: of types that have a property of type duration, the key of the first.
  ///   - skips: excused days, by the ids of types.
  ///   - running: ids of events that were started and not stopped.
  ///   - now: lies in the day that is told of.
  ///   - local: the person's clock, which says when days and weeks begin.
  public init(
    types: [EventType], durationKeys: [String: String] = [:], skips: [String: [ClosedRange<CivilDate>]] = [:],
    running: Set<String> = [], now: Date, local: LocalTime
  ) {
    self.running = running
    self.now = now
    self.local = local
    let sorted = types.sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    snapshot = TodaySnapshot(
      day: local.day(of: now),
      counts: sorted.map {
        TodaySnapshot.Count(
          eventTypeId: $0.id, name: $0.name, iconName: $0.iconName, colorHex: $0.colorHex, count: 0, streak: 0)
      })
    for (place, type) in sorted.enumerated() {
      places[type.id] = place
      days[type.id] = Days(goal: type.goal, durationKey: durationKeys[type.id], skips: skips[type.id] ?? [])
      update(type.id)
    }
  }

  /// Takes events in. Those of unknown types, and of days to come, change nothing that is shown.
  /// - Parameters:
  ///   - events: in any order.
  ///   - day: the one on which all of them lie, where that is known; `nil` asks the clock for each.
  public mutating func add(_ events: some Sequence<Event>, of day: CivilDate? = nil) {
    var changed: Set<String> = []
    for event in events {
      count(event, on: day ?? local.day(of: event), by: 1)
      changed.insert(event.eventTypeId)
    }
    for type in changed { update(type) }
  }

  /// How a type stands; `nil` for one that is not known.
  public func count(of type: String) -> TodaySnapshot.Count? { places[type].map { snapshot.counts[$0] } }

  /// Takes in how many events a type had on each day before one, where they are counted already. What was taken in so before is
  /// let go.
  public mutating func add(_ counts: DailySeries, of type: String, before end: CivilDate) {
    guard counts.first < end else { return }
    days[type]?.earlier = counts.over(counts.first...end.advanced(by: -1))
    update(type)
  }

  /// Changes what one save changed.
  /// - Parameters:
  ///   - before: the event as it was when it was taken in; `nil` for a new one.
  ///   - after: the event as it is; `nil` for one that was removed.
  public mutating func replace(_ before: Event?, with after: Event?) {
    if let before { count(before, on: local.day(of: before), by: -1) }
    if let after { count(after, on: local.day(of: after), by: 1) }
    for type in Set([before?.eventTypeId, after?.eventTypeId].compactMap(\.self)) { update(type) }
  }

  /// Whether the streak of a type goes on up to a day, so that more of it may lie before. Of a type that is not known it does not.
  public func isStreakOpen(of type: String, from first: CivilDate) -> Bool {
    days[type].map { Self.streak($0, today: snapshot.day).brokenOn < first } ?? false
  }

  private mutating func count(_ event: Event, on day: CivilDate, by step: Int) {
    guard var known = days[event.eventTypeId] else { return }
    // Written back by itself, so that its dictionaries are not copied.
    days[event.eventTypeId] = nil
    defer { days[event.eventTypeId] = known }
    known.counts.add(step, on: day)
    guard let goal = known.goal, goal.days(around: snapshot.day, firstWeekday: local.firstWeekday).contains(day) else {
      return
    }
    let amount = goal.amount(
      of: event, durationKey: known.durationKey, isRunning: running.contains(event.id), now: now)
    known.amounts[day, default: 0] += Double(step) * amount
  }

  private mutating func update(_ type: String) {
    guard let known = days[type], let place = places[type] else { return }
    let today = snapshot.day
    snapshot.counts[place].count = known.counts[today]
    snapshot.counts[place].streak = Self.streak(known, today: today).days
    snapshot.counts[place].progress = known.goal?.progress(
      on: today, firstWeekday: local.firstWeekday, amounts: known.amounts, skips: known.skips)
  }

  /// The days in a row up to today or yesterday, and the last day before them, which has none.
  private static func streak(_ known: Days, today: CivilDate) -> (days: Int, brokenOn: CivilDate) {
    var count = 0
    var day = today
    while true {
      if Double(known.counts[day]) + (known.earlier?[day] ?? 0) > 0 {
        count += 1
      } else if day != today, !known.skips.contains(where: { $0.contains(day) }) {
        // Today can still come.
        return (count, day)
      }
      day = day.advanced(by: -1)
    }
  }
}

extension TodayTally {
  /// Sets what goes on beside the events.
  public mutating func show(
    running: [TodaySnapshot.RunningTimer], visits: [TodaySnapshot.OpenVisit], trip: TodaySnapshot.Trip?
  ) {
    snapshot.running = running
    snapshot.visits = visits
    snapshot.trip = trip
  }
}
