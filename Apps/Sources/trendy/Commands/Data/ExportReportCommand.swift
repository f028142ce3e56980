import CommandSupport
import TrendyInsights
import TrendyModels

/// `trendy export report`
struct ExportReportCommand: Command {
  static let spec = CommandSpec(
    "export report", .optional("file|-", .file),
    summary: "A year in review as one file of HTML, to look at, print and keep; to the output, or to a file.",
    group: .data,
    examples: [
      "export report 2026.html", "export report --year 2025 2025.html", "export report --since 2026-06-01 --type run -",
    ],
    options: ReportSpan.options + [
      OptionSpec(
        "--type", value: "type", kind: .eventType, repetition: .allCount, help: "of this type only"),
      OptionSpec("--yes", help: "replace a file that is there"),
    ] + ExportOrder.options)

  enum Answer {
    case written(LookBack)
    case ordered(ExportOrder.Outcome)
  }

  private enum Request {
    case write(ReportSpan)
    case order(ExportOrder)
  }

  private let path: String?
  private let isReplacing: Bool
  private let request: Request

  init(_ session: Session) throws {
    path = session.arguments.positionals.first.flatMap { $0 == "-" ? nil : $0 }
    isReplacing = session.arguments.has("--yes")
    // Beside --every the word --to is of a folder, and not of a time.
    request =
      try ExportOrder(session, format: "report", to: "--until").map { .order($0) } ?? .write(try ReportSpan(session))
  }

  func act(_ session: Session) throws -> Answer {
    let span: ReportSpan
    switch request {
    case .write(let asked): span = asked
    case .order(let order): return .ordered(try order.carryOut(session))
    }
    // A name that is taken is said before the work.
    let file = try path.map { try FileOutput(path: $0, isReplacing: isReplacing) }
    let found = try LookBack(span, session)
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
      session.console.done("\(Quantity(Int(answer.total.now), "entry", "entries")) looked back on in \(path)")
    }
    return .done
  }
}
