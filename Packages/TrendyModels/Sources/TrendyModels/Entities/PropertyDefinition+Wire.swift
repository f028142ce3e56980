extension PropertyDefinition: SyncedEntity {
  public typealias Wire = APIPropertyDefinition
  public typealias CreateRequest = CreatePropertyDefinitionRequest
  public typealias UpdateRequest = UpdatePropertyDefinitionRequest

  public static var entityType: MutationEntityType { .propertyDefinition }

  public init(_ wire: APIPropertyDefinition) {
    self.init(
      id: wire.id, eventTypeId: wire.eventTypeId, key: wire.key, label: wire.label, propertyType: .text,
      options: wire.options ?? [], defaultValue: wire.defaultValue, displayOrder: wire.displayOrder,
      syncStatus: .synced, unknownFields: wire.unknownFields)
    setPropertyType(wire.propertyType)
  }

  public init(_ request: CreatePropertyDefinitionRequest) {
    self.init(
      id: request.id, eventTypeId: request.eventTypeId, key: request.key, label: request.label, propertyType: .text,
      options: request.options ?? [], defaultValue: request.defaultValue, displayOrder: request.displayOrder,
      unknownFields: request.unknownFields)
    setPropertyType(request.propertyType)
  }

  public var createRequest: CreatePropertyDefinitionRequest {
    CreatePropertyDefinitionRequest(
      id: id, eventTypeId: eventTypeId, key: key, label: label, propertyType: wirePropertyType,
      options: options.isEmpty ? nil : options, defaultValue: defaultValue, displayOrder: displayOrder,
      unknownFields: unknownFields.filter { $0.key != Self.propertyTypeField })
  }

  public func updateRequest(from old: PropertyDefinition) -> UpdatePropertyDefinitionRequest? {
    let request = UpdatePropertyDefinitionRequest(
      key: .changed(old.key, key), label: .changed(old.label, label),
      propertyType: .changed(old.wirePropertyType, wirePropertyType),
      options: Patch(from: old.options.isEmpty ? nil : old.options, to: options.isEmpty ? nil : options),
      defaultValue: Patch(from: old.defaultValue, to: defaultValue),
      displayOrder: .changed(old.displayOrder, displayOrder))
    return request == UpdatePropertyDefinitionRequest() ? nil : request
  }

  public mutating func apply(_ request: UpdatePropertyDefinitionRequest) {
    if let value = request.key { key = value }
    if let value = request.label { label = value }
    if let value = request.propertyType { setPropertyType(value) }
    switch request.options {
    case .absent: break
    case .null: options = []
    case .value(let value): options = value
    }
    request.defaultValue.apply(to: &defaultValue)
    if let value = request.displayOrder { displayOrder = value }
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

  /// A type that a newer version knows is kept as it is written until another is set; here it shows as text.
  private mutating func setPropertyType(_ text: String) {
    let known = PropertyType(rawValue: text)
    propertyType = known ?? .text
    if known == nil { unknownFields[Self.propertyTypeField] = .string(text) }
  }
}
