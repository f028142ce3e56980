/// Reads the elements of large arrays in a JSON document one at a time, in constant memory.
///
/// The document is an array, or an object whose members include arrays.
struct JSONElements {
  static let elementLimit = 16 << 20

  typealias Handler = (_ array: String, _ index: Int, _ element: UnsafeBufferPointer<UInt8>) throws -> Void

  /// Passes the elements of the named arrays to `body` in document order.
  ///
  /// If the document itself is an array, its name is `""`.
  ///
  /// - Returns: The names of the other members.
  /// - Throws: ``InterchangeError`` with the line and column of a syntax error, or an error of the input or of `body`.
  ///   The preceding elements have then been passed on.
  @discardableResult
  static func read(_ input: ByteInput, arrays: Set<String>, _ body: Handler) throws -> [String] {
    var elements = 0
    func array(_ name: String, _ scanner: inout JSONStreamScanner) throws {
      try scanner.elements { scanner, index in
        try scanner.value { try body(name, index, $0) }
        elements += 1
      }
    }
    do {
      var scanner = try JSONStreamScanner(input, longestValue: elementLimit)
      var others: [String] = []
      switch try scanner.significant() {
      case UInt8(ascii: "["): try array("", &scanner)
      case UInt8(ascii: "{"):
        try scanner.members { scanner, name in
          if try arrays.contains(name) && scanner.significant() == UInt8(ascii: "[") {
            return try array(name, &scanner)
          }
          others.append(name)
          try scanner.passValue()
        }
      default: throw scanner.failure("not a JSON document")
      }
      if try scanner.next() != nil { throw scanner.failure("data after the end of the JSON document") }
      return others
    } catch let failure as JSONStreamScanner.Failure {
      let (line, column) = (failure.line, failure.column)
      throw failure.isTruncated
        ? InterchangeError.truncated(line: line, column: column, reason: failure.reason, pointsRead: elements)
        : .malformed(line: line, column: column, reason: failure.reason, pointsRead: elements)
    }
  }
}
