import TrendyFoundation
public import TrendyModels

/// Natural ids: hashes of the facts that identify an item, so that an item recorded twice creates only one entity.
///
/// An id is a UUID of version 8 (RFC 9562, 5.8) that contains the first 122 bits of the SHA-256 of the facts. It never
/// equals a random id, because random ids have version 7.
public enum NaturalKey: Sendable {
  /// Returns the id for a list of facts. The ids of `["a", "bc"]` and `["ab", "c"]` differ.
  public static func id(for parts: [String]) -> String { identifier(for: parts).text }

  /// Returns the id for a list of facts in compact form.
  public static func identifier(for parts: [String]) -> CompactIdentifier {
    var key: [UInt8] = []
    key.reserveCapacity(parts.reduce(0) { $0 + $1.utf8.count + 4 })
    for part in parts {
      // Write the length before each fact, so that the key is unambiguous.
      append(part.utf8.count, to: &key)
      key.append(UInt8(ascii: ":"))
      key.append(contentsOf: part.utf8)
    }
    let words = key.withUnsafeBytes { StableHash.sha256($0) }
    let high = UInt64(words[0]) << 32 | UInt64(words[1])
    let low = UInt64(words[2]) << 32 | UInt64(words[3])
    return CompactIdentifier(high: high & ~0xF000 | 0x8000, low: low & (1 << 62 - 1) | 1 << 63)
  }

  private static func append(_ number: Int, to key: inout [UInt8]) {
    if number >= 10 { append(number / 10, to: &key) }
    key.append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  /// Returns the id for the given facts.
  public static func id(for parts: String...) -> String { id(for: parts) }

  /// Returns a date as part of a key: milliseconds since 1970. Clamps dates beyond ±285,000 years.
  static func part(_ date: Date) -> String {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    return String(Int64(min(max(milliseconds, -9e15), 9e15)))
  }
}
