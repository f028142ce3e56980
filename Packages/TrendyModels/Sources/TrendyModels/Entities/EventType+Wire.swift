extension EventType: SyncedEntity {
  public typealias Wire = APIEventType
  public typealias CreateRequest = CreateEventTypeRequest
  public typealias UpdateRequest = UpdateEventTypeRequest

  public static var entityType: MutationEntityType { .eventType }

  public init(_ wire: APIEventType) { self.init(wire.fields, syncStatus: .synced) }
  public init(_ request: CreateEventTypeRequest) { self.init(request.fields, syncStatus: .pending) }

  private init(_ fields: EventTypeFields, syncStatus: SyncStatus) {
    self.init(
      id: fields.own.id, name: fields.name, colorHex: fields.color, iconName: fields.icon, syncStatus: syncStatus,
      unknownFields: fields.own.unknown.filter { $0.key != SyncedKind.mergedInto })
    setGoal(fields.goal)
  }

  private var fields: EventTypeFields {
    EventTypeFields(
      own: OwnMembers(id: id, unknown: unknownFields.filter { $0.key != Self.goalField }), name: name, color: colorHex,
      icon: iconName, goal: wireGoal)
  }

  public var createRequest: CreateEventTypeRequest { CreateEventTypeRequest(fields: fields) }

  public func updateRequest(from old: EventType) -> UpdateEventTypeRequest? { fields.changes(from: old.fields) }

  public mutating func apply(_ request: UpdateEventTypeRequest) {
    var fields = fields
    fields.apply(request)
    self = EventType(fields, syncStatus: syncStatus)
  }
}

extension EventType {
  static let goalField = "goal"

  /// Goal in wire format, including one that this version cannot represent.
  private var wireGoal: JSONValue? { goal?.json ?? unknownFields[Self.goalField] }

  /// Sets the goal. A goal that this version cannot represent is preserved as JSON, and ``goal`` is `nil`.
  private mutating func setGoal(_ json: JSONValue?) {
    goal = json.flatMap { Goal($0) }
    if goal == nil, let json, !json.isNull { unknownFields[Self.goalField] = json }
  }

  /// JSON members that a store persists by name: the goal and the unknown members.
  ///
  /// Versions without goals preserve the goal as an unknown member.
  public var storedMembers: [String: JSONValue] {
    get {
      var members = unknownFields
      members[Self.goalField] = wireGoal
      return members
    }
    set {
      unknownFields = newValue
      setGoal(newValue[Self.goalField])
    }
  }
}
