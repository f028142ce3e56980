import CommandSupport
import TrendyInsights
import TrendyModels

struct YearCommand: Command {
  static let spec = CommandSpec(
    "year", .optional("year", .number),
    summary: "Review a year: each type compared with the year before, best months and days.", group: .review,
    examples: ["year", "year 2025", "year --type run"], options: TypeHistories.optionsOfMany,
    columns: PeriodText.columns + YearText.columns)

  private let day: CivilDate?

  init(_ session: Session) throws {
    day = try session.arguments.positionals.first.map { text in
      guard let day = CivilDate("\(text)-01-01"), day.year > 0 else {
        throw session.usageError("Invalid year '\(text)'", hint: "Use four digits, for example 2026.")
      }
      return day
    }
  }

  func act(_ session: Session) throws -> PeriodReport { try PeriodReport(.year, around: day, session) }

  func show(_ answer: PeriodReport, _ session: Session) -> ExitCode {
    let details = YearText(YearReview(answer.review)).details(session.console.terminal)
    PeriodText(answer, session).show(session.console, more: details)
    return .done
  }
}
