import TrendyFoundation
public import TrendyModels

/// Identifiers that follow from what a thing is, so that the same thing recorded twice is one entity.
///
/// The id is a UUID of version 8 (RFC 9562, 5.8) made of the first 122 bits of the SHA-256 of the key, hence in the
/// same 36 characters as any other id, and never equal to one made by chance (those are of version 7).
public enum NaturalKey: Sendable {
  /// The id of the thing that these parts name, in their order. `["a", "bc"]` and `["ab", "c"]` are two things.
  public static func id(for parts: [String]) -> String { identifier(for: parts).text }

  /// The id without its text.
  public static func identifier(for parts: [String]) -> CompactIdentifier {
    var key: [UInt8] = []
    key.reserveCapacity(parts.reduce(0) { $0 + $1.utf8.count + 4 })
    for part in parts {
      // The length first: no part can be mistaken for two.
      append(part.utf8.count, to: &key)
      key.append(UInt8(ascii: ":"))
      key.append(contentsOf: part.utf8)
    }
    let words = key.withUnsafeBytes { StableHash.sha256($0) }
    let high = UInt64(words[0]) << 32 | UInt64(words[1])
    let low = UInt64(words[2]) << 32 | UInt64(words[3])
    return CompactIdentifier(high: high & ~0xF000 | 0x8000, low: low & (1 << 62 - 1) | 1 << 63)
  }

  /// Decimal digits.
  private static func append(_ number: Int, to key: inout [UInt8]) {
    if number >= 10 { append(number / 10, to: &key) }
    key.append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  public static func id(for parts: String...) -> String { id(for: parts) }

  /// Milliseconds since 1970, as a part of a key; a date beyond ±285,000 years counts as that one.
  static func part(_ date: Date) -> String {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    return String(Int64(min(max(milliseconds, -9e15), 9e15)))
  }
}
