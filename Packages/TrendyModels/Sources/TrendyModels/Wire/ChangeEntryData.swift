/// The members of an entity in the feed, as they came: what this version does not know is kept.
public struct ChangeEntryData: Hashable, Sendable, Codable {
  public var rawData: [String: JSONValue]

  public init(rawData: [String: JSONValue]) {
    self.rawData = rawData
  }

  public init(from decoder: any Decoder) throws {
    rawData = try decoder.singleValueContainer().decode([String: JSONValue].self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawData)
  }
}

extension ChangeEntryData {
  /// The members of any wire type.
  public init(_ value: some Encodable) throws {
    rawData = try WireJSON.decode([String: JSONValue].self, from: WireJSON.encode(value))
  }

  /// The members read as a wire type.
  /// - Throws: ``APIError/decodingError(_:)`` that names the member and what was expected.
  public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try WireJSON.decode(type, from: WireJSON.encode(rawData))
  }
}
