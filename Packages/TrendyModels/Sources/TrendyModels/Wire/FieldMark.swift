/// Which write gave a field its value: `[version, stamp, "author"]` on the wire.
///
/// In an entry of the feed the version is that of the write; in a mutation it is the one that the write is based on.
public struct FieldMark: Hashable, Sendable {
  /// In a list of marks by name: every field that has no mark of its own.
  public static let others = "*"

  public var version: Int64
  /// Hub time of the edit, in milliseconds since 1970.
  public var stamp: Int64
  /// The identity of the device that made the edit; in a mutation only where that is not the one that sends it.
  public var author: String?

  public init(version: Int64, stamp: Int64, author: String? = nil) {
    self.version = version
    self.stamp = stamp
    self.author = author
  }
}

extension FieldMark: WireValue {
  public init(from decoder: any Decoder) throws {
    try self.init([JSONValue](from: decoder), at: decoder.codingPath)
  }

  public init(_ node: JSONNode) throws {
    try self.init([JSONValue](node), at: [])
  }

  public func encode(to encoder: any Encoder) throws { try parts.encode(to: encoder) }

  public func append(to writer: inout WireWriter) throws { try parts.append(to: &writer) }

  private var parts: [JSONValue] { [.int(version), .int(stamp), author.map { .string($0) } ?? .null] }

  private init(_ parts: [JSONValue], at path: [any CodingKey]) throws {
    guard parts.count >= 2, let version = parts[0].intValue, let stamp = parts[1].intValue else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: path, debugDescription: "expected a version, a stamp and an author"))
    }
    self.init(version: version, stamp: stamp, author: parts.count > 2 ? parts[2].stringValue : nil)
  }
}

extension [String: FieldMark] {
  /// The mark of a field, by its own name or with the others.
  public func mark(of field: String) -> FieldMark? { self[field] ?? self[FieldMark.others] }
}
