import CommandSupport
import TrendyInsights
import TrendyModels

struct HoursCommand: Command {
  static let spec = CommandSpec(
    "hours", .any("type", .eventType),
    summary: "Sum time by type, place, word, property or period.", group: .review,
    examples: [
      "hours", "hours 'deep work' call --since mon", "hours --by day --since november --csv",
      "hours work --by client --round 15m --up",
    ],
    options: [
      OptionSpec(
        "--by", value: "group", kind: .oneOf(groups),
        help: "type (default), place, word (tag or #word), day, week, month, or the key of a property"),
      OptionSpec("--round", value: "duration", kind: .duration, help: "round each row to a multiple: 15m"),
      OptionSpec("--up", help: "round up"),
      OptionSpec("--count-overlaps", help: "count shared time for each entry instead of once"),
      OptionSpec("--csv", help: "print CSV"),
    ] + ReportOptions.ofOneType + [Pager.option], columns: HoursText.columns)

  private static let groups = ["type", "place", "word", "day", "week", "month"]

  private let types: [String]
  private let by: String
  private let rounding: TimeTable.Rounding?
  private let countsOverlaps: Bool
  private let isCSV: Bool
  private let options: ReportOptions

  init(_ session: Session) throws {
    let arguments = session.arguments
    types = arguments.positionals
    by = arguments.value("--by")?.lowercased() ?? "type"
    countsOverlaps = arguments.has("--count-overlaps")
    isCSV = arguments.has("--csv")
    let step = try session.seconds(option: "--round", in: 1...86_400)
    rounding = step.map { TimeTable.Rounding(step: $0, isUp: arguments.has("--up")) }
    if step == nil, arguments.has("--up") {
      throw session.usageError("--up needs --round", hint: "For example --round 15m --up.")
    }
    if isCSV, session.console.format != .text {
      throw session.usageError("--csv cannot be combined with --json, --ndjson or --plain")
    }
    options = try ReportOptions(session, ofTypes: types)
  }

  func act(_ session: Session) throws -> HoursText {
    let (report, record) = try options.report(session)
    let grouping = try grouping(of: report, record)
    let ledger = try report.time(from: record)
    let table = TimeTable(ledger, by: grouping, rounding: rounding, countsOverlaps: countsOverlaps)
    return HoursText(report, ledger, table, by: by, rounding: rounding, countsOverlaps: countsOverlaps)
  }

  private func grouping(of report: Report, _ record: SelectedRecord) throws -> TimeTable.Grouping {
    switch by {
    case "type": return .type
    case "place": return .place
    case "word": return .word
    case "day", "week", "month": return .period(CalendarPeriod(rawValue: by) ?? .day)
    default:
      let types = Set(report.allRows.map(\.type.id))
      let keys = try record.propertyDefinitions().filter { types.contains($0.eventTypeId) }.map(\.key)
      let matching = Set(keys.filter { $0.lowercased() == by })
      if !matching.isEmpty { return .property(matching) }
      let known = Self.groups + Set(keys).sorted()
      throw CommandError(
        "Property '\(by)' not found", hint: "Use \(known.joined(separator: ", ")).", exit: .notFound)
    }
  }

  func show(_ answer: HoursText, _ session: Session) -> ExitCode {
    let console = session.console
    if isCSV {
      console.raw(answer.csv)
      return .done
    }
    if console.isJSON { console.document("trendy.hours/1", answer.members(session.local)) }
    if console.format == .plain {
      for row in answer.cells { console.row(row) }
    }
    if console.format == .text {
      for line in answer.lines(console.terminal, session.local) { console.text(line) }
    }
    if answer.isEmpty {
      console.text(
        answer.hasEvents
          ? "No time recorded. To time an event: trendy start TYPE"
          : NothingRecorded.words(isNarrow: options.isNarrow || !types.isEmpty))
    }
    return .done
  }
}
