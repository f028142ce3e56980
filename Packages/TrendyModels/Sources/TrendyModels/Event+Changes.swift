#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Event {
  /// Moves its start. An end keeps its distance: it lasts as long as before.
  public mutating func move(to start: Date) {
    endDate = endDate.map { $0.addingTimeInterval(start.timeIntervalSince(timestamp)) }
    timestamp = start
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
