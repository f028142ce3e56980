public import TrendyFoundation
public import TrendyModels

/// Contributions of events to the goals of their types, by type and day, read from a record.
public struct GoalAmounts: Hashable, Sendable {
  /// Settings of the types.
  public let settings: TypeSettings
  /// The user's current day.
  public let today: CivilDate
  /// Amount per day, by type.
  public private(set) var byType: [String: [CivilDate: Double]] = [:]
  private let local: LocalTime
  private let now: Date

  /// Creates amounts without events. Running events are assumed to end at `now`.
  public init(_ settings: TypeSettings, now: Date, local: LocalTime) {
    self.settings = settings
    self.now = now
    self.local = local
    today = local.day(of: now)
  }

  /// Reads the events of the given types on the given days. Each day of a type must be read only once.
  public mutating func read(_ record: some UserRecord, types: Set<String>, days: ClosedRange<CivilDate>) throws {
    guard !types.isEmpty else { return }
    let first = days.lowerBound.advanced(by: -LocalTime.longestReach)
    try record.forEachEvent(ofTypes: types, in: local.timestamps(of: first...days.upperBound)) { add($0, on: days) }
  }

  /// Adds the amounts of an event on the given days if its type has a goal. With a `sign` of -1, subtracts the amounts.
  public mutating func add(_ event: Event, on days: ClosedRange<CivilDate>, by sign: Int = 1) {
    for (day, amount) in settings.amounts(of: event, now: now, local: local) where days.contains(day) {
      byType[event.eventTypeId, default: [:]][day, default: 0] += Double(sign) * amount
    }
  }

  /// Returns the progress of a type's goal in the current day or week, or `nil` if the type has no goal.
  func progress(of type: String) -> GoalProgress? {
    settings.progress(of: type, on: today, firstWeekday: local.firstWeekday, amounts: byType[type] ?? [:])
  }

  /// Returns the progress of each goal in its current day or week, by type. Reads at most the current week.
  public static func progress(
    in record: some UserRecord, _ settings: TypeSettings, now: Date, local: LocalTime
  ) throws -> [String: GoalProgress] {
    var amounts = GoalAmounts(settings, now: now, local: local)
    for (types, days) in amounts.currentPeriods { try amounts.read(record, types: types, days: days) }
    return settings.types.keys.reduce(into: [:]) { $0[$1] = amounts.progress(of: $1) }
  }

  /// Types with a goal, grouped by the days of the goal's current period.
  private var currentPeriods: [(types: Set<String>, days: ClosedRange<CivilDate>)] {
    let goals = settings.types.values.compactMap { type in type.goal.map { (type.id, $0) } }
    let periods = Dictionary(grouping: goals) { $0.1.days(around: today, firstWeekday: local.firstWeekday) }
    return periods.map { (Set($1.map(\.0)), $0) }
  }

  /// Returns the current streak of each weekly minimum goal by type, in weeks. Reads only as far back as the streaks
  /// reach.
  public static func weeklyStreaks(
    in record: some UserRecord, _ settings: TypeSettings, now: Date, local: LocalTime
  ) throws -> [String: Int] {
    var open = Set(settings.types.values.filter { $0.goal?.asksForEveryWeek == true }.map(\.id))
    var streaks = Dictionary(uniqueKeysWithValues: open.map { ($0, 0) })
    var amounts = GoalAmounts(settings, now: now, local: local)
    var end = CalendarPeriod.week.days(around: amounts.today, firstWeekday: local.firstWeekday).upperBound
    var weeks = 8
    while !open.isEmpty {
      let start = end.advanced(by: 1 - 7 * weeks)
      try amounts.read(record, types: open, days: start...end)
      for type in open {
        guard let goal = settings.goal(of: type) else { continue }
        let (own, skips) = (amounts.byType[type] ?? [:], settings.skips(of: type))
        streaks[type] =
          Streak(
            weeksOf: goal, amounts: own, skips: skips, from: start, today: amounts.today,
            firstWeekday: local.firstWeekday
          ).current
        let isUnbroken = Streak.isUnbroken(
          goal, amounts: own, skips: skips, from: start, today: amounts.today, firstWeekday: local.firstWeekday)
        if !isUnbroken || amounts.today.distance(to: start) < -36_525 { open.remove(type) }
      }
      end = start.advanced(by: -1)
      weeks *= 2
    }
    return streaks
  }
}
