import TrendyModels
import TrendyProtocols

/// A store's event types, properties and places, read once to parse any number of events.
struct Vocabulary {
  private(set) var types: [EventType]
  private var definitions: [String: [PropertyDefinition]]
  let places: [Geofence]

  init(_ store: any DataStoreProtocol) throws {
    types = try store.fetchAllEventTypes()
    definitions = Dictionary(grouping: try store.fetchAllPropertyDefinitions(), by: \.eventTypeId)
    places = try store.fetchAllGeofences()
  }

  func definitions(of type: EventType) -> [PropertyDefinition] { definitions(ofType: type.id) }

  func definitions(ofType id: String) -> [PropertyDefinition] { definitions[id] ?? [] }

  mutating func add(_ type: EventType) { types.append(type) }

  mutating func add(_ properties: [PropertyDefinition]) {
    for property in properties { definitions[property.eventTypeId, default: []].append(property) }
  }
}
