/// Identifier that occupies 16 bytes if it is a canonical UUID, and is stored as a string otherwise.
///
/// Any string can be stored, and ``text`` returns exactly this string. Identifiers are equal if their strings are
/// equal.
public struct CompactIdentifier: Hashable, Sendable {
  private enum Content: Hashable {
    case bits(UInt64, UInt64)
    case text(String)
  }

  private let content: Content

  public init(_ text: String) {
    if let (high, low) = Self.bits(ofCanonical: text) {
      content = .bits(high, low)
    } else {
      content = .text(text)
    }
  }

  /// Creates the identifier of a canonical UUID. The variant, the two highest bits of `low`, must be binary `10`.
  public init(high: UInt64, low: UInt64) {
    precondition(low &>> 62 == 2, "\(low) is not the lower half of an RFC 9562 UUID")
    content = .bits(high, low)
  }

  /// The 128 bits of a canonical UUID (36 lower-case characters, variant `10`), or `nil` for other strings.
  public var bits: (high: UInt64, low: UInt64)? {
    if case .bits(let high, let low) = content { (high, low) } else { nil }
  }

  /// The identifier as a string. Created on each access if the identifier is a UUID.
  public var text: String {
    switch content {
    case .bits(let high, let low): Self.text(high: high, low: low)
    case .text(let text): text
    }
  }

  /// Length of ``text`` in bytes, computed without creating the string.
  public var utf8Count: Int {
    switch content {
    case .bits: Self.textBytes
    case .text(let text): text.utf8.count
    }
  }
}

extension CompactIdentifier: CustomStringConvertible {
  public var description: String { text }
}

// Eight characters are processed at a time in a 64-bit word, with the first character in the lowest byte.
extension CompactIdentifier {
  private static let textBytes = 36
  private static let low4: UInt64 = 0x0F0F_0F0F_0F0F_0F0F

  /// Returns the bits of a UUID with 36 lower-case characters and variant `10`, or `nil` for any other string.
  public static func bits(ofCanonical text: String) -> (high: UInt64, low: UInt64)? {
    // Read contiguous strings in place, because a copy would allocate memory.
    if let bits = text.utf8.withContiguousStorageIfAvailable({ bits(of: UnsafeRawBufferPointer($0)) }) { return bits }
    var copy = text
    return copy.withUTF8 { bits(of: UnsafeRawBufferPointer($0)) }
  }

  @inline(__always) private static func bits(of text: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64)? {
    guard text.count == textBytes, let base = text.baseAddress else { return nil }
    var wrong = word(base + 8) & 0xFF00_0000_00FF ^ 0x2D00_0000_002D
    wrong |= word(base + 18) & 0xFF00_0000_00FF ^ 0x2D00_0000_002D
    let first = number(ofDigits: word(base), &wrong)
    let second = number(ofDigits: half(base + 9) | half(base + 14) << 32, &wrong)
    let third = number(ofDigits: half(base + 19) | half(base + 24) << 32, &wrong)
    let fourth = number(ofDigits: word(base + 28), &wrong)
    guard wrong == 0, third &>> 30 == 2 else { return nil }
    return (first << 32 | second, third << 32 | fourth)
  }

  /// Returns the 36 lower-case characters of a UUID.
  public static func text(high: UInt64, low: UInt64) -> String {
    String(unsafeUninitializedCapacity: textBytes) { buffer in
      guard let start = buffer.baseAddress else { return 0 }
      let base = UnsafeMutableRawPointer(start)
      let second = digits(of: high & 0xFFFF_FFFF)
      let third = digits(of: low &>> 32)
      base.storeBytes(of: digits(of: high &>> 32).littleEndian, as: UInt64.self)
      for dash in [8, 13, 18, 23] { base.storeBytes(of: 0x2D, toByteOffset: dash, as: UInt8.self) }
      base.storeBytes(of: UInt32(truncatingIfNeeded: second).littleEndian, toByteOffset: 9, as: UInt32.self)
      base.storeBytes(of: UInt32(truncatingIfNeeded: second &>> 32).littleEndian, toByteOffset: 14, as: UInt32.self)
      base.storeBytes(of: UInt32(truncatingIfNeeded: third).littleEndian, toByteOffset: 19, as: UInt32.self)
      base.storeBytes(of: UInt32(truncatingIfNeeded: third &>> 32).littleEndian, toByteOffset: 24, as: UInt32.self)
      base.storeBytes(of: digits(of: low & 0xFFFF_FFFF).littleEndian, toByteOffset: 28, as: UInt64.self)
      return textBytes
    }
  }

  /// Returns the eight hexadecimal digits of 32 bits.
  @inline(__always) private static func digits(of number: UInt64) -> UInt64 {
    // Move each 4 bits to a separate byte, then reverse the bytes so that the highest digit comes first.
    var spread = (number &<< 16 | number) & 0x0000_FFFF_0000_FFFF
    spread = (spread &<< 8 | spread) & 0x00FF_00FF_00FF_00FF
    spread = (spread &<< 4 | spread) & low4
    let nibbles = spread.byteSwapped
    let isLetter = (nibbles &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
    return nibbles &+ 0x3030_3030_3030_3030 &+ isLetter &* 0x27
  }

  /// Returns the number with these hexadecimal digits. If a character is not a digit, sets bits in `wrong`.
  @inline(__always) private static func number(ofDigits characters: UInt64, _ wrong: inout UInt64) -> UInt64 {
    // Distance from '0' for a digit (at most 9) or from 'a' for a letter (at most 5). A lower byte underflows, which
    // sets its high bit, even though the borrow changes the next byte.
    let isLetter = characters &>> 6 & 0x0101_0101_0101_0101
    let above = characters &- 0x3030_3030_3030_3030 &- isLetter &* 0x31
    wrong |= (above | (above &+ 0x7676_7676_7676_7676 &+ isLetter &* 4)) & 0x8080_8080_8080_8080
    var packed = (above &+ isLetter &* 10).byteSwapped
    packed = (packed &>> 4 | packed) & 0x00FF_00FF_00FF_00FF
    packed = (packed &>> 8 | packed) & 0x0000_FFFF_0000_FFFF
    return (packed &>> 16 | packed) & 0xFFFF_FFFF
  }

  @inline(__always) private static func word(_ base: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(as: UInt64.self))
  }

  @inline(__always) private static func half(_ base: UnsafeRawPointer) -> UInt64 {
    UInt64(UInt32(littleEndian: base.loadUnaligned(as: UInt32.self)))
  }
}
