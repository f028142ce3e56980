/// Members of an entity in the feed. Members that this version does not know are preserved.
public struct ChangeEntryData: Sendable {
  // JSON is parsed on demand, because most values are read only once and as one type.
  private enum Form {
    case text(JSONNode)
    case members([String: JSONValue])
  }

  private var form: Form

  /// Creates the data from members by wire name.
  public init(rawData: [String: JSONValue]) {
    form = .members(rawData)
  }

  /// Members by wire name.
  public var rawData: [String: JSONValue] {
    get {
      switch form {
      case .members(let members): members
      case .text(let node): node.members { $0.value() }
      }
    }
    set { form = .members(newValue) }
  }
}

extension ChangeEntryData: Hashable {
  public static func == (left: ChangeEntryData, right: ChangeEntryData) -> Bool { left.rawData == right.rawData }
  public func hash(into hasher: inout Hasher) { hasher.combine(rawData) }
}

extension ChangeEntryData: WireValue {
  public init(from decoder: any Decoder) throws {
    self.init(rawData: try decoder.singleValueContainer().decode([String: JSONValue].self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawData)
  }

  public init(_ node: JSONNode) throws {
    guard node.token.kind == .object else { throw node.mismatch("an object") }
    form = .text(node)
  }

  public func append(to writer: inout WireWriter) throws { try writer.append(rawData) }
}

extension ChangeEntryData {
  /// Encodes a wire type and stores its members.
  public init(_ value: some Encodable) throws {
    self.init(rawData: try WireJSON.members(of: value))
  }

  /// Decodes the members as a wire type.
  ///
  /// - Throws: ``APIError/decodingError(_:)`` with the path of the invalid member.
  public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard case .text(let node) = form, let type = type as? any WireValue.Type else {
      return try WireJSON.decode(type, from: WireJSON.encode(rawData))
    }
    do {
      return try type.init(node) as! Value
    } catch var error as JSONError {
      // Paths in errors begin at the entity, regardless of the document that contains it.
      let outside = node.path
      if !outside.isEmpty, error.path.hasPrefix(outside) {
        error.path = String(error.path.dropFirst(outside.count + 1))
        error.byte = nil
      }
      throw APIError.decodingError(error.description)
    }
  }
}
