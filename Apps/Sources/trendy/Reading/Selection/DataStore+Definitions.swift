import TrendyModels
import TrendyProtocols

extension DataStoreProtocol {
  /// The properties that events of a type can have, in the order in which they are shown.
  func definitions(of type: EventType) throws -> [PropertyDefinition] { try definitions(ofType: type.id) }

  func definitions(ofType id: String) throws -> [PropertyDefinition] {
    try fetchAllPropertyDefinitions().filter { $0.eventTypeId == id }
  }
}
