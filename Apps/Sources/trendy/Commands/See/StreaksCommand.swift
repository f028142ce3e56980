import CommandSupport
import TrendyInsights
import TrendyModels

struct StreaksCommand: Command {
  static let spec = CommandSpec(
    "streaks", summary: "Show the current and the longest streak of every type.", group: .review,
    examples: ["streaks", "streaks --json"], options: ReportOptions.ofTypes,
    columns: ["type", "current streak", "longest streak", "last day of the longest", "unit: day or week"])

  typealias Row = (type: EventType, streak: Streak)

  private var options: ReportOptions

  init(_ session: Session) throws {
    options = try ReportOptions(session)
    options.query.details = .weeklyStreaks
  }

  func act(_ session: Session) throws -> (rows: [Row], today: CivilDate) {
    let report = try options.report(session).report
    let rows = report.rows.filter { report.query.types != nil || $0.isHabit }.map { ($0.type, $0.streak) as Row }
      .sorted { left, right in
        (right.streak.current, right.streak.longest, left.type.name)
          < (left.streak.current, left.streak.longest, right.type.name)
      }
    return (rows, report.query.today)
  }

  func show(_ answer: (rows: [Row], today: CivilDate), _ session: Session) -> ExitCode {
    let console = session.console
    if console.isJSON {
      console.document(
        "trendy.streaks/1",
        [
          (
            "streaks",
            .array(
              answer.rows.map { row in
                .object([
                  ("event_type", .object([("id", .string(row.type.id)), ("name", .string(row.type.name))])),
                  ("current", .number(row.streak.current)), ("longest", .number(row.streak.longest)),
                  ("longest_end", .string(row.streak.longestEnd?.description)),
                  ("period", .string(row.streak.period.rawValue)),
                ])
              })
          )
        ])
    }
    if answer.rows.isEmpty { console.text(NothingRecorded.words(isNarrow: options.isNarrow)) }
    let columns = min(24, answer.rows.map(\.type.name.columns).max() ?? 0)
    for row in answer.rows {
      if console.format == .plain {
        console.row([
          row.type.name, "\(row.streak.current)", "\(row.streak.longest)", row.streak.longestEnd?.description ?? "",
          row.streak.period.rawValue,
        ])
      }
      let end = row.streak.longestEnd.map { " (until \($0.words(near: answer.today)))" } ?? ""
      let isLongest = row.streak.current == row.streak.longest
      console.text(
        StyledText([
          StyledText.Part("  \(row.type.name.padded(to: columns))", .name(color: row.type.colorHex)),
          StyledText.Part(Quantity(row.streak.current, row.streak.period.rawValue).description.padded(to: 8)),
          StyledText.Part(isLongest ? "longest ever" : "longest \(row.streak.longest)\(end)", .dim),
        ]))
    }
    return .done
  }
}
