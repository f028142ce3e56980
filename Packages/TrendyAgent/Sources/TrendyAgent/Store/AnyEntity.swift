import TrendyFoundation
public import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync

/// State of an entity of any kind.
public enum AnyEntity: Hashable, Sendable {
  case event(Event)
  case eventType(EventType)
  case place(Geofence)
  case property(PropertyDefinition)
  case record(SyncedRecord)
  /// Conflict in this device's journal. Conflicts on the hub are records.
  case conflict(Conflict)

  init(_ entity: EntityChange.Entity) {
    switch entity {
    case .event(let event): self = .event(event)
    case .eventType(let type): self = .eventType(type)
    case .geofence(let place): self = .place(place)
    case .propertyDefinition(let definition): self = .property(definition)
    case .conflict(let conflict): self = .conflict(conflict)
    case .record(let record): self = .record(record)
    }
  }

  init(_ kind: MutationEntityType, id: String, _ value: JSONValue) throws {
    func made<Entity: SyncedEntity>(_ type: Entity.Type) throws -> Entity {
      var members = value.objectValue ?? [:]
      members["id"] = .string(id)
      return Entity(try WireJSON.decode(Entity.CreateRequest.self, from: WireJSON.encode(JSONValue.object(members))))
    }
    switch kind {
    case .event: self = .event(try made(Event.self))
    case .eventType: self = .eventType(try made(EventType.self))
    case .geofence: self = .place(try made(Geofence.self))
    case .propertyDefinition: self = .property(try made(PropertyDefinition.self))
    // Conflicts in any other form are from the hub, and are decoded as records.
    case .conflict where Conflict.isKept(in: value): self = .conflict(try Conflict(id: id, value))
    default: self = .record(SyncedRecord(id: id, kind: kind, fields: value.objectValue ?? [:]))
    }
  }

  static func held(_ kind: MutationEntityType, id: String, in store: any DataStoreProtocol) throws -> AnyEntity? {
    switch kind {
    case .event: try store.findEvent(id: id).map { .event($0) }
    case .eventType: try store.findEventType(id: id).map { .eventType($0) }
    case .geofence: try store.findGeofence(id: id).map { .place($0) }
    case .propertyDefinition: try store.findPropertyDefinition(id: id).map { .property($0) }
    case .conflict:
      try store.fetchConflicts().first { $0.id == id }.map { .conflict($0) }
        ?? store.findRecord(kind: kind, id: id).map { .record($0) }
    default: try store.findRecord(kind: kind, id: id).map { .record($0) }
    }
  }

  func checkLimits() throws(FieldError) {
    switch self {
    case .event(let event):
      for date in [event.timestamp, event.endDate ?? event.timestamp] where !RFC3339.writableDates.contains(date) {
        throw FieldError(field: "timestamp", reason: "expected a time in the years 0 to 9999")
      }
      try event.checkLimits()
    case .eventType(let type): try type.checkLimits()
    case .place(let place): try place.checkLimits()
    case .property(let definition): try definition.checkLimits()
    case .record(let record): try SyncedKind.named(record.kind.rawValue)?.check(record.fields, isCreate: true)
    case .conflict: break
    }
  }

  /// Kind of the entity.
  public var kind: MutationEntityType {
    switch self {
    case .event: .event
    case .eventType: .eventType
    case .place: .geofence
    case .property: .propertyDefinition
    case .record(let record): record.kind
    case .conflict: .conflict
    }
  }

  public var id: String {
    switch self {
    case .event(let event): event.id
    case .eventType(let type): type.id
    case .place(let place): place.id
    case .property(let definition): definition.id
    case .record(let record): record.id
    case .conflict(let conflict): conflict.id
    }
  }

  /// Members of a create request, without the id.
  public var value: JSONValue {
    get throws {
      func members(_ entity: some SyncedEntity) throws -> JSONValue {
        var members = try WireJSON.members(of: entity.createRequest)
        members.removeValue(forKey: "id")
        return .object(members)
      }
      switch self {
      case .event(let event): return try members(event)
      case .eventType(let type): return try members(type)
      case .place(let place): return try members(place)
      case .property(let definition): return try members(definition)
      case .record(let record): return .object(record.fields)
      case .conflict(let conflict): return conflict.value
      }
    }
  }
}

