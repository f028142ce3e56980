import Foundation
import TrendyModels

/// Reads and writes JSON (RFC 8259) as the hub takes it: strict, to a limited depth, and in one pass.
///
/// Beyond what a decoder refuses, a member given twice is refused too: two readers would each believe another one.
enum JSONText {
  /// Arrays and objects within each other.
  static let maximumDepth = 32
  /// One string, in bytes of UTF-8.
  static let maximumStringBytes = 262_144

  static func parse(_ data: Data) throws(Problem) -> JSONValue {
    try parse(Array(data))
  }

  /// - Parameter maximumDepth: more for what the hub wrote itself, as it wraps what it was given.
  static func parse(_ bytes: [UInt8], maximumDepth: Int = maximumDepth) throws(Problem) -> JSONValue {
    var parser = Parser(bytes: bytes, maximumDepth: maximumDepth)
    return try parser.document()
  }

  /// Members sorted by name, so that equal values give equal bytes.
  static func write(_ value: JSONValue) -> Data {
    var bytes: [UInt8] = []
    append(value, to: &bytes)
    return Data(bytes)
  }

  static func append(_ value: JSONValue, to bytes: inout [UInt8]) {
    switch value {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .int(let value): bytes += String(value).utf8
    // What is no number has no text in JSON; the parser lets none in, and `null` is what other writers put.
    case .double(let value): bytes += (value.isFinite ? "\(value)" : "null").utf8
    case .string(let value): append(value, to: &bytes)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        append(value, to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, name) in members.keys.sorted().enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(members[name] ?? .null, to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes += "\\\"".utf8
      case UInt8(ascii: "\\"): bytes += "\\\\".utf8
      case 0x0A: bytes += "\\n".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0x09: bytes += "\\t".utf8
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        bytes += "\\u00".utf8
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

extension JSONText {
  private struct Parser {
    let bytes: [UInt8]
    let maximumDepth: Int
    var index = 0
    var depth = 0

    mutating func document() throws(Problem) -> JSONValue {
      skipBlanks()
      let value = try value()
      skipBlanks()
      guard index == bytes.count else { throw expected("the end of the document") }
      return value
    }

    private mutating func value() throws(Problem) -> JSONValue {
      guard index < bytes.count else { throw expected("a value") }
      switch bytes[index] {
      case UInt8(ascii: "{"): return try object()
      case UInt8(ascii: "["): return try array()
      case UInt8(ascii: "\""): return .string(try string())
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
      default:
        if take("true") { return .bool(true) }
        if take("false") { return .bool(false) }
        if take("null") { return .null }
        throw expected("a value")
      }
    }

    private mutating func object() throws(Problem) -> JSONValue {
      try enter()
      var members: [String: JSONValue] = [:]
      skipBlanks()
      if !take("}") {
        repeat {
          skipBlanks()
          guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { throw expected("a member's name") }
          let name = try string()
          skipBlanks()
          guard take(":") else { throw expected("a colon") }
          skipBlanks()
          let value = try value()
          guard members.updateValue(value, forKey: name) == nil else {
            throw .invalid("the member \"\(name.prefix(60))\" stands twice in one object, before byte \(index)")
          }
          skipBlanks()
        } while take(",")
        guard take("}") else { throw expected("a comma or the end of the object") }
      }
      depth -= 1
      return .object(members)
    }

    private mutating func array() throws(Problem) -> JSONValue {
      try enter()
      var values: [JSONValue] = []
      skipBlanks()
      if !take("]") {
        repeat {
          skipBlanks()
          values.append(try value())
          skipBlanks()
        } while take(",")
        guard take("]") else { throw expected("a comma or the end of the array") }
      }
      depth -= 1
      return .array(values)
    }

    private mutating func enter() throws(Problem) {
      index += 1
      depth += 1
      guard depth <= maximumDepth else {
        throw .invalid("the document is more than \(maximumDepth) levels deep, at byte \(index)")
      }
    }

    private mutating func number() throws(Problem) -> JSONValue {
      let start = index
      var isWhole = true
      if bytes[index] == UInt8(ascii: "-") { index += 1 }
      let digits = index
      skipDigits()
      guard index > digits, bytes[digits] != UInt8(ascii: "0") || index == digits + 1 else {
        throw expected("a number")
      }
      if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
        isWhole = false
        index += 1
        let fraction = index
        skipDigits()
        guard index > fraction else { throw expected("a digit") }
      }
      if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
        isWhole = false
        index += 1
        if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") { index += 1 }
        let exponent = index
        skipDigits()
        guard index > exponent else { throw expected("a digit") }
      }
      let text = String(decoding: bytes[start..<index], as: UTF8.self)
      if isWhole, let value = Int64(text) { return .int(value) }
      guard let value = Double(text), value.isFinite else {
        throw .invalid("the number at byte \(start) is larger than can be kept")
      }
      return .double(value)
    }

    private mutating func skipDigits() {
      while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { index += 1 }
    }

    private mutating func string() throws(Problem) -> String {
      index += 1
      let start = index
      var text: [UInt8] = []
      // Most strings hold no escape and are taken as they lie.
      var plain = start
      while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
        guard bytes[index] >= 0x20 else { throw expected("an escape instead of a control character") }
        guard bytes[index] == UInt8(ascii: "\\") else {
          index += 1
          continue
        }
        text += bytes[plain..<index]
        index += 1
        try escape(into: &text)
        plain = index
      }
      guard index < bytes.count else { throw expected("the end of the string that began at byte \(start - 1)") }
      text += bytes[plain..<index]
      index += 1
      guard text.count <= JSONText.maximumStringBytes else {
        throw .invalid("the string at byte \(start) is longer than \(JSONText.maximumStringBytes) bytes")
      }
      guard let value = String(validating: text, as: UTF8.self) else {
        throw .invalid("the string at byte \(start) is no UTF-8")
      }
      return value
    }

    private mutating func escape(into text: inout [UInt8]) throws(Problem) {
      guard index < bytes.count else { throw expected("an escape") }
      let letter = bytes[index]
      index += 1
      switch letter {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0C)
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "r"): text.append(0x0D)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "u"):
        var code = try hexadecimal()
        if (0xD800..<0xDC00).contains(code) {
          guard take("\\u") else { throw expected("the second half of a character") }
          let low = try hexadecimal()
          guard (0xDC00..<0xE000).contains(low) else { throw expected("the second half of a character") }
          code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw expected("a whole character") }
        text += String(Character(scalar)).utf8
      default:
        index -= 1
        throw expected("an escape")
      }
    }

    private mutating func hexadecimal() throws(Problem) -> UInt32 {
      var code: UInt32 = 0
      for _ in 0..<4 {
        guard index < bytes.count, let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue else {
          throw expected("four hexadecimal digits")
        }
        code = code << 4 | UInt32(digit)
        index += 1
      }
      return code
    }

    private mutating func take(_ text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      guard index + count <= bytes.count else { return false }
      for offset in 0..<count where bytes[index + offset] != text.utf8Start[offset] { return false }
      index += count
      return true
    }

    private mutating func skipBlanks() {
      while index < bytes.count {
        switch bytes[index] {
        case 0x20, 0x09, 0x0A, 0x0D: index += 1
        default: return
        }
      }
    }

    private func expected(_ what: String) -> Problem {
      .invalid(
        index >= bytes.count
          ? "the document ends at byte \(index), expected \(what)" : "expected \(what) at byte \(index) of the document"
      )
    }
  }
}

extension Problem {
  static func invalid(_ detail: String) -> Problem {
    Problem("invalid", status: 400, title: "Invalid document", detail: detail)
  }
}
