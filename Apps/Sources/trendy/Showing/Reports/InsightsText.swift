import CommandSupport
import TrendyInsights
import TrendyModels

struct InsightsText {
  private static let maxHabits = 4

  private let found: FoundInsights
  private let isNarrow: Bool
  private let local: LocalTime
  private let narrator = PlainNarrator()

  init(_ found: FoundInsights, isNarrow: Bool, _ local: LocalTime) {
    (self.found, self.isNarrow, self.local) = (found, isNarrow, local)
  }

  func show(_ console: Console) {
    if console.isJSON { console.document("trendy.insights/1", members) }
    if console.format == .plain {
      for row in rows { console.row(row) }
    }
    for line in lines(console.terminal) { console.text(line) }
  }

  private var rows: [[String]] {
    found.search.strongest.map {
      ["relation", found.name($0.first), found.name($0.second), "\($0.correlation.r)"]
    }
      + found.trends.map { ["trend", $0.type.name, "", $0.trend.change.map { "\($0)" } ?? "new"] }
      + found.gaps.map { ["gap", $0.type.name, "", "\($0.gap.days)"] }
      + found.habits.map { ["hour", $0.type.name, "", "\($0.hour.pattern.peak)"] }
  }

  // MARK: Text

  private func lines(_ terminal: Terminal) -> [StyledText] {
    guard let first = found.firstDay else { return plain([NothingRecorded.words(isNarrow: isNarrow)]) }
    let days = first.distance(to: found.today) + 1
    let span = (first...found.today).words(near: found.today)
    let opening = terminal.lines(of: "Based on \(Quantity(days, "day")), \(span). Correlation is not causation.")
    let paragraphs = [relations(terminal), changes(terminal), usual(terminal)].filter { !$0.isEmpty }
    let isQuiet = found.search.strongest.isEmpty && found.trends.isEmpty && found.gaps.isEmpty
    let quiet = isQuiet && found.search.daysUntilFirst == 0 ? plain(["", "  No findings."]) : []
    return plain(opening) + paragraphs.flatMap { plain([""]) + $0 } + quiet
  }

  private func plain(_ lines: [String]) -> [StyledText] { lines.map { StyledText($0) } }

  private func relations(_ terminal: Terminal) -> [StyledText] {
    let search = found.search
    guard found.report.rows.count > 1 else {
      return plain(terminal.lines(of: "Correlations need at least two event types.", indent: 2))
    }
    guard search.daysUntilFirst == 0 else {
      let days = Quantity(search.daysUntilFirst, "more day", "more days")
      return plain(terminal.lines(of: "Correlations need \(days) with entries of two types.", indent: 2))
    }
    guard !search.strongest.isEmpty else { return plain(young(terminal)) }
    let list = search.strongest.enumerated().flatMap { relation($0.element, number: $0.offset + 1, terminal) }
    let dots = [3, 2, 1].map { Self.dots($0, isUnicode: terminal.showsUnicode) }
    let basis =
      "Compared \(Quantity(search.pairs, "pair")) of types at two lags, corrected for multiple comparisons. "
      + "\(dots[0]) high, \(dots[1]) medium, \(dots[2]) low confidence. Details: trendy insights 1"
    return list + plain(terminal.lines(of: basis, indent: 2)) + plain(young(terminal))
  }

  private func relation(_ relation: CorrelationFinding, number: Int, _ terminal: Terminal) -> [StyledText] {
    let r = relation.correlation.r
    let sign = r < 0 ? "−" : "+"
    let level = relation.confidence == .high ? 3 : relation.confidence == .medium ? 2 : 1
    let marks = [
      "\(number)".rightAligned(to: 4), sign + abs(r).text(decimals: 2),
      Self.dots(level, isUnicode: terminal.showsUnicode),
    ].joined(separator: "  ")
    let sentence = narrator.sentence(
      relation, first: found.name(relation.first), second: found.name(relation.second))
    let texts = terminal.lines(
      of: "\(sentence), \(Quantity(relation.correlation.count, "day"))", indent: marks.columns + 2)
    return plain(texts.enumerated().map { $0 == 0 ? "\(marks)  \($1.dropFirst(marks.columns + 2))" : $1 })
  }

  private static func dots(_ count: Int, isUnicode: Bool) -> String {
    String(repeating: isUnicode ? "●" : "*", count: count) + String(repeating: isUnicode ? "○" : ".", count: 3 - count)
  }

  private func young(_ terminal: Terminal) -> [String] {
    let list = found.young.map { "\($0.name) \(Quantity($0.days, "day"))" }.joined(separator: ", ")
    return list.isEmpty ? [] : terminal.lines(of: "More days needed: \(list).", indent: 2)
  }

  private func changes(_ terminal: Terminal) -> [StyledText] {
    let sentences =
      found.trends.map { narrator.sentence($0.trend, of: $0.type.name) }
      + found.gaps.map { narrator.sentence($0.gap, of: $0.type.name) }
    return plain(sentences.flatMap { terminal.lines(of: $0, indent: 2) })
  }

  private func usual(_ terminal: Terminal) -> [StyledText] {
    let habits = found.habits.prefix(Self.maxHabits).map { habit in
      let hour = habit.hour.pattern.peak
      let day = habit.weekday.map { ", mostly \(LocalTime.weekdays[$0.pattern.peak])" } ?? ""
      return
        "\(habit.type.name) \(local.clock(hour: hour, minute: 0))–\(local.clock(hour: hour + 1, minute: 0))\(day)"
        + " (\(habit.hour.pattern.consistency.text(decimals: 2)))"
    }
    guard !habits.isEmpty else { return [] }
    return plain(terminal.lines(of: "Habits: \(habits.joined(separator: "; "))", indent: 2))
  }

  // MARK: JSON

  private func type(_ id: String) -> JSONText {
    .object([("id", .string(id)), ("name", .string(found.name(id)))])
  }

  private var members: [(String, JSONText)] {
    let trends = found.trends.map { entry in
      JSONText.object([
        ("event_type", type(entry.type.id)), ("recent", .number(entry.trend.recent)),
        ("before", .number(entry.trend.before)), ("change", .number(entry.trend.change)),
        ("sentence", .string(narrator.sentence(entry.trend, of: entry.type.name))),
      ])
    }
    let gaps = found.gaps.map { entry in
      JSONText.object([
        ("event_type", type(entry.type.id)), ("days", .number(entry.gap.days)), ("usual", .number(entry.gap.usual)),
        ("sentence", .string(narrator.sentence(entry.gap, of: entry.type.name))),
      ])
    }
    let habits = found.habits.map { entry in
      JSONText.object([
        ("event_type", type(entry.type.id)), ("hour", .number(entry.hour.pattern.peak)),
        ("share", .number(entry.hour.pattern.peakShare)), ("consistency", .number(entry.hour.pattern.consistency)),
        ("confidence", .string(entry.hour.confidence.rawValue)),
      ])
    }
    let young = found.search.missingDays.sorted { $0.key < $1.key }.map { id, days in
      JSONText.object([("event_type", type(id)), ("days", .number(days))])
    }
    return [
      ("relations", .array(found.search.strongest.map { .object(RelationPicture.members($0, found.name, narrator)) })),
      ("pairs", .number(found.search.pairs)), ("trends", .array(trends)), ("gaps", .array(gaps)),
      ("habits", .array(habits)), ("needs_days", .number(found.search.daysUntilFirst)),
      ("types_that_need_days", .array(young)),
    ]
  }
}
