import CommandSupport
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyTrips

struct ReportOptions {
  /// Options for a command whose argument is the event type.
  static let ofOneType = EventSelection.options.filter { $0.key != "--type" }
  /// Options for a command on several event types.
  static let ofTypes = EventSelection.options
  /// Options for a report on a year or a range of days.
  static let ofDays =
    [OptionSpec("--year", value: "year", kind: .text, help: "year of the report (default: this year)")]
    + EventSelection.options.filter { ["--type", "--since", "--until"].contains($0.key) }
  static let step = OptionSpec(
    "--by", value: "step", kind: .oneOf(steps), help: "day (line, default), week or month (bars)")

  /// - Parameter usual: default value to show in help.
  static func weeks(_ usual: String) -> OptionSpec {
    OptionSpec("--weeks", value: "n", kind: .number, help: "number of weeks including this one (\(usual))")
  }

  private static let steps = ["day", "week", "month"]

  var query: ReportQuery
  private let selection: EventSelection

  /// Parses the options.
  /// - Parameters:
  ///   - session: source of the options.
  ///   - types: types named by arguments.
  /// - Throws: `CommandError` with exit 64 for an invalid value, and for a range that begins in the future.
  init(_ session: Session, ofTypes types: [String] = []) throws(CommandError) {
    selection = try EventSelection(session, isOfAllTime: true, ofTypes: types)
    query = ReportQuery(now: session.now, local: session.local, range: try session.range())
    if let first = query.firstDay { try session.checkIsNotInFuture(first) }
    query.weeks = try session.wholeNumber(option: "--weeks", in: 1...1000)
    guard session.command.options.contains(Self.step), let step = session.arguments.value("--by")?.lowercased() else {
      return
    }
    guard Self.steps.contains(step), let period = CalendarPeriod(rawValue: step) else {
      throw session.usageError("The value '\(step)' is invalid for '--by'", hint: "Use day, week or month.")
    }
    query.step = period
  }

  /// Parses the options for a report that compares a period with the previous one.
  ///
  /// `text` is the argument that names the period, or `nil` for the period that contains the last selected day.
  /// - Throws: `CommandError` with exit 64 for an invalid option, for a future period, or if `--since` excludes part of
  ///   the previous period.
  init(_ session: Session, comparing period: CalendarPeriod, _ text: String? = nil) throws(CommandError) {
    try self.init(session)
    let day = if let text { try session.firstDay(of: period, text) } else { query.today }
    try session.checkIsNotInFuture(day)
    guard let span = query.period(period, around: day) else {
      throw session.usageError("--until is before \(day.words(near: query.today))")
    }
    let before = span.daysBefore
    if let first = query.firstDay, first > before.lowerBound {
      throw session.usageError(
        "--since excludes part of the previous \(period.rawValue), which this one is compared with",
        hint: "The previous \(period.rawValue) begins on \(before.lowerBound.words(near: query.today)). Use --until to "
          + "show an earlier \(period.rawValue).")
    }
    query.comparison = span
  }

  /// Parses ``ofDays``. With `--until` but not `--since`, the report covers all days since the first event, and its
  /// comparison is `nil`.
  /// - Throws: `CommandError` with exit 64 for an invalid option, for `--year` with a range, or for a future year.
  init(ofDays session: Session) throws(CommandError) {
    try self.init(session)
    let (local, year) = (query.local, session.arguments.value("--year"))
    var last = query.today
    if query.range == nil {
      let first =
        if let year { try session.firstDay(of: .year, year) } else { CivilDate(year: last.year, month: 1, day: 1) }
      try session.checkIsNotInFuture(first)
      last = min(last, CivilDate(year: first.year, month: 12, day: 31))
    } else if year != nil {
      throw session.usageError("--year cannot be combined with --since or --until", hint: "Use one or the other.")
    }
    let since = query.firstDay
    let isOfYear = query.range == nil
    // Types are compared with their whole history.
    query.range = .distantPast..<local.start(of: last.advanced(by: 1))
    query.comparison = isOfYear ? query.period(.year) : since.map { query.period(from: $0) }
  }

  var isNarrow: Bool { selection.isNarrow }

  /// Opens the record and reads the report.
  ///
  /// `name` is the event type if an argument names it. `measure` returns what to measure for that type. If
  /// `measure` is `nil`, the report counts events.
  func report(
    _ session: Session, ofType name: String? = nil,
    measure: ((EventType, SelectedRecord) throws -> ReportQuery.Measure)? = nil
  ) throws -> (report: Report, record: SelectedRecord) {
    var query = query
    let record = try SelectedRecord(selection, session)
    query.types = try selection.typeIDs(in: record.store)
    query.countsPositions = selection.namesSource
    query.readings = BuiltInType.odometer.present(among: try record.eventTypes())?.id
    if let name {
      let type = try Lookup(store: record.store).eventType(name) { "trendy type add \($0)" }
      query.types = [type.id]
      if let measure { query.measure = try measure(type, record) }
    }
    return (try Report(query, from: record), record)
  }
}

extension Session {
  /// Parses a month (`2026-11`) or a year (`2026`) into its first day.
  func firstDay(of period: CalendarPeriod, _ text: String) throws(CommandError) -> CivilDate {
    let (rest, form) =
      period == .month ? ("-01", "YYYY-MM, for example 2026-11") : ("-01-01", "four digits, for example 2026")
    guard let day = CivilDate(text + rest), (1...9998).contains(day.year) else {
      throw usageError("Invalid \(period.rawValue) '\(text)'", hint: "Use \(form).")
    }
    return day
  }

  /// Returns the dates of the month or year in `--month`, or of the current month by default.
  func month() throws(CommandError) -> (name: String, range: Range<Date>) {
    let text = arguments.value("--month") ?? ""
    let period = text.count == 4 ? CalendarPeriod.year : .month
    let first = if arguments.has("--month") { try firstDay(of: period, text) } else { local.date(of: now) }
    let dates = period.days(around: first, firstWeekday: local.firstWeekday)
    return (
      period == .year ? "\(first.year)" : first.monthWords,
      local.midnight(of: dates.lowerBound)..<local.midnight(of: dates.upperBound.advanced(by: 1))
    )
  }

  fileprivate func checkIsNotInFuture(_ day: CivilDate) throws(CommandError) {
    let today = local.day(of: now)
    guard day <= today else { throw usageError("\(day.words(near: today)) is in the future") }
  }
}
