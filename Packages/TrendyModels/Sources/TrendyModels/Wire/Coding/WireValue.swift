public import TrendyFoundation

/// Value of a member in a wire document.
///
/// In addition to `Codable`, a wire value can be created from a parsed document and appended to JSON text directly.
public protocol WireValue: Codable {
  /// Reads the value from a node of a parsed document.
  init(_ node: JSONNode) throws
  /// Appends the value to a document.
  func append(to writer: inout WireWriter) throws
}

/// Wire document: an object with named members, described once for every coder.
///
/// ``WireJSON`` reads and writes it directly; `JSONDecoder` and `JSONEncoder` call the same two functions.
public protocol WireDocument: WireValue {
  /// Reads the members of the document.
  init(from fields: inout WireReader) throws
  /// Writes the members in the order of their names, so that equal values produce equal bytes.
  func write(to fields: inout WireWriter) throws
}

extension WireDocument {
  public init(from decoder: any Decoder) throws {
    var fields = try WireReader(decoder)
    try self.init(from: &fields)
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = WireWriter(encoder)
    try write(to: &fields)
  }

  public init(_ node: JSONNode) throws {
    var fields = try WireReader(node)
    try self.init(from: &fields)
  }

  public func append(to writer: inout WireWriter) throws {
    try writer.appendObject { fields in try write(to: &fields) }
  }
}

extension String: WireValue {
  public init(_ node: JSONNode) throws { self = try node.string() }
  public func append(to writer: inout WireWriter) { writer.append(self) }
}

extension Bool: WireValue {
  public init(_ node: JSONNode) throws { self = try node.bool() }
  public func append(to writer: inout WireWriter) { writer.append(self) }
}

extension Int64: WireValue {
  public init(_ node: JSONNode) throws { self = try node.integer() }
  public func append(to writer: inout WireWriter) { writer.append(self) }
}

extension Int: WireValue {
  public init(_ node: JSONNode) throws { self = Int(try node.integer()) }
  public func append(to writer: inout WireWriter) { writer.append(Int64(self)) }
}

extension Double: WireValue {
  public init(_ node: JSONNode) throws { self = try node.double() }
  public func append(to writer: inout WireWriter) throws { try writer.append(self) }
}

/// Represented as an RFC 3339 string in every wire document.
extension Date: WireValue {
  public init(_ node: JSONNode) throws {
    guard node.token.kind == .string else { throw node.mismatch("a string") }
    if node.token.isPlain, let date = RFC3339.date(from: node.bytes, count: Int(node.token.length)) {
      self = date
      return
    }
    let text = try node.string()
    guard let date = RFC3339.date(from: text) else {
      throw JSONError(
        path: node.path, byte: node.token.firstByte,
        reason: "expected \(WireJSON.name(of: Date.self)), found \"\(text.prefix(40))\"")
    }
    self = date
  }

  public func append(to writer: inout WireWriter) { writer.append(self) }
}

extension JSONValue: WireValue {
  public init(_ node: JSONNode) { self = node.value() }
  public func append(to writer: inout WireWriter) throws { try writer.append(self) }
}

extension Array: WireValue where Element: WireValue {
  public init(_ node: JSONNode) throws {
    guard node.token.kind == .array else { throw node.mismatch("an array") }
    self = []
    reserveCapacity(Int(node.token.length))
    try node.forEachElement { append(try Element($0)) }
  }

  public func append(to writer: inout WireWriter) throws { try writer.append(self) }
}

extension Dictionary: WireValue where Key == String, Value: WireValue {
  public init(_ node: JSONNode) throws {
    guard node.token.kind == .object else { throw node.mismatch("an object") }
    self = try node.members { try Value($0) }
  }

  public func append(to writer: inout WireWriter) throws { try writer.append(self) }
}

extension Optional: WireValue where Wrapped: WireValue {
  public init(_ node: JSONNode) throws { self = node.isNull ? nil : try Wrapped(node) }

  public func append(to writer: inout WireWriter) throws {
    if let self { try self.append(to: &writer) } else { writer.appendNull() }
  }
}
