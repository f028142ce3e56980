public import TrendyFoundation

/// Fields of an event type on the wire.
public struct EventTypeFields: WireFields {
  public var own = OwnMembers()
  public var name = ""
  public var color = "#888888"
  public var icon = "circle"
  /// Goal as JSON, parsed by ``Goal/init(_:)-(JSONValue)``. May be a goal that only newer versions can represent.
  public var goal: JSONValue?
}

extension EventTypeFields: VisitedFields {
  static var unchanged: UpdateEventTypeRequest { UpdateEventTypeRequest() }

  mutating func visit<Visitor: FieldVisitor & ~Copyable>(
    _ changes: inout UpdateEventTypeRequest, _ visitor: inout Visitor
  ) throws(Visitor.Failure) {
    try visitor.requiredToCreate("color", &color, &changes.color)
    try visitor.assigned("created_at", &own.createdAt)
    try visitor.clearable("goal", &goal, &changes.goal)
    try visitor.requiredToCreate("icon", &icon, &changes.icon)
    try visitor.identifier("id", &own.id)
    try visitor.required("name", &name, &changes.name)
    try visitor.assigned("updated_at", &own.updatedAt)
    try visitor.assigned("user_id", &own.userId)
  }
}

/// Event type as returned by a hub.
public struct APIEventType: StoredDocument {
  public var fields: EventTypeFields

  public init(fields: EventTypeFields) { self.fields = fields }

  public init(
    id: String, userId: String = "", name: String, color: String = "#888888", icon: String = "circle",
    goal: JSONValue? = nil, createdAt: Date? = nil, updatedAt: Date? = nil, unknownFields: [String: JSONValue] = [:]
  ) {
    fields = EventTypeFields(
      own: OwnMembers(
        id: id, userId: userId, createdAt: createdAt, updatedAt: updatedAt, unknown: unknownFields),
      name: name, color: color, icon: icon, goal: goal)
  }
}

/// Request to create an event type.
public struct CreateEventTypeRequest: EntityDocument {
  public var fields: EventTypeFields

  public init(fields: EventTypeFields) { self.fields = fields }

  public init(
    id: String, name: String, color: String, icon: String, goal: JSONValue? = nil,
    unknownFields: [String: JSONValue] = [:]
  ) {
    fields = EventTypeFields(
      own: OwnMembers(id: id, unknown: unknownFields), name: name, color: color, icon: icon, goal: goal)
  }
}

/// Changes to an event type. Absent fields remain unchanged.
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

extension APIEventType: WireDocument {
  public init(from fields: inout WireReader) throws { self.fields = try EventTypeFields(from: &fields, as: .stored) }
  public func write(to fields: inout WireWriter) throws { try self.fields.write(to: &fields) }
}

extension CreateEventTypeRequest: WireDocument {
  public init(from fields: inout WireReader) throws { self.fields = try EventTypeFields(from: &fields, as: .create) }
  public func write(to fields: inout WireWriter) throws { try self.fields.write(to: &fields) }
}

extension UpdateEventTypeRequest: WireDocument {
  public init(from fields: inout WireReader) throws { self = try EventTypeFields.changes(from: &fields) }
  public func write(to fields: inout WireWriter) throws { try EventTypeFields.write(self, to: &fields) }
}
