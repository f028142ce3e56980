public import TrendyModels

/// Action that records an event of a type, triggered by the type's tile or by a suggested command.
public enum TypeAction: String, Hashable, Sendable, Codable, CaseIterable {
  /// Records an event at once.
  case log
  /// Asks for the value of the first property, then records the event.
  case ask
  /// Starts an event that runs until it is stopped.
  case start
  /// Stops the running event.
  case stop

  /// Determines the action of a type.
  ///
  /// - ``stop`` if an event of the type is running.
  /// - ``start`` if the goal measures a duration, or if a duration property has no default.
  /// - ``ask`` if the first property is a number or a choice without a default. `count` is excluded, because its
  ///   default is 1.
  /// - ``log`` otherwise.
  public init(for type: EventType, definitions: some Sequence<PropertyDefinition>, isRunning: Bool) {
    let own = definitions.filter { $0.eventTypeId == type.id }
    if isRunning {
      self = .stop
    } else if type.goal?.measure == .duration
      || own.contains(where: { $0.propertyType == .duration && $0.defaultValue == nil })
    {
      self = .start
    } else {
      self = own.inOrder.first?.isAskedFor == true ? .ask : .log
    }
  }
}

extension PropertyDefinition {
  /// Whether the user is asked for a value, because an event without it has little meaning.
  fileprivate var isAskedFor: Bool {
    guard defaultValue == nil else { return false }
    return propertyType == .number ? key != Goal.countKey : propertyType == .select
  }
}

extension UserRecord {
  /// Returns the actions of some event types, by type.
  public func actions(of types: [EventType]) throws -> [String: TypeAction] {
    let definitions = Dictionary(grouping: try propertyDefinitions(), by: \.eventTypeId)
    let running = try runningTypes()
    return types.reduce(into: [:]) {
      $0[$1.id] = TypeAction(for: $1, definitions: definitions[$1.id] ?? [], isRunning: running.contains($1.id))
    }
  }

  private func runningTypes() throws -> Set<String> {
    let ids = RunningSetting.eventIds(in: try records(of: .setting))
    return Set(try ids.compactMap { try event(id: $0) }.filter { $0.endDate == nil }.map(\.eventTypeId))
  }
}
