import CommandSupport
import TrendyInsights
import TrendyModels

/// Time of the selected types, for the first line of a report.
struct TypeTimes {
  private let rows: [(name: String, row: TimeTable.Row)]

  /// Reads the time on some days, or on all days of the report.
  init(_ report: Report, on days: ClosedRange<CivilDate>? = nil, from record: SelectedRecord) throws {
    let names = Dictionary(uniqueKeysWithValues: report.allRows.map { ($0.type.id, $0.type.name) })
    rows = TimeTable(try report.time(on: days, from: record), by: .type).rows.map { (names[$0.key] ?? $0.key, $0) }
  }

  subscript(type: String) -> TimeTable.Row? { rows.first { $0.row.key == type }?.row }

  /// Sentence such as `Deep work 11 h 20 min in 8 sessions, run 40 min in 1 session.`; `nil` without time.
  var sentence: String? {
    guard !rows.isEmpty else { return nil }
    return rows.map { "\($0.name) \($0.row.words)" }.joined(separator: ", ") + "."
  }

  /// JSON members of a type: `time_s` and `sessions`.
  func members(of type: String) -> [(String, JSONText)] {
    let row = self[type]
    return [("time_s", .duration(row?.seconds ?? 0)), ("sessions", .number(row?.sessions ?? 0))]
  }
}

extension JSONText {
  /// Creates a number of seconds without the noise of floating-point sums.
  static func duration(_ seconds: Double) -> JSONText { .number((seconds * 1000).rounded() / 1000) }
}

extension TimeTable.Row {
  /// Time and number of events: `11 h 20 min in 8 sessions`.
  var words: String {
    "\(DurationPhrase.words(seconds)) in \(Quantity(sessions, "session"))\(running > 0 ? ", running" : "")"
  }
}
