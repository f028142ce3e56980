import CommandSupport
import TrendyInsights
import TrendyModels

/// What a week, a month or a year had of each type, against the one before.
struct PeriodReview {
  /// A type, what changed, and how much there was of it from day to day, or of a year from month to month.
  struct Row {
    let type: EventType
    let change: PeriodChange
    let values: [Double]
  }

  let period: CalendarPeriod
  let days: ClosedRange<CivilDate>
  let daysBefore: ClosedRange<CivilDate>
  /// The last day that is looked at.
  let today: CivilDate
  /// Whether it is the present one, of which the last day is not over.
  let isPresent: Bool
  /// What the clock shows in the last day where that is not over; else `nil`.
  let clock: String?
  /// Whether the last day is held against the part of another that was over at this time of the day.
  let isHeldToTime: Bool
  /// How many events of each type, by its id, the day that is compared with the last has later than it is now.
  let later: [String: Int]
  /// The types that there is something of, those with most first.
  let rows: [Row]
  /// What was driven in it and in the one before; `nil` where only some events are looked at, or nothing was driven.
  let driven: Driven?
  /// When everything of each type happened.
  let all: [(type: EventType, history: TypeHistory)]
  /// Excused days, by the ids of types.
  let skips: [String: Set<CivilDate>]

  /// - Parameters:
  ///   - period: a week, a month or a year.
  ///   - day: any day of it; `nil` for the last that is looked at.
  /// - Throws: ``CommandError`` with exit 64 for a period that is still to come, and where `--since` leaves nothing to compare with.
  init(_ period: CalendarPeriod, around day: CivilDate? = nil, _ session: Session) throws {
    let histories = try TypeHistories(session)
    let firstWeekday = session.local.firstWeekday
    let whole = period.days(around: day ?? histories.today, firstWeekday: firstWeekday)
    guard whole.lowerBound <= histories.today else {
      throw session.usageError("\(whole.lowerBound.words(near: histories.today)) is still to come")
    }
    let days = whole.lowerBound...min(whole.upperBound, histories.today)
    let daysBefore = period.before(days, firstWeekday: firstWeekday)
    if let first = histories.firstDay, first > daysBefore.lowerBound {
      throw session.usageError(
        "--since leaves out a part of what the \(period.rawValue) is compared with",
        hint: "That begins on \(daysBefore.lowerBound.words(near: histories.today)). --until says which one is shown.")
    }
    self.period = period
    self.days = days
    self.daysBefore = daysBefore
    today = histories.today
    isPresent = days.upperBound == session.local.day(of: session.now)
    isHeldToTime = isPresent && (period == .week || days.upperBound.day == daysBefore.upperBound.day)
    let later = isHeldToTime ? try histories.later(on: daysBefore.upperBound) : [:]
    self.later = later
    clock = isPresent ? session.local.time(session.now) : nil
    all = try histories.all()
    skips = try histories.skips()
    rows = all.filter { !$0.history.isOfReadings }.map { type, history in
      Row(
        type: type, change: history.change(period, over: days, firstWeekday: firstWeekday, later: later[type.id] ?? 0),
        values: Self.values(of: history.days, over: days, period))
    }
    .filter { !$0.change.isEmpty }
    .sorted { left, right in
      (right.change.now, right.change.before, left.type.name) < (left.change.now, left.change.before, right.type.name)
    }
    driven = try Driven(
      days, against: daysBefore, period, histories, session,
      until: isHeldToTime ? histories.sameTime(on: daysBefore.upperBound) : nil)
  }

  /// Of each day; of a year of each month.
  private static func values(
    of series: DailySeries, over days: ClosedRange<CivilDate>, _ period: CalendarPeriod
  ) -> [Double] {
    guard period == .year else { return series.over(days).values }
    return (1...days.upperBound.month).map { month in
      let first = CivilDate(year: days.lowerBound.year, month: month, day: 1)
      return series.over(CalendarPeriod.month.days(around: first, firstWeekday: 0)).total
    }
  }
}
