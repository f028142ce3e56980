public import TrendyFoundation

extension Event {
  /// What a person records: a type, a moment or a span, and what is to be said of it.
  public init(
    id: String, of type: EventType, at timestamp: Date, until endDate: Date? = nil, notes: String? = nil,
    properties: [String: PropertyValue] = [:]
  ) {
    self.init(
      id: id, eventTypeId: type.id, timestamp: timestamp, endDate: endDate, notes: notes, properties: properties)
  }

  /// Moves its start. An end keeps its distance: it lasts as long as before.
  public mutating func move(to start: Date) {
    endDate = endDate.map { $0.addingTimeInterval(start.timeIntervalSince(timestamp)) }
    timestamp = start
  }

  /// Gives the first duration among these definitions, where it has no value or says what the event took before, the time from start
  /// to end: one length, told in two ways. Nothing of an event without an end.
  /// - Parameters:
  ///   - definitions: of any event types; those of others are passed over.
  ///   - before: the event as it was.
  public mutating func fillLength(
    from definitions: some Sequence<PropertyDefinition>, before: Event? = nil
  ) {
    let durations = definitions.filter { $0.eventTypeId == eventTypeId && $0.propertyType == .duration }
    guard let endDate, let first = durations.min(by: { ($0.displayOrder, $0.id) < ($1.displayOrder, $1.id) }) else {
      return
    }
    let told = properties[first.key]?.doubleValue
    let isOld = before?.endDate.map { $0.timeIntervalSince(before?.timestamp ?? $0) } == told
    if properties[first.key] == nil || told != nil && isOld {
      properties[first.key] = .duration(endDate.timeIntervalSince(timestamp))
    }
  }

  /// Gives each property that has no value the default of its definition; definitions of other event types are passed over.
  public mutating func fillDefaults(from definitions: some Sequence<PropertyDefinition>) {
    for definition in definitions where definition.eventTypeId == eventTypeId && properties[definition.key] == nil {
      if let value = definition.defaultValue {
        properties[definition.key] = PropertyValue(type: definition.propertyType, value: value)
      }
    }
  }
}
