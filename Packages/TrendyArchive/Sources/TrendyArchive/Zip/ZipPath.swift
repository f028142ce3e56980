import CZlib

/// Names of entries: their encoding, and what a path may be.
enum ZipPath {
  /// The text of a name as it is stored.
  /// - Parameters:
  ///   - isUTF8: whether the entry says so (bit 11 of its flags). macOS writes UTF-8 and does not say so; other programs mean code page 437.
  ///   - extra: the entry's extra fields; Info-ZIP's Unicode path (0x7075) holds for the name whose checksum it has.
  ///   - isFromWindows: whether it was made on a system whose separator is a backslash, which some programs leave in.
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

  /// Whether unpacking under this path stays in the folder into which the archive is unpacked, on every system.
  static func isSafe(_ path: String) -> Bool {
    guard let first = path.utf8.first, first != UInt8(ascii: "/"), first != UInt8(ascii: "\\") else { return false }
    // "C:" and "file:" mean another place than a folder of that name.
    if path.utf8.dropFirst().first == UInt8(ascii: ":") { return false }
    guard !path.utf8.contains(0) else { return false }
    let parts = path.utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
    return !parts.contains { $0.elementsEqual("..".utf8) }
  }

  private static func unicodePath(of name: [UInt8], in extra: [UInt8]) -> String? {
    // Version, the checksum of the name it was made for, UTF-8.
    guard let field = ZipExtra.field(0x7075, in: extra), field.count > 5, field[0] == 1,
      field.uint32(at: 1) == CRC32(of: name).value
    else { return nil }
    return String(validating: field[5...], as: UTF8.self)
  }

  private static let codePage437 = Array(
    ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
      + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}").unicodeScalars)
}

/// Extra fields of a header: each a tag of two bytes, a length of two bytes, and its bytes.
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

  /// Seconds since 1970 of the last change, where a field tells (0x5455); the time in the header itself has no zone.
  static func modified(in extra: [UInt8]) -> Int64? {
    guard let field = field(0x5455, in: extra), field.count >= 5, field[0] & 1 == 1 else { return nil }
    return Int64(Int32(bitPattern: field.uint32(at: 1)))
  }
}
