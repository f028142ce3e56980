import CommandSupport
import TrendyInsights

struct ChartCommand: Command {
  static let spec = CommandSpec(
    "chart", .one("type", .eventType, "event type"),
    summary: "Chart entries or a property per day, week or month.", group: .review,
    examples: ["chart coffee", "chart mood --of score", "chart run --of distance --sum --by month"],
    options: ChartedSeries.Request.options + TypeHistories.options, columns: ChartText.columns)

  private let name: String
  private let request: ChartedSeries.Request

  init(_ session: Session) throws {
    name = session.arguments.positionals[0]
    request = try ChartedSeries.Request(session)
  }

  func act(_ session: Session) throws -> ChartedSeries { try ChartedSeries(name, request, session) }

  func show(_ answer: ChartedSeries, _ session: Session) throws -> ExitCode {
    let (console, text) = (session.console, ChartText(answer))
    if console.isJSON { console.document("trendy.chart/1", text.members) }
    if console.format == .plain {
      for row in text.rows { console.row(row) }
    }
    if answer.series.events == 0, answer.amount == nil {
      console.text(try NothingRecorded.words(of: answer.type, isNarrow: answer.isNarrow, session))
    }
    for line in text.lines(console.terminal) { console.text(line) }
    return .done
  }
}
