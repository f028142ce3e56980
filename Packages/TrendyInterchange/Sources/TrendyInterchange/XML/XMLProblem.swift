/// Syntax error in an XML document.
struct XMLProblem: Error, Hashable {
  /// Line, from 1.
  var line: Int
  /// Column in bytes, from 1.
  var column: Int
  var reason: String
  /// Whether the document is well-formed as far as it goes, but incomplete.
  var isTruncated = false
}
