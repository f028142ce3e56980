import CommandSupport
import TrendyInsights
import TrendyModels

struct StatsCommand: Command {
  static let spec = CommandSpec(
    "stats", .one("type", .eventType, "event type"),
    summary: "Show the frequency, usual times and trend of an event type.", group: .review,
    examples: ["stats coffee", "stats coffee --since 2026-01-01", "stats coffee --where size=large"],
    options: ReportOptions.ofOneType, columns: ["day", "count"])

  private let name: String
  private var options: ReportOptions

  init(_ session: Session) throws {
    name = session.arguments.positionals[0]
    options = try ReportOptions(session)
    options.query.details = .weeklyStreaks
  }

  func act(_ session: Session) throws -> (row: Report.Row, times: TypeTimes) {
    let (report, record) = try options.report(session, ofType: name)
    return (report.allRows[0], try TypeTimes(report, from: record))
  }

  func show(_ found: (row: Report.Row, times: TypeTimes), _ session: Session) throws -> ExitCode {
    let (console, answer) = (session.console, found.row)
    let stats = StatsText(answer, found.times, firstWeekday: session.local.firstWeekday)
    if console.isJSON { console.document("trendy.stats/1", stats.json) }
    if console.format == .plain {
      for (place, value) in answer.history.days.values.enumerated() {
        console.row([answer.history.days.first.advanced(by: place).description, "\(Int(value))"])
      }
    }
    if answer.history.basis == nil, found.times[answer.type.id] == nil {
      console.text(try NothingRecorded.words(of: answer.type, isNarrow: options.isNarrow, session))
    }
    for line in stats.lines(console.terminal) { console.text(line) }
    return .done
  }
}

extension Confidence {
  var habitWords: String {
    switch self {
    case .low: "weak habit"
    case .medium: "habit"
    case .high: "strong habit"
    }
  }
}

private struct StatsText {
  private let type: EventType
  private let history: TypeHistory
  private let streak: Streak
  private let times: TypeTimes
  private let firstWeekday: Int

  init(_ row: Report.Row, _ times: TypeTimes, firstWeekday: Int) {
    (type, history, streak, self.times) = (row.type, row.history, row.streak, times)
    self.firstWeekday = firstWeekday
  }

  func lines(_ terminal: Terminal) -> [StyledText] {
    let time = times[type.id]
    guard let basis = history.basis else {
      return time.map { [StyledText("\(type.name) \($0.words)")] } ?? []
    }
    let entries = time?.sessions == basis.events ? nil : Quantity(basis.events, "entry", "entries").description
    var lines = [
      StyledText([
        StyledText.Part(type.name, .name(color: type.colorHex)),
        StyledText.Part([time?.words, entries].compactMap(\.self).joined(separator: ", ")),
        StyledText.Part("on \(basis.activeDays) of \(Quantity(basis.days, "day"))"),
        StyledText.Part("since \(basis.from.words(near: history.today))", .dim, rank: .id),
      ]),
      StyledText([]),
    ]
    func add(_ text: String) {
      lines += terminal.lines(of: text, indent: 2).map { StyledText($0) }
    }
    add(trendSentence)
    let weeks = history.weeks(12)
    if let least = weeks.min(), let most = weeks.max(), weeks.count > 1 {
      add(
        "\(Quantity(weeks.count, "week"))  \(TextPicture.series(weeks, isUnicode: terminal.showsUnicode))   "
          + (least == most ? "\(Int(most)) a week" : "\(Int(least)) to \(Int(most)) a week"))
    }
    if let usualDaySentence { add(usualDaySentence) }
    if let gap = history.gap.value { add(PlainNarrator().sentence(gap, of: type.name)) }
    if streak.longest > 1 {
      add("Streak \(Quantity(streak.current, streak.period.rawValue)), longest \(streak.longest)")
    }
    lines.append(StyledText([]))
    for line in weekdayLines(terminal) { add(line) }
    lines.append(StyledText([]))
    add(hourSentence)
    if let usual = history.usualTime.value {
      let (from, through) = (Self.clock(usual.from), Self.clock(usual.through))
      let when = from == through ? "at \(from)" : "between \(from) and \(through)"
      add("\(Int((usual.share * 100).rounded())) % start \(when).")
    }
    guard history.hours.contains(where: { $0 > 0 }) else { return lines }
    add("00    06    12    18    ")
    add(TextPicture.series(history.hours.map(Double.init), isUnicode: terminal.showsUnicode))
    return lines
  }

  private var trendSentence: String {
    switch history.trend {
    case .needsDays(let days):
      "The trend needs \(Quantity(days, "more day", "more days")) of entries."
    case .found(let trend): Self.words(trend)
    case .needsEvents, .nothing: "Not enough entries for a trend yet."
    }
  }

  private static func words(_ trend: Trend) -> String {
    func rate(_ total: Double) -> String { (total / Double(TypeHistory.trendDays)).shortText(decimals: 1) }
    let (now, before) = (rate(trend.recent), rate(trend.before))
    let percent = trend.change.map { change in
      " (\(change < 0 ? "−" : "+")\(Int((abs(change) * 100).rounded())) %)"
    }
    let opening =
      switch trend.direction {
      case .up: "Up"
      case .down: "Down"
      case .steady: "Steady"
      case .new: "New"
      }
    return "\(opening): \(now) a day over the last 14 days, \(before) over the previous 14\(percent ?? "")."
  }

