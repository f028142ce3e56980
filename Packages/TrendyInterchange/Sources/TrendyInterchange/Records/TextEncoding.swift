/// Detects and decodes text whose encoding is not declared: UTF-8, UTF-16, or Windows-1252, which includes ISO 8859-1.
enum TextEncoding {
  /// Converts text to UTF-8.
  ///
  /// A byte order mark or the NUL bytes of UTF-16 determine the encoding. Otherwise, the text is UTF-8 if `head`, the
  /// unconsumed beginning of the input, is valid UTF-8, and Windows-1252 if not.
  static func utf8(_ head: ArraySlice<UInt8>, _ input: ByteInput) throws -> ByteInput {
    if head.starts(with: [0xEF, 0xBB, 0xBF]) {
      for _ in 0..<3 { _ = try input.next() }
      return input
    }
    if let isLittle = isLittleEndianUTF16(head) {
      return ByteInput(utf8(ofUTF16: try input.rest(), isLittleEndian: isLittle))
    }
    // The last character of the sample may be incomplete.
    let isCut = head.count >= 1 << 16
    for dropped in 0...(isCut ? 3 : 0) where String(validating: head.dropLast(dropped), as: UTF8.self) != nil {
      return input
    }
    return ByteInput(Array(windows1252(try input.rest()).utf8))
  }

  /// Converts UTF-16 to UTF-8, which loads the whole text into memory. Returns text in other encodings unchanged, so
  /// its lines must be decoded with ``text(_:)``.
  static func lines(_ input: ByteInput) throws -> ByteInput {
    guard let isLittle = isLittleEndianUTF16(try input.peek(512)) else { return input }
    return ByteInput(utf8(ofUTF16: try input.rest(), isLittleEndian: isLittle))
  }

  /// Returns the beginning of a file for format detection, after converting UTF-16 to UTF-8.
  static func beginning(_ head: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let isLittle = isLittleEndianUTF16(head) else { return head }
    return utf8(ofUTF16: Array(head), isLittleEndian: isLittle)[...]
  }

  /// Decodes UTF-8, or Windows-1252 if the bytes are not valid UTF-8.
  static func text(_ bytes: some Collection<UInt8>) -> String {
    String(validating: bytes, as: UTF8.self) ?? windows1252(bytes)
  }

  /// Returns whether UTF-16 is little-endian, or `nil` for any other encoding.
  private static func isLittleEndianUTF16(_ head: ArraySlice<UInt8>) -> Bool? {
    let nulls = head.prefix(512).enumerated().filter { $0.element == 0 }
    if head.starts(with: [0xFF, 0xFE]) || nulls.count > 8 && nulls.allSatisfy({ $0.offset % 2 == 1 }) { return true }
    if head.starts(with: [0xFE, 0xFF]) || nulls.count > 8 && nulls.allSatisfy({ $0.offset % 2 == 0 }) { return false }
    return nil
  }

  private static func utf8(ofUTF16 bytes: [UInt8], isLittleEndian: Bool) -> [UInt8] {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      units.append(isLittleEndian ? first | second << 8 : second | first << 8)
    }
    let text = String(decoding: units.first == 0xFEFF ? units.dropFirst() : units[...], as: UTF16.self)
    return Array(text.utf8)
  }

  private static func windows1252(_ bytes: some Collection<UInt8>) -> String {
    var text = ""
    for byte in bytes { text.unicodeScalars.append(windows1252(byte)) }
    return text
  }

  private static func windows1252(_ byte: UInt8) -> Unicode.Scalar {
    let special: [UInt32] = [
      0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD,
      0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
      0x0153, 0xFFFD, 0x017E, 0x0178,
    ]
    guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
    return Unicode.Scalar(special[Int(byte) - 0x80]) ?? "\u{FFFD}"
  }
}
