/// Cuts the elements out of the large arrays of a JSON document, one at a time, in memory that does not grow with the document.
///
/// The document is an array, or an object some of whose members are arrays.
struct JSONElements {
  /// Bytes of an element, and of a name.
  static let elementLimit = 16 << 20

  typealias Handler = (_ array: String, _ index: Int, _ element: UnsafeBufferPointer<UInt8>) throws -> Void

  /// Gives the elements of the arrays of these names, in the order of the document; of a document that is an array those of `""`.
  /// - Throws: ``InterchangeError`` with line and column where it is cut off or broken, after what was whole was given; or what the input or
  ///   `body` throws.
  /// - Returns: the names of the other members.
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
      default: throw scanner.failure("this is not a JSON document")
      }
      if try scanner.next() != nil { throw scanner.failure("something follows the JSON document") }
      return others
    } catch let failure as JSONStreamScanner.Failure {
      let (line, column) = (failure.line, failure.column)
      throw failure.isTruncated
        ? InterchangeError.truncated(line: line, column: column, reason: failure.reason, pointsRead: elements)
        : .malformed(line: line, column: column, reason: failure.reason, pointsRead: elements)
    }
  }
}
