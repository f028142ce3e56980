/// Identifiers derived from a natural key: its hash as a UUID version 8 (RFC 9562, section 5.8).
///
/// An item that is recorded twice, on one device or on two, gets the same id and is one entity. Creating an existing
/// entity again has no effect. Deletions must be remembered permanently, because the same id can be created again.
public enum NaturalIdentifier: Sendable {
  /// Returns whether `id` has the form of a natural identifier: a canonical UUID of version 8.
  public static func isNatural(_ id: String) -> Bool {
    var id = id
    return id.withUTF8 { bytes in
      bytes.count == 36 && bytes[14] == UInt8(ascii: "8") && "89ab".utf8.contains(bytes[19])
        && bytes.indices.allSatisfy { index in
          switch bytes[index] {
          case UInt8(ascii: "-"): index == 8 || index == 13 || index == 18 || index == 23
          case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"):
            !(index == 8 || index == 13 || index == 18 || index == 23)
          default: false
          }
        }
    }
  }
}
