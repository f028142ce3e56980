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
  private func type(_ wanted: EventType, definitions: [PropertyDefinition]) throws -> EventType {
    let types = try makeStore().fetchAllEventTypes()
    if let type = types.first(where: { $0.id == wanted.id }) { return type }
    try recorder.record(wanted)
    for definition in definitions { try recorder.record(definition) }
    return wanted
  }
}
