extension EventType: SyncedEntity {
  public typealias Wire = APIEventType
  public typealias CreateRequest = CreateEventTypeRequest
  public typealias UpdateRequest = UpdateEventTypeRequest

  public static var entityType: MutationEntityType { .eventType }

  public init(_ wire: APIEventType) {
    self.init(
      id: wire.id, name: wire.name, colorHex: wire.color, iconName: wire.icon, syncStatus: .synced,
      unknownFields: wire.unknownFields)
  }

  public init(_ request: CreateEventTypeRequest) {
    self.init(
      id: request.id, name: request.name, colorHex: request.color, iconName: request.icon,
      unknownFields: request.unknownFields)
  }

  public var createRequest: CreateEventTypeRequest {
    CreateEventTypeRequest(id: id, name: name, color: colorHex, icon: iconName, unknownFields: unknownFields)
  }

  public func updateRequest(from old: EventType) -> UpdateEventTypeRequest? {
    let request = UpdateEventTypeRequest(
      name: .changed(old.name, name), color: .changed(old.colorHex, colorHex), icon: .changed(old.iconName, iconName))
    return request == UpdateEventTypeRequest() ? nil : request
  }

  public mutating func apply(_ request: UpdateEventTypeRequest) {
    if let value = request.name { name = value }
    if let value = request.color { colorHex = value }
    if let value = request.icon { iconName = value }
  }
}
