import CommandSupport
import TrendyInsights
import TrendyModels

struct ExportReportCommand: Command {
  static let spec = CommandSpec(
    "export report", .optional("file|-", .file),
    summary: "Export a year in review as one printable HTML file.",
    group: .data,
    examples: [
      "export report 2026.html", "export report --year 2025 2025.html", "export report --since 2026-06-01 --type run -",
    ],
    options: ReportOptions.ofDays + [
      OptionSpec("--yes", help: "overwrite an existing file")
    ] + ExportOrder.options)

  enum Answer {
    case written(LookBack)
    case ordered(ExportOrder.Outcome)
  }

  private enum Request {
    case write(ReportOptions)
    case order(ExportOrder)
  }

  private let path: String?
  private let isReplacing: Bool
  private let request: Request

  init(_ session: Session) throws {
    path = session.arguments.positionals.first.flatMap { $0 == "-" ? nil : $0 }
    isReplacing = session.arguments.has("--yes")
    // With `--every`, `--to` is a folder instead of the end of a period.
    request =
      try ExportOrder(session, format: "report", to: "--until").map { .order($0) }
      ?? .write(try ReportOptions(ofDays: session))
  }

  func act(_ session: Session) throws -> Answer {
    let options: ReportOptions
    switch request {
    case .write(let asked): options = asked
    case .order(let order): return .ordered(try order.carryOut(session))
    }
    // Opened first, so that an existing file is reported before statistics are computed.
    let file = try path.map { try FileOutput(path: $0, isReplacing: isReplacing) }
    let found = try LookBack(options, session)
    if let file {
      try file.write(ReportPage(found, session).html)
      try file.finish()
    }
    return .written(found)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    switch answer {
    case .written(let found): show(found, session)
    case .ordered(let outcome): ExportOrder.show(outcome, session)
    }
  }

  private func show(_ answer: LookBack, _ session: Session) -> ExitCode {
    guard let path else {
      session.console.raw(ReportPage(answer, session).html)
      return .done
    }
    if session.console.isJSON {
      session.console.document(
        "trendy.export/1",
        [
          ("format", .string("report")), ("file", .string(path)), ("records", .number(Int(answer.total.now))),
          ("from", .string(answer.days.lowerBound.description)),
          ("through", .string(answer.days.upperBound.description)),
        ])
    } else {
      session.console.done("Exported a report on \(Quantity(Int(answer.total.now), "entry", "entries")) to \(path).")
    }
    return .done
  }
}
