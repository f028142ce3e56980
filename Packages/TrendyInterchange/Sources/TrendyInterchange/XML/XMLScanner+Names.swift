extension XMLScanner {
  mutating func scanName(of what: String) throws(XMLProblem) -> Range<Int> {
    let from = position
    var index = from
    while index < count, isNameByte(window[index]) { index += 1 }
    position = index
    guard index < count else { throw truncated("inside the name of an \(what)") }
    guard index > from, !isDigitOrMark(window[from]) else {
      throw problem("missing \(what) name", at: from)
    }
    return from..<index
  }

  func localName(_ qualified: Range<Int>) -> Range<Int> {
    for index in qualified.reversed() where window[index] == UInt8(ascii: ":") {
      return index + 1..<qualified.upperBound
    }
    return qualified
  }

  func string(ofOpen index: Int) throws(XMLProblem) -> String {
    let end = index + 1 < openStarts.count ? openStarts[index + 1] : openNames.count
    return String(decoding: openNames[openStarts[index]..<end], as: UTF8.self)
  }

  static func scalar(of reference: String) -> Unicode.Scalar? {
    switch reference {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    guard reference.first == "#" else { return nil }
    let digits = reference.dropFirst()
    let isHexadecimal = digits.first == "x"
    let number = isHexadecimal ? digits.dropFirst() : digits
    guard number.first?.isHexDigit == true, let value = UInt32(number, radix: isHexadecimal ? 16 : 10) else {
      return nil
    }
    // XML 1.0, production 2, allows no control characters except tab, LF and CR, and neither U+FFFE nor U+FFFF.
    guard value >= 0x20 || value == 0x9 || value == 0xA || value == 0xD, value != 0xFFFE, value != 0xFFFF else {
      return nil
    }
    return Unicode.Scalar(value)
  }

  func firstInvalidByte(in range: Range<Int>) -> Int {
    var valid = range.lowerBound
    for scalar in String(decoding: bytes(range), as: UTF8.self).unicodeScalars {
      let encoded = Array(String(scalar).utf8)
      guard bytes(valid..<range.upperBound).starts(with: encoded) else { return valid }
      valid += encoded.count
    }
    return valid
  }

  func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x9 || byte == 0xA || byte == 0xD }

  /// Whether a byte is a letter, a digit, `-`, `.`, `:`, `_` or part of a non-ASCII character. ASCII characters are
  /// looked up in a bit mask.
  private func isNameByte(_ byte: UInt8) -> Bool {
    if byte >= 0x80 { return true }
    let bits: UInt64 = byte < 0x40 ? 0x07FF_6000_0000_0000 : 0x07FF_FFFE_87FF_FFFE
    return bits >> UInt64(byte & 0x3F) & 1 == 1
  }

  private func isDigitOrMark(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }
}
