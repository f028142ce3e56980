import TrendyModels

/// 128-bit key of a row: the bits of a UUID, or a hash of any other identifier.
public struct RowKey: Hashable, Sendable, CustomStringConvertible {
  /// Upper 64 bits.
  public var high: UInt64
  /// Lower 64 bits.
  public var low: UInt64

  /// Creates a key from its halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The key as 32 hexadecimal digits.
  public var description: String {
    func digits(_ word: UInt64) -> String {
      let text = String(word, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    return digits(high) + digits(low)
  }
}

extension RowKey: Comparable {
  /// Orders keys as unsigned 128-bit numbers.
  public static func < (left: RowKey, right: RowKey) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }
}

extension RowKey {
  var isHash: Bool { low &>> 62 == 3 }

  var isUUID: Bool { low &>> 62 == 2 }

  /// Creates a key by hashing a string. Two strings can have the same key, so the payload should contain the string for
  /// comparison.
  ///
  /// A hash never equals a canonical UUID: its two variant bits are `11`, while those of a UUID are `10`.
  public init(hashing text: String) {
    high = Checksum.xxh64(text, seed: 0)
    low = Checksum.xxh64(text, seed: 0x7472_656E_6479_6B65) | 0xC000_0000_0000_0000
  }

  /// Maximum number of strings that can share a hash. Their keys differ in the lowest bits.
  static let hashPlaces: UInt64 = 8

  @inline(__always) var firstPlace: RowKey { RowKey(high: high, low: low & ~(Self.hashPlaces - 1)) }

  /// All keys available to strings with this hash. Call this only on a ``firstPlace``.
  var places: some Sequence<RowKey> { (0..<Self.hashPlaces).lazy.map { RowKey(high: high, low: low | $0) } }

  /// Creates a key from an RFC 9562 UUID (variant `10`) with 36 lower-case characters, or returns `nil` for any other
  /// string.
  public init?(canonicalUUID text: String) {
    guard let (high, low) = CompactIdentifier.bits(ofCanonical: text) else { return nil }
    self.init(high: high, low: low)
  }

  /// The UUID with these bits, as 36 lower-case characters.
  public var uuidText: String { CompactIdentifier.text(high: high, low: low) }
}
