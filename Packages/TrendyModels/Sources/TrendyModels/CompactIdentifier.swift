/// An identifier in sixteen bytes where it is a canonical UUID, and as the text it is where not.
///
/// Made of any text; ``text`` gives exactly that again. Two are equal when their texts are.
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

  /// The identifier whose text is the canonical UUID of these bits; their variant is `10`, the two highest of `low`.
  public init(high: UInt64, low: UInt64) {
    precondition(low &>> 62 == 2, "\(low) is not the lower half of a UUID of RFC 9562")
    content = .bits(high, low)
  }

  /// The 128 bits of a canonical UUID: 36 lower-case characters, variant `10`.
  public var bits: (high: UInt64, low: UInt64)? {
    if case .bits(let high, let low) = content { (high, low) } else { nil }
  }

  /// Made when asked for, if it is a UUID.
  public var text: String {
    switch content {
    case .bits(let high, let low): Self.text(high: high, low: low)
    case .text(let text): text
    }
  }

  /// Bytes of ``text``, which is not made for it.
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

// Eight characters at a time, in the eight bytes of a word, the first in its lowest.
extension CompactIdentifier {
  private static let textBytes = 36
  private static let low4: UInt64 = 0x0F0F_0F0F_0F0F_0F0F

  /// The bits of 36 lower-case characters that are a UUID of variant `10`; `nil` for any other text.
  public static func bits(ofCanonical text: String) -> (high: UInt64, low: UInt64)? {
    var text = text
    let bits = text.withUTF8 { bytes -> (high: UInt64, low: UInt64)? in
      guard bytes.count == textBytes, let base = UnsafeRawPointer(bytes.baseAddress),
        bytes[8] == 0x2D, bytes[13] == 0x2D, bytes[18] == 0x2D, bytes[23] == 0x2D,
        let first = number(ofDigits: word(base)), let second = number(ofDigits: half(base + 9) | half(base + 14) << 32),
        let third = number(ofDigits: half(base + 19) | half(base + 24) << 32),
        let fourth = number(ofDigits: word(base + 28))
      else { return nil }
      return (first << 32 | second, third << 32 | fourth)
    }
    guard let bits, bits.low &>> 62 == 2 else { return nil }
    return bits
  }

  /// The 36 lower-case characters of a UUID.
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

  /// The eight hexadecimal digits of 32 bits.
  @inline(__always) private static func digits(of number: UInt64) -> UInt64 {
    // Each four bits into a byte of their own, then the byte of the highest to the front.
    var spread = (number &<< 16 | number) & 0x0000_FFFF_0000_FFFF
    spread = (spread &<< 8 | spread) & 0x00FF_00FF_00FF_00FF
    spread = (spread &<< 4 | spread) & low4
    let nibbles = spread.byteSwapped
    let isLetter = (nibbles &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
    return nibbles &+ 0x3030_3030_3030_3030 &+ isLetter &* 0x27
  }

  /// The number that these characters are the digits of, if they are what ``digits(of:)`` makes.
  @inline(__always) private static func number(ofDigits characters: UInt64) -> UInt64? {
    let isLetter = characters &>> 6 & 0x0101_0101_0101_0101
    let nibbles = ((characters & low4) &+ isLetter &* 9) & low4
    var packed = nibbles.byteSwapped
    packed = (packed &>> 4 | packed) & 0x00FF_00FF_00FF_00FF
    packed = (packed &>> 8 | packed) & 0x0000_FFFF_0000_FFFF
    packed = (packed &>> 16 | packed) & 0xFFFF_FFFF
    return digits(of: packed) == characters ? packed : nil
  }

  @inline(__always) private static func word(_ base: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(as: UInt64.self))
  }

  @inline(__always) private static func half(_ base: UnsafeRawPointer) -> UInt64 {
    UInt64(UInt32(littleEndian: base.loadUnaligned(as: UInt32.self)))
  }
}
