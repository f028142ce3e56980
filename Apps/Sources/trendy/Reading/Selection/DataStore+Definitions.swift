import TrendyModels
import TrendyProtocols

extension DataStoreProtocol {
  /// Returns an event type's property definitions in display order.
  func definitions(of type: EventType) throws -> [PropertyDefinition] { try definitions(ofType: type.id) }

  func definitions(ofType id: String) throws -> [PropertyDefinition] {
    try fetchAllPropertyDefinitions().filter { $0.eventTypeId == id }
  }
}
