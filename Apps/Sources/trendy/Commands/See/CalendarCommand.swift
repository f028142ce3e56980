import CommandSupport
import TrendyInsights
import TrendyModels

struct CalendarCommand: Command {
  static let spec = CommandSpec(
    "cal", .optional("type", .eventType),
    summary: "Show a calendar heat map of a type, or of all entries.", group: .review,
    examples: ["cal", "cal coffee", "cal coffee --weeks 12", "cal --until 2025-12-31"],
    options: [ReportOptions.weeks("default: as many as fit")] + ReportOptions.ofTypes,
    columns: ["day", "count", "level 0 to 4"])

  struct Answer {
    /// Event type to show, or `nil` for the total of all selected types.
    let type: EventType?
    let history: TypeHistory
    let skips: DaySet
    /// Days in the weeks of the calendar, up to the last day.
    let days: ClosedRange<CivilDate>
  }

  private let name: String?
  private let options: ReportOptions

  init(_ session: Session) throws {
    name = session.arguments.positionals.first
    if let name, session.arguments.has("--type") {
      throw session.usageError(
        "Both '\(name)' and --type select a type", hint: "To show several types: trendy cal --type coffee --type tea")
    }
    options = try ReportOptions(session)
  }

  func act(_ session: Session) throws -> Answer {
    let report = try options.report(session, ofType: name).report
    let weeks = report.query.weeks ?? min(53, (session.console.terminal.width ?? 80) - 6)
    let row = name == nil ? nil : report.allRows.first
    return Answer(
      type: row?.type, history: row?.history ?? report.together, skips: row?.skips ?? [],
      days: report.query.days(ofWeeks: weeks))
  }

  func show(_ answer: Answer, _ session: Session) throws -> ExitCode {
    let (console, history) = (session.console, answer.history)
    let isUnicode = console.terminal.showsUnicode
    let firstWeekday = session.local.firstWeekday
    let (start, weeks) = (answer.days.lowerBound, (answer.days.count + 6) / 7)
    let levels = HeatLevels(history.days)
    func level(_ day: CivilDate) -> Int { levels?.level(history.days[day]) ?? 0 }
    // Days before the first entry are omitted, not shown as empty.
    let first = max(start, history.days.first)
    let days = history.days.count == 0 ? [] : Array(first...history.today)
    if console.isJSON {
      console.document(
        "trendy.cal/1",
        [
          (
            "event_type",
            answer.type.map { .object([("id", .string($0.id)), ("name", .string($0.name))]) } ?? .null
          ),
          (
            "days",
            .array(
              days.map { day in
                .object([
                  ("day", .string(day.description)), ("count", .number(Int(history.days[day]))),
                  ("level", .number(level(day))), ("is_skipped", .bool(answer.skips.contains(day))),
                ])
              })
          ),
        ])
    }
    if console.format == .plain {
      for day in days { console.row([day.description, "\(Int(history.days[day]))", "\(level(day))"]) }
    }
    guard !days.isEmpty else {
      console.text(
        try answer.type.map { try NothingRecorded.words(of: $0, isNarrow: options.isNarrow, session) }
          ?? NothingRecorded.words(isNarrow: options.isNarrow))
      return .done
    }
    let active = days.count { history.days[$0] > 0 }
    let name = answer.type.map { StyledText.Part($0.name, .name(color: $0.colorHex)) } ?? StyledText.Part("All entries")
    let sentence = "on \(active) of \(Quantity(days.count, "day")) since \(first.words(near: history.today))"
    if name.text.columns + 2 + sentence.columns <= console.terminal.width ?? .max {
      console.text(StyledText([name, StyledText.Part(sentence)]))
    } else {
      console.text(StyledText([name]))
      for line in console.terminal.lines(of: sentence, indent: 2) { console.text(line) }
    }
    console.text("")
    console.text("     " + months(from: start, weeks: weeks))
    for row in 0..<7 {
      let weekday = LocalTime.weekdays[(firstWeekday + row) % 7].prefix(2)
      let cells = (0..<weeks).map { week -> Character in
        let day = start.advanced(by: week * 7 + row)
        if day > history.today { return "_" }
        if day < history.days.first { return " " }
        if history.days[day] == 0, answer.skips.contains(day) { return "/" }
        return TextPicture.heat(level(day), isUnicode: isUnicode)
      }
      console.text("  \(weekday) " + String(cells))
    }
    let meanings = answer.type == nil ? "none to most" : "none to most · / skipped"
    let legend = (0...4).map { String(TextPicture.heat($0, isUnicode: isUnicode)) }.joined(separator: " ")
    console.text("")
    for line in console.terminal.lines(of: "\(legend)  \(meanings) · _ future", indent: 2) {
      console.text(line)
    }
    return .done
  }

  /// Returns the line of month names, each above the first week of its month if there is space.
  private func months(from start: CivilDate, weeks: Int) -> String {
    var line = ""
    for week in 0..<weeks {
      let day = start.advanced(by: week * 7)
      let isFirst = week == 0 || day.month != day.advanced(by: -7).month
      if isFirst, line.count <= week, week == 0 || weeks - week >= 3 {
        line += String(repeating: " ", count: week - line.count) + LocalTime.months[day.month - 1] + " "
      }
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
