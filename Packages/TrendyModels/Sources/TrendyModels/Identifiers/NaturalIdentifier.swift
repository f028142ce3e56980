/// Identifiers that follow from what a thing is: the hash of its natural key, as a UUID of version 8 (RFC 9562, 5.8).
///
/// The same thing recorded twice, on one device or on two, has the same id and is one entity. So making one that lives
/// changes nothing, and one that was deleted must be remembered as such: unlike an id made by chance, it can be made again.
public enum NaturalIdentifier: Sendable {
  /// Whether `id` is one: a canonical UUID of version 8.
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
