public import TrendyFoundation

/// Fields of a property definition on the wire.
public struct PropertyDefinitionFields: WireFields {
  public var own = OwnMembers()
  public var eventTypeId = ""
  public var key = ""
  public var label = ""
  public var propertyType = PropertyType.text.rawValue
  public var options: [String]?
  public var defaultValue: JSONValue?
  public var displayOrder = 0
}

extension PropertyDefinitionFields: VisitedFields {
  static var unchanged: UpdatePropertyDefinitionRequest { UpdatePropertyDefinitionRequest() }

  mutating func visit<Visitor: FieldVisitor & ~Copyable>(
    _ changes: inout UpdatePropertyDefinitionRequest, _ visitor: inout Visitor
  ) throws(Visitor.Failure) {
    // A property definition cannot move to another event type.
    var noChange: String?
    try visitor.assigned("created_at", &own.createdAt)
    try visitor.clearable("default_value", &defaultValue, &changes.defaultValue)
    try visitor.optional("display_order", &displayOrder, &changes.displayOrder)
    try visitor.required("event_type_id", &eventTypeId, &noChange)
    try visitor.identifier("id", &own.id)
    try visitor.required("key", &key, &changes.key)
    try visitor.required("label", &label, &changes.label)
    try visitor.clearable("options", &options, &changes.options)
    try visitor.required("property_type", &propertyType, &changes.propertyType)
    try visitor.assigned("updated_at", &own.updatedAt)
    try visitor.assigned("user_id", &own.userId)
  }
}

/// Property definition as returned by a hub.
public struct APIPropertyDefinition: StoredDocument {
  public var fields: PropertyDefinitionFields

  public init(fields: PropertyDefinitionFields) { self.fields = fields }

  public init(
    id: String, eventTypeId: String, userId: String = "", key: String, label: String, propertyType: String,
    options: [String]? = nil, defaultValue: JSONValue? = nil, displayOrder: Int = 0, createdAt: Date? = nil,
    updatedAt: Date? = nil, unknownFields: [String: JSONValue] = [:]
  ) {
    fields = PropertyDefinitionFields(
      own: OwnMembers(
        id: id, userId: userId, createdAt: createdAt, updatedAt: updatedAt, unknown: unknownFields),
      eventTypeId: eventTypeId, key: key, label: label, propertyType: propertyType, options: options,
      defaultValue: defaultValue, displayOrder: displayOrder)
  }
}

/// Request to create a property definition.
public struct CreatePropertyDefinitionRequest: EntityDocument {
  public var fields: PropertyDefinitionFields

  public init(fields: PropertyDefinitionFields) { self.fields = fields }

  public init(
    id: String, eventTypeId: String, key: String, label: String, propertyType: String, options: [String]? = nil,
    defaultValue: JSONValue? = nil, displayOrder: Int = 0, unknownFields: [String: JSONValue] = [:]
  ) {
    fields = PropertyDefinitionFields(
      own: OwnMembers(id: id, unknown: unknownFields), eventTypeId: eventTypeId, key: key, label: label,
      propertyType: propertyType, options: options, defaultValue: defaultValue, displayOrder: displayOrder)
  }
}

/// Changes to a property definition. Absent fields remain unchanged.
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

extension APIPropertyDefinition: WireDocument {
  public init(from fields: inout WireReader) throws {
    self.fields = try PropertyDefinitionFields(from: &fields, as: .stored)
  }
  public func write(to fields: inout WireWriter) throws { try self.fields.write(to: &fields) }
}

extension CreatePropertyDefinitionRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    self.fields = try PropertyDefinitionFields(from: &fields, as: .create)
  }
  public func write(to fields: inout WireWriter) throws { try self.fields.write(to: &fields) }
}

extension UpdatePropertyDefinitionRequest: WireDocument {
  public init(from fields: inout WireReader) throws { self = try PropertyDefinitionFields.changes(from: &fields) }
  public func write(to fields: inout WireWriter) throws { try PropertyDefinitionFields.write(self, to: &fields) }
}
