/// Version, stamp and author of the last write to a field: `[version, stamp, "author"]` on the wire.
///
/// In a feed entry, the version is the version of that write. In a mutation, it is the base of the change. Numbers
/// outside their ``SyncRange`` are clamped when set, and rejected when decoded.
public struct FieldVersion: Hashable, Sendable {
  /// Key of the field version for all fields that are not listed.
  public static let others = "*"

  /// Version of the write, or base of a mutation's change, within ``SyncRange/counter``.
  public var version: Int64 { didSet { version = version.clamped(to: SyncRange.counter) } }
  /// Hub time of the edit, in milliseconds since 1970.
  public var stamp: Int64 { didSet { stamp = stamp.clamped(to: SyncRange.stamp) } }
  /// Identity of the device that made the edit. In a mutation, set only if that device is not the sending device.
  public var author: String?

  public init(version: Int64, stamp: Int64, author: String? = nil) {
    self.version = version.clamped(to: SyncRange.counter)
    self.stamp = stamp.clamped(to: SyncRange.stamp)
    self.author = author
  }
}

extension FieldVersion: WireValue {
  public init(from decoder: any Decoder) throws {
    do {
      try self.init([JSONValue](from: decoder))
    } catch let fault as Fault {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: fault.reason))
    }
  }

  public init(_ node: JSONNode) throws {
    do {
      try self.init([JSONValue](node))
    } catch let fault as Fault {
      throw JSONError(path: node.path, byte: node.token.firstByte, reason: fault.reason)
    }
  }

  public func encode(to encoder: any Encoder) throws { try parts.encode(to: encoder) }

  public func append(to writer: inout WireWriter) throws { try parts.append(to: &writer) }

  private var parts: [JSONValue] { [.int(version), .int(stamp), author.map { .string($0) } ?? .null] }

  private struct Fault: Error {
    let reason: String
  }

  private init(_ parts: [JSONValue]) throws {
    guard parts.count >= 2, let version = parts[0].intValue, let stamp = parts[1].intValue else {
      throw Fault(reason: "expected a version, a stamp and an author")
    }
    guard SyncRange.counter.contains(version) else {
      throw Fault(reason: "expected a version (\(SyncRange.counter.inWords)), found \(version)")
    }
    guard SyncRange.stamp.contains(stamp) else {
      throw Fault(reason: "expected a stamp (\(SyncRange.stamp.inWords)), found \(stamp)")
    }
    self.init(version: version, stamp: stamp, author: parts.count > 2 ? parts[2].stringValue : nil)
  }
}

extension [String: FieldVersion] {
  /// Returns the field version of a field, or else the field version for `"*"`.
  public func mark(of field: String) -> FieldVersion? { self[field] ?? self[FieldVersion.others] }
}
