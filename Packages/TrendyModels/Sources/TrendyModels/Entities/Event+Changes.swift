public import TrendyFoundation

extension Event {
  /// Creates a manually recorded event of a type, with the given start and optional end.
  public init(
    id: String, of type: EventType, at timestamp: Date, until endDate: Date? = nil, notes: String? = nil,
    properties: [String: PropertyValue] = [:]
  ) {
    self.init(
      id: id, eventTypeId: type.id, timestamp: timestamp, endDate: endDate, notes: notes, properties: properties)
  }

  /// Moves the event to a new start and preserves its duration.
  public mutating func move(to start: Date) {
    endDate = endDate.map { $0.addingTimeInterval(start.timeIntervalSince(timestamp)) }
    timestamp = start
  }

  /// Sets the event's first duration property to the time from start to end.
  ///
  /// A duration that the user entered is preserved: the property is set only if it has no value, or if its value equals
  /// the duration of the event before the edit. An event without an end is left unchanged.
  ///
  /// - Parameters:
  ///   - definitions: property definitions. Definitions of other event types are ignored.
  ///   - before: the event before the edit, or `nil` for a new event.
  public mutating func fillLength(
    from definitions: some Sequence<PropertyDefinition>, before: Event? = nil
  ) {
    guard let endDate, let first = definitions.firstDuration(of: eventTypeId) else { return }
    let told = properties[first.key]?.doubleValue
    let isOld = before?.endDate.map { $0.timeIntervalSince(before?.timestamp ?? $0) } == told
    if properties[first.key] == nil || told != nil && isOld {
      properties[first.key] = .duration(endDate.timeIntervalSince(timestamp))
    }
  }

  /// Sets each property without a value to the default of its definition. Ignores definitions of other event types.
  public mutating func fillDefaults(from definitions: some Sequence<PropertyDefinition>) {
    for definition in definitions where definition.eventTypeId == eventTypeId && properties[definition.key] == nil {
      if let value = definition.defaultValue {
        properties[definition.key] = PropertyValue(type: definition.propertyType, value: value)
      }
    }
  }
}
