/// What makes a property definition.
public struct CreatePropertyDefinitionRequest: Hashable, Sendable {
  public let id: String
  public var eventTypeId: String
  public var key: String
  public var label: String
  public var propertyType: String
  public var options: [String]?
  public var defaultValue: JSONValue?
  public var displayOrder: Int
  /// Members this version does not know, kept and written back.
  public var unknownFields: [String: JSONValue]

  public init(
    id: String, eventTypeId: String, key: String, label: String, propertyType: String, options: [String]? = nil,
    defaultValue: JSONValue? = nil, displayOrder: Int = 0, unknownFields: [String: JSONValue] = [:]
  ) {
    self.id = id
    self.eventTypeId = eventTypeId
    self.key = key
    self.label = label
    self.propertyType = propertyType
    self.options = options
    self.defaultValue = defaultValue
    self.displayOrder = displayOrder
    self.unknownFields = unknownFields
  }
}

extension CreatePropertyDefinitionRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.required("id")
    eventTypeId = try fields.required("event_type_id")
    key = try fields.required("key")
    label = try fields.required("label")
    propertyType = try fields.required("property_type")
    options = try fields.optional("options")
    defaultValue = try fields.optional("default_value")
    displayOrder = try fields.optional("display_order", default: 0)
    unknownFields = try fields.unknown()
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write(unknown: unknownFields)
    try fields.writeIfPresent("default_value", defaultValue)
    try fields.write("display_order", displayOrder)
    try fields.write("event_type_id", eventTypeId)
    try fields.write("id", id)
    try fields.write("key", key)
    try fields.write("label", label)
    try fields.writeIfPresent("options", options)
    try fields.write("property_type", propertyType)
  }
}

/// What changes of a property definition; what is absent stays.
public struct UpdatePropertyDefinitionRequest: Hashable, Sendable {
  public var key: String?
  public var label: String?
  public var propertyType: String?
  public var options: Patch<[String]>
  public var defaultValue: Patch<JSONValue>
  public var displayOrder: Int?

  public init(
    key: String? = nil, label: String? = nil, propertyType: String? = nil, options: Patch<[String]> = .absent,
    defaultValue: Patch<JSONValue> = .absent, displayOrder: Int? = nil
  ) {
    self.key = key
    self.label = label
    self.propertyType = propertyType
    self.options = options
    self.defaultValue = defaultValue
    self.displayOrder = displayOrder
  }
}

extension UpdatePropertyDefinitionRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    key = try fields.optional("key")
    label = try fields.optional("label")
    propertyType = try fields.optional("property_type")
    options = try fields.patch("options")
    defaultValue = try fields.patch("default_value")
    displayOrder = try fields.optional("display_order")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("default_value", defaultValue)
    try fields.writeIfPresent("display_order", displayOrder)
    try fields.writeIfPresent("key", key)
    try fields.writeIfPresent("label", label)
    try fields.write("options", options)
    try fields.writeIfPresent("property_type", propertyType)
  }
}
