/// What makes an event type.
public struct CreateEventTypeRequest: Hashable, Sendable {
  public let id: String
  public var name: String
  public var color: String
  public var icon: String
  public var goal: JSONValue?
  /// Members this version does not know, kept and written back.
  public var unknownFields: [String: JSONValue]

  public init(
    id: String, name: String, color: String, icon: String, goal: JSONValue? = nil,
    unknownFields: [String: JSONValue] = [:]
  ) {
    self.id = id
    self.name = name
    self.color = color
    self.icon = icon
    self.goal = goal
    self.unknownFields = unknownFields
  }
}

extension CreateEventTypeRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.required("id")
    name = try fields.required("name")
    color = try fields.required("color")
    icon = try fields.required("icon")
    goal = try fields.optional("goal")
    unknownFields = try fields.unknown()
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write(unknown: unknownFields)
    try fields.write("color", color)
    try fields.writeIfPresent("goal", goal)
    try fields.write("icon", icon)
    try fields.write("id", id)
    try fields.write("name", name)
  }
}

/// What changes of an event type; what is absent stays.
public struct UpdateEventTypeRequest: Hashable, Sendable {
  public var name: String?
  public var color: String?
  public var icon: String?
  public var goal: Patch<JSONValue>

  public init(
    name: String? = nil, color: String? = nil, icon: String? = nil, goal: Patch<JSONValue> = .absent
  ) {
    self.name = name
    self.color = color
    self.icon = icon
    self.goal = goal
  }
}

extension UpdateEventTypeRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    name = try fields.optional("name")
    color = try fields.optional("color")
    icon = try fields.optional("icon")
    goal = try fields.patch("goal")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.writeIfPresent("color", color)
    try fields.write("goal", goal)
    try fields.writeIfPresent("icon", icon)
    try fields.writeIfPresent("name", name)
  }
}
