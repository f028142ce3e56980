/// Syntax error in a document.
struct XMLProblem: Error, Hashable {
  /// Line, from 1.
  var line: Int
  /// Column in bytes, from 1.
  var column: Int
  var reason: String
  /// Whether the document is valid up to its end, but incomplete.
  var isTruncated = false
}
