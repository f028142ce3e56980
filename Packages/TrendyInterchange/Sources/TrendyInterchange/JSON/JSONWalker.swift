import TrendyFoundation
import TrendyModels

/// Walks through a JSON text, or several one after the other, in memory that does not grow with them.
struct JSONWalker {
  /// What is to be done with a value.
  enum Choice {
    /// It is an object, or an array, of which each value is asked about.
    case enter
    /// It is an array, of which each element is given whole; anything else is given itself.
    case each
    case take
    case skip
  }

  typealias Taking = (_ path: [String], _ value: JSONValue, _ place: String) throws -> Void

  /// Bytes of a value that is given whole.
  private static let longestValue = 64 << 20

  private let choose: ([String]) -> Choice
  private let onValue: Taking
  private let onBroken: (_ reason: String, _ place: String) throws -> Void
  private var path: [String] = []
  private var place = ""

  /// - Parameters:
  ///   - input: the text, with or without a byte order mark.
  ///   - choose: says what is to be done with the value at a path of names and indexes; the path of the document itself is empty.
  ///   - onValue: takes each value, with the path of what was chosen and its place, such as `events[3]`.
  ///   - onBroken: takes what is not JSON although it ends as JSON does.
  /// - Throws: ``InterchangeError`` where the text ends too early or breaks off in a way that nothing can be read behind; or what the
  ///   closures throw.
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

  /// Where `body` throws, ``place`` stays.
  private mutating func step(to name: String, at place: String, _ body: (inout JSONWalker) throws -> Void) throws {
    path.append(name)
    self.place = place
    try body(&self)
    path.removeLast()
  }

  private mutating func give(_ scanner: inout JSONStreamScanner, path: [String]) throws {
    let value = try scanner.value { try? WireJSON.decode(JSONValue.self, from: Data($0)) }
    guard let value else { return try onBroken("this is not JSON", place) }
    try onValue(path, value, place)
  }
}
