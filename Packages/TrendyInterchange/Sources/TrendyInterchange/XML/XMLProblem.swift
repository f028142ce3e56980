/// What is wrong with a document, and where.
struct XMLProblem: Error, Hashable {
  /// From 1.
  var line: Int
  /// Bytes from 1.
  var column: Int
  var reason: String
  /// It is right as far as it goes, but goes no further.
  var isTruncated = false
}
