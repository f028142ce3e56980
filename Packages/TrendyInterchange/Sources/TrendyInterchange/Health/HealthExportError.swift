/// Error thrown when reading a health export.
public enum HealthExportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file is not a health export. `seen` describes its content.
  case notHealth(seen: String)
  /// An archive or folder contains several exports, at these paths.
  case severalExports([String])
  /// The file is incomplete. `line` counts from 1, and `elements` is the number of elements already read.
  case truncated(line: Int, reason: String, elements: Int)
  /// The file is not well-formed XML. `line` and `column` count from 1, `column` in bytes.
  case malformed(line: Int, column: Int, reason: String, elements: Int)

  /// Message for the user, without a final period.
  public var description: String {
    switch self {
    case .notHealth(let seen): "this looks like \(seen), not like an export of Apple Health"
    case .severalExports(let paths):
      "it contains \(paths.count) exports of Apple Health (\(paths.prefix(3).joined(separator: ", "))): import one at a time"
    case .truncated(let line, let reason, let elements):
      "truncated at line \(line) after \(elements) records: \(reason); daily totals and sleep were not imported. "
        + "Copy the file again, or export it again on the phone"
    case .malformed(let line, let column, let reason, let elements):
      "line \(line), column \(column), after \(elements) records: \(reason); daily totals and sleep were not imported"
    }
  }
}
