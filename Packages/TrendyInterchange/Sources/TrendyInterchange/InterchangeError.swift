/// What a file may leave open, so that the user has to say it.
public enum ImportQuestion: String, Hashable, Sendable {
  /// Decimal sign of a column.
  case decimal
  /// Unit of a column of durations.
  case durationUnit = "duration_unit"
  /// Type of the events of a table that has no column for it.
  case type
  /// Zone of times whose own zone is unknown.
  case zone
}

/// Why a file could not be read.
public enum InterchangeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file ends before it is complete. `line` and `column` count from 1, the column in bytes.
  case truncated(line: Int, column: Int, reason: String, pointsRead: Int)
  /// The file breaks the rules of its format.
  case malformed(line: Int, column: Int, reason: String, pointsRead: Int)
  /// The content is of no format that can be read; `seen` says what it looks like.
  case unknownFormat(seen: String)
  /// A table of which no column is known.
  case unknownColumns([String])
  /// A file that lies beside the data, or came instead of it; the reason says what it is, and where the data is.
  case notTheData(reason: String)
  /// What a format says of itself, in a sentence.
  case unreadable(reason: String)
  /// A column of `--map` that the table does not have, and the columns that it has.
  case noSuchColumn(String, [String])
  /// Something that the file does not say and the user has to.
  case undecided(ImportQuestion, reason: String)
  /// Day and month of a table's dates could both be first; the cell is read both ways.
  case ambiguousDates(cell: String, dayFirst: String, monthFirst: String)

  public var description: String {
    switch self {
    case .truncated(let line, _, let reason, let points):
      "truncated at line \(line): \(points) \(points == 1 ? "point was" : "points were") read whole; \(reason)"
    case .malformed(let line, let column, let reason, let points):
      "line \(line), column \(column): \(reason); "
        + "\(points) \(points == 1 ? "point was" : "points were") read before it"
    case .unknownColumns(let columns):
      "this looks like a table (CSV) whose columns tell no events and no positions: \(columns.joined(separator: ", "))"
    case .unknownFormat(let seen):
      "this looks like \(seen), which holds no track; tracks are read from \(ImportFormat.names)"
    case .unreadable(let reason), .notTheData(let reason), .undecided(_, let reason): reason
    case .noSuchColumn(let name, let columns):
      "there is no column '\(name)'; the table has \(columns.joined(separator: ", "))"
    case .ambiguousDates(let cell, let dayFirst, let monthFirst):
      "'\(cell)' is \(dayFirst) or \(monthFirst), and no other row tells which"
    }
  }

  /// How many points of a track were whole before the file broke off or broke its rules.
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
