#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
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

  private let input: ByteInput
  private let choose: ([String]) -> Choice
  private let onValue: Taking
  private let onBroken: (_ reason: String, _ place: String) throws -> Void
  private var offset = 0
  private var ahead: UInt8?
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
    var walker = JSONWalker(input, choose, onValue, onBroken)
    try walker.documents()
  }

  private init(
    _ input: ByteInput, _ choose: @escaping ([String]) -> Choice, _ onValue: @escaping Taking,
    _ onBroken: @escaping (String, String) throws -> Void
  ) {
    self.input = input
    self.choose = choose
    self.onValue = onValue
    self.onBroken = onBroken
  }

  private mutating func documents() throws {
    if try input.peek(3).starts(with: [0xEF, 0xBB, 0xBF]) { for _ in 0..<3 { _ = try take() } }
    var number = 0
    while try peekSolid() != nil {
      number += 1
      place = "record \(number)"
      try value()
    }
    if number == 0 { throw InterchangeError.unreadable(reason: "the file is empty") }
  }

  // MARK: Values

  private mutating func value() throws {
    guard let first = try peekSolid() else { throw cutOff() }
    switch (choose(path), first) {
    case (.enter, UInt8(ascii: "{")): try object()
    case (.enter, UInt8(ascii: "[")): try array { try $0.value() }
    case (.each, UInt8(ascii: "[")): try array { try $0.give(path: Array($0.path.dropLast())) }
    case (.each, _), (.take, _): try give(path: path)
    case (.enter, _), (.skip, _): _ = try raw(isKept: false)
    }
  }

  private mutating func object() throws {
    _ = try take()
    let before = place
    while let byte = try peekSolid() {
      switch byte {
      case UInt8(ascii: "}"):
        _ = try take()
        return
      case UInt8(ascii: ","): _ = try take()
      case UInt8(ascii: "\""):
        let bytes = try raw(isKept: true)
        guard let name = try? WireJSON.decode(JSONValue.self, from: Data(bytes)).stringValue else {
          throw wrong("a member's name")  // says itself that it is not one
        }
        guard try peekSolid() == UInt8(ascii: ":") else { throw wrong("a colon") }
        _ = try take()
        path.append(name)
        place = path.count == 1 ? name : "\(before).\(name)"
        try value()
        path.removeLast()
        place = before
      default: throw wrong("a member's name")
      }
    }
    throw cutOff()
  }

  private mutating func array(_ element: (inout JSONWalker) throws -> Void) throws {
    _ = try take()
    let before = place
    var index = 0
    while let byte = try peekSolid() {
      if byte == UInt8(ascii: "]") {
        _ = try take()
        place = before
        return
      }
      if byte == UInt8(ascii: ",") {
        _ = try take()
        continue
      }
      path.append("\(index)")
      place = path.count == 1 ? "[\(index)]" : "\(before)[\(index)]"
      try element(&self)
      path.removeLast()
      index += 1
    }
    place = before
    throw cutOff()
  }

  private mutating func give(path: [String]) throws {
    let bytes = try raw(isKept: true)
    let value: JSONValue
    do {
      value = try WireJSON.decode(JSONValue.self, from: Data(bytes))
    } catch {
      return try onBroken("this is not JSON", place)
    }
    try onValue(path, value, place)
  }

  /// The bytes of a value, from its first to its last.
  private mutating func raw(isKept: Bool) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var depth = 0
    var isInString = false
    let first = offset
    while let byte = try peek() {
      if isInString {
        if byte == UInt8(ascii: "\\") {
          _ = try take()
          if isKept { bytes.append(byte) }
          guard let escaped = try take() else { throw cutOff() }
          if isKept { bytes.append(escaped) }
          continue
        }
        if byte == UInt8(ascii: "\"") { isInString = false }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if depth == 0 {
            guard offset > first else { throw wrong("a value") }
            return bytes
          }
          depth -= 1
        case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x9, 0xA, 0xD:
          if depth == 0 {
            guard offset > first else { throw wrong("a value") }
            return bytes
          }
        default: break
        }
      }
      _ = try take()
      if isKept {
        bytes.append(byte)
        guard bytes.count <= Self.longestValue else {
          throw InterchangeError.unreadable(reason: "\(place): a value is longer than \(Self.longestValue >> 20) MB")
        }
      }
      let ends = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
      if ends, depth == 0, !isInString { return bytes }
    }
    // A number or a word may stand at the very end.
    guard depth == 0, !isInString, path.isEmpty else { throw cutOff() }
    return bytes
  }

  // MARK: Bytes

  private mutating func peek() throws -> UInt8? {
    if ahead == nil { ahead = try input.next() }
    return ahead
  }

  private mutating func take() throws -> UInt8? {
    let byte = try peek()
    ahead = nil
    if byte != nil { offset += 1 }
    return byte
  }

  private mutating func peekSolid() throws -> UInt8? {
    while let byte = try peek() {
      guard byte.isSpace else { return byte }
      _ = try take()
    }
    return nil
  }

  private func cutOff() -> InterchangeError {
    .unreadable(reason: "the JSON is cut off at byte \(offset), in \(place)")
  }

  private func wrong(_ expected: String) -> InterchangeError {
    .unreadable(reason: "byte \(offset), in \(place): expected \(expected)")
  }
}
