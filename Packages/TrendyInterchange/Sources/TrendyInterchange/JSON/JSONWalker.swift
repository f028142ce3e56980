import TrendyFoundation
import TrendyModels

/// Visits the values of one JSON document or several concatenated documents. Memory use does not depend on their
/// length.
struct JSONWalker {
  enum Choice {
    /// Visit each member of an object or each element of an array.
    case enter
    /// Pass on each element of an array, or any other value, as a whole.
    case each
    case take
    case skip
  }

  typealias Taking = (_ path: [String], _ value: JSONValue, _ place: String) throws -> Void

  /// Maximum size in bytes of a value that is passed on as a whole.
  private static let longestValue = 64 << 20

  private let choose: ([String]) -> Choice
  private let onValue: Taking
  private let onBroken: (_ reason: String, _ place: String) throws -> Void
  private var path: [String] = []
  private var place = ""

  /// Visits the values of a JSON text.
  ///
  /// - Parameters:
  ///   - input: JSON text with or without a byte order mark.
  ///   - choose: Returns how to visit the value at a path of names and indices. The path of a document is empty.
  ///   - onValue: Receives each value with its path and its position, such as `events[3]`.
  ///   - onBroken: Receives the position of each value with balanced brackets that is not valid JSON.
  /// - Throws: ``InterchangeError`` if the text is truncated or a syntax error prevents further reading, or errors of
  ///   the closures.
  static func walk(
    _ input: ByteInput, choose: @escaping ([String]) -> Choice, _ onValue: @escaping Taking,
    onBroken: @escaping (_ reason: String, _ place: String) throws -> Void
  ) throws {
    var walker = JSONWalker(choose, onValue, onBroken)
    var scanner = try JSONStreamScanner(input, longestValue: longestValue)
    do {
      try walker.documents(&scanner)
    } catch let failure as JSONStreamScanner.Failure {
      throw InterchangeError.unreadable(
        reason: "line \(failure.line), column \(failure.column), in \(walker.place): \(failure.reason)")
    }
  }

  private init(
    _ choose: @escaping ([String]) -> Choice, _ onValue: @escaping Taking,
    _ onBroken: @escaping (String, String) throws -> Void
  ) {
    self.choose = choose
    self.onValue = onValue
    self.onBroken = onBroken
  }

  private mutating func documents(_ scanner: inout JSONStreamScanner) throws {
    var number = 0
    while try scanner.next() != nil {
      number += 1
      place = "record \(number)"
      try value(&scanner)
    }
    if number == 0 { throw InterchangeError.unreadable(reason: "the file is empty") }
  }

  private mutating func value(_ scanner: inout JSONStreamScanner) throws {
    switch (choose(path), try scanner.significant()) {
    case (.enter, UInt8(ascii: "{")):
      let before = place
      try scanner.members { scanner, name in
        try step(to: name, at: path.isEmpty ? name : "\(before).\(name)") { try $0.value(&scanner) }
      }
      place = before
    case (.enter, UInt8(ascii: "[")): try elements(&scanner) { try $0.value(&$1) }
    case (.each, UInt8(ascii: "[")): try elements(&scanner) { try $0.give(&$1, path: Array($0.path.dropLast())) }
    case (.each, _), (.take, _): try give(&scanner, path: path)
    case (.enter, _), (.skip, _): try scanner.passValue()
    }
  }

  private mutating func elements(
    _ scanner: inout JSONStreamScanner, _ body: (inout JSONWalker, inout JSONStreamScanner) throws -> Void
  ) throws {
    let before = place
    try scanner.elements { scanner, index in
      try step(to: "\(index)", at: path.isEmpty ? "[\(index)]" : "\(before)[\(index)]") { try body(&$0, &scanner) }
    }
    place = before
  }

  /// Visits a value within the current one. If `body` throws, ``place`` is not restored, because the error message
  /// needs the position.
  private mutating func step(to name: String, at place: String, _ body: (inout JSONWalker) throws -> Void) throws {
    path.append(name)
    self.place = place
    try body(&self)
    path.removeLast()
  }

  private mutating func give(_ scanner: inout JSONStreamScanner, path: [String]) throws {
    let value = try scanner.value { try? WireJSON.decode(JSONValue.self, from: Data($0)) }
    guard let value else { return try onBroken("invalid JSON", place) }
    try onValue(path, value, place)
  }
}
