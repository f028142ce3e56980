import CommandSupport
import TrendyInsights
import TrendyModels

/// Command that compares a calendar period with the previous one.
protocol PeriodCommand: Command where Answer == PeriodText {
  static var period: CalendarPeriod { get }
  var options: ReportOptions { get }

  init(_ options: ReportOptions)
}

extension PeriodCommand {
  init(_ session: Session) throws {
    self.init(try ReportOptions(session, comparing: Self.period, session.arguments.positionals.first))
  }

  func act(_ session: Session) throws -> PeriodText {
    let (report, record) = try options.report(session)
    return try PeriodText(report, record, isNarrow: options.isNarrow, session)
  }

  func show(_ answer: PeriodText, _ session: Session) -> ExitCode {
    answer.show(session.console)
    return .done
  }
}

struct WeekCommand: PeriodCommand {
  static let period = CalendarPeriod.week
  static let spec = CommandSpec(
    "week", summary: "Compare this week with the previous one, type by type.", group: .review,
    examples: ["week", "week --until 'last sunday'", "week --type coffee"], options: ReportOptions.ofTypes,
    columns: PeriodText.columns)

  let options: ReportOptions

  init(_ options: ReportOptions) { self.options = options }
}

struct MonthCommand: PeriodCommand {
  static let period = CalendarPeriod.month
  static let spec = CommandSpec(
    "month", .optional("month", .month),
    summary: "Compare a month with the previous one, type by type.", group: .review,
    examples: ["month", "month 2026-10", "month --type coffee"], options: ReportOptions.ofTypes,
    columns: PeriodText.columns)

  let options: ReportOptions

  init(_ options: ReportOptions) { self.options = options }
}

struct YearCommand: PeriodCommand {
  static let period = CalendarPeriod.year
  static let spec = CommandSpec(
    "year", .optional("year", .number),
    summary: "Review a year: each type compared with the year before, best months and days.", group: .review,
    examples: ["year", "year 2025", "year --type run"], options: ReportOptions.ofTypes,
    columns: PeriodText.columns + YearText.columns)

  let options: ReportOptions

  init(_ options: ReportOptions) { self.options = options }
}
