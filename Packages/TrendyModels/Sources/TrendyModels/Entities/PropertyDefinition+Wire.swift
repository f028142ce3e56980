extension PropertyDefinition: SyncedEntity {
  public typealias Wire = APIPropertyDefinition
  public typealias CreateRequest = CreatePropertyDefinitionRequest
  public typealias UpdateRequest = UpdatePropertyDefinitionRequest

  public static var entityType: MutationEntityType { .propertyDefinition }

  public init(_ wire: APIPropertyDefinition) { self.init(wire.fields, syncStatus: .synced) }
  public init(_ request: CreatePropertyDefinitionRequest) { self.init(request.fields, syncStatus: .pending) }

  private init(_ fields: PropertyDefinitionFields, syncStatus: SyncStatus) {
    self.init(
      id: fields.own.id, eventTypeId: fields.eventTypeId, key: fields.key, label: fields.label, propertyType: .text,
      options: fields.options ?? [], defaultValue: fields.defaultValue, displayOrder: fields.displayOrder,
      syncStatus: syncStatus, unknownFields: fields.own.unknown)
    setPropertyType(fields.propertyType)
  }

  private var fields: PropertyDefinitionFields {
    PropertyDefinitionFields(
      own: OwnMembers(id: id, unknown: unknownFields.filter { $0.key != Self.propertyTypeField }),
      eventTypeId: eventTypeId, key: key, label: label, propertyType: wirePropertyType,
      options: options.isEmpty ? nil : options, defaultValue: defaultValue, displayOrder: displayOrder)
  }

  public var createRequest: CreatePropertyDefinitionRequest { CreatePropertyDefinitionRequest(fields: fields) }

  public func updateRequest(from old: PropertyDefinition) -> UpdatePropertyDefinitionRequest? {
    fields.changes(from: old.fields)
  }

  public mutating func apply(_ request: UpdatePropertyDefinitionRequest) {
    var fields = fields
    fields.apply(request)
    self = PropertyDefinition(fields, syncStatus: syncStatus)
  }
}

extension PropertyDefinition {
  private static let propertyTypeField = "property_type"

  private var wirePropertyType: String {
    unknownFields[Self.propertyTypeField]?.stringValue ?? propertyType.rawValue
  }

  mutating func forgetUnknownPropertyType() {
    unknownFields[Self.propertyTypeField] = nil
  }

  /// Sets the type. An unknown type from a newer version reads as `.text` and is preserved until another type is set.
  private mutating func setPropertyType(_ text: String) {
    let known = PropertyType(rawValue: text)
    propertyType = known ?? .text
    if known == nil { unknownFields[Self.propertyTypeField] = .string(text) }
  }
}
