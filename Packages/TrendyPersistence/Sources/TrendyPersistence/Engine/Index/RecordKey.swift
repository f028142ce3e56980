import TrendyModels

/// The 128 bits under which a store finds a record: those of a UUID, or a hash.
public struct RecordKey: Hashable, Sendable, CustomStringConvertible {
  public var high: UInt64
  public var low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// 32 hexadecimal digits.
  public var description: String {
    func digits(_ word: UInt64) -> String {
      let text = String(word, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    return digits(high) + digits(low)
  }
}

extension RecordKey: Comparable {
  public static func < (left: RecordKey, right: RecordKey) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }
}

extension RecordKey {
  /// Whether these are the bits of a hash, and not of a canonical UUID.
  var isHash: Bool { low &>> 62 == 3 }

  /// Whether these are the bits of a canonical UUID.
  var isUUID: Bool { low &>> 62 == 2 }

  /// The key of any text by hash. Two texts may share one: keep the text in the payload and compare.
  ///
  /// Hashes and canonical UUIDs never meet: the bits that are the variant of a UUID are `10` there and `11` here.
  public init(hashing text: String) {
    high = Checksum.xxh64(text, seed: 0)
    low = Checksum.xxh64(text, seed: 0x7472_656E_6479_6B65) | 0xC000_0000_0000_0000
  }

  /// How many texts may share one hash: the lowest bits of their keys tell them apart.
  static let hashPlaces: UInt64 = 8

  /// The first of the keys that texts of this hash have.
  @inline(__always) var firstPlace: RecordKey { RecordKey(high: high, low: low & ~(Self.hashPlaces - 1)) }

  /// Of a first place: all keys that texts of this hash may have.
  var places: some Sequence<RecordKey> { (0..<Self.hashPlaces).lazy.map { RecordKey(high: high, low: low | $0) } }

  /// The key of 36 lower-case characters that are a UUID of RFC 9562 (variant `10`); `nil` for any other text.
  public init?(canonicalUUID text: String) {
    guard let (high, low) = CompactIdentifier.bits(ofCanonical: text) else { return nil }
    self.init(high: high, low: low)
  }

  /// The 36 lower-case characters of the UUID with these bits.
  public var uuidText: String { CompactIdentifier.text(high: high, low: low) }
}
