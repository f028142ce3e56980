import CommandSupport
import TrendyInsights
import TrendyModels

struct MonthCommand: Command {
  static let spec = CommandSpec(
    "month", .optional("month", .month),
    summary: "Compare a month with the previous one, type by type.", group: .review,
    examples: ["month", "month 2026-10", "month --type coffee"], options: TypeHistories.optionsOfMany,
    columns: PeriodText.columns)

  private let day: CivilDate?

  init(_ session: Session) throws {
    day = try session.arguments.positionals.first.map { text in
      guard let day = CivilDate("\(text)-01"), day.year > 0 else {
        throw session.usageError("Invalid month '\(text)'", hint: "Use YYYY-MM, for example 2026-11.")
      }
      return day
    }
  }

  func act(_ session: Session) throws -> PeriodReport { try PeriodReport(.month, around: day, session) }

  func show(_ answer: PeriodReport, _ session: Session) -> ExitCode {
    PeriodText(answer, session).show(session.console)
    return .done
  }
}
