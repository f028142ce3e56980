/// Value in a parsed JSON document, from which wire values are decoded.
///
/// Public only because ``WireValue`` refers to this type.
public struct JSONNode: Sendable {
  let document: JSONDocument
  let index: Int

  var token: JSONToken { document.tokens[index] }
  var bytes: UnsafePointer<UInt8> { document.bytes + Int(token.offset) }

  /// Whether the value is `null`.
  public var isNull: Bool { token.kind == .null }
}

// MARK: - Scalars

extension JSONNode {
  func bool() throws(JSONError) -> Bool {
    switch token.kind {
    case .yes: return true
    case .no: return false
    default: throw mismatch("true or false")
    }
  }

  func string() throws(JSONError) -> String {
    guard token.kind == .string else { throw mismatch("a string") }
    return Self.string(of: token, in: document.bytes)
  }

  /// Returns the value as an integer.
  ///
  /// A number without fraction and exponent can be any 64-bit integer. Numbers in other notations must be below 2^53 in
  /// magnitude, because larger numbers may round to another value.
  func integer() throws(JSONError) -> Int64 {
    guard token.kind == .number else { throw mismatch("a whole number") }
    if let value = token.isSimple ? exactInteger : Int64(exactlyWhole: nearestDouble) { return value }
    throw JSONError(
      path: path, byte: token.firstByte, reason: "expected a whole number, found a number out of range")
  }

  func double() throws(JSONError) -> Double {
    guard token.kind == .number else { throw mismatch("a number") }
    return nearestDouble
  }

  func value() -> JSONValue {
    switch token.kind {
    case .null: return .null
    case .yes: return .bool(true)
    case .no: return .bool(false)
    case .string: return .string(Self.string(of: token, in: document.bytes))
    case .number: return exactInteger.map { .int($0) } ?? .double(nearestDouble)
    case .array:
      var values: [JSONValue] = []
      values.reserveCapacity(Int(token.length))
      forEachElement { values.append($0.value()) }
      return .array(values)
    case .object: return .object(members { $0.value() })
    case .name: preconditionFailure("a member name was read as a value at token \(index)")
    }
  }

