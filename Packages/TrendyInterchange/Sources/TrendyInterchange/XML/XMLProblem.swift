/// Syntax error in an XML document.
struct XMLProblem: Error, Hashable {
  /// Line, from 1.
  var line: Int
  /// Column in bytes, from 1.
  var column: Int
  var reason: String
  /// Whether the document is incomplete, but well-formed up to its end.
  var isTruncated = false
}
