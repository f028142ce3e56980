extension EventType: SyncedEntity {
  public typealias Wire = APIEventType
  public typealias CreateRequest = CreateEventTypeRequest
  public typealias UpdateRequest = UpdateEventTypeRequest

  public static var entityType: MutationEntityType { .eventType }

  public init(_ wire: APIEventType) {
    self.init(
      id: wire.id, name: wire.name, colorHex: wire.color, iconName: wire.icon, syncStatus: .synced,
      unknownFields: Self.ofLiving(wire.unknownFields))
    setGoal(wire.goal)
  }

  public init(_ request: CreateEventTypeRequest) {
    self.init(
      id: request.id, name: request.name, colorHex: request.color, iconName: request.icon,
      unknownFields: Self.ofLiving(request.unknownFields))
    setGoal(request.goal)
  }

  private static func ofLiving(_ fields: [String: JSONValue]) -> [String: JSONValue] {
    fields.filter { $0.key != SyncedKind.mergedInto }
  }

  public var createRequest: CreateEventTypeRequest {
    CreateEventTypeRequest(
      id: id, name: name, color: colorHex, icon: iconName, goal: wireGoal,
      unknownFields: unknownFields.filter { $0.key != Self.goalField })
  }

  public func updateRequest(from old: EventType) -> UpdateEventTypeRequest? {
    let request = UpdateEventTypeRequest(
      name: .changed(old.name, name), color: .changed(old.colorHex, colorHex), icon: .changed(old.iconName, iconName),
      goal: Patch(from: old.wireGoal, to: wireGoal))
    return request == UpdateEventTypeRequest() ? nil : request
  }

  public mutating func apply(_ request: UpdateEventTypeRequest) {
    if let value = request.name { name = value }
    if let value = request.color { colorHex = value }
    if let value = request.icon { iconName = value }
    switch request.goal {
    case .absent: break
    case .null: setGoal(nil)
    case .value(let value): setGoal(value)
    }
  }
}

extension EventType {
  static let goalField = "goal"

  /// What is written on the wire and in a store: the goal, or one that only a newer version can read.
  private var wireGoal: JSONValue? { goal?.json ?? unknownFields[Self.goalField] }

  /// A goal that this version cannot represent is kept as it is written until another is set; here there is none.
  private mutating func setGoal(_ json: JSONValue?) {
    goal = json.flatMap { Goal($0) }
    if goal == nil, let json, !json.isNull { unknownFields[Self.goalField] = json }
  }

  /// The members that a store keeps by name: what this version does not know, and the goal. So earlier versions, to which
  /// a goal is a member that they do not know, keep it as well and read what this one wrote.
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
