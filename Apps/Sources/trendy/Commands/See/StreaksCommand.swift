import CommandSupport
import TrendyInsights
import TrendyModels

struct StreaksCommand: Command {
  static let spec = CommandSpec(
    "streaks", summary: "Show the current and the longest streak of every type.", group: .review,
    examples: ["streaks", "streaks --json"], options: TypeHistories.optionsOfMany,
    columns: ["type", "current streak", "longest streak", "last day of the longest", "unit: day or week"])

  /// An event type with its streak.
  struct Row {
    let type: EventType
    let streak: Streak
  }

  struct Answer {
    let rows: [Row]
    let today: CivilDate
    let isNarrow: Bool
  }

  init(_ session: Session) {}

  func act(_ session: Session) throws -> Answer {
    let histories = try TypeHistories(session)
    let settings = try histories.settings()
    let rows = try histories.all().filter { histories.namesTypes || $0.history.isHabit(hasGoal: $0.type.goal != nil) }
      .map { Row(type: $0.type, streak: try histories.streak(of: $0.type, $0.history, settings)) }
    let sorted = rows.sorted { left, right in
      (right.streak.current, right.streak.longest, left.type.name) < (
        left.streak.current, left.streak.longest, right.type.name
      )
    }
    return Answer(rows: sorted, today: histories.today, isNarrow: histories.isNarrow)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
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
    if answer.rows.isEmpty { console.text(NothingRecorded.words(isNarrow: answer.isNarrow)) }
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
