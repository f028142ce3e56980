#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels

/// Identifiers that follow from what a thing is, so that the same thing recorded twice is one entity.
///
/// The id is a UUID of version 8 (RFC 9562, 5.8) made of the first 122 bits of the SHA-256 of the key, hence in the
/// same 36 characters as any other id, and never equal to one made by chance (those are of version 7).
public enum NaturalKey: Sendable {
  /// The id of the thing that these parts name, in their order. `["a", "bc"]` and `["ab", "c"]` are two things.
  public static func id(for parts: [String]) -> String {
    var key: [UInt8] = []
    for part in parts {
      // The length first: no part can be mistaken for two.
      key += Array(String(part.utf8.count).utf8)
      key.append(UInt8(ascii: ":"))
      key += Array(part.utf8)
    }
    var bytes = Array(StableHash.sha256(key).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for (index, byte) in bytes.enumerated() {
      if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 0xF)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  public static func id(for parts: String...) -> String { id(for: parts) }

  /// Milliseconds since 1970, as a part of a key; a date beyond ±285,000 years counts as that one.
  static func part(_ date: Date) -> String {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    return String(Int64(min(max(milliseconds, -9e15), 9e15)))
  }
}
