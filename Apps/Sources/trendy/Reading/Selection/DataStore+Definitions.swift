import TrendyModels
import TrendyProtocols

extension DataStoreProtocol {
  /// Returns the property definitions of an event type, in display order.
  func definitions(of type: EventType) throws -> [PropertyDefinition] { try definitions(ofType: type.id) }

  func definitions(ofType id: String) throws -> [PropertyDefinition] {
    try fetchAllPropertyDefinitions().filter { $0.eventTypeId == id }
  }
}
