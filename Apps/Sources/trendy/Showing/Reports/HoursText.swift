import CommandSupport
import TrendyInsights
import TrendyInterchange
import TrendyModels

/// Formatter for a ``TimeTable``: text, `--plain` rows, CSV and JSON.
struct HoursText {
  static let columns = ["group", "seconds", "sessions", "running sessions"]
  /// Maximum number of overlaps in text.
  private static let listed = 10

  private let query: ReportQuery
  private let types: [String: EventType]
  private let table: TimeTable
  private let ledger: TimeLedger
  private let firstDay: CivilDate
  private let by: String
  private let rounding: TimeTable.Rounding?
  private let countsOverlaps: Bool
  /// Whether any event was selected, with or without time.
  let hasEvents: Bool

  init(
    _ report: Report, _ ledger: TimeLedger, _ table: TimeTable, by: String, rounding: TimeTable.Rounding?,
    countsOverlaps: Bool
  ) {
    query = report.query
    types = Dictionary(uniqueKeysWithValues: report.allRows.map { ($0.type.id, $0.type) })
    self.ledger = ledger
    firstDay = query.firstDay ?? ledger.entries.first?.parts.first?.day ?? query.today
    (self.table, self.by, self.rounding, self.countsOverlaps) = (table, by, rounding, countsOverlaps)
    hasEvents = !report.rows.isEmpty
  }

  var isEmpty: Bool { table.rows.isEmpty }

  private func name(_ row: TimeTable.Row) -> String {
    if let days = row.days {
      return by == "month" ? days.lowerBound.monthWords : days.words(near: query.today)
    }
    if row.key.isEmpty { return "(no \(by))" }
    return by == "type" ? types[row.key]?.name ?? row.key : row.key
  }

  // MARK: Text

  func lines(_ terminal: Terminal, _ local: LocalTime) -> [StyledText] {
    guard !isEmpty else { return [] }
    let most = table.rows.map(\.seconds).max() ?? 0
    func row(_ name: String, _ row: TimeTable.Row, color: String? = nil, bar: String = "") -> FigureTable.Row {
      let sessions = Quantity(row.sessions, "session").description
      return FigureTable.Row(
        name + (row.running > 0 ? ", running" : ""), color: color,
        figures: [DurationPhrase.words(row.seconds), sessions], picture: bar)
    }
    var rows = table.rows.map { each in
      let share = most > 0 ? each.seconds / most : 0
      return row(
        name(each), each, color: types[each.key]?.colorHex,
        bar: TextPicture.bar(share, width: 12, isUnicode: terminal.showsUnicode))
    }
    if table.overlap != 0 {
      rows.append(FigureTable.Row("Overlap", figures: ["−\(DurationPhrase.words(table.overlap))", ""]))
    }
    rows.append(row("Total", table.total))
    let days = min(firstDay, query.today)...query.today
    let heading = StyledText([StyledText.Part("Time by \(by), \(days.words(near: query.today))", .heading)])
    return [heading] + FigureTable(rows: rows).lines(terminal) + overlapLines(terminal, local)
  }

  private func overlapLines(_ terminal: Terminal, _ local: LocalTime) -> [StyledText] {
    let overlaps = ledger.overlaps
    guard !overlaps.isEmpty else { return [] }
    let year = local.components(of: query.now).year
    var texts = overlaps.prefix(Self.listed).map { overlap in
      let names = overlap.events.map { types[$0.eventTypeId]?.name ?? $0.eventTypeId }.joined(separator: ", ")
      let (start, end) = (overlap.range.lowerBound, overlap.range.upperBound)
      return "\(local.dayAndTime(start, year: year)) to \(local.time(end)): \(names), "
        + DurationPhrase.words(overlap.seconds)
    }
    if overlaps.count > Self.listed { texts.append("and \(overlaps.count - Self.listed) more: use --json") }
    let heading = "Overlaps, \(countsOverlaps ? "counted for each entry" : "counted once"):"
    return [StyledText(""), StyledText(heading)]
      + texts.flatMap { terminal.lines(of: $0, indent: 2) }.map(StyledText.init)
  }

  // MARK: Rows

  /// Rows for programs, whose seconds add up to the total.
  private var summands: [(name: String, seconds: Double, sessions: Int, running: Int)] {
    table.rows.map { ($0.days?.lowerBound.description ?? name($0), $0.seconds, $0.sessions, $0.running) }
      + (table.overlap == 0 ? [] : [("Overlap", -table.overlap, 0, 0)])
  }

  var cells: [[String]] {
    summands.map { [$0.name, JSONText.duration($0.seconds).description, "\($0.sessions)", "\($0.running)"] }
  }

  var csv: String {
    summands.reduce(TableText.line([by, "hours", "seconds", "sessions", "running"])) { text, row in
      let hours = JSONText.number((row.seconds / 36).rounded() / 100).description
      return text
        + TableText.line([
          row.name, hours, JSONText.duration(row.seconds).description, "\(row.sessions)", "\(row.running)",
        ])
    }
  }

  func members(_ local: LocalTime) -> [(String, JSONText)] {
    func sums(_ row: TimeTable.Row) -> [(String, JSONText)] {
      [
        ("time_s", .duration(row.seconds)), ("sessions", .number(row.sessions)), ("running", .number(row.running)),
      ]
    }
    let rows = table.rows.map { row in
      JSONText.object(
        [
          ("name", .string(row.days?.lowerBound.description ?? (row.key.isEmpty ? nil : name(row)))),
          ("event_type_id", .string(by == "type" ? row.key : nil)),
        ] + sums(row))
    }
    let shared = ledger.overlaps.map { overlap in
      JSONText.object([
        ("start", .string(local.rfc3339(overlap.range.lowerBound))),
        ("end", .string(local.rfc3339(overlap.range.upperBound))), ("time_s", .duration(overlap.seconds)),
        ("event_ids", .array(overlap.events.map { .string($0.id) })),
      ])
    }
    return [
      ("by", .string(by)), ("from", .string(firstDay.description)), ("through", .string(query.today.description)),
      ("now", .string(local.rfc3339(query.now))), ("round_s", .number(rounding?.step)),
      ("counts_overlaps", .bool(countsOverlaps)), ("rows", .array(rows)), ("overlap_s", .duration(table.overlap)),
    ] + sums(table.total) + [("overlaps", .array(shared))]
  }
}