  /// The number as an integer if it has neither fraction nor exponent and fits 64 bits.
  private var exactInteger: Int64? {
    let token = token
    guard token.isSimple else { return nil }
    let text = bytes
    let isNegative = text[0] == UInt8(ascii: "-")
    var value: Int64 = 0
    for position in (isNegative ? 1 : 0)..<Int(token.length) {
      let digit = Int64(text[position] &- UInt8(ascii: "0"))
      let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
      // Accumulate negative values, because the negative range has one more value.
      let (sum, tooLow) = product.subtractingReportingOverflow(digit)
      if tooLarge || tooLow { return nil }
      value = sum
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  private var nearestDouble: Double { Self.double(bytes, Int(token.length)) }

  /// Returns the nearest double of a validated number, or infinity if the number is too large.
  static func double(_ text: UnsafePointer<UInt8>, _ length: Int) -> Double {
    // With a mantissa up to 2^53 and a power of ten up to 10^22 both operands are exact, so one operation rounds
    // correctly (W. D. Clinger, 1990).
    var mantissa: UInt64 = 0
    var digits = 0
    var exponent = 0
    var position = text[0] == UInt8(ascii: "-") ? 1 : 0
    var isPoint = false
    while position < length, digits < 19 {
      let digit = text[position] &- UInt8(ascii: "0")
      if digit <= 9 {
        mantissa = mantissa * 10 + UInt64(digit)
        if mantissa > 0 { digits += 1 }
        if isPoint { exponent -= 1 }
      } else if text[position] == UInt8(ascii: ".") {
        isPoint = true
      } else {
        break
      }
      position += 1
    }
    if position == length, mantissa <= 1 << 53, exponent >= -22 {
      let value = Double(mantissa) / powersOfTen[-exponent]
      return text[0] == UInt8(ascii: "-") ? -value : value
    }
    let written = String(decoding: UnsafeBufferPointer(start: text, count: length), as: UTF8.self)
    guard let value = Double(written) else { preconditionFailure("the scanner accepted the invalid number \(written)") }
    return value
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]
}

// MARK: - Text

extension JSONNode {
  static func string(of token: JSONToken, in bytes: UnsafePointer<UInt8>) -> String {
    let text = UnsafeBufferPointer(start: bytes + Int(token.offset), count: Int(token.length))
    guard !token.isPlain else { return String(decoding: text, as: UTF8.self) }
    // An escape is never shorter than the character that it represents.
    return String(unsafeUninitializedCapacity: text.count) { unescape(text, into: $0) }
  }

  private static func unescape(_ text: UnsafeBufferPointer<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>)
    -> Int
  {
    var count = 0
    var index = 0
    func hexadecimal(at start: Int) -> UInt32 {
      (start..<start + 4).reduce(0) { $0 << 4 | (hexadecimalDigit(text[$1]) ?? 0) }
    }
    while index < text.count {
      guard text[index] == UInt8(ascii: "\\") else {
        buffer[count] = text[index]
        count += 1
        index += 1
        continue
      }
      let letter = text[index + 1]
      index += 2
      guard letter == UInt8(ascii: "u") else {
        buffer[count] =
          switch letter {
          case UInt8(ascii: "b"): 0x08
          case UInt8(ascii: "f"): 0x0C
          case UInt8(ascii: "n"): 0x0A
          case UInt8(ascii: "r"): 0x0D
          case UInt8(ascii: "t"): 0x09
          default: letter
          }
        count += 1
        continue
      }
      var code = hexadecimal(at: index)
      index += 4
      if (0xD800..<0xDC00).contains(code) {
        code = 0x10000 + (code - 0xD800) << 10 + (hexadecimal(at: index + 2) - 0xDC00)
        index += 6
      }
      guard let scalar = Unicode.Scalar(code) else { preconditionFailure("the scanner accepted an unpaired surrogate") }
      for byte in UTF8.encode(scalar)! {
        buffer[count] = byte
        count += 1
      }
    }
    return count
  }

  static func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }
}

// MARK: - Containers

extension JSONNode {
  func forEachElement<Failure: Error>(_ body: (JSONNode) throws(Failure) -> Void) throws(Failure) {
    var index = index + 1
    for _ in 0..<token.length {
      try body(JSONNode(document: document, index: index))
      index = Int(document.tokens[index].next)
    }
  }

  func members<Value, Failure: Error>(_ make: (JSONNode) throws(Failure) -> Value) throws(Failure) -> [String: Value] {
    var members = [String: Value](minimumCapacity: Int(token.length))
    var index = index + 1
    for _ in 0..<token.length {
      let name = Self.string(of: document.tokens[index], in: document.bytes)
      members[name] = try make(JSONNode(document: document, index: index + 1))
      index = Int(document.tokens[index + 1].next)
    }
    return members
  }
}

// MARK: - Errors

extension JSONNode {
  func mismatch(_ wanted: String) -> JSONError {
    JSONError(path: path, byte: token.firstByte, reason: "expected \(wanted), found \(found)")
  }

  func missing(_ name: String, _ wanted: String) -> JSONError {
    var path = path
    Self.append(name, to: &path)
    return JSONError(path: path, byte: nil, reason: "expected \(wanted), found nothing")
  }

  private var found: String {
    switch token.kind {
    case .null: "null"
    case .yes, .no: "a Boolean"
    case .number: "a number"
    case .string, .name: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// Path from the root of the document to this value.
  var path: String {
    var path = ""
    var around = 0
    let tokens = document.tokens
    while around != index {
      var child = around + 1
      var place = 0
      let step = tokens[around].kind == .object ? 1 : 0
      while Int(tokens[child + step].next) <= index {
        child = Int(tokens[child + step].next)
        place += 1
      }
      if step == 1 {
        Self.append(Self.string(of: tokens[child], in: document.bytes), to: &path)
      } else {
        path += "[\(place)]"
      }
      around = child + step
    }
    return path
  }

  static func append(_ name: String, to path: inout String) {
    path += path.isEmpty ? name : ".\(name)"
  }
}
