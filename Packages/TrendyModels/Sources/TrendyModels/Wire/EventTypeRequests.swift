/// What makes an event type.
public struct CreateEventTypeRequest: Hashable, Sendable {
  public let id: String
  public var name: String
  public var color: String
  public var icon: String
  /// Members this version does not know, kept and written back.
  public var unknownFields: [String: JSONValue]

  public init(id: String, name: String, color: String, icon: String, unknownFields: [String: JSONValue] = [:]) {
    self.id = id
    self.name = name
    self.color = color
    self.icon = icon
    self.unknownFields = unknownFields
  }
}

extension CreateEventTypeRequest: Codable {
  public init(from decoder: any Decoder) throws {
    var fields = try WireReader(decoder)
    id = try fields.required("id")
    name = try fields.required("name")
    color = try fields.required("color")
    icon = try fields.required("icon")
    unknownFields = try fields.unknown()
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = try WireWriter(encoder, unknown: unknownFields)
    try fields.write("id", id)
    try fields.write("name", name)
    try fields.write("color", color)
    try fields.write("icon", icon)
  }
}

/// What changes of an event type; what is absent stays.
public struct UpdateEventTypeRequest: Hashable, Sendable {
  public var name: String?
  public var color: String?
  public var icon: String?

  public init(name: String? = nil, color: String? = nil, icon: String? = nil) {
    self.name = name
    self.color = color
    self.icon = icon
  }
}

extension UpdateEventTypeRequest: Codable {
  public init(from decoder: any Decoder) throws {
    var fields = try WireReader(decoder)
    name = try fields.optional("name")
    color = try fields.optional("color")
    icon = try fields.optional("icon")
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = try WireWriter(encoder)
    try fields.writeIfPresent("name", name)
    try fields.writeIfPresent("color", color)
    try fields.writeIfPresent("icon", icon)
  }
}
