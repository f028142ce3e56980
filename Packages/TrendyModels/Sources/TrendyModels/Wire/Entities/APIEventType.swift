public import TrendyFoundation

/// An event type as the hub gives it.
public struct APIEventType: Hashable, Sendable, Identifiable {
  public let id: String
  public var userId: String
  public var name: String
  public var color: String
  public var icon: String
  /// Read by ``Goal/init(_:)-(JSONValue)``; a newer version may write one that this version cannot represent.
  public var goal: JSONValue?
  public var createdAt: Date?
  public var updatedAt: Date?
  /// Members this version does not know, kept and written back.
  public var unknownFields: [String: JSONValue]

  public init(
    id: String, userId: String = "", name: String, color: String = "#888888", icon: String = "circle",
    goal: JSONValue? = nil, createdAt: Date? = nil, updatedAt: Date? = nil, unknownFields: [String: JSONValue] = [:]
  ) {
    self.id = id
    self.userId = userId
    self.name = name
    self.color = color
    self.icon = icon
    self.goal = goal
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.unknownFields = unknownFields
  }
}

extension APIEventType: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.required("id")
    userId = try fields.optional("user_id", default: "")
    name = try fields.required("name")
    color = try fields.optional("color", default: "#888888")
    icon = try fields.optional("icon", default: "circle")
    goal = try fields.optional("goal")
    createdAt = try fields.optionalDate("created_at")
    updatedAt = try fields.optionalDate("updated_at")
    unknownFields = try fields.unknown()
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write(unknown: unknownFields)
    try fields.write("color", color)
    try fields.writeIfPresent("created_at", createdAt)
    try fields.writeIfPresent("goal", goal)
    try fields.write("icon", icon)
    try fields.write("id", id)
    try fields.write("name", name)
    try fields.writeIfPresent("updated_at", updatedAt)
    try fields.write("user_id", userId)
  }
}
