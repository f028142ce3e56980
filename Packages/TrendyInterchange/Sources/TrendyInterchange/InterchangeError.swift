/// Property that the content of a file does not determine and the user must specify.
public enum ImportQuestion: String, Hashable, Sendable {
  /// Decimal separator of a column.
  case decimal
  /// Unit of a column of durations.
  case durationUnit = "duration_unit"
  /// Event type for the rows of a table without a type column.
  case type
  /// Time zone of timestamps without an offset.
  case zone
}

/// Error thrown when reading a file.
public enum InterchangeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file ends prematurely. `line` and `column` count from 1, `column` in bytes.
  case truncated(line: Int, column: Int, reason: String, pointsRead: Int)
  /// The file violates its format. `line` and `column` count from 1, `column` in bytes.
  case malformed(line: Int, column: Int, reason: String, pointsRead: Int)
  /// The format is not supported. `seen` describes the content, for example "a ZIP archive".
  case unknownFormat(seen: String)
  /// A table has no known column. The value lists the table's columns.
  case unknownColumns([String])
  /// The file is known not to contain the data. The reason names the file and the file to use instead.
  case notTheData(reason: String)
  /// Any other error, described by a sentence.
  case unreadable(reason: String)
  /// The table does not have a column that `--map` names. The second value lists the table's columns.
  case noSuchColumn(String, [String])
  /// The user must specify a property of the file.
  case undecided(ImportQuestion, reason: String)
  /// The order of day and month is ambiguous. `dayFirst` and `monthFirst` are the two interpretations of the cell.
  case ambiguousDates(cell: String, dayFirst: String, monthFirst: String)

  /// Error message for the user, without a full stop.
  public var description: String {
    switch self {
    case .truncated(let line, _, let reason, let points):
      "truncated at line \(line) after \(points) complete \(points == 1 ? "point" : "points"): \(reason)"
    case .malformed(let line, let column, let reason, let points):
      "line \(line), column \(column), after \(points) \(points == 1 ? "point" : "points"): \(reason)"
    case .unknownColumns(let columns):
      "this looks like a CSV table without columns for events or positions: \(columns.joined(separator: ", "))"
    case .unknownFormat(let seen):
      "this looks like \(seen), not like a track; supported track formats: \(ImportFormat.names)"
    case .unreadable(let reason), .notTheData(let reason), .undecided(_, let reason): reason
    case .noSuchColumn(let name, let columns):
      "column '\(name)' not found; the table has \(columns.joined(separator: ", "))"
    case .ambiguousDates(let cell, let dayFirst, let monthFirst):
      "'\(cell)' may be \(dayFirst) or \(monthFirst), and no other row shows which"
    }
  }

  /// Number of complete track points before a truncation or syntax error, or 0 for other errors.
  public var pointsRead: Int {
    switch self {
    case .truncated(_, _, _, let points), .malformed(_, _, _, let points): points
    case .unknownFormat, .unknownColumns, .unreadable, .notTheData, .ambiguousDates, .noSuchColumn, .undecided: 0
    }
  }
}

extension InterchangeError {
  init(_ problem: XMLProblem, pointsRead: Int) {
    self =
      problem.isTruncated
      ? .truncated(line: problem.line, column: problem.column, reason: problem.reason, pointsRead: pointsRead)
      : .malformed(line: problem.line, column: problem.column, reason: problem.reason, pointsRead: pointsRead)
  }
}
