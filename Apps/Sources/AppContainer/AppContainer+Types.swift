public import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTrips

extension AppContainer {
  /// The type that trips are recorded as; made the first time it is asked for, the same on every device.
  public func tripType() throws -> EventType {
    let id = NaturalKey.id(for: "event_type", "trip")
    return try type(
      EventType(id: id, name: TripRecord.eventTypeName, colorHex: "#4A6FA5", iconName: "⇢"),
      definitions: TripRecord.propertyDefinitions(eventTypeId: id) {
        NaturalKey.id(for: "property_definition", "trip", $0.rawValue)
      })
  }

  /// The type that visits to places are recorded as where the place names no other; made the first time it is asked for.
  public func visitType() throws -> EventType {
    try type(
      EventType(id: NaturalKey.id(for: "event_type", "visit"), name: "Visit", colorHex: "#6B8E4E", iconName: "⌂"),
      definitions: [])
  }

  /// The person's own of that name, else this one.
  func type(_ wanted: EventType, definitions: [PropertyDefinition]) throws -> EventType {
    let types = try makeStore().fetchAllEventTypes()
    if let type = types.first(where: { $0.id == wanted.id }) ?? types.first(where: { $0.name == wanted.name }) {
      return type
    }
    if try recorder.record(wanted) {
      for definition in definitions { try recorder.record(definition) }
      return wanted
    }
    // It was deleted, and what was deleted does not come back: a new one takes its place.
    let type = EventType(id: makeID(), name: wanted.name, colorHex: wanted.colorHex, iconName: wanted.iconName)
    try recorder.record(type)
    for definition in definitions {
      try recorder.record(
        PropertyDefinition(
          id: makeID(), eventTypeId: type.id, key: definition.key, label: definition.label,
          propertyType: definition.propertyType, displayOrder: definition.displayOrder))
    }
    return type
  }
}
