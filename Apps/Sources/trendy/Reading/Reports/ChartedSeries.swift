import CommandSupport
import TrendyInsights
import TrendyModels
import TrendyPersistence

/// Time series drawn by `trendy chart`: the number of events of a type, or the sum or mean of a property.
struct ChartedSeries {
  /// Charted property.
  struct Amount {
    let definition: PropertyDefinition
    let summary: AmountSummary
    /// Number of events skipped because the kind of the property was changed after they were recorded.
    let leftOut: Int
  }

  /// Options of the command, parsed before the event type is looked up.
  struct Request {
    static let options = [
      OptionSpec(
        "--of", value: "property", kind: .propertyKey, help: "chart this property instead of counting entries"),
      OptionSpec("--sum", help: "sum of the property in each step"),
      OptionSpec("--mean", help: "mean of the property in each step (default)"),
      OptionSpec("--by", value: "step", kind: .oneOf(steps), help: "day (line, default), week or month (bars)"),
      OptionSpec(
        "--weeks", value: "n", kind: .number, help: "number of weeks up to today (default 26; by week 12, by month 52)"),
    ]

    private static let steps = ["day", "week", "month"]

    fileprivate let key: String?
    fileprivate let summary: AmountSummary?
    fileprivate let period: CalendarPeriod
    fileprivate let weeks: Int?

    init(_ session: Session) throws(CommandError) {
      let arguments = session.arguments
      let step = arguments.value("--by")?.lowercased() ?? "day"
      guard Self.steps.contains(step), let period = CalendarPeriod(rawValue: step) else {
        throw session.usageError("The value '\(step)' is invalid for '--by'", hint: "Use day, week or month.")
      }
      guard !arguments.has("--sum") || !arguments.has("--mean") else {
        throw session.usageError("--sum and --mean cannot be combined")
      }
      self.period = period
      key = arguments.value("--of")
      summary = arguments.has("--sum") ? .sum : key != nil || arguments.has("--mean") ? .mean : nil
      weeks = try session.wholeNumber(option: "--weeks", in: 1...1000)
    }

    /// Returns the property named by `--of`, or else the first number or duration property of the type.
    /// - Throws: `CommandError` with exit 66 if the property does not exist, or exit 64 if it is neither a number nor a
    ///   duration.
    fileprivate func property(
      of type: EventType, among all: [PropertyDefinition], _ session: Session
    ) throws -> PropertyDefinition {
      let own = all.filter { $0.eventTypeId == type.id }.inOrder
      let numeric = own.filter { [.number, .duration].contains($0.propertyType) }
      let known = numeric.map(\.key).joined(separator: ", ")
      guard let key else {
        if let first = numeric.first { return first }
        throw session.usageError(
          "'\(type.name)' has no property that is a number or a duration",
          hint: "Add one: trendy type prop add '\(type.name)' amount --kind number")
      }
      guard let found = own.first(where: { $0.key.lowercased() == key.lowercased() }) else {
        throw CommandError(
          "'\(type.name)' has no property '\(key)'",
          hint: known.isEmpty ? "It has no property that is a number or a duration." : "Use \(known).", exit: .notFound)
      }
      guard numeric.contains(found) else {
        throw session.usageError(
          "'\(found.key)' is of kind \(found.propertyType.rawValue), neither a number nor a duration",
          hint: known.isEmpty ? "'\(type.name)' has no property that is a number or a duration." : "Use \(known).")
      }
      return found
    }
  }

  let type: EventType
  /// Charted property; `nil` if events are counted.
  let amount: Amount?
  let period: CalendarPeriod
  let today: CivilDate
  /// Whether only some events of the type are selected by options.
  let isNarrow: Bool
  let series: AmountSeries
  /// Mean of the 14 days up to and including each day; empty if the step is a week or month.
  let movingMean: [Double?]
  /// Description of the trend; `nil` if there is none or the history is too short.
  let statement: InsightStatement?

  init(_ name: String, _ request: Request, _ session: Session) throws {
    let histories = try TypeHistories(session)
    let type = try histories.eventType(name)
    self.type = type
    let definition = try request.summary.map { _ in
      try request.property(of: type, among: try histories.store.fetchAllPropertyDefinitions(), session)
    }
    (period, today, isNarrow) = (request.period, histories.today, histories.isNarrow)
    let history = try histories.history(of: type)
    let (period, weekday, window) = (request.period, session.local.firstWeekday, TypeHistory.trendDays)
    let days = Self.days(request, history.days, since: histories.firstDay, today, firstWeekday: weekday)
    if let definition, let summary = request.summary {
      let numbers = PropertyHistory(
        try histories.events(of: type), key: definition.key, type: definition.propertyType, today: today,
        local: histories.local)
      amount = Amount(definition: definition, summary: summary, leftOut: numbers.leftOut)
      series = numbers.series(summary, by: period, over: days, firstWeekday: weekday)
      movingMean = period == .day ? numbers.movingMean(summary, ofDays: window, over: days) : []
      let what = "\(definition.key) of \(type.name)"
      statement =
        switch numbers.trend(summary) {
        case .found(let trend): .amount(trend, summary, what: what)
        case .needsDays(let days): .needsDays(days, what: what)
        case .needsEvents, .nothing: nil
        }
    } else {
      amount = nil
      series = history.series(by: period, over: days, firstWeekday: weekday)
      movingMean = period == .day ? history.movingMean(ofDays: window, over: days) : []
      statement =
        switch history.trend {
        case .found(let trend): .trend(trend, type: type.name)
        case .needsDays(let days): .needsDays(days, what: type.name)
        case .needsEvents, .nothing: nil
        }
    }
  }

  /// Returns the days to chart, which are the requested number of weeks or the days from `since` to today.
  ///
  /// The first day is moved back to the start of its week or month, but not before the first day of `days`.
  private static func days(
    _ request: Request, _ days: DailySeries, since: CivilDate?, _ today: CivilDate, firstWeekday: Int
  ) -> ClosedRange<CivilDate> {
    let usual = request.period == .day ? 26 : request.period == .week ? 12 : 52
    let wanted = request.weeks ?? (since == nil ? usual : nil)
    // A chart by week ends with the whole current week.
    let end =
      request.period == .week ? CalendarPeriod.week.days(around: today, firstWeekday: firstWeekday).upperBound : today
    let first = wanted.map { end.advanced(by: 1 - 7 * $0) } ?? days.first
    let whole = request.period.days(around: first, firstWeekday: firstWeekday).lowerBound
    return min(max(whole, days.count == 0 ? today : days.first), today)...today
  }
}