  private func weekdayLines(_ terminal: Terminal) -> [String] {
    let counts = history.weekdays
    let (total, most) = (counts.reduce(0, +), counts.max() ?? 0)
    guard total > 0, most > 0 else { return [] }
    let width = min(24, max(6, (terminal.width ?? 80) - 20))
    return (0..<7).map { offset in
      let weekday = (firstWeekday + offset) % 7
      let share = Int((Double(counts[weekday]) / Double(total) * 100).rounded())
      let bar = TextPicture.bar(Double(counts[weekday]) / Double(most), width: width, isUnicode: terminal.showsUnicode)
      return "\(LocalTime.weekdays[weekday].prefix(2)) \(bar.padded(to: width)) \(share) %"
    }
  }

  private var hourSentence: String {
    switch history.hourHabit {
    case .needsEvents where history.weekdays.reduce(0, +) >= 7 && history.hours.allSatisfy { $0 == 0 }:
      "All entries are all-day entries, without a time."
    case .needsEvents(let events):
      "The usual time of day needs \(Quantity(events, "more entry", "more entries"))."
    case .needsDays, .nothing: "No preferred time of day."
    case .found(let habit):
      "Usually \(Self.hour(habit.pattern.peak))–\(Self.hour(habit.pattern.peak + 1)) "
        + "(\(Int((habit.pattern.peakShare * 100).rounded())) %), "
        + "\(habit.confidence.habitWords) (consistency \(habit.pattern.consistency.text(decimals: 2)))."
    }
  }

  private var usualDaySentence: String? {
    guard let usual = history.usualDay.value else { return nil }
    func text(_ value: Double) -> String { value.shortText(decimals: 1) }
    let middle = usual.lower == usual.upper ? "" : ", usually \(text(usual.lower)) to \(text(usual.upper))"
    return "Typical day: \(text(usual.median))\(middle) (last \(Quantity(usual.days, "day")))."
  }

  /// Formats a minute of the day as `08:05`.
  private static func clock(_ minute: Int) -> String {
    let rest = minute % 60
    return "\(hour(minute / 60).prefix(3))\(rest < 10 ? "0" : "")\(rest)"
  }

  private static func hour(_ hour: Int) -> String { "\(hour < 10 ? "0" : "")\(hour):00" }

  var json: [(String, JSONText)] {
    func counts(_ values: [Double]) -> JSONText { .array(values.map { .number(Int($0)) }) }
    func needs<Value>(_ finding: Finding<Value>, _ found: (Value) -> [(String, JSONText)]) -> JSONText {
      switch finding {
      case .found(let value): .object(found(value))
      case .needsDays(let days): .object([("needs_days", .number(days))])
      case .needsEvents(let events): .object([("needs_events", .number(events))])
      case .nothing: .null
      }
    }
    func habit(_ habit: Habit) -> [(String, JSONText)] {
      [
        ("peak", .number(habit.pattern.peak)), ("peak_share", .number(habit.pattern.peakShare)),
        ("consistency", .number(habit.pattern.consistency)), ("confidence", .string(habit.confidence.rawValue)),
      ]
    }
    let basis = history.basis
    return [
      ("event_type", .object([("id", .string(type.id)), ("name", .string(type.name))])),
      ("events", .number(basis?.events ?? 0)), ("active_days", .number(basis?.activeDays ?? 0)),
    ] + times.members(of: type.id) + [
      ("from", .string(basis?.from.description)), ("through", .string(basis?.through.description)),
      ("average_per_day", .number(history.averagePerDay)),
      (
        "trend",
        needs(history.trend) {
          [
            ("recent", .number($0.recent)), ("before", .number($0.before)), ("change", .number($0.change)),
            ("direction", .string($0.direction.rawValue)),
          ]
        }
      ),
      ("weeks", counts(history.weeks(12))), ("weekdays", counts(history.weekdays.map(Double.init))),
      ("hours", counts(history.hours.map(Double.init))), ("weekday_habit", needs(history.weekdayHabit, habit)),
      ("hour_habit", needs(history.hourHabit, habit)),
      (
        "usual_time",
        needs(history.usualTime) {
          [
            ("from", .string(Self.clock($0.from))), ("through", .string(Self.clock($0.through))),
            ("share", .number($0.share)),
          ]
        }
      ),
      (
        "usual_day",
        needs(history.usualDay) {
          [
            ("median", .number($0.median)), ("lower", .number($0.lower)), ("upper", .number($0.upper)),
            ("days", .number($0.days)),
          ]
        }
      ),
      (
        "streak",
        .object([
          ("current", .number(streak.current)), ("longest", .number(streak.longest)),
          ("period", .string(streak.period.rawValue)),
        ])
      ),
      (
        "gap",
        needs(history.gap) {
          [("days", .number($0.days)), ("usual", .number($0.usual)), ("is_long", .bool($0.isLong))]
        }
      ),
    ]
  }
}
