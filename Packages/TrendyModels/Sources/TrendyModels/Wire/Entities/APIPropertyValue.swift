/// Property value on the wire: `{"type":"number","value":5}`. The type is a string, so that types from newer versions
/// are preserved.
public struct APIPropertyValue: Hashable, Sendable {
  public var type: String
  public var value: JSONValue

  public init(type: String, value: JSONValue) {
    self.type = type
    self.value = value
  }

  /// Creates the wire form of a property value.
  public init(_ value: PropertyValue) {
    self.init(type: value.type.rawValue, value: value.value)
  }
}

extension APIPropertyValue {
  public static func == (left: APIPropertyValue, right: APIPropertyValue) -> Bool {
    if let left = PropertyValue(left), let right = PropertyValue(right) { return left == right }
    return left.type == right.type && left.value == right.value
  }

  public func hash(into hasher: inout Hasher) {
    if let value = PropertyValue(self) {
      hasher.combine(value)
    } else {
      hasher.combine(type)
      hasher.combine(value)
    }
  }
}

extension APIPropertyValue: WireDocument {
  public init(from fields: inout WireReader) throws {
    type = try fields.required("type")
    value = try fields.required("value")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("type", type)
    try fields.write("value", value)
  }
}
