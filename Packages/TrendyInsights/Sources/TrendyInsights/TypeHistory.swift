public import TrendyFoundation
public import TrendyModels

/// Event counts of one type per day, hour and minute: the input of most findings.
public struct TypeHistory: Hashable, Sendable {
  /// Events per day, from the first event to today. Empty if there are no events.
  public private(set) var days: DailySeries
  /// Events by hour of their start, as 24 counts. All-day events are not included.
  public private(set) var hours = [Int](repeating: 0, count: 24)
  /// Events by minute of their start, as 1440 counts. All-day events are not included.
  public private(set) var eventsByMinute = [Int](repeating: 0, count: 1440)
  /// Number of events.
  public private(set) var events = 0
  /// Number of events recorded automatically from positions, such as trips and visits.
  public private(set) var eventsOfPosition = 0
  /// Whether the events are meter readings, such as odometer readings, whose frequency has no meaning.
  public var isOfReadings = false
  /// Last day of the history.
  public let today: CivilDate

  /// Counts events of one type, in any order. Events after `today` are ignored.
  public init(_ events: some Sequence<Event>, today: CivilDate, local: LocalTime) {
    var collector = Collector(today: today, local: local)
    for event in events { collector.add(event) }
    self = collector.history
  }

  /// Local start time of an event.
  public struct Moment: Hashable, Sendable {
    /// Day in the user's calendar.
    public let day: CivilDate
    /// Minutes after midnight, below 1440, or `nil` for an all-day event.
    public let minute: Int?
    /// Whether the event was recorded automatically from positions.
    public let isOfPosition: Bool

    public init(day: CivilDate, minute: Int?, isOfPosition: Bool = false) {
      self.day = day
      self.minute = minute
      self.isOfPosition = isOfPosition
    }
  }

  /// Counts start times of events of one type, in any order. Start times after `today` are ignored.
  public init(moments: some Sequence<Moment>, today: CivilDate) {
    var tally = Tally(today: today)
    for moment in moments { tally.add(on: moment.day, minute: moment.minute, isOfPosition: moment.isOfPosition) }
    self = tally.history
  }

  /// Creates a history from existing counts. `days` contains whole numbers and ends at or before `today`. `minutes`
  /// contains 1440 counts, by minute of the start.
  public init(days: DailySeries, minutes: [Int], eventsOfPosition: Int = 0, today: CivilDate) {
    precondition(minutes.count == 1440, "expected 1440 minutes, got \(minutes.count)")
    precondition(days.count == 0 || days.last <= today, "\(days.last) is after \(today)")
    self.init(today: today)
    guard let first = days.values.firstIndex(where: { $0 > 0 }) else { return }
    let start = days.first.advanced(by: first)
    let later = [Double](repeating: 0, count: days.last.distance(to: today))
    self.days = DailySeries(first: start, values: Array(days.values[first...]) + later)
    eventsByMinute = minutes
    for (minute, count) in minutes.enumerated() { hours[minute / 60] += count }
    events = Int(days.total)
    self.eventsOfPosition = eventsOfPosition
  }

  /// Combines the histories of several types. All histories must have the same `today`.
  public init(together histories: some Collection<TypeHistory>, today: CivilDate) {
    self.init(today: today)
    let nonempty = histories.filter { $0.days.count > 0 }
    guard let first = nonempty.map(\.days.first).min() else { return }
    days = DailySeries(first...today)
    for history in nonempty {
      for (index, value) in history.days.values.enumerated() { days[history.days.first.advanced(by: index)] += value }
      for (hour, count) in history.hours.enumerated() { hours[hour] += count }
      for (minute, count) in history.eventsByMinute.enumerated() { eventsByMinute[minute] += count }
      events += history.events
      eventsOfPosition += history.eventsOfPosition
    }
  }

  /// Start times in minutes after midnight, ascending.
  public var minutes: [Int] { eventsByMinute.enumerated().flatMap { repeatElement($0.offset, count: $0.element) } }

  /// Events per weekday, as 7 counts. Index 0 is Sunday.
  public var weekdays: [Int] { days.weekdays }

  /// Days with events, in ascending order.
  public var activeDays: [CivilDate] {
    days.values.indices.filter { days.values[$0] > 0 }.map { days.first.advanced(by: $0) }
  }

  /// Whether all events were recorded automatically from positions.
  public var isOfPosition: Bool { events > 0 && eventsOfPosition == events }

  /// Whether the type represents something that the user does deliberately, which makes streaks and pauses meaningful.
  /// Trips and visits are recorded automatically, so they count only if they have a goal.
  public func isHabit(hasGoal: Bool) -> Bool { hasGoal || !isOfReadings && !isOfPosition }

  /// Returns the evidence in a range of days, or `nil` if there are no events.
  func basis(over days: ClosedRange<CivilDate>) -> Evidence? {
    let values = self.days.over(days).values
    let active = values.count { $0 > 0 }
    return active == 0
      ? nil
      : Evidence(
        activeDays: active, events: Int(values.reduce(0, +)), from: days.lowerBound, through: days.upperBound)
  }

  /// Evidence of the whole history, or `nil` if there are no events.
  public var basis: Evidence? {
    days.count == 0
      ? nil : Evidence(activeDays: activeDays.count, events: events, from: days.first, through: today)
  }
}

extension TypeHistory {
  /// Builder that creates a history from one event at a time, so that not all events are in memory at once.
  public struct Collector: Sendable {
    private var tally: Tally
    private let local: LocalTime
    private var walk: CachedDayCalendar

    /// Creates a collector without events.
    public init(today: CivilDate, local: LocalTime) {
      self.local = local
      tally = Tally(today: today)
      walk = CachedDayCalendar(local)
    }

    /// History of the events added so far.
    public var history: TypeHistory { tally.history }

    /// Adds an event. Events after today are ignored.
    public mutating func add(_ event: Event) {
      tally.add(
        on: local.day(of: event), minute: local.minuteOfDay(of: event), isOfPosition: event.sourceType.isOfPosition)
    }

    /// Adds a timed event that was recorded in the collector's time zone or without a time zone. Fastest if events are
    /// added in chronological order. Events after today are ignored.
    public mutating func add(at moment: Date, isOfPosition: Bool = false) {
      tally.add(on: walk.day(of: moment), minute: walk.minuteOfDay(of: moment), isOfPosition: isOfPosition)
    }
  }

  /// Mutable counts, indexed by the age of the day.
  private struct Tally: Sendable {
    /// Everything except the daily counts.
    private var gathered: TypeHistory
    /// Events per day, in reverse order: index 0 is today.
    private var counts: [Double] = []

    init(today: CivilDate) { gathered = TypeHistory(today: today) }

    var history: TypeHistory {
      var history = gathered
      history.days = DailySeries(first: history.today.advanced(by: 1 - counts.count), values: counts.reversed())
      return history
    }

    mutating func add(on day: CivilDate, minute: Int?, isOfPosition: Bool) {
      let age = day.distance(to: gathered.today)
      guard age >= 0 else { return }
      if age >= counts.count { counts += repeatElement(0, count: age + 1 - counts.count) }
      counts[age] += 1
      gathered.events += 1
      if isOfPosition { gathered.eventsOfPosition += 1 }
      guard let minute else { return }
      gathered.eventsByMinute[minute] += 1
      gathered.hours[minute / 60] += 1
    }
  }

  private init(today: CivilDate) {
    self.today = today
    days = DailySeries(first: today, values: [])
  }
}
