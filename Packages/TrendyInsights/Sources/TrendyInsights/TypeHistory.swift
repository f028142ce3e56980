public import TrendyFoundation
public import TrendyModels

/// When the events of one type happened: what most findings are made of.
public struct TypeHistory: Hashable, Sendable {
  /// Events of each day, from that of the first event to today; empty where there is none.
  public private(set) var days: DailySeries
  /// Events that began in each hour of the day, 24; all-day events in none.
  public private(set) var hours = [Int](repeating: 0, count: 24)
  /// Events that began in each minute of the day, 1440; all-day events in none.
  public private(set) var eventsByMinute = [Int](repeating: 0, count: 1440)
  public private(set) var events = 0
  /// Those of them that a device recorded by itself, of where it was.
  public private(set) var eventsOfPosition = 0
  /// Whether the entries are readings of a meter, such as an odometer: how often it is read says nothing of its person.
  public var isOfReadings = false
  public let today: CivilDate

  /// - Parameters:
  ///   - events: of one type, in any order. Those after today are left out.
  ///   - today: the person's present day.
  ///   - local: says in which day an event lies.
  public init(_ events: some Sequence<Event>, today: CivilDate, local: LocalTime) {
    var collector = Collector(today: today, local: local)
    for event in events { collector.add(event) }
    self = collector.history
  }

  /// When an event began, as the clock and the calendar there showed it.
  public struct Moment: Hashable, Sendable {
    /// The day of the person.
    public let day: CivilDate
    /// Minutes after midnight, below 1440; `nil` of an all-day event.
    public let minute: Int?
    /// Whether a device recorded it by itself, of where it was.
    public let isOfPosition: Bool

    public init(day: CivilDate, minute: Int?, isOfPosition: Bool = false) {
      self.day = day
      self.minute = minute
      self.isOfPosition = isOfPosition
    }
  }

  /// - Parameters:
  ///   - moments: of the events of one type, in any order. Those after today are left out.
  ///   - today: the person's present day.
  public init(moments: some Sequence<Moment>, today: CivilDate) {
    var tally = Tally(today: today)
    for moment in moments { tally.add(on: moment.day, minute: moment.minute, isOfPosition: moment.isOfPosition) }
    self = tally.history
  }

  /// - Parameters:
  ///   - days: events of each day, whole numbers, none of them after today.
  ///   - minutes: events that began in each minute of the day, 1440.
  ///   - eventsOfPosition: events that a device recorded by itself, of where it was.
  ///   - today: the person's present day.
  public init(days: DailySeries, minutes: [Int], eventsOfPosition: Int = 0, today: CivilDate) {
    precondition(minutes.count == 1440, "a day has 1440 minutes, not \(minutes.count)")
    precondition(days.count == 0 || days.last <= today, "\(days.last) lies after \(today)")
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

  /// Those of several types as one.
  /// - Parameters:
  ///   - histories: in any order, all with this `today`.
  ///   - today: the person's present day.
  public init(together histories: some Collection<TypeHistory>, today: CivilDate) {
    self.init(today: today)
    let known = histories.filter { $0.days.count > 0 }
    guard let first = known.map(\.days.first).min() else { return }
    days = DailySeries(first...today)
    for history in known {
      for (place, value) in history.days.values.enumerated() { days[history.days.first.advanced(by: place)] += value }
      for (hour, count) in history.hours.enumerated() { hours[hour] += count }
      for (minute, count) in history.eventsByMinute.enumerated() { eventsByMinute[minute] += count }
      events += history.events
      eventsOfPosition += history.eventsOfPosition
    }
  }

  /// Minutes after midnight at which events began, the earliest first.
  public var minutes: [Int] { eventsByMinute.enumerated().flatMap { repeatElement($0.offset, count: $0.element) } }

  /// Events on each weekday, 7; 0 is Sunday.
  public var weekdays: [Int] {
    var counts = [Int](repeating: 0, count: 7)
    for (place, value) in days.values.enumerated() { counts[days.first.advanced(by: place).weekday] += Int(value) }
    return counts
  }

  /// Days that have an event, the first first.
  public var activeDays: [CivilDate] {
    days.values.indices.filter { days.values[$0] > 0 }.map { days.first.advanced(by: $0) }
  }

  /// Whether devices alone recorded it, of where they were, such as trips and visits.
  public var isOfPosition: Bool { events > 0 && eventsOfPosition == events }

  /// Whether it is something that its person sets out to do, so that a streak or a pause tells them something. Of trips and visits, which
  /// are recorded wherever their person goes, a goal makes it one.
  public func isHabit(hasGoal: Bool) -> Bool { hasGoal || !isOfReadings && !isOfPosition }

  /// Of some days; `nil` where they have no event.
  func basis(over days: ClosedRange<CivilDate>) -> Evidence? {
    let values = self.days.over(days).values
    let active = values.count { $0 > 0 }
    return active == 0
      ? nil
      : Evidence(
        activeDays: active, events: Int(values.reduce(0, +)), from: days.lowerBound, through: days.upperBound)
  }

  /// `nil` where there is no event.
  public var basis: Evidence? {
    days.count == 0
      ? nil : Evidence(activeDays: activeDays.count, events: events, from: days.first, through: today)
  }
}

extension TypeHistory {
  /// Takes one event of a type after the other, so that not all have to be made at once.
  public struct Collector: Sendable {
    private var tally: Tally
    private let local: LocalTime
    private var walk: DayWalk

    /// - Parameters:
    ///   - today: the person's present day.
    ///   - local: says in which day an event lies.
    public init(today: CivilDate, local: LocalTime) {
      self.local = local
      tally = Tally(today: today)
      walk = DayWalk(local)
    }

    /// Of what was taken so far.
    public var history: TypeHistory { tally.history }

    /// - Parameter event: one after today is left out.
    public mutating func add(_ event: Event) {
      tally.add(
        on: local.day(of: event), minute: local.minuteOfDay(of: event), isOfPosition: event.sourceType.isOfPosition)
    }

    /// An event that has a time of day and was recorded in the zone of this collector, or in none. Quickest where one follows
    /// another by time.
    /// - Parameters:
    ///   - moment: when it began; after today it is left out.
    ///   - isOfPosition: whether a device recorded it by itself, of where it was.
    public mutating func add(at moment: Date, isOfPosition: Bool = false) {
      tally.add(on: walk.day(of: moment), minute: walk.minuteOfDay(of: moment), isOfPosition: isOfPosition)
    }
  }

  /// Counts what is added, day by day.
  private struct Tally: Sendable {
    /// All but the days.
    private var gathered: TypeHistory
    /// The first is today's, the next yesterday's.
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
