import CommandSupport
import TrendyInsights

struct WeekCommand: Command {
  static let spec = CommandSpec(
    "week", summary: "Compare this week with the previous one, type by type.", group: .review,
    examples: ["week", "week --until 'last sunday'", "week --type coffee"], options: TypeHistories.optionsOfMany,
    columns: PeriodText.columns)

  init(_ session: Session) {}

  func act(_ session: Session) throws -> PeriodReport { try PeriodReport(.week, session) }

  func show(_ answer: PeriodReport, _ session: Session) -> ExitCode {
    PeriodText(answer, session).show(session.console)
    return .done
  }
}
