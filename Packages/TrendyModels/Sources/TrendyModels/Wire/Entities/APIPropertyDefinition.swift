public import TrendyFoundation

/// A property definition as the hub gives it.
public struct APIPropertyDefinition: Hashable, Sendable, Identifiable {
  public let id: String
  public var eventTypeId: String
  public var userId: String
  public var key: String
  public var label: String
  public var propertyType: String
  public var options: [String]?
  public var defaultValue: JSONValue?
  public var displayOrder: Int
  public var createdAt: Date?
  public var updatedAt: Date?
  /// Members this version does not know, kept and written back.
  public var unknownFields: [String: JSONValue]

  public init(
    id: String, eventTypeId: String, userId: String = "", key: String, label: String, propertyType: String,
    options: [String]? = nil, defaultValue: JSONValue? = nil, displayOrder: Int = 0, createdAt: Date? = nil,
    updatedAt: Date? = nil, unknownFields: [String: JSONValue] = [:]
  ) {
    self.id = id
    self.eventTypeId = eventTypeId
    self.userId = userId
    self.key = key
    self.label = label
    self.propertyType = propertyType
    self.options = options
    self.defaultValue = defaultValue
    self.displayOrder = displayOrder
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.unknownFields = unknownFields
  }
}

extension APIPropertyDefinition: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.required("id")
    eventTypeId = try fields.required("event_type_id")
    userId = try fields.optional("user_id", default: "")
    key = try fields.required("key")
    label = try fields.required("label")
    propertyType = try fields.required("property_type")
    options = try fields.optional("options")
    defaultValue = try fields.optional("default_value")
    displayOrder = try fields.optional("display_order", default: 0)
    createdAt = try fields.optionalDate("created_at")
    updatedAt = try fields.optionalDate("updated_at")
    unknownFields = try fields.unknown()
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write(unknown: unknownFields)
    try fields.writeIfPresent("created_at", createdAt)
    try fields.writeIfPresent("default_value", defaultValue)
    try fields.write("display_order", displayOrder)
    try fields.write("event_type_id", eventTypeId)
    try fields.write("id", id)
    try fields.write("key", key)
    try fields.write("label", label)
    try fields.writeIfPresent("options", options)
    try fields.write("property_type", propertyType)
    try fields.writeIfPresent("updated_at", updatedAt)
    try fields.write("user_id", userId)
  }
}
