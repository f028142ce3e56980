import CommandSupport
import TrendyInsights
import TrendyModels

struct RecordsCommand: Command {
  static let spec = CommandSpec(
    "records", summary: "Show your best day, week and month, longest streak and longest break.", group: .review,
    examples: ["records", "records --type run", "records --since 2026-01-01"],
    options: ReportOptions.ofTypes + [Pager.option],
    columns: ["type", "record: day, week, month, streak or pause", "entries or days", "first day", "last day"])

  struct Row {
    let type: EventType
    let records: PersonalRecords
  }

  private let options: ReportOptions

  init(_ session: Session) throws { options = try ReportOptions(session) }

  func act(_ session: Session) throws -> (rows: [Row], today: CivilDate) {
    let report = try options.report(session).report
    let rows = report.rows.filter { !$0.history.isOfReadings }.compactMap { row in
      row.history.records(firstWeekday: session.local.firstWeekday, skips: row.skips).value
        .map { Row(type: row.type, records: $0) }
    }
    return (rows, report.query.today)
  }

  func show(_ answer: (rows: [Row], today: CivilDate), _ session: Session) -> ExitCode {
    let console = session.console
    if console.isJSON { console.document("trendy.records/1", [("records", .array(answer.rows.map(Self.json)))]) }
    if console.format == .plain {
      for row in answer.rows {
        for line in row.lines {
          console.row([
            row.type.name, line.key, "\(line.figure)", line.days?.lowerBound.description ?? "",
            line.days?.upperBound.description ?? "",
          ])
        }
      }
    }
    if answer.rows.isEmpty {
      console.text(NothingRecorded.words(isNarrow: options.isNarrow))
    }
    for (place, row) in answer.rows.enumerated() {
      if place > 0 { console.text("") }
      console.text(StyledText([StyledText.Part(row.type.name, .name(color: row.type.colorHex))]))
      let width = row.lines.map { "\($0.figure)".count }.max() ?? 0
      for line in row.lines {
        let figure = "\(line.figure)".rightAligned(to: width)
        let when = line.when(near: answer.today)
        let words = "\(line.words.padded(to: 15))  \(figure)\(when.isEmpty ? "" : "  \(when)")"
        for part in console.terminal.lines(of: words, indent: 2) { console.text(part) }
      }
    }
    return .done
  }

  private static func json(_ row: Row) -> JSONText {
    .object(
      [("event_type", .object([("id", .string(row.type.id)), ("name", .string(row.type.name))]))]
        + row.lines.map { line in
          (
            line.key,
            .object([
              (line.isOfDays ? "days" : "events", .number(line.figure)),
              ("from", .string(line.days?.lowerBound.description)),
              ("through", .string(line.days?.upperBound.description)),
            ])
          )
        })
  }
}

extension RecordsCommand.Row {
  /// Line for one of an event type's records.
  struct Line {
    let key: String
    let words: String
    let figure: Int
    /// Day, week, month or break of the record, or `nil` for the longest streak.
    let days: ClosedRange<CivilDate>?

    var isOfDays: Bool { key == "streak" || key == "pause" }

    func when(near today: CivilDate) -> String {
      guard let days else { return "" }
      switch key {
      case "month": return days.lowerBound.monthWords
      default: return days.words(near: today)
      }
    }
  }

  var lines: [Line] {
    var lines = [
      Line(key: "day", words: "most in a day", figure: records.day.events, days: records.day.days),
      Line(key: "week", words: "most in a week", figure: records.week.events, days: records.week.days),
      Line(key: "month", words: "most in a month", figure: records.month.events, days: records.month.days),
      Line(key: "streak", words: "longest streak", figure: records.streak, days: nil),
    ]
    if let pause = records.pause {
      lines.append(Line(key: "pause", words: "longest break", figure: pause.count, days: pause))
    }
    return lines
  }
}