extension RecorderChanges {
  @discardableResult
  func record(_ entity: AnyEntity) throws -> Bool {
    switch entity {
    case .event(let event): return try record(event)
    case .eventType(let type): return try record(type)
    case .place(let place): return try record(place)
    case .property(let definition): return try record(definition)
    case .record(let record): return try self.record(record)
    case .conflict(let conflict):
      try store.insertConflict(conflict)
      return true
    }
  }

  /// Changes only the fields that differ, because another process may have changed the entity since.
  func turn(_ old: AnyEntity, into new: AnyEntity) throws {
    switch (old, new) {
    case (.event(let old), .event(let new)):
      if let change = new.updateRequest(from: old) { try edit(eventId: old.id) { $0.apply(change) } }
    case (.eventType(let old), .eventType(let new)):
      if let change = new.updateRequest(from: old) { try edit(eventTypeId: old.id) { $0.apply(change) } }
    case (.place(let old), .place(let new)):
      if let change = new.updateRequest(from: old) { try edit(geofenceId: old.id) { $0.apply(change) } }
    case (.property(let old), .property(let new)):
      if let change = new.updateRequest(from: old) { try edit(propertyDefinitionId: old.id) { $0.apply(change) } }
    case (.record(let old), .record(let new)):
      try edit(old.kind, id: old.id) { record in
        for (name, value) in new.fields where old.fields[name] != value { record.fields[name] = value }
        for name in old.fields.keys where new.fields[name] == nil { record.fields.removeValue(forKey: name) }
      }
    default: preconditionFailure("an entity cannot change its kind: \(old.id)")
    }
  }

  func delete(_ entity: AnyEntity) throws {
    if case .conflict(let conflict) = entity {
      try store.deleteConflict(conflict)
    } else {
      try delete(entity.kind, id: entity.id)
    }
  }
}

extension Conflict {
  fileprivate var value: JSONValue {
    .object([
      "entity_type": .string(entityType.rawValue), "entity_id": .string(entityId),
      "operation": .string(operation.rawValue), "payload": .string(payload.base64EncodedString()),
      "reason": .string(reason), "recorded_at": .string(RFC3339.string(from: recordedAt)),
    ])
  }

  fileprivate static func isKept(in value: JSONValue) -> Bool { value.objectValue?["payload"] != nil }

  fileprivate init(id: String, _ value: JSONValue) throws {
    func text(_ name: String) throws -> String {
      guard let text = value.objectValue?[name]?.stringValue else {
        throw APIError.decodingError("\(name): expected a string")
      }
      return text
    }
    guard let entityType = MutationEntityType(rawValue: try text("entity_type")),
      let operation = MutationOperation(rawValue: try text("operation")),
      let payload = Data(base64Encoded: try text("payload")),
      let recordedAt = RFC3339.date(from: try text("recorded_at"))
    else { throw APIError.decodingError("not a stored conflict: \(value)") }
    self.init(
      id: id, entityType: entityType, entityId: try text("entity_id"), operation: operation, payload: payload,
      reason: try text("reason"), recordedAt: recordedAt)
  }
}

extension DataStoreProtocol {
  /// Whether an event type has children: events, property definitions or skips. Children in `ids` are ignored.
  func hasChildren(ofType typeID: String, besides ids: Set<String> = []) throws -> Bool {
    try events(in: nil, ofType: typeID, limit: ids.count + 1).contains { !ids.contains($0.id) }
      || fetchAllPropertyDefinitions().contains { $0.eventTypeId == typeID && !ids.contains($0.id) }
      || fetchRecords(kind: .skip).contains {
        $0.fields["event_type_id"]?.stringValue == typeID && !ids.contains($0.id)
      }
  }
}
