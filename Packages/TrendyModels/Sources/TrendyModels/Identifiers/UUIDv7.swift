public import TrendyFoundation

/// Time-ordered identifier (RFC 9562, version 7): 48 bits of Unix time in milliseconds and 74 random bits.
public struct UUIDv7: Hashable, Sendable {
  /// Time, version and the first 12 random bits.
  public let high: UInt64
  /// Variant and the other 62 random bits.
  public let low: UInt64

  private init(milliseconds: UInt64, randomA: UInt64, randomB: UInt64) {
    high = milliseconds << 16 | 0x7000 | randomA & 0x0FFF
    low = 0x8000_0000_0000_0000 | randomB & 0x3FFF_FFFF_FFFF_FFFF
  }

  /// Time of creation with a resolution of 1 ms. If the clock moved back, the generator repeats its latest time.
  public var date: Date { Date(timeIntervalSince1970: Double(high >> 16) / 1000) }
}

extension UUIDv7: Comparable {
  public static func < (left: UUIDv7, right: UUIDv7) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension UUIDv7: LosslessStringConvertible {
  /// Parses the canonical 36 lower-case characters, or returns `nil` for any other string, version or variant.
  public init?(_ description: String) {
    guard let (high, low) = CompactIdentifier.bits(ofCanonical: description), high >> 12 & 0xF == 7 else { return nil }
    self.high = high
    self.low = low
  }

  public var description: String { CompactIdentifier.text(high: high, low: low) }
}

extension UUIDv7: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = UUIDv7(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected a version 7 UUID of 36 lowercase characters, found \"\(text)\"")
    }
    self = value
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension UUIDv7 {
  /// Generator of strictly increasing identifiers, even within one millisecond and after the clock moves back.
  ///
  /// Within one millisecond the 74 random bits increase by a random amount (RFC 9562, section 6.2, method 2).
  public struct Generator: Hashable, Sendable {
    private var last: UUIDv7?

    public init() {}

    /// Returns the next identifier, which is greater than all previous identifiers.
    ///
    /// - Parameters:
    ///   - date: current time. Dates before 1970 and NaN count as 1970.
    ///   - generator: source of the random bits.
    public mutating func next(at date: Date, using generator: inout some RandomNumberGenerator) -> UUIDv7 {
      let now = UInt64(min(max(0, (date.timeIntervalSince1970 * 1000).rounded()), 281_474_976_710_655))
      guard let previous = last, now <= previous.high >> 16 else {
        let id = UUIDv7(milliseconds: now, randomA: generator.next(), randomB: generator.next())
        last = id
        return id
      }
      var milliseconds = previous.high >> 16
      var randomA = previous.high & 0x0FFF
      // A random step of 1 to 2^32 allows about 10^12 identifiers in one millisecond and uses exactly one random
      // number.
      var randomB = (previous.low & 0x3FFF_FFFF_FFFF_FFFF) + (generator.next() >> 32) + 1
      randomA += randomB >> 62
      randomB &= 0x3FFF_FFFF_FFFF_FFFF
      if randomA > 0x0FFF {
        milliseconds += 1
        randomA = generator.next() & 0x07FF
      }
      let id = UUIDv7(milliseconds: milliseconds, randomA: randomA, randomB: randomB)
      last = id
      return id
    }
  }
}
