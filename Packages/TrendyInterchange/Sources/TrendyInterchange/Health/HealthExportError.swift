/// Why a health export could not be read to its end.
public enum HealthExportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// `seen` says what it is instead.
  case notHealth(seen: String)
  /// An archive or a folder holds more than one export.
  case severalExports([String])
  /// The file ends before it is complete. `line` counts from 1.
  case truncated(line: Int, reason: String, elements: Int)
  /// The file breaks the rules of XML. `line` counts from 1, and so does `column`, in bytes.
  case malformed(line: Int, column: Int, reason: String, elements: Int)

  public var description: String {
    switch self {
    case .notHealth(let seen): "this looks like \(seen), and not like an export of Apple Health"
    case .severalExports(let paths):
      "there are \(paths.count) exports of Apple Health in it (\(paths.prefix(3).joined(separator: ", "))); read one at a time"
    case .truncated(let line, let reason, let elements):
      "truncated at line \(line), after \(elements) records: \(reason); sums of dates and nights were left out. "
        + "Export again on the phone, or copy the file again"
    case .malformed(let line, let column, let reason, let elements):
      "line \(line), column \(column), after \(elements) records: \(reason); sums of dates and nights were left out"
    }
  }
}
