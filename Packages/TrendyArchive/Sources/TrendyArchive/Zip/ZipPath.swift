import CZlib

enum ZipPath {
  /// Decodes a stored name.
  /// - Parameters:
  ///   - isUTF8: whether bit 11 of the flags declares UTF-8. macOS omits the bit but writes UTF-8. Other programs use
  ///     code page 437.
  ///   - extra: extra fields. Info-ZIP's Unicode path (0x7075) applies if its checksum matches the name.
  ///   - isFromWindows: whether the entry is from a system that separates paths with backslashes, which some programs
  ///     keep.
  static func text(_ name: [UInt8], isUTF8: Bool, extra: [UInt8], isFromWindows: Bool) -> String {
    var text: String
    if let unicode = unicodePath(of: name, in: extra) {
      text = unicode
    } else if let valid = String(validating: name, as: UTF8.self) {
      text = valid
    } else if isUTF8 {
      text = String(decoding: name, as: UTF8.self)
    } else {
      text = String(String.UnicodeScalarView(name.map { $0 < 0x80 ? Unicode.Scalar($0) : codePage437[Int($0) - 0x80] }))
    }
    if isFromWindows, text.utf8.contains(UInt8(ascii: "\\")) {
      text = String(text.map { $0 == "\\" ? "/" : $0 })
    }
    return text
  }

  /// Whether unpacking to this path stays inside the target folder on every system.
  static func isSafe(_ path: String) -> Bool {
    guard let first = path.utf8.first, first != UInt8(ascii: "/"), first != UInt8(ascii: "\\") else { return false }
    // On Windows `C:` denotes a drive, not a folder.
    if path.utf8.dropFirst().first == UInt8(ascii: ":") { return false }
    guard !path.utf8.contains(0) else { return false }
    let parts = path.utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
    return !parts.contains { $0.elementsEqual("..".utf8) }
  }

  private static func unicodePath(of name: [UInt8], in extra: [UInt8]) -> String? {
    // The field contains a version, a checksum of the stored name, and the name in UTF-8.
    guard let field = ZipExtra.field(0x7075, in: extra), field.count > 5, field[0] == 1,
      field.uint32(at: 1) == CRC32(of: name).value
    else { return nil }
    return String(validating: field[5...], as: UTF8.self)
  }

  private static let codePage437 = Array(
    ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
      + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}").unicodeScalars)
}

/// Extra fields in a header: each has a two-byte tag, a two-byte length, and data.
enum ZipExtra {
  static func field(_ tag: UInt16, in extra: [UInt8]) -> [UInt8]? {
    var position = 0
    while position + 4 <= extra.count {
      let length = Int(extra.uint16(at: position + 2))
      guard position + 4 + length <= extra.count else { return nil }
      if extra.uint16(at: position) == tag { return Array(extra[(position + 4)..<(position + 4 + length)]) }
      position += 4 + length
    }
    return nil
  }

  /// Returns the modification time in seconds since 1970 from field 0x5455. The header itself has only a local time.
  static func modified(in extra: [UInt8]) -> Int64? {
    guard let field = field(0x5455, in: extra), field.count >= 5, field[0] & 1 == 1 else { return nil }
    return Int64(Int32(bitPattern: field.uint32(at: 1)))
  }
}
