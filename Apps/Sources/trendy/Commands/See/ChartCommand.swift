import CommandSupport
import TrendyInsights
import TrendyModels

struct ChartCommand: Command {
  static let spec = CommandSpec(
    "chart", .one("type", .eventType, "event type"),
    summary: "Chart entries, a property or time per day, week or month.", group: .review,
    examples: [
      "chart coffee", "chart mood --of score", "chart run --of distance --sum --by month", "chart sleep --sum",
    ],
    options: [
      OptionSpec(
        "--of", value: "property", kind: .propertyKey, help: "chart this property instead of counting entries"),
      OptionSpec("--sum", help: "sum of the property in each step, or of time if the type has no number"),
      OptionSpec("--mean", help: "mean of the property in each step (default)"),
      ReportOptions.step, ReportOptions.weeks("default 26; by week 12, by month 52"),
    ] + ReportOptions.ofOneType, columns: ChartText.columns)

  private let name: String
  private let key: String?
  private let summary: AmountSummary?
  private var options: ReportOptions

  init(_ session: Session) throws {
    let arguments = session.arguments
    name = arguments.positionals[0]
    guard !arguments.has("--sum") || !arguments.has("--mean") else {
      throw session.usageError("--sum and --mean cannot be combined")
    }
    key = arguments.value("--of")
    summary = arguments.has("--sum") ? .sum : key != nil || arguments.has("--mean") ? .mean : nil
    options = try ReportOptions(session)
    if options.query.weeks == nil, options.query.firstDay == nil {
      options.query.weeks = [.week: 12, .month: 52][options.query.step, default: 26]
    }
  }

  func act(_ session: Session) throws -> ChartText {
    ChartText(
      try options.report(session, ofType: name) { type, record in
        guard let summary else { return .count }
        let all = try record.propertyDefinitions()
        let isOfTime = !all.contains { $0.eventTypeId == type.id && $0.propertyType == .number }
        if key == nil, summary == .sum, isOfTime { return .time }
        return .property(try property(of: type, among: all, session), summary)
      }.report)
  }

  func show(_ answer: ChartText, _ session: Session) throws -> ExitCode {
    let console = session.console
    if console.isJSON { console.document("trendy.chart/1", answer.members) }
    if console.format == .plain {
      for row in answer.rows { console.row(row) }
    }
    if answer.isEmpty {
      console.text(try NothingRecorded.words(of: answer.type, isNarrow: options.isNarrow || answer.hasEvents, session))
    }
    for line in answer.lines(console.terminal) { console.text(line) }
    return .done
  }

  /// Returns the property named by `--of` or, by default, the type's first number or duration property.
  private func property(
    of type: EventType, among all: [PropertyDefinition], _ session: Session
  ) throws -> PropertyDefinition {
    let own = all.filter { $0.eventTypeId == type.id }.inOrder
    let numeric = own.filter { [.number, .duration].contains($0.propertyType) }
    let known = numeric.map(\.key).joined(separator: ", ")
    guard let key else {
      if let first = numeric.first { return first }
      throw session.usageError(
        "'\(type.name)' has no property that is a number or a duration",
        hint: "trendy type prop add '\(type.name)' amount --kind number")
    }
    guard let found = own.first(where: { $0.key.lowercased() == key.lowercased() }) else {
      throw CommandError(
        "'\(type.name)' has no property '\(key)'",
        hint: known.isEmpty ? "It has no property that is a number or a duration." : "Use \(known).", exit: .notFound)
    }
    guard numeric.contains(found) else {
      throw session.usageError(
        "'\(found.key)' is of kind \(found.propertyType.rawValue), neither a number nor a duration",
        hint: known.isEmpty ? "'\(type.name)' has no property that is a number or a duration." : "Use \(known).")
    }
    return found
  }
}
