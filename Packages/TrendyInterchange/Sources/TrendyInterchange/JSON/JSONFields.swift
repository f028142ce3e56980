import TrendyFoundation

/// Iterates over the members of a JSON object without creating values, for objects that occur by the million.
///
/// A syntax error ends the iteration after the preceding members.
struct JSONFields {
  struct Value {
    /// Bytes of the value, without the quotes of a string.
    let bytes: UnsafeBufferPointer<UInt8>
    let isString: Bool

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var isNull: Bool { !isString && bytes.isEqual("null") }

    /// Integer, possibly written as a string. A fraction is rounded.
    var integer: Int64? {
      var index = 0
      let isNegative = bytes.first == UInt8(ascii: "-")
      if isNegative { index = 1 }
      guard index < bytes.count, bytes.count - index <= 18 else { return roundedNumber }
      var value: Int64 = 0
      while index < bytes.count {
        let digit = bytes[index] &- UInt8(ascii: "0")
        guard digit < 10 else { return roundedNumber }
        value = value * 10 + Int64(digit)
        index += 1
      }
      return isNegative ? -value : value
    }

    var number: Double? {
      if bytes.count <= 15, let value = plainInteger { return Double(value) }
      return FieldText.number(text)
    }

    private var plainInteger: Int64? {
      bytes.contains { !((0x30...0x39).contains($0) || $0 == 0x2D) } ? nil : integer
    }

    private var roundedNumber: Int64? { FieldText.number(text).flatMap { Int64(exactly: $0.rounded()) } }

    /// RFC 3339 timestamp. UTC timestamps such as `2022-05-01T06:10:11.5Z` take a fast path.
    var moment: Date? { utcMilliseconds.map { Date(timeIntervalSince1970: Double($0) / 1000) } ?? FieldText.date(text) }

    /// Milliseconds since 1970. Further decimal places are truncated.
    private var utcMilliseconds: Int64? {
      guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[4] == 0x2D, bytes[7] == 0x2D,
        bytes[10] == UInt8(ascii: "T"), bytes[13] == 0x3A, bytes[16] == 0x3A,
        let year = digits(0, 4), let month = digits(5, 2), let day = digits(8, 2), let hour = digits(11, 2),
        let minute = digits(14, 2), let second = digits(17, 2), (1...12).contains(month), (1...28).contains(day),
        year > 0, hour < 24, minute < 60, second < 60
      else { return nil }
      var fraction: Int64 = 0
      if bytes.count > 20 {
        guard bytes[19] == UInt8(ascii: "."), bytes.count > 21 else { return nil }
        for place in 0..<(bytes.count - 21) where place < 9 {
          let digit = bytes[20 + place] &- UInt8(ascii: "0")
          guard digit < 10 else { return nil }
          if place < 3 { fraction += Int64(digit) * (place == 0 ? 100 : place == 1 ? 10 : 1) }
        }
      }
      // Days since 1970, computed with years that start in March (Howard Hinnant, "chrono-Compatible Low-Level Date
      // Algorithms").
      let shifted = month > 2 ? year : year - 1
      let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
      let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
      return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + fraction
    }

    private func digits(_ start: Int, _ count: Int) -> Int64? {
      var value: Int64 = 0
      for index in start..<(start + count) {
        let digit = bytes[index] &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        value = value * 10 + Int64(digit)
      }
      return value
    }
  }

  /// Passes each member whose value is neither an object nor an array to `body`. Returns whether the object is
  /// complete.
  @discardableResult
  static func forEach(
    in object: UnsafeBufferPointer<UInt8>, _ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: Value) -> Void
  ) -> Bool {
    var walk = JSONFields(bytes: object, index: 0)
    guard walk.significant() == UInt8(ascii: "{") else { return false }
    walk.index += 1
    if walk.significant() == UInt8(ascii: "}") { return true }
    while true {
      guard walk.significant() == UInt8(ascii: "\""), let name = walk.string(), walk.significant() == 0x3A else {
        return false
      }
      walk.index += 1
      switch walk.significant() {
      case UInt8(ascii: "\""):
        guard let text = walk.string() else { return false }
        body(name, Value(bytes: text, isString: true))
      case UInt8(ascii: "{"), UInt8(ascii: "["): guard walk.passNested() else { return false }
      case nil: return false
      default: body(name, Value(bytes: walk.scalar(), isString: false))
      }
      switch walk.significant() {
      case UInt8(ascii: ","): walk.index += 1
      case UInt8(ascii: "}"): return true
      default: return false
      }
    }
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var index: Int

  private mutating func significant() -> UInt8? {
    while index < bytes.count, bytes[index].isSpace { index += 1 }
    return index < bytes.count ? bytes[index] : nil
  }

  private mutating func string() -> UnsafeBufferPointer<UInt8>? {
    let start = index + 1
    index = start
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\"") {
        defer { index += 1 }
        return UnsafeBufferPointer(rebasing: bytes[start..<index])
      }
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  private mutating func scalar() -> UnsafeBufferPointer<UInt8> {
    let start = index
    while index < bytes.count, bytes[index] != UInt8(ascii: ","), bytes[index] != UInt8(ascii: "}"),
      !bytes[index].isSpace
    {
      index += 1
    }
    return UnsafeBufferPointer(rebasing: bytes[start..<index])
  }

  private mutating func passNested() -> Bool {
    var depth = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 {
          index += 1
          return true
        }
      case UInt8(ascii: "\""):
        guard string() != nil else { return false }
        continue
      default: break
      }
      index += 1
    }
    return false
  }
}
